#include "store/sqlite/load.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "base/base64url.h"
#include "base/check.h"
#include "store/aggregate.h"
#include "store/sqlite/version.h"

namespace lattice::store {

namespace {

// A reset at the end of a scope: an open cursor would hold the statement's pages.
struct Reset {
  sqlite3_stmt* statement;
  ~Reset() { sqlite3_reset(statement); }
};

int64_t enum_position(const ScalarType& type, const Value& value) {
  const auto& constructors = type.order.constructors;
  auto found = std::find(constructors.begin(), constructors.end(), value.text());
  return found - constructors.begin();
}

}  // namespace

// --- Driver ---

Result<LoadResult> Loader::run() {
  const LoadShape& shape = *request_.shape;
  if (shape.kind == LoadShape::Kind::Root) {
    LATTICE_TRY_VOID(load_hook());
    return std::move(out_);
  }
  // A cell that its column's form does not give may sit on the wrong side of a comparison: find the form
  // anew and load again. The second time every such column is at worst General.
  for (int tries = 0;; ++tries) {
    out_ = {};
    LATTICE_TRY(code_, connection_.code_of(model_, shape));
    LATTICE_TRY_VOID(load());
    bool revised = false;
    for (const auto* columns : {&code_->key(), &code_->values(), &code_->order()}) {
      for (const ShapeCode::Column& column : *columns) {
        if (column.column == nullptr || !column.column->deviates.load()) continue;
        LATTICE_TRY_VOID(model_.revise(connection_.database, *column.column));
        revised = true;
      }
    }
    if (!revised || tries == 3) return std::move(out_);
  }
}

Result<void> Loader::load() {
  is_barred_ = request_.shape->gate.denied;
  for (const plan::GateTerm& term : request_.shape->gate.all_of) {
    if (term.is_on_row()) continue;
    const Value& claim = request_.frame[term.claim];
    is_barred_ |= std::none_of(term.any_of.begin(), term.any_of.end(), [&](plan::SlotIndex slot) {
      return equal_values(claim, request_.frame[slot]);
    });
  }
  switch (request_.shape->kind) {
    case LoadShape::Kind::Keys:
      return load_keys();
    case LoadShape::Kind::Scan:
      return load_scan();
    case LoadShape::Kind::Aggregate:
      return load_aggregate();
    case LoadShape::Kind::Root:
      break;
  }
  return {};
}

Result<void> Loader::finish(int code) {
  if (code == SQLITE_DONE || code == SQLITE_ROW) return {};
  return fail(connection_.database.error(request_.shape->loader));
}

Result<sqlite3_stmt*> Loader::ready(Result<sqlite3_stmt*> statement) {
  if (!statement) return statement;
  bind_arguments(*statement);
  is_barred_ |= !bind_gate(*statement);
  return statement;
}

// --- Binding ---

// Bytes of the scratch buffer move to the arena, so that every binding outlives the statement's run.
void Loader::bind_cell(sqlite3_stmt* statement, int parameter, const Cell& cell) {
  std::string_view bytes = cell.bytes;
  if (bytes.data() == scratch_.data()) bytes = arena_.copy(bytes);
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  switch (cell.type) {
    case Cell::Type::Null:
      sqlite3_bind_null(statement, parameter);
      break;
    case Cell::Type::Integer:
      sqlite3_bind_int64(statement, parameter, cell.integer);
      break;
    case Cell::Type::Real:
      sqlite3_bind_double(statement, parameter, cell.real);
      break;
    case Cell::Type::Text:
      sqlite3_bind_text64(statement, parameter, data, bytes.size(), SQLITE_STATIC, SQLITE_UTF8);
      break;
    case Cell::Type::Blob:
      sqlite3_bind_blob64(statement, parameter, data, bytes.size(), SQLITE_STATIC);
      break;
  }
}

bool Loader::bind_equal(sqlite3_stmt* statement, int parameter, const EqualTerm& term,
                        const Value& value) {
  if (value.is_null() || value.kind == Value::Kind::Invalid) return false;
  Cell cell;
  if (term.column == nullptr) {
    scratch_.clear();
    append_key_text(scratch_, value);
    cell = Cell::of_text(scratch_);
  } else if (term.by_key) {
    cell = sort_key(value, term.column->type, scratch_);
  } else if (!encode_cell(value, term.column->type, term.form, scratch_, cell)) {
    return false;
  }
  bind_cell(statement, parameter, cell);
  return true;
}

bool Loader::bind_match(sqlite3_stmt* statement, std::span<const Value> values) {
  const std::vector<EqualTerm>& terms = code_->match();
  for (size_t i = 0; i < terms.size(); ++i) {
    if (!bind_equal(statement, code_->match_parameter(i), terms[i], values[i])) return false;
  }
  return true;
}

bool Loader::bind_gate(sqlite3_stmt* statement) {
  size_t next = 0;
  for (const plan::GateTerm& gate : request_.shape->gate.all_of) {
    if (!gate.is_on_row()) continue;
    const EqualTerm& term = code_->gate()[next];
    if (!bind_equal(statement, code_->gate_parameter(next), term, request_.frame[gate.claim])) {
      return false;
    }
    ++next;
  }
  return true;
}

void Loader::bind_arguments(sqlite3_stmt* statement) {
  for (size_t i = 0; i < code_->arguments().size(); ++i) {
    plan::SlotIndex slot = code_->arguments()[i];
    Value value = slot == kNone ? Value() : request_.frame[slot];
    bind_cell(statement, code_->argument_parameter(i), natural_cell(value));
  }
}

// --- Rows ---

Value Loader::read(sqlite3_stmt* statement, const ShapeCode::Column& column) {
  if (column.column != nullptr) {
    return read_column(statement, column.index, *column.column, model_.schema(), arena_);
  }
  Cell cell = cell_of(statement, column.index);
  if (column.computed != nullptr) return decode_cell(cell, *column.computed, model_.schema(), arena_);
  return text_of_cell(cell, arena_);  // a hidden owner
}

std::string_view Loader::read_version(sqlite3_stmt* statement) {
  if (code_->version() >= 0) return text_of_cell(cell_of(statement, code_->version()), arena_).text();
  scratch_.clear();
  for (int index : code_->whole_row()) append_version_cell(scratch_, cell_of(statement, index));
  return version_of(scratch_, arena_);
}

Row Loader::read_row(sqlite3_stmt* statement) {
  Row row;
  row.entity = request_.shape->entity;
  const auto& key = code_->key();
  const auto& columns = code_->values();
  std::span<Value> cells = arena_.allocate_array<Value>(key.size() + columns.size());
  size_t at = 0;
  for (const ShapeCode::Column& column : key) cells[at++] = read(statement, column);
  for (const ShapeCode::Column& column : columns) cells[at++] = read(statement, column);
  row.key = cells.data();
  row.values = cells.data() + key.size();
  row.version = read_version(statement);
  return row;
}

const Value* Loader::read_keyset(sqlite3_stmt* statement) {
  std::span<Value> values = arena_.allocate_array<Value>(code_->keyset().size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = read(statement, code_->keyset()[i]);
  return values.data();
}

bool Loader::same_keyset(const Value* left, const Value* right) const {
  for (size_t i = 0; i < code_->keyset().size(); ++i) {
    const ColumnOrder& order = code_->keyset()[i].column->type.order;
    if (compare_in_order(order, left[i], right[i]) != 0) return false;
  }
  return true;
}

// --- Keys ---

Result<void> Loader::load_keys() {
  LATTICE_TRY(sqlite3_stmt * statement, ready(code_->by_key(connection_.database)));
  Reset reset{statement};
  size_t size = code_->match().size();
  out_.groups.resize(request_.count);
  out_.rows.reserve(request_.count);
  for (uint32_t i = 0; i < request_.count; ++i) {
    Group& group = out_.groups[i];
    group.first = static_cast<uint32_t>(out_.rows.size());
    if (is_barred_ || !bind_match(statement, request_.keys.subspan(i * size, size))) continue;
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
      out_.rows.push_back(read_row(statement));
      group.count = 1;
    }
    LATTICE_TRY_VOID(finish(code));
    sqlite3_reset(statement);
  }
  return {};
}

// --- Aggregates ---

Result<void> Loader::load_aggregate() {
  const LoadShape& shape = *request_.shape;
  bool counts = shape.function == schema::Dependency::Function::Count;
  LATTICE_TRY(sqlite3_stmt * statement, ready(counts ? code_->count(connection_.database)
                                                     : code_->values_of(connection_.database)));
  Reset reset{statement};
  const ScalarType* type =
      counts ? nullptr : &model_.entity(shape.entity).types[shape.aggregate_field];
  size_t size = code_->match().size();
  for (uint32_t i = 0; i < request_.count; ++i) {
    Aggregator aggregator(shape.function, type);
    uint64_t count = 0;
    bool found = !is_barred_ && bind_match(statement, request_.keys.subspan(i * size, size));
    int code = SQLITE_DONE;
    while (found && (code = sqlite3_step(statement)) == SQLITE_ROW) {
      if (counts) {
        count = static_cast<uint64_t>(sqlite3_column_int64(statement, 0));
      } else {
        aggregator.add(decode_cell(cell_of(statement, 0), *type, model_.schema(), arena_));
      }
    }
    LATTICE_TRY_VOID(finish(code));
    sqlite3_reset(statement);
    out_.aggregates.push_back(counts ? Value::of_int(static_cast<int64_t>(count))
                                     : aggregator.finish(arena_));
  }
  return {};
}

// --- Scans ---

Result<void> Loader::load_scan() {
  size_t size = code_->match().size();
  out_.groups.reserve(request_.count);
  for (uint32_t i = 0; i < request_.count; ++i) {
    LATTICE_TRY_VOID(scan_group(request_.keys.subspan(i * size, size)));
  }
  return {};
}

Result<void> Loader::scan_group(std::span<const Value> match) {
  Group group;
  group.first = static_cast<uint32_t>(out_.rows.size());
  const Window& window = request_.window;
  if (!window.boundary) {
    LATTICE_TRY_VOID(scan_open(match, group));
  } else if (window.kind == Window::Kind::Around) {
    LATTICE_TRY_VOID(scan_around(match, group));
  } else {
    LATTICE_TRY_VOID(scan_bounded(match, group));
  }
  if (window.wants_total) LATTICE_TRY_VOID(count_group(match, group));
  out_.groups.push_back(group);
  return {};
}

Result<void> Loader::count_group(std::span<const Value> match, Group& group) {
  LATTICE_TRY(sqlite3_stmt * statement, ready(code_->count(connection_.database)));
  Reset reset{statement};
  group.total = 0;
  if (is_barred_ || !bind_match(statement, match)) return {};
  int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) group.total = static_cast<uint64_t>(sqlite3_column_int64(statement, 0));
  return finish(code);
}

// A window from one end of the group: the hot path, straight into the result.
Result<void> Loader::scan_open(std::span<const Value> match, Group& group) {
  bool is_reversed = request_.window.kind == Window::Kind::Backward;
  LATTICE_TRY(sqlite3_stmt * statement,
              ready(code_->scan(connection_.database, {.is_reversed = is_reversed})));
  Reset reset{statement};
  if (is_barred_ || !bind_match(statement, match)) return {};
  uint32_t limit = request_.window.limit;
  sqlite3_bind_int64(statement, code_->limit_parameter(), static_cast<int64_t>(limit) + 1);
  const Value* last = nullptr;
  bool has_more = false, ties = false;
  int code = SQLITE_DONE;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (group.count == limit) {
      has_more = true;
      ties = last != nullptr && same_keyset(last, read_keyset(statement));
      break;
    }
    out_.rows.push_back(read_row(statement));
    if (++group.count == limit && !code_->keyset().empty()) last = read_keyset(statement);
  }
  LATTICE_TRY_VOID(finish(code));
  ties &= !code_->keyset().empty() && request_.window.kind != Window::Kind::All;
  if (is_reversed) {
    std::reverse(out_.rows.begin() + group.first, out_.rows.end());
    group.has_previous = has_more;
    group.ties_previous = ties;
    return {};
  }
  group.has_next = has_more;
  group.ties_next = ties;
  group.overflows = has_more && request_.window.kind == Window::Kind::All;
  return {};
}

void Loader::Stretch::drop_first() {
  rows.erase(rows.begin());
  keysets.erase(keysets.begin());
}

void Loader::Stretch::trim(size_t count) {
  if (rows.size() <= count) return;
  has_more = true;
  next_keyset = keysets[count];
  rows.resize(count);
  keysets.resize(count);
}

Result<Loader::Stretch> Loader::fetch(std::span<const Value> match, ScanVariant variant,
                                      const BoundCells* bound, size_t want) {
  Stretch stretch;
  if (bound != nullptr) variant.nulls = bound->nulls;
  LATTICE_TRY(sqlite3_stmt * statement, ready(code_->scan(connection_.database, variant)));
  Reset reset{statement};
  if (is_barred_ || !bind_match(statement, match)) return stretch;
  for (size_t i = 0; bound != nullptr && i < bound->count; ++i) {
    if ((bound->nulls >> i & 1) == 0) bind_cell(statement, code_->bound_parameter(i), bound->cells[i]);
  }
  sqlite3_bind_int64(statement, code_->limit_parameter(), static_cast<int64_t>(want) + 1);
  int code = SQLITE_DONE;
  while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
    if (stretch.rows.size() == want) {
      stretch.has_more = true;
      stretch.next_keyset = read_keyset(statement);
      break;
    }
    stretch.rows.push_back(read_row(statement));
    stretch.keysets.push_back(read_keyset(statement));
  }
  LATTICE_TRY_VOID(finish(code));
  return stretch;
}

bool Loader::set_bound(BoundCells& bound, size_t term, const Value& value) const {
  const OrderTerm& order = code_->terms()[term];
  bound.count = std::max(bound.count, term + 1);
  if (value.is_null() && order.by != OrderTerm::By::Position) {
    bound.nulls = static_cast<uint16_t>(bound.nulls | (1u << term));
    return true;
  }
  std::string scratch;
  Cell& cell = bound.cells[term];
  bool is_known = true;
  switch (order.by) {
    case OrderTerm::By::Position:
      cell = Cell::of_integer(value.is_null() ? -1 : enum_position(order.column->type, value));
      break;
    case OrderTerm::By::Key:
      cell = sort_key(value, order.column->type, scratch);
      is_known = cell.type != Cell::Type::Null;
      break;
    case OrderTerm::By::Cell:
      is_known = encode_cell(value, order.column->type, order.form, scratch, cell);
      break;
  }
  cell.bytes = arena_.copy(cell.bytes);
  return is_known;
}

Result<Loader::BoundCells> Loader::bound_of(const Boundary& boundary, bool with_key) const {
  BoundCells bound;
  const LoadShape& shape = *request_.shape;
  const auto& key = code_->key();
  for (size_t i = 0; i < (with_key ? code_->terms().size() : shape.keyset_size); ++i) {
    size_t at = i;
    if (i >= shape.keyset_size) {  // the key's values follow in the key's own order
      const SqlColumn* column = code_->terms()[i].column;
      auto place = std::find_if(key.begin(), key.end(),
                                [&](const ShapeCode::Column& k) { return k.column == column; });
      LATTICE_CHECK(place != key.end(), shape.loader);
      at = shape.keyset_size + static_cast<size_t>(place - key.begin());
    }
    if (at < boundary.values.size() && set_bound(bound, i, boundary.values[at])) continue;
    return fail(Code::BadRequest, fmt::format("the cursor holds no value of {}",
                                              code_->terms()[i].column->label));
  }
  return bound;
}

// Nothing when a value of the row is none of its type, which no comparison can name.
std::optional<Loader::BoundCells> Loader::bound_of_row(const Row& row, const Value* keyset) const {
  BoundCells bound;
  const auto& key = code_->key();
  for (size_t i = 0; i < code_->terms().size(); ++i) {
    const SqlColumn* column = code_->terms()[i].column;
    Value value;
    if (i < request_.shape->keyset_size) {
      value = keyset[i];
    } else {
      for (size_t k = 0; k < key.size(); ++k) {
        if (key[k].column == column) value = row.key[k];
      }
    }
    if (value.kind == Value::Kind::Invalid || !set_bound(bound, i, value)) return std::nullopt;
  }
  return bound;
}

bool Loader::equals_boundary(const Value* keyset, const Boundary& boundary) const {
  return same_keyset(keyset, boundary.values.data());
}

// What lies on the near side of a bounded window: behind its first row, or behind the boundary when the
// window is empty.
Result<void> Loader::look_behind(std::span<const Value> match, const Stretch& stretch, bool is_reversed,
                                 bool took_equals, bool& exists, bool& ties) {
  const Boundary& boundary = *request_.window.boundary;
  bool with_key = boundary.has_key && code_->terms().size() > request_.shape->keyset_size;
  if (stretch.rows.empty()) {
    LATTICE_TRY(BoundCells bound, bound_of(boundary, with_key));
    auto kind = with_key ? ScanVariant::Bound::KeysetAndKey : ScanVariant::Bound::Keyset;
    LATTICE_TRY(Stretch behind, fetch(match, {!is_reversed, kind, !took_equals, 0}, &bound, 1));
    exists = !behind.rows.empty();
    return {};
  }
  auto bound = bound_of_row(stretch.rows.front(), stretch.keysets.front());
  if (!bound) {
    exists = ties = true;
    return {};
  }
  LATTICE_TRY(Stretch behind,
              fetch(match, {!is_reversed, ScanVariant::Bound::KeysetAndKey, false, 0}, &*bound, 1));
  exists = !behind.rows.empty();
  ties = exists && same_keyset(behind.keysets.front(), stretch.keysets.front());
  return {};
}

// Forward from a cursor, or backward before one (the same, travelling the other way).
Result<void> Loader::scan_bounded(std::span<const Value> match, Group& group) {
  const Window& window = request_.window;
  const Boundary& boundary = *window.boundary;
  bool is_reversed = window.kind == Window::Kind::Backward;
  bool is_total = code_->terms().size() == request_.shape->keyset_size;  // no two rows are equal
  bool with_key = boundary.has_key && !is_total;
  bool by_place = boundary.has_key || (is_total && !boundary.is_inclusive);
  size_t limit = window.limit;
  LATTICE_TRY(BoundCells bound, bound_of(boundary, with_key));
  ScanVariant variant{.is_reversed = is_reversed,
                      .bound = with_key ? ScanVariant::Bound::KeysetAndKey : ScanVariant::Bound::Keyset,
                      .is_inclusive = !by_place};
  // A boundary without key values may stand at one row, which is left out, or in a group of equals, which
  // is taken in whole.
  LATTICE_TRY(Stretch stretch, fetch(match, variant, &bound, by_place ? limit : limit + 2));
  bool took_equals = false;
  if (!by_place) {
    auto equals = [&](size_t i) {
      return i < stretch.rows.size() && equals_boundary(stretch.keysets[i], boundary);
    };
    took_equals = boundary.is_inclusive || (equals(0) && equals(1));
    if (equals(0) && !took_equals) stretch.drop_first();
    stretch.trim(limit);
  }
  bool behind = false, ties_behind = false;
  LATTICE_TRY_VOID(look_behind(match, stretch, is_reversed, took_equals, behind, ties_behind));
  bool ties_ahead = stretch.has_more && !stretch.rows.empty() &&
                    same_keyset(stretch.keysets.back(), stretch.next_keyset);
  group.count = static_cast<uint32_t>(stretch.rows.size());
  if (is_reversed) std::reverse(stretch.rows.begin(), stretch.rows.end());
  out_.rows.insert(out_.rows.end(), stretch.rows.begin(), stretch.rows.end());
  group.has_previous = is_reversed ? stretch.has_more : behind;
  group.has_next = is_reversed ? behind : stretch.has_more;
  group.ties_previous = is_reversed ? ties_ahead : ties_behind;
  group.ties_next = is_reversed ? ties_behind : ties_ahead;
  return {};
}

// Half of the window before the anchor, the rest from it on; at either end the window shifts.
Result<void> Loader::scan_around(std::span<const Value> match, Group& group) {
  const Boundary& boundary = *request_.window.boundary;
  bool with_key = boundary.has_key && code_->terms().size() > request_.shape->keyset_size;
  auto kind = with_key ? ScanVariant::Bound::KeysetAndKey : ScanVariant::Bound::Keyset;
  size_t limit = request_.window.limit;
  LATTICE_TRY(BoundCells bound, bound_of(boundary, with_key));
  LATTICE_TRY(Stretch before, fetch(match, {true, kind, false, 0}, &bound, limit));
  LATTICE_TRY(Stretch after, fetch(match, {false, kind, true, 0}, &bound, limit));
  size_t first_half = std::min(before.rows.size(), limit / 2);
  size_t second_half = std::min(after.rows.size(), limit - first_half);
  first_half = std::min(before.rows.size(), limit - second_half);
  before.trim(first_half);
  after.trim(second_half);
  group.count = static_cast<uint32_t>(first_half + second_half);
  group.has_previous = before.has_more;
  group.has_next = after.has_more;
  out_.rows.insert(out_.rows.end(), before.rows.rbegin(), before.rows.rend());
  out_.rows.insert(out_.rows.end(), after.rows.begin(), after.rows.end());
  std::vector<const Value*> keysets(before.keysets.rbegin(), before.keysets.rend());
  keysets.insert(keysets.end(), after.keysets.begin(), after.keysets.end());
  if (keysets.empty()) return {};
  group.ties_previous = before.has_more && same_keyset(before.next_keyset, keysets.front());
  group.ties_next = after.has_more && same_keyset(after.next_keyset, keysets.back());
  return {};
}

}  // namespace lattice::store
