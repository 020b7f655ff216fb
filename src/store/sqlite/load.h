// One load request against one connection. Internal to sqlite/.
//
// Scans loop over their groups with one prepared statement: in process, a point look-up costs less than
// handing a set to SQL (docs/internals/sqlite.md).
#pragma once

#include <array>

#include "store/sqlite/store.h"

namespace lattice::store {

class Loader {
 public:
  Loader(SqlModel& model, Connection& connection, const LoadRequest& request, Arena& arena)
      : model_(model), connection_(connection), request_(request), arena_(arena) {}

  // Errors: as Database and ShapeCode; lattice:bad-request for a boundary that is no place.
  Result<LoadResult> run();

 private:
  Result<void> load();
  Result<void> load_keys();
  Result<void> load_scan();
  Result<void> load_aggregate();
  Result<void> load_hook();
  Result<void> load_whole_tables(const HookCode& code);
  Result<void> load_hook_row(sqlite3_stmt* found, const HookCode& code);
  void bind_parameters(sqlite3_stmt* statement, const schema::Root& root);

  // --- Binding. False: nothing can match. ---
  bool bind_equal(sqlite3_stmt* statement, int parameter, const EqualTerm& term, const Value& value);
  bool bind_match(sqlite3_stmt* statement, std::span<const Value> values);
  bool bind_gate(sqlite3_stmt* statement);
  void bind_arguments(sqlite3_stmt* statement);
  void bind_cell(sqlite3_stmt* statement, int parameter, const Cell& cell);

  // --- Rows ---
  Row read_row(sqlite3_stmt* statement);
  Value read(sqlite3_stmt* statement, const ShapeCode::Column& column);
  std::string_view read_version(sqlite3_stmt* statement);
  const Value* read_keyset(sqlite3_stmt* statement);
  bool same_keyset(const Value* left, const Value* right) const;

  // --- Windows ---
  // Rows of one direction, with their keyset values, and whether more follow.
  struct Stretch {
    std::vector<Row> rows;
    std::vector<const Value*> keysets;
    bool has_more = false;
    const Value* next_keyset = nullptr;  // of the row behind the last
    void drop_first();
    void trim(size_t count);
  };
  // A bound as the statement takes it.
  struct BoundCells {
    std::array<Cell, ShapeCode::kOrderColumnsMax> cells;  // bytes in the arena
    size_t count = 0;
    uint16_t nulls = 0;
  };
  Result<void> scan_group(std::span<const Value> match);
  Result<void> scan_open(std::span<const Value> match, Group& group);
  Result<void> scan_bounded(std::span<const Value> match, Group& group);
  Result<void> scan_around(std::span<const Value> match, Group& group);
  Result<void> count_group(std::span<const Value> match, Group& group);
  Result<Stretch> fetch(std::span<const Value> match, ScanVariant variant, const BoundCells* bound,
                        size_t want);
  Result<BoundCells> bound_of(const Boundary& boundary, bool with_key) const;
  std::optional<BoundCells> bound_of_row(const Row& row, const Value* keyset) const;
  bool set_bound(BoundCells& bound, size_t term, const Value& value) const;
  bool equals_boundary(const Value* keyset, const Boundary& boundary) const;
  Result<void> look_behind(std::span<const Value> match, const Stretch& stretch, bool is_reversed,
                           bool took_equals, bool& exists, bool& ties);

  Result<sqlite3_stmt*> ready(Result<sqlite3_stmt*> statement);  // binds what all groups share
  Result<void> finish(int code);                                 // of a step: an error, or nothing

  SqlModel& model_;
  Connection& connection_;
  const LoadRequest& request_;
  Arena& arena_;
  ShapeCode* code_ = nullptr;
  bool is_barred_ = false;  // the gate lets nothing through
  LoadResult out_;
  std::string scratch_;
};

}  // namespace lattice::store
