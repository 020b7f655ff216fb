// A store in memory: rows given as JSON, every commit a new immutable state, real floors.
//
//   MemoryStore store(schema);
//   store.put("Post", Json::object({{"id", 17}, {"title", "Hello"}}));
//   store.link("friends", "Human:1000", {"Droid:2001"});
//
// For tests, for origins whose data is small, and as the plainest statement of what the contract
// means. A snapshot holds one state; a writer makes the next one beside it. Reads scan whole
// tables. Every member function may be called from any thread; a hook runs on the thread that
// loads.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "store/keys.h"
#include "store/scalar.h"
#include "store/store.h"

namespace lattice::store {

struct MemoryState;

// The hidden owner column of rows that load_dataset read with owners by key.
inline constexpr std::string_view kDatasetOwnerColumn = "owner";

// What a hook sees: the rows of its snapshot, as wire JSON.
class MemoryView {
 public:
  explicit MemoryView(const MemoryState& state, const schema::Schema& schema)
      : state_(state), schema_(schema) {}
  struct Item {
    std::string ref;  // "Human:1000"
    Json fields;      // key fields too; absent ones are left out
  };
  std::vector<Item> rows(std::string_view entity) const;  // by key text
  std::optional<Item> find(std::string_view ref) const;

 private:
  const MemoryState& state_;
  const schema::Schema& schema_;
};

// The refs that a root gives, in its order; `arguments` has the given ones by name.
using RootHook =
    std::function<Result<std::vector<std::string>>(const MemoryView&, const Json& arguments)>;
// The wire value of a field with arguments (or a maintained one) from its row's fields.
using FieldHook = std::function<Json(const Json& fields, const Json& arguments)>;

class MemoryStore final : public Store {
 public:
  explicit MemoryStore(schema::SchemaPtr schema, std::string domain = "main", Token start = {1, 1});
  ~MemoryStore() override;

  // --- Rows. Each call is one commit; a version left out is made from the commit's count. ---

  // Inserts or replaces a row: every field that `fields` lacks becomes absent.
  // Errors: lattice:bad-request naming an unknown entity or field, or a missing or wrong key field.
  Result<Token> put(std::string_view entity, const Json& fields,
                    std::optional<std::string> version = {});
  // Changes the fields given (null: absent) of an existing row. Errors: also lattice:not-found.
  Result<Token> update(std::string_view ref, const Json& fields);
  // Deletes a row, leaving a tombstone of `version`. Errors: lattice:not-found.
  Result<Token> remove(std::string_view ref, std::optional<std::string> version = {});
  Result<void> set_tombstone(std::string_view ref, std::string version);
  // A storage column that the schema does not declare (an owner).
  Result<Token> set_hidden(std::string_view ref, std::string_view column, std::string value);
  // Replaces the members of a link that no target declares ("friends" of Human:1000).
  Result<Token> link(std::string_view relationship, std::string_view owner,
                     std::vector<std::string> members);

  // Several changes under one token: what `changes` does through this store is one commit. Not
  // nested.
  Result<Token> commit(const std::function<Result<void>()>& changes);

  // Rows, links, tombstones and owners of one data set as the conformance files write them:
  // {"rows":{"Human":{"1000":{"ver":"e1","fields":{..}}}},"links":{..},"tombstones":{..},"owners":{..}}.
  // An owner given as one field name is the caller's to configure; other members are ignored. One
  // commit.
  Result<Token> load_dataset(const Json& dataset);

  // --- Hooks: before the first snapshot. Without `reads` nobody knows what the hook depends on.
  // ---
  void add_root(std::string_view root, RootHook hook,
                std::optional<std::vector<std::string>> reads);
  void add_field(std::string_view entity, std::string_view field, FieldHook hook,
                 std::vector<std::string> reads = {});

  // --- For tests ---
  // Loads whose loader name ("User via Post.author") contains `part` fail with `error` until
  // cleared.
  void testing_fail_loads(std::string part, Error error);
  void testing_clear_failures();

  Token token() const;
  // Keys invalidated by commits after `since`, sorted; what a relay would purge.
  std::vector<std::string> invalidated_since(Token since) const;

  std::string_view domain() const override { return domain_; }
  Task<Result<std::unique_ptr<Snapshot>>> open_snapshot() override;
  Result<uint64_t> change_counter() override;
  LoadCounters counters() const override;

 private:
  friend class MemorySnapshot;
  struct Impl;
  std::string domain_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lattice::store
