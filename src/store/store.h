// The storage contract: set-in, map-out, a whole round at a time, over one snapshot (spec §3.1, §10.2,
// §13.1; the design's "storage contract").
//
//   Store ──open_snapshot──▶ Snapshot ──load([request, request, ...], arena)──▶ [result, result, ...]
//
//   scan Comment where post_id in {17, 18} order by created_at desc limit 4 each
//     → rows of both groups, group 0 = rows 0..3, group 1 = rows 4..5
//
// There is no call that loads for one parent. A Store is shared by all threads; a Snapshot belongs to
// the event loop that opened it and ends (releasing its read transaction) when destroyed. Values in
// results live in the arena given to load.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/result.h"
#include "base/task.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "store/value.h"

namespace lattice::store {

using schema::EntityIndex;
using schema::FieldIndex;
using schema::kNone;

// `epoch.count`, both zero-padded (10 and 20 digits), so that text order is token order (decisions).
struct Token {
  uint32_t epoch = 0;
  uint64_t count = 0;
  auto operator<=>(const Token&) const = default;
};
std::string print_token(Token token);
std::optional<Token> parse_token(std::string_view text);

// A field that the store computes from a row and arguments (avatarUrl(size:)); values are frame slots.
struct Computed {
  FieldIndex field = kNone;
  std::vector<plan::SlotIndex> arguments;  // in declaration order
};

struct Ordering {
  FieldIndex field = kNone;
  bool descending = false;
};

// The static part of a load: made once a plan, so that a store can prepare for it once (keyed by `id`,
// unique in the process).
struct LoadShape {
  enum class Kind : uint8_t {
    Keys,       // rows by entity key
    Scan,       // rows of groups, ordered and windowed
    Aggregate,  // one number a group
    Root,       // a hook root: rows of any of `targets`, in the hook's order
  };
  uint64_t id = 0;
  Kind kind = Kind::Keys;
  std::string loader;  // "User via Post.author": traces and errors
  EntityIndex entity = kNone;
  std::vector<FieldIndex> fields;  // projection; Row::values follows this order, then `computed`
  std::vector<Computed> computed;
  // An owner column that the schema does not declare; its value follows the others (decisions).
  std::string hidden_owner_column;

  // Scan and Aggregate
  std::vector<FieldIndex> match;  // equated with the group's values, in order (link, grouping)
  std::string hidden_link;        // "Character.friends" when the link column is not declared: the store
                                  // resolves the join; the group's values are then the owner's key
  EntityIndex owner = kNone;      // of the edge, for hidden_link
  std::vector<Ordering> order;    // the keyset and then every key field that it lacks
  uint32_t keyset_size = 0;       // how many of `order` are the declared keyset
  plan::Gate gate;                // row conditions pushed into the scan (dependencies §7)

  // Aggregate
  schema::Dependency::Function function = schema::Dependency::Function::Count;
  FieldIndex aggregate_field = kNone;

  // Root
  // (list roots: in any order, all of them up to Window::limit; the executor orders and windows them)
  uint32_t root = kNone;                    // index of the schema root
  std::vector<plan::SlotIndex> arguments;   // slots of its declared parameters, in order
  std::vector<EntityIndex> targets;
  std::vector<std::vector<FieldIndex>> target_fields;  // projection of each target
};
uint64_t next_shape_id();

// Where a page stands. Values are in keyset order; `has_key` says that the key columns follow them.
struct Boundary {
  std::span<const Value> values;
  bool has_key = false;
  // Without key values: rows equal to the boundary belong to the window whatever their number. The
  // executor asks so when it merges the windows of several types.
  bool is_inclusive = false;
};
struct Window {
  enum class Kind : uint8_t { All, Forward, Backward, Around } kind = Kind::All;
  uint32_t limit = 0;                // rows wanted; All: the bound, one more row tells of overflow
  std::optional<Boundary> boundary;  // after (Forward), before (Backward), anchor (Around). Without key
                                     // values inside a group of ties: from the group's first row
  bool wants_total = false;
};

// The part of a load that a request brings. All spans are borrowed until load returns.
struct LoadRequest {
  const LoadShape* shape = nullptr;
  std::span<const Value> frame;  // every slot of the plan, resolved; Null: absent
  // Keys: `keys` holds key_count tuples of the entity's key size. Scan/Aggregate: group_count tuples of
  // shape->match.size() values (or the owner's key for hidden_link).
  std::span<const Value> keys;
  uint32_t count = 0;
  Window window;
};

struct Row {
  EntityIndex entity = kNone;
  const Value* key = nullptr;     // the entity's key fields in declaration order
  const Value* values = nullptr;  // the projection, then computed, then the hidden owner column
  std::string_view version;       // opaque (§10.2 ver)
};
struct Group {
  uint32_t first = 0;  // index of the first row
  uint32_t count = 0;
  bool has_previous = false;  // rows before / after the window
  bool has_next = false;
  bool overflows = false;  // Window::All: more than the limit
  // The row before (after) the window has the keyset values of its first (last) row: a cursor for that
  // place needs the key values (decisions, "keysets with ties").
  bool ties_previous = false;
  bool ties_next = false;
  std::optional<uint64_t> total;
};
struct LoadResult {
  std::vector<Row> rows;
  std::vector<Group> groups;      // Keys: one a key, count 0 or 1 (0: not found). Scan: one a group
  std::vector<Value> aggregates;  // Aggregate: one a group
  std::optional<Error> error;     // this load failed (§9.4); the others stand
};

// Statistics for tests, traces and lattice.loader.batch_size.
struct LoadCounters {
  uint64_t rounds = 0, loads = 0, rows = 0;
};

class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual Token token() const = 0;
  // False on a database without our migration: version = content hash, floor = token, no pinned fetch.
  virtual bool has_versions() const = 0;
  // The greatest token at or below token() at which one of `keys` was invalidated; token() itself when
  // that cannot be bounded (§10.2).
  virtual Token floor(std::span<const std::string> keys) = 0;

  // A whole round. results[i] answers requests[i]. Errors: only when nothing at all could be loaded.
  virtual Task<Result<std::vector<LoadResult>>> load(std::span<const LoadRequest> requests,
                                                     Arena& arena) = 0;
  // What a hook root, or a field that the store computes, reads beside the row itself: types and
  // collections by name ("Human", "feed"). Null: nobody declared it, so the response can be bounded by
  // no key (dependencies §2).
  virtual const std::vector<std::string>* root_reads(uint32_t /*root*/) const { return nullptr; }
  virtual const std::vector<std::string>* computed_reads(EntityIndex /*entity*/,
                                                         FieldIndex /*field*/) const {
    return nullptr;
  }
  // A tombstone's version, when the entity existed and was deleted (§9.3).
  virtual Task<Result<std::optional<std::string>>> find_tombstone(EntityIndex entity,
                                                                  std::span<const Value> key) = 0;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual std::string_view domain() const = 0;  // snapshot domain name: "main"
  virtual Task<Result<std::unique_ptr<Snapshot>>> open_snapshot() = 0;
  // Increments whenever anything in the store may have changed; a memo may live while it stands still.
  virtual Result<uint64_t> change_counter() = 0;
  virtual LoadCounters counters() const = 0;
};

struct StoreOptions {
  // Overrides of the mapping (configuration), on top of convention and schema directives.
  // What the SQL reads beside the row itself, as types and collections by name; absent: nobody said, so
  // no key bounds the response. Empty: nothing.
  struct Computed {
    std::string field, sql;  // "User.avatarUrl"; an expression, arguments are :name
    std::optional<std::vector<std::string>> reads;
  };
  // `sql` gives keys, a column a key field; for a root of several types the type's name comes first.
  struct Hook {
    std::string root, sql;
    std::optional<std::vector<std::string>> reads;
  };
  std::vector<Computed> computed;
  std::vector<Hook> hooks;
  std::vector<plan::OwnerColumn> owners;
};

// Opens the store that a URL names and binds it to the schema: `memory:`, `sqlite:PATH`.
// Errors: lattice:usage for a URL that names no known store; lattice:io when it cannot be opened;
// lattice:store-mismatch with one diagnostic a table or column that the schema wants and the database
// lacks.
Result<std::unique_ptr<Store>> open_store(std::string_view url, schema::SchemaPtr schema,
                                          const StoreOptions& options = {});

// Reads an existing database and writes the IDL that serves it (`lattice init`).
struct InitOptions {
  bool is_public = false;  // else `private by default`
  std::string name;        // schema name; default from the file
};
Result<std::string> introspect_store(std::string_view url, const InitOptions& options);

}  // namespace lattice::store
