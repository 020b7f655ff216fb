// What a MemoryStore holds: immutable states, one a commit, and the tables that all of them share.
// Internal to memory/.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/percent.h"
#include "store/memory/memory.h"

namespace lattice::store {

// Immutable once it stands in a table; owns the text of its values.
struct StoredRow {
  Arena arena{256};
  std::string key_text;  // "7,9"
  std::string ref;       // "Membership:7,9"
  std::vector<Value> key;
  std::vector<Value> values;  // by FieldIndex
  Json fields;                // as given
  std::string version;
  std::map<std::string, std::string> hidden;  // columns that the schema does not declare
};

struct MemoryTable {
  std::map<std::string, std::shared_ptr<const StoredRow>> rows;  // by key text
  std::map<std::string, std::string> tombstones;                 // key text → version
};

// relationship → owner ref → member refs
using MemoryLinks = std::map<std::string, std::map<std::string, std::vector<std::string>>>;

struct MemoryState {
  Token token;
  std::vector<std::shared_ptr<const MemoryTable>> tables;  // by entity
  std::shared_ptr<const MemoryLinks> links = std::make_shared<MemoryLinks>();

  const StoredRow* find(const schema::Schema& schema, std::string_view ref) const;
};

struct EntityModel {
  std::vector<ScalarType> types;  // by FieldIndex
  std::vector<FieldIndex> key;
};
struct MemoryModel {
  explicit MemoryModel(schema::SchemaPtr schema);
  schema::SchemaPtr schema;
  std::vector<EntityModel> entities;
};

struct MemoryStore::Impl {
  Impl(schema::SchemaPtr schema, Token start);

  std::shared_ptr<const MemoryState> read() const;
  // One commit, or a part of the commit that is open on this thread.
  Result<Token> write(const std::function<Result<void>(MemoryState&)>& change);

  // The steps of a write; the caller holds write_mutex and passes the state in the making.
  // A table of `state` to change: copied from the state before at the first change of a commit.
  MemoryTable& table(MemoryState& state, EntityIndex entity);
  void note_write(const MemoryState& state, EntityIndex entity, const StoredRow* before,
                  const StoredRow* after);
  void note_link(std::string_view relationship, std::string_view owner);
  void share_version(MemoryState& state, EntityIndex entity, const StoredRow& written);
  Result<void> put_row(MemoryState& state, EntityIndex entity, const Json& fields,
                       const std::optional<std::string>& version);
  Result<void> remove_row(MemoryState& state, EntityIndex entity, const std::string& key,
                          const std::optional<std::string>& version);
  Result<void> load_rows(MemoryState& state, const Json& rows);
  Result<std::shared_ptr<StoredRow>> make_row(EntityIndex entity, const Json& fields) const;
  Result<std::pair<EntityIndex, std::string>> parse_ref(std::string_view ref) const;

  MemoryModel model;
  WriteKeys write_keys;
  Token horizon;

  std::recursive_mutex write_mutex;       // commit() calls back into the store
  std::unique_ptr<MemoryState> pending;   // guarded by write_mutex
  std::vector<std::string> pending_keys;  // guarded by write_mutex
  std::vector<MemoryTable*> writable;     // tables of `pending` that are its own copies

  mutable std::mutex current_mutex;
  std::shared_ptr<const MemoryState> current;

  mutable std::mutex history_mutex;
  std::map<std::string, std::vector<uint64_t>>
      history;  // key → counts that invalidated it, ascending

  struct Root {
    RootHook hook;
    std::optional<std::vector<std::string>> reads;
  };
  struct Computation {
    FieldHook hook;
    std::vector<std::string> reads;
  };
  std::map<std::string, Root, std::less<>> roots;
  std::map<std::string, Computation, std::less<>> fields;  // "User.avatarUrl"

  std::mutex failure_mutex;
  std::vector<std::pair<std::string, Error>> failures;

  std::atomic<uint64_t> rounds{0}, loads{0}, rows{0};
};

}  // namespace lattice::store
