#include "store/sqlite/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace lattice::store {

namespace {

// Statement ids beside those of scan variants (20 bits).
constexpr uint64_t kByKey = 1 << 24;
constexpr uint64_t kCount = 2 << 24;
constexpr uint64_t kValuesOf = 3 << 24;

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string quote_text(std::string_view text) {
  std::string quoted = "'";
  for (char c : text) {
    if (c == '\'') quoted += '\'';
    quoted += c;
  }
  return quoted + "'";
}

// Declaration order as numbers: null before all, a constructor that the schema does not know after all.
std::string position_sql(const SqlColumn& column) {
  std::string sql = fmt::format("CASE WHEN {} IS NULL THEN -1", column.sql);
  const auto& constructors = column.type.order.constructors;
  for (size_t i = 0; i < constructors.size(); ++i) {
    sql += fmt::format(" WHEN {} COLLATE BINARY = {} THEN {}", column.sql, quote_text(constructors[i]), i);
  }
  return sql + fmt::format(" ELSE {} END", constructors.size());
}

std::string equal_sql(const EqualTerm& term, int parameter) {
  if (term.column == nullptr) {
    return fmt::format("CAST({} AS TEXT) COLLATE BINARY = ?{}", term.sql, parameter);
  }
  if (term.by_key) return fmt::format("lattice_sort({}, {}) = ?{}", term.column->id, term.sql, parameter);
  if (!term.column->has_collation) return fmt::format("{} = ?{}", term.sql, parameter);
  // The first half is for the index, which has the column's collation; the second is what we mean.
  return fmt::format("{0} = ?{1} AND {0} COLLATE BINARY = ?{1}", term.sql, parameter);
}

OrderTerm order_term(const SqlColumn* column, bool descending) {
  OrderTerm term;
  term.column = column;
  term.form = column->form.load();
  term.descending = descending;
  term.is_nullable = column->is_nullable;
  if (column->type.kind == ScalarType::Kind::Enum) {
    term.by = OrderTerm::By::Position;
    term.sql = position_sql(*column);
    term.is_nullable = false;
  } else if (!preserves_order(column->type, term.form)) {
    term.by = OrderTerm::By::Key;
    term.sql = fmt::format("lattice_sort({}, {})", column->id, column->sql);
    term.is_nullable = true;  // what is no value of the type has no key
  } else {
    term.sql = column->has_collation ? column->sql + " COLLATE BINARY" : column->sql;
  }
  return term;
}

}  // namespace

ShapeCode::ShapeCode(const SqlModel& model, const LoadShape& shape)
    : model_(model), entity_(model.entity(shape.entity)), shape_(shape),
      generation_(model.generation()) {}

Result<std::unique_ptr<ShapeCode>> ShapeCode::make(const SqlModel& model, const LoadShape& shape) {
  std::unique_ptr<ShapeCode> code(new ShapeCode(model, shape));
  LATTICE_TRY_VOID(code->build());
  return code;
}

// --- The select list ---

int ShapeCode::select(const std::string& sql) {
  auto found = std::find(select_.begin(), select_.end(), sql);
  if (found != select_.end()) return static_cast<int>(found - select_.begin());
  select_.push_back(sql);
  return static_cast<int>(select_.size() - 1);
}

ShapeCode::Column ShapeCode::select_column(const SqlColumn* column) {
  Column selected;
  selected.index = select(column->sql);
  selected.column = column;
  return selected;
}

void ShapeCode::add_computed(const Computed& computed) {
  const FieldMapping& mapped = model_.mapping().entities[shape_.entity].fields[computed.field];
  const schema::Field& field = model_.schema().entities[shape_.entity].fields[computed.field];
  size_t first = arguments_.size();
  for (plan::SlotIndex slot : computed.arguments) arguments_.push_back(slot);
  std::string sql = rename_parameters(mapped.expression, [&](std::string_view name) {
    for (size_t i = 0; i < field.arguments.size() && i < computed.arguments.size(); ++i) {
      if (field.arguments[i].name == name) return fmt::format("?{}", argument_parameter(first + i));
    }
    return std::string("NULL");
  });
  Column selected;
  selected.index = select("(" + sql + ")");
  selected.computed = &entity_.types[computed.field];
  values_.push_back(selected);
}

void ShapeCode::add_hidden_owner() {
  if (shape_.hidden_owner_column.empty()) return;
  Column selected;
  selected.index = select("t0." + quote_identifier(shape_.hidden_owner_column));
  selected.is_hidden_owner = true;
  values_.push_back(selected);
}

// --- Conditions ---

EqualTerm ShapeCode::equal_term(const SqlColumn* column) const {
  EqualTerm term;
  term.column = column;
  term.form = column->form.load();
  term.by_key = term.form.encoding == Form::Encoding::General ||
                column->type.kind == ScalarType::Kind::Composite;
  term.sql = column->sql;
  return term;
}

Result<void> ShapeCode::add_matches() {
  if (shape_.kind == LoadShape::Kind::Keys) {
    for (const SqlColumn* column : entity_.key) match_.push_back(equal_term(column));
    return {};
  }
  if (!shape_.hidden_link.empty()) {
    const SqlColumn* link = model_.link(shape_.owner, shape_.hidden_link, shape_.entity);
    if (link == nullptr) {
      return fail(Code::NotSupported, fmt::format("{}: no column holds its link", shape_.loader));
    }
    match_.push_back(equal_term(link));
    return {};
  }
  for (FieldIndex field : shape_.match) {
    const SqlColumn* column = entity_.fields[field];
    LATTICE_CHECK(column != nullptr, shape_.loader, field);
    match_.push_back(equal_term(column));
  }
  return {};
}

void ShapeCode::add_gates() {
  for (const plan::GateTerm& gate : shape_.gate.all_of) {
    if (!gate.is_on_row()) continue;
    if (gate.field != kNone) {
      gate_.push_back(equal_term(entity_.fields[gate.field]));
      continue;
    }
    EqualTerm term;
    term.sql = "t0." + quote_identifier(gate.hidden_column);
    gate_.push_back(std::move(term));
  }
}

Result<void> ShapeCode::add_order() {
  if (shape_.order.size() > kOrderColumnsMax) {
    return fail(Code::NotSupported, fmt::format("{}: more than {} columns of order", shape_.loader,
                                                kOrderColumnsMax));
  }
  for (size_t i = 0; i < shape_.order.size(); ++i) {
    const SqlColumn* column = entity_.fields[shape_.order[i].field];
    LATTICE_CHECK(column != nullptr, shape_.loader, shape_.order[i].field);
    OrderTerm term = order_term(column, shape_.order[i].descending);
    order_columns_.push_back(select_column(column));
    if (i < shape_.keyset_size) keyset_.push_back(order_columns_.back());
    terms_.push_back(std::move(term));
  }
  return {};
}

Result<void> ShapeCode::build() {
  for (const SqlColumn* column : entity_.key) key_.push_back(select_column(column));
  LATTICE_TRY_VOID(add_matches());
  add_gates();
  for (FieldIndex field : shape_.fields) {
    LATTICE_CHECK(entity_.fields[field] != nullptr, shape_.loader, field);
    values_.push_back(select_column(entity_.fields[field]));
  }
  for (const Computed& computed : shape_.computed) add_computed(computed);
  add_hidden_owner();
  LATTICE_TRY_VOID(add_order());
  if (!entity_.version.empty()) {
    version_ = select(entity_.version);
  } else {
    for (const std::string& column : entity_.whole_row) whole_row_.push_back(select(column));
  }
  return {};
}

std::string ShapeCode::where() const {
  std::vector<std::string> conditions = entity_.present;
  for (size_t i = 0; i < match_.size(); ++i) {
    conditions.push_back(equal_sql(match_[i], match_parameter(i)));
  }
  for (size_t i = 0; i < gate_.size(); ++i) {
    conditions.push_back(equal_sql(gate_[i], gate_parameter(i)));
  }
  return conditions.empty() ? "1" : join(conditions, " AND ");
}

// Rows behind the bound in the direction of travel: by the first column, or equal there and behind in the
// rest. The plain range on the first column is what an index can use.
std::string ShapeCode::bound_condition(const ScanVariant& variant) const {
  size_t size = variant.bound == ScanVariant::Bound::Keyset ? shape_.keyset_size : terms_.size();
  std::string condition = variant.is_inclusive ? "1" : "0";
  for (size_t i = size; i-- > 0;) {
    const OrderTerm& term = terms_[i];
    std::string parameter = fmt::format("?{}", bound_parameter(i));
    bool is_null = (variant.nulls >> i & 1) != 0;
    bool descends = term.descending != variant.is_reversed;
    std::string behind, equals;
    if (is_null) {  // null sorts before everything
      behind = descends ? "0" : term.sql + " IS NOT NULL";
      equals = term.sql + " IS NULL";
    } else {
      behind = fmt::format("{} {} {}", term.sql, descends ? "<" : ">", parameter);
      if (descends && term.is_nullable) behind = fmt::format("({} OR {} IS NULL)", behind, term.sql);
      equals = fmt::format("{} = {}", term.sql, parameter);
    }
    condition = fmt::format("({} OR ({} AND {}))", behind, equals, condition);
  }
  if (size == 0) return condition;
  const OrderTerm& first = terms_.front();
  bool descends = first.descending != variant.is_reversed;
  bool has_range = (variant.nulls & 1) == 0 && !(descends && first.is_nullable);
  if (!has_range) return condition;
  return fmt::format("{} {} ?{} AND {}", first.sql, descends ? "<=" : ">=", bound_parameter(0), condition);
}

std::string ShapeCode::order_by(bool is_reversed) const {
  std::vector<std::string> parts;
  for (const OrderTerm& term : terms_) {
    parts.push_back(term.sql + (term.descending != is_reversed ? " DESC" : " ASC"));
  }
  return parts.empty() ? "" : " ORDER BY " + join(parts, ", ");
}

// --- Statements ---

Result<sqlite3_stmt*> ShapeCode::prepare(const Database& database, uint64_t id, const std::string& sql) {
  LATTICE_TRY(Statement statement, database.prepare(sql, true));
  return (statements_[id] = std::move(statement)).get();
}

Result<sqlite3_stmt*> ShapeCode::by_key(const Database& database) {
  if (auto found = statements_.find(kByKey); found != statements_.end()) return found->second.get();
  return prepare(database, kByKey,
                 fmt::format("SELECT {} FROM {} WHERE {}", join(select_, ", "), entity_.from, where()));
}

Result<sqlite3_stmt*> ShapeCode::scan(const Database& database, ScanVariant variant) {
  if (auto found = statements_.find(variant.id()); found != statements_.end()) {
    return found->second.get();
  }
  std::string sql = fmt::format("SELECT {} FROM {} WHERE {}", join(select_, ", "), entity_.from, where());
  if (variant.bound != ScanVariant::Bound::None) sql += " AND " + bound_condition(variant);
  sql += fmt::format("{} LIMIT ?{}", order_by(variant.is_reversed), limit_parameter());
  return prepare(database, variant.id(), sql);
}

Result<sqlite3_stmt*> ShapeCode::count(const Database& database) {
  if (auto found = statements_.find(kCount); found != statements_.end()) return found->second.get();
  return prepare(database, kCount,
                 fmt::format("SELECT count(*) FROM {} WHERE {}", entity_.from, where()));
}

Result<sqlite3_stmt*> ShapeCode::values_of(const Database& database) {
  if (auto found = statements_.find(kValuesOf); found != statements_.end()) return found->second.get();
  const SqlColumn* column = entity_.fields[shape_.aggregate_field];
  LATTICE_CHECK(column != nullptr, shape_.loader);
  return prepare(database, kValuesOf,
                 fmt::format("SELECT {} FROM {} WHERE {}", column->sql, entity_.from, where()));
}

}  // namespace lattice::store
