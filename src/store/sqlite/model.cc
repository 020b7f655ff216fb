#include "store/sqlite/model.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <functional>

#include "base/check.h"
#include "store/sqlite/catalog.h"

namespace lattice::store {

namespace {

constexpr int kSampleRows = 64;

std::string column_sql(const ColumnRef& ref) {
  return fmt::format("t{}.{}", ref.table, quote_identifier(ref.column->name));
}

// An INTEGER PRIMARY KEY cannot be null, though nothing says NOT NULL.
bool is_nullable(const EntityMapping& mapped, const ColumnRef& ref) {
  const EntityMapping::Use& use = mapped.tables[ref.table];
  bool is_rowid = ref.column->key_position == 1 && use.table->primary_key().size() == 1 &&
                  same_identifier(ref.column->declared_type, "INTEGER") && use.table->has_rowid;
  return !use.is_required || !(ref.column->is_not_null || is_rowid);
}

std::string from_clause(const EntityMapping& mapped) {
  std::string from;
  for (size_t t = 0; t < mapped.tables.size(); ++t) {
    const EntityMapping::Use& use = mapped.tables[t];
    if (t > 0) from += use.is_required ? " JOIN " : " LEFT JOIN ";
    from += fmt::format("{} AS t{}", quote_identifier(use.table->name), t);
    for (size_t k = 0; t > 0 && k < use.key.size(); ++k) {
      from += fmt::format("{}{} = {}", k == 0 ? " ON " : " AND ", column_sql(use.key[k]),
                          column_sql(mapped.key[k]));
    }
  }
  return from;
}

// lattice_sort(column id, cell)
void run_sort(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto* model = static_cast<const SqlModel*>(sqlite3_user_data(context));
  const SqlColumn* column = model->column(static_cast<uint32_t>(sqlite3_value_int(arguments[0])));
  if (column == nullptr) return sqlite3_result_error(context, "lattice_sort: unknown column", -1);
  Arena arena(256);
  std::string scratch;
  Cell cell = cell_of(arguments[1]);
  if (cell.type == Cell::Type::Null) return sqlite3_result_null(context);
  Cell key = sort_key(decode_cell(cell, column->type, model->schema(), arena), column->type, scratch);
  auto size = static_cast<int>(key.bytes.size());
  switch (key.type) {
    case Cell::Type::Null: return sqlite3_result_null(context);
    case Cell::Type::Integer: return sqlite3_result_int64(context, key.integer);
    case Cell::Type::Real: return sqlite3_result_double(context, key.real);
    case Cell::Type::Text:
      return sqlite3_result_text(context, key.bytes.data(), size, SQLITE_TRANSIENT);
    case Cell::Type::Blob:
      return sqlite3_result_blob(context, key.bytes.data(), size, SQLITE_TRANSIENT);
  }
}

// The cells that speak for a column: the first rows and the last, and the least and the greatest when an
// index knows them. `thoroughly`: every cell.
std::string sample_sql(const SqlColumn& column, const Table& table, bool thoroughly) {
  std::string name = quote_identifier(column.column->name);
  std::string from = quote_identifier(table.name);
  if (thoroughly) return fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL", name, from, name);
  std::string sql = fmt::format("SELECT c FROM (SELECT {} AS c FROM {} LIMIT {})", name, from, kSampleRows);
  if (table.has_rowid) {
    sql += fmt::format(" UNION ALL SELECT c FROM (SELECT {} AS c FROM {} ORDER BY rowid DESC LIMIT {})",
                       name, from, kSampleRows);
  }
  if (column.column->has_index) {
    sql += fmt::format(" UNION ALL SELECT min({}) FROM {} UNION ALL SELECT max({}) FROM {}", name, from,
                       name, from);
  }
  return sql;
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The end of the quoted or commented stretch that begins at `at`, or `at` when none does.
size_t skip_quoted(std::string_view sql, size_t at) {
  std::string_view rest = sql.substr(at);
  auto past = [&](std::string_view mark, size_t from) {
    size_t found = sql.find(mark, from);
    return found == std::string_view::npos ? sql.size() : found + mark.size();
  };
  if (rest.starts_with("--")) return past("\n", at);
  if (rest.starts_with("/*")) return past("*/", at + 2);
  if (rest[0] == '[') return past("]", at);
  if (rest[0] == '\'' || rest[0] == '"' || rest[0] == '`') return past(rest.substr(0, 1), at + 1);
  return at;
}

}  // namespace

std::string rename_parameters(std::string_view expression,
                              const std::function<std::string(std::string_view)>& rename) {
  std::string out;
  for (size_t i = 0; i < expression.size();) {
    size_t end = skip_quoted(expression, i);
    if (end > i) {
      out += expression.substr(i, end - i);
      i = end;
      continue;
    }
    bool is_parameter = expression[i] == ':' && i + 1 < expression.size() &&
                        is_word_character(expression[i + 1]);
    if (!is_parameter) {
      out += expression[i++];
      continue;
    }
    end = i + 1;
    while (end < expression.size() && is_word_character(expression[end])) ++end;
    out += rename(expression.substr(i + 1, end - i - 1));
    i = end;
  }
  return out;
}

SqlColumn* SqlModel::add_column(EntityIndex entity, ColumnRef ref, std::string label,
                                const schema::Type& type) {
  const EntityMapping& mapped = mapping_.entities[entity];
  SqlColumn& added = columns_.emplace_back();
  added.label = std::move(label);
  added.sql = column_sql(ref);
  added.type = scalar_type(type, *schema_);
  added.has_collation = !same_identifier(ref.column->collation, "BINARY");
  added.is_nullable = is_nullable(mapped, ref);
  added.id = static_cast<uint32_t>(columns_.size() - 1);
  added.column = ref.column;
  added.table = mapped.tables[ref.table].table->name;
  return &added;
}

void SqlModel::bind_entity(EntityIndex index) {
  const schema::Entity& declared = schema_->entities[index];
  const EntityMapping& mapped = mapping_.entities[index];
  SqlEntity& bound = entities_[index];
  bound.from = from_clause(mapped);
  bound.fields.resize(declared.fields.size());
  for (FieldIndex f = 0; f < declared.fields.size(); ++f) {
    const schema::Field& field = declared.fields[f];
    bound.types.push_back(scalar_type(field.type, *schema_));
    if (mapped.fields[f].kind != FieldMapping::Kind::Column) continue;
    bound.fields[f] = add_column(index, mapped.fields[f].column, declared.name + "." + field.name,
                                 field.type);
  }
  for (const std::string& key : declared.key) {
    SqlColumn* column = bound.fields[declared.find_field(key)];
    column->is_watched = true;
    bound.key.push_back(column);
  }
  for (const ColumnRef& ref : mapped.present) {
    bound.present.push_back(column_sql(ref) + " IS NOT NULL");
  }
  if (mapped.version) bound.version = column_sql(*mapped.version);
  for (const ColumnRef& ref : mapped.whole_row) bound.whole_row.push_back(column_sql(ref));
}

void SqlModel::bind_links() {
  for (const LinkMapping& link : mapping_.links) {
    const schema::Entity& owner = schema_->entities[link.owner];
    const schema::Field& key = owner.fields[owner.find_field(owner.key.front())];
    SqlColumn* column = add_column(link.target, link.column, link.collection, key.type);
    column->is_watched = true;
    links_.push_back({link.owner, link.target, link.collection, column});
  }
}

void SqlModel::watch(EntityIndex entity, std::string_view field) {
  FieldIndex index = schema_->entities[entity].find_field(field);
  if (index != kNone && entities_[entity].fields[index] != nullptr) {
    entities_[entity].fields[index]->is_watched = true;
  }
}

// Columns that SQL compares: keys, links, groupings, keysets, and what gates and owners look at.
void SqlModel::watch_columns() {
  auto collection = [&](const schema::Target& target, const std::optional<schema::Collection>& c) {
    if (!c) return;
    for (EntityIndex member : target.members) {
      watch(member, c->link);
      for (const std::string& field : c->grouping) watch(member, field);
      for (const schema::OrderColumn& column : c->keyset) watch(member, column.field);
    }
  };
  auto policy = [&](const schema::Target& target, const schema::Policy& p) {
    for (const schema::Comparison& comparison : p.all_of) {
      for (EntityIndex member : target.members) watch(member, comparison.field);
    }
  };
  for (EntityIndex e = 0; e < schema_->entities.size(); ++e) {
    const schema::Entity& entity = schema_->entities[e];
    if (entity.owner) watch(e, entity.owner->field);
    for (const auto& edge : entity.relationships) {
      collection(edge.target, edge.collection);
      policy(edge.target, edge.policy);
      schema::Target self;
      self.members = {e};
      policy(self, edge.policy);
    }
    if (entity.fetch) {
      schema::Target self;
      self.members = {e};
      policy(self, *entity.fetch);
    }
  }
  for (const schema::Root& root : schema_->roots) {
    collection(root.target, root.collection);
    policy(root.target, root.policy);
  }
  for (const plan::OwnerColumn& owner : options_.owners) {
    EntityIndex index = schema_->entity_index(owner.entity);
    if (index != kNone) watch(index, owner.field);
  }
}

// --- Forms ---

Result<Form> SqlModel::find_form(const Database& database, const SqlColumn& column,
                                 bool thoroughly) const {
  const Table* table = catalog_.find_table(column.table);
  LATTICE_CHECK(table != nullptr, column.table);
  std::vector<Form> forms = possible_forms(column.type);
  LATTICE_TRY(Statement statement, database.prepare(sample_sql(column, *table, thoroughly)));
  int code = SQLITE_ROW;
  while (!forms.empty() && (code = sqlite3_step(statement.get())) == SQLITE_ROW) {
    Cell cell = cell_of(statement.get(), 0);
    std::erase_if(forms, [&](Form form) { return !conforms(cell, column.type, form, *schema_); });
  }
  if (!forms.empty() && code != SQLITE_DONE) return fail(database.error("sampling " + column.label));
  return forms.empty() ? Form{.encoding = Form::Encoding::General} : forms.front();
}

Result<void> SqlModel::revise(const Database& database, const SqlColumn& column) {
  std::lock_guard lock(revise_mutex_);
  if (!column.deviates.exchange(false)) return {};  // another thread was here
  LATTICE_TRY(Form form, find_form(database, column, true));
  SqlColumn& revised = columns_[column.id];
  if (revised.form.load() == form) return {};  // a snapshot that has no such cell any more
  revised.form.store(form);
  generation_.fetch_add(1, std::memory_order_release);
  return {};
}

// --- Checks ---

// A keyset needs an order that the column's values have.
Result<void> SqlModel::check_orders() const {
  Error error;
  error.code = Code::StoreMismatch;
  auto check = [&](const schema::Target& target, const std::optional<schema::Collection>& collection,
                   Span span) {
    if (!collection) return;
    for (const schema::OrderColumn& column : collection->keyset) {
      for (EntityIndex member : target.members) {
        FieldIndex field = schema_->entities[member].find_field(column.field);
        if (field == kNone || entities_[member].types[field].kind != ScalarType::Kind::Duration) continue;
        std::string message = fmt::format("{} is ordered by {}, a Duration: not supported over SQLite",
                                          collection->name, column.field);
        error.diagnostics.push_back({Severity::Error, std::move(message), span, {}, "unordered-type"});
      }
    }
  };
  for (const schema::Entity& entity : schema_->entities) {
    for (const auto& edge : entity.relationships) check(edge.target, edge.collection, edge.span);
  }
  for (const schema::Root& root : schema_->roots) check(root.target, root.collection, root.span);
  if (error.diagnostics.empty()) return {};
  error.message = error.diagnostics.front().message;
  return fail(std::move(error));
}

// Compiles the configured SQL, and looks at the parameters that it names.
Result<void> SqlModel::check_sql(const Database& database) const {
  Error error;
  error.code = Code::StoreMismatch;
  auto check = [&](const std::string& name, const std::string& sql,
                   const std::vector<schema::Parameter>& parameters, Span span) {
    auto statement = database.prepare(sql);
    std::string problem;
    if (!statement) problem = statement.error().message;
    for (int i = 1; statement && i <= sqlite3_bind_parameter_count(statement->get()); ++i) {
      const char* parameter = sqlite3_bind_parameter_name(statement->get(), i);
      std::string wanted = parameter ? parameter + 1 : "";
      bool known = std::any_of(parameters.begin(), parameters.end(),
                               [&](const auto& p) { return p.name == wanted; });
      if (!known) problem = fmt::format("`{}` is none of its arguments", parameter ? parameter : "?");
    }
    if (problem.empty()) return;
    error.diagnostics.push_back(
        {Severity::Error, fmt::format("the SQL of {}: {}", name, problem), span, {}, "sql"});
  };
  for (EntityIndex e = 0; e < entities_.size(); ++e) {
    const schema::Entity& entity = schema_->entities[e];
    for (FieldIndex f = 0; f < entity.fields.size(); ++f) {
      const FieldMapping& mapped = mapping_.entities[e].fields[f];
      if (mapped.kind != FieldMapping::Kind::Expression) continue;
      check(entity.name + "." + entity.fields[f].name,
            fmt::format("SELECT ({}) FROM {}", mapped.expression, entities_[e].from),
            entity.fields[f].arguments, entity.fields[f].span);
    }
  }
  for (size_t r = 0; r < mapping_.hooks.size(); ++r) {
    if (!mapping_.hooks[r]) continue;
    const schema::Root& root = schema_->roots[r];
    check("root " + root.name, mapping_.hooks[r]->sql, root.parameters, root.span);
  }
  if (error.diagnostics.empty()) return {};
  error.message = error.diagnostics.front().message;
  return fail(std::move(error));
}

// --- Making ---

Result<std::unique_ptr<SqlModel>> SqlModel::make(const Database& database, schema::SchemaPtr schema,
                                                 const StoreOptions& options) {
  auto model = std::make_unique<SqlModel>();
  model->schema_ = std::move(schema);
  model->options_ = options;
  LATTICE_TRY(model->catalog_, read_catalog(database));
  LATTICE_TRY(model->mapping_, map_schema(*model->schema_, model->catalog_, options));
  model->entities_.resize(model->schema_->entities.size());
  for (EntityIndex e = 0; e < model->entities_.size(); ++e) model->bind_entity(e);
  model->bind_links();
  model->watch_columns();
  LATTICE_TRY_VOID(model->check_orders());
  LATTICE_TRY_VOID(model->check_sql(database));
  for (SqlColumn& column : model->columns_) {
    if (!column.is_watched) continue;
    LATTICE_TRY(Form form, model->find_form(database, column, false));
    column.form.store(form);
  }
  for (size_t r = 0; r < model->schema_->roots.size(); ++r) {
    const schema::Root& root = model->schema_->roots[r];
    const auto& hook = model->mapping_.hooks[r];
    auto& reads = model->root_reads_.emplace_back();
    if (hook) reads = hook->reads;
    if (hook || !root.is_list || !root.parameters.empty()) continue;
    reads.emplace();
    for (EntityIndex target : root.target.members) {
      reads->push_back(model->schema_->entities[target].name);
    }
  }
  model->has_versions_ = !model->entities_.empty();
  for (const SqlEntity& entity : model->entities_) model->has_versions_ &= !entity.version.empty();
  return model;
}

Result<void> SqlModel::register_functions(const Database& database) const {
  int code = sqlite3_create_function_v2(
      database.handle(), "lattice_sort", 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
      const_cast<SqlModel*>(this), run_sort, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(database.error("registering lattice_sort"));
  return {};
}

const std::vector<std::string>* SqlModel::root_reads(uint32_t root) const {
  return root_reads_[root] ? &*root_reads_[root] : nullptr;
}

const SqlColumn* SqlModel::link(EntityIndex owner, std::string_view collection,
                                EntityIndex target) const {
  for (const SqlLink& link : links_) {
    if (link.owner == owner && link.target == target && link.collection == collection) {
      return link.column;
    }
  }
  return nullptr;
}

}  // namespace lattice::store
