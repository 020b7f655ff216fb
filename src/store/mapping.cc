#include "store/mapping.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"

namespace lattice::store {

namespace {

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

const std::string* directive_text(const schema::Metadata& metadata, std::string_view directive,
                                  std::string_view argument) {
  for (const schema::DirectiveApplication& applied : metadata.directives) {
    if (applied.name != directive) continue;
    for (const auto& [name, value] : applied.arguments) {
      if (name == argument && value.is_string()) return &value.as_string();
    }
  }
  return nullptr;
}

std::vector<std::string> directive_texts(const schema::Metadata& metadata,
                                         std::string_view directive, std::string_view argument) {
  std::vector<std::string> texts;
  for (const schema::DirectiveApplication& applied : metadata.directives) {
    if (applied.name != directive) continue;
    for (const auto& [name, value] : applied.arguments) {
      if (name != argument || !value.is_array()) continue;
      for (const Json& item : value.as_array()) {
        if (item.is_string()) texts.push_back(item.as_string());
      }
    }
  }
  return texts;
}

std::string join(const std::vector<std::string>& names, std::string_view separator) {
  return fmt::format("{}", fmt::join(names, separator));
}

bool has_column(const schema::Field& field) {
  return field.arguments.empty() && (!field.derivation || field.derivation->maintained);
}

class Mapper {
 public:
  Mapper(const schema::Schema& schema, const Catalog& catalog, const StoreOptions& options)
      : schema_(schema), catalog_(catalog), options_(options) {}

  Result<Mapping> run();

 private:
  void report(Span span, std::string message, std::string_view rule) {
    for (const Diagnostic& known : diagnostics_) {
      if (known.span == span && known.message == message) return;  // a base, met by its refinements
    }
    diagnostics_.push_back({Severity::Error, std::move(message), span, {}, std::string(rule)});
  }

  bool refines(const schema::Entity& entity) const {
    return entity.co_key == schema::Entity::CoKey::Refines;
  }
  const Table* find_table(const schema::Entity& entity, bool is_needed);
  const TableColumn* find_column(const Table& table, const schema::Field& field,
                                 const schema::Entity& entity, bool is_needed);
  std::vector<const TableColumn*> find_key(const Table& table, const schema::Entity& entity);
  void map_tables(EntityIndex index);
  void map_fields(EntityIndex index);
  void map_computed(EntityIndex index, FieldIndex field);
  void map_version(EntityIndex index);
  void map_whole_row(EntityIndex index);
  void map_links(EntityIndex owner);
  void map_owners();
  void map_hooks();
  void check_root(const schema::Root& root);
  void check_overrides();

  const schema::Schema& schema_;
  const Catalog& catalog_;
  const StoreOptions& options_;
  Mapping mapping_;
  std::vector<uint32_t> own_table_;      // by entity: which of its tables holds its own fields
  std::vector<Diagnostic> diagnostics_;
};

// --- Tables ---

const Table* Mapper::find_table(const schema::Entity& entity, bool is_needed) {
  std::vector<std::string> names;
  const std::string* declared = directive_text(entity.metadata, "table", "name");
  names = declared ? std::vector<std::string>{*declared} : conventional_tables(entity.name);
  for (const std::string& name : names) {
    if (const Table* table = catalog_.find_table(name)) return table;
  }
  if (!is_needed && declared == nullptr) return nullptr;
  std::vector<std::string_view> known;
  for (const Table& table : catalog_.tables) known.push_back(table.name);
  std::string hint;
  for (const std::string& name : names) {
    if (hint.empty()) hint = did_you_mean(name, known);
  }
  report(entity.span,
         fmt::format("{} wants a table {}, which the database does not have{}", entity.name,
                     join(names, " or "), hint),
         "missing-table");
  return nullptr;
}

std::vector<std::string> column_names(const schema::Field& field) {
  if (const std::string* declared = directive_text(field.metadata, "column", "name")) {
    return {*declared};
  }
  return conventional_columns(field.name);
}

const TableColumn* Mapper::find_column(const Table& table, const schema::Field& field,
                                       const schema::Entity& entity, bool is_needed) {
  std::vector<std::string> names = column_names(field);
  for (const std::string& name : names) {
    if (const TableColumn* column = table.find_column(name)) return column;
  }
  if (!is_needed) return nullptr;
  std::vector<std::string_view> known;
  for (const TableColumn& column : table.columns) known.push_back(column.name);
  report(field.span,
         fmt::format("{}.{} wants a column {} in {}, which has none{}", entity.name, field.name,
                     join(names, " or "), table.name, did_you_mean(names.front(), known)),
         "missing-column");
  return nullptr;
}

// The columns that hold the key. A co-keyed entity cannot rename what it inherits: its table's primary key
// serves when no column has the name.
std::vector<const TableColumn*> Mapper::find_key(const Table& table, const schema::Entity& entity) {
  bool inherits = entity.co_key != schema::Entity::CoKey::None;
  std::vector<const TableColumn*> columns;
  for (const std::string& name : entity.key) {
    const schema::Field& field = entity.fields[entity.find_field(name)];
    columns.push_back(find_column(table, field, entity, !inherits));
  }
  bool complete = std::find(columns.begin(), columns.end(), nullptr) == columns.end();
  if (complete || !inherits) return columns;
  std::vector<std::string> primary = table.primary_key();
  if (primary.size() != entity.key.size()) {
    report(entity.span,
           fmt::format("{} shares the key of {} ({}), but {} has neither such columns nor a primary "
                       "key of {}",
                       entity.name, entity.base, join(entity.key, ", "), table.name,
                       entity.key.size()),
           "missing-column");
    return columns;
  }
  for (size_t i = 0; i < primary.size(); ++i) columns[i] = table.find_column(primary[i]);
  return columns;
}

// The tables whose rows, joined by the key, are one row of the entity: its own; of a family of
// refinements, the base's and every refinement's that has one.
void Mapper::map_tables(EntityIndex index) {
  const schema::Entity& entity = schema_.entities[index];
  EntityMapping& mapped = mapping_.entities[index];
  auto use = [&](const Table& table, const schema::Entity& of, bool is_required) {
    EntityMapping::Use added{&table, is_required, {}};
    auto place = static_cast<uint32_t>(mapped.tables.size());
    for (const TableColumn* column : find_key(table, of)) added.key.push_back({place, column});
    mapped.tables.push_back(std::move(added));
    return place;
  };
  const schema::Entity& base = refines(entity) ? *schema_.find_entity(entity.base) : entity;
  const Table* base_table = find_table(base, &base == &entity);
  if (base_table == nullptr) return;
  use(*base_table, base, true);
  own_table_[index] = 0;
  for (EntityIndex other = 0; other < schema_.entities.size(); ++other) {
    const schema::Entity& member = schema_.entities[other];
    if (!refines(member) || member.base != base.name) continue;
    const Table* table = find_table(member, false);
    if (table == nullptr || table == base_table) continue;
    uint32_t place = use(*table, member, other == index);
    if (other == index) own_table_[index] = place;
  }
  mapped.key = mapped.tables.front().key;
}

// --- Columns ---

void Mapper::map_fields(EntityIndex index) {
  const schema::Entity& entity = schema_.entities[index];
  EntityMapping& mapped = mapping_.entities[index];
  mapped.fields.resize(entity.fields.size());
  if (mapped.tables.empty()) return;
  uint32_t own = own_table_[index];
  for (FieldIndex f = 0; f < entity.fields.size(); ++f) {
    const schema::Field& field = entity.fields[f];
    if (!field.arguments.empty()) {
      map_computed(index, f);
      continue;
    }
    if (directive_text(field.metadata, "sql", "expr") != nullptr) {
      report(field.span,
             fmt::format("{}.{}: @sql is for fields with arguments; a plain field is a column (of a "
                         "view, or generated)",
                         entity.name, field.name),
             "sql-without-arguments");
      continue;
    }
    if (!has_column(field)) continue;
    mapped.fields[f].kind = FieldMapping::Kind::Column;
    auto key = std::find(entity.key.begin(), entity.key.end(), field.name);
    if (key != entity.key.end()) {
      mapped.fields[f].column = mapped.key[static_cast<size_t>(key - entity.key.begin())];
      continue;
    }
    const TableColumn* column = find_column(*mapped.tables[own].table, field, entity, true);
    mapped.fields[f].column = {own, column};
    bool is_shared = refines(entity) && own == 0;
    if (is_shared && column != nullptr && !schema_.resolve(field.type).is_option()) {
      mapped.present.push_back(mapped.fields[f].column);
    }
  }
}

void Mapper::map_computed(EntityIndex index, FieldIndex f) {
  const schema::Entity& entity = schema_.entities[index];
  const schema::Field& field = entity.fields[f];
  FieldMapping& mapped = mapping_.entities[index].fields[f];
  mapped.kind = FieldMapping::Kind::Expression;
  std::string name = entity.name + "." + field.name;
  for (const StoreOptions::Computed& override_ : options_.computed) {
    if (override_.field != name) continue;
    mapped.expression = override_.sql;
    mapped.reads = override_.reads;
    return;
  }
  if (const std::string* expression = directive_text(field.metadata, "sql", "expr")) {
    mapped.expression = *expression;
    mapped.reads = directive_texts(field.metadata, "sql", "reads");
    return;
  }
  report(field.span,
         fmt::format("{} takes arguments and nothing computes it: give it @sql(expr: ..), or its SQL "
                     "under [computed] of the configuration",
                     name),
         "not-computed");
}

void Mapper::map_version(EntityIndex index) {
  const schema::Entity& entity = schema_.entities[index];
  EntityMapping& mapped = mapping_.entities[index];
  if (mapped.tables.empty()) return;
  // A family shares the version of its base.
  const schema::Entity& base = refines(entity) ? *schema_.find_entity(entity.base) : entity;
  const std::string* name = directive_text(base.metadata, "version", "column");
  if (name == nullptr) return;
  const Table& table = *mapped.tables.front().table;
  const TableColumn* column = table.find_column(*name);
  if (column == nullptr) {
    std::vector<std::string_view> known;
    for (const TableColumn& candidate : table.columns) known.push_back(candidate.name);
    report(base.span,
           fmt::format("{} keeps its version in {}.{}, which does not exist{}", base.name, table.name,
                       *name, did_you_mean(*name, known)),
           "missing-column");
    return;
  }
  mapped.version = ColumnRef{0, column};
}

// Every column that the schema sees in these tables; all of them when SQL may look at any.
void Mapper::map_whole_row(EntityIndex index) {
  EntityMapping& mapped = mapping_.entities[index];
  bool sees_all = false;
  std::vector<std::vector<const TableColumn*>> seen(mapped.tables.size());
  for (const EntityMapping& other : mapping_.entities) {
    for (const FieldMapping& field : other.fields) {
      for (size_t t = 0; t < mapped.tables.size(); ++t) {
        bool shares = std::any_of(other.tables.begin(), other.tables.end(), [&](const auto& use) {
          return use.table == mapped.tables[t].table;
        });
        if (!shares) continue;
        sees_all |= field.kind == FieldMapping::Kind::Expression;
        bool is_here = field.kind == FieldMapping::Kind::Column && field.column.column != nullptr &&
                       other.tables[field.column.table].table == mapped.tables[t].table;
        if (is_here) seen[t].push_back(field.column.column);
      }
    }
  }
  for (uint32_t t = 0; t < mapped.tables.size(); ++t) {
    for (const TableColumn& column : mapped.tables[t].table->columns) {
      bool is_seen = std::find(seen[t].begin(), seen[t].end(), &column) != seen[t].end();
      if (sees_all || is_seen) mapped.whole_row.push_back({t, &column});
    }
  }
}

// --- Links and owners that the schema does not declare as fields ---

void Mapper::map_links(EntityIndex owner) {
  const schema::Entity& entity = schema_.entities[owner];
  for (const schema::Relationship& edge : entity.relationships) {
    if (!edge.collection || edge.collection->link_is_declared) continue;
    for (EntityIndex target : edge.target.members) {
      const EntityMapping& mapped = mapping_.entities[target];
      if (mapped.tables.empty()) continue;
      const Table& table = *mapped.tables.front().table;
      const TableColumn* column = table.find_column(snake_case(edge.collection->link));
      if (column == nullptr) column = table.find_column(edge.collection->link);
      if (column == nullptr) {
        report(edge.span,
               fmt::format("{}.{} links by {}, and {} has no column {}", entity.name, edge.name,
                           edge.collection->link, table.name, snake_case(edge.collection->link)),
               "missing-column");
        continue;
      }
      mapping_.links.push_back({owner, edge.collection->name, target, {0, column}});
    }
  }
}

void Mapper::map_owners() {
  for (const plan::OwnerColumn& owner : options_.owners) {
    if (owner.hidden_column.empty()) continue;
    EntityIndex index = schema_.entity_index(owner.entity);
    if (index == kNone || mapping_.entities[index].tables.empty()) continue;
    EntityMapping& mapped = mapping_.entities[index];
    const Table& table = *mapped.tables.front().table;
    const TableColumn* column = table.find_column(owner.hidden_column);
    if (column == nullptr) {
      report(schema_.entities[index].span,
             fmt::format("the owner of {} is configured as column {} of {}, which does not exist",
                         owner.entity, owner.hidden_column, table.name),
             "missing-column");
      continue;
    }
    bool is_hashed = std::any_of(mapped.whole_row.begin(), mapped.whole_row.end(), [&](const auto& c) {
      return c.table == 0 && c.column == column;
    });
    if (!is_hashed) mapped.whole_row.push_back({0, column});
  }
}

// --- Roots ---

// A root that columns cannot answer needs a hook (the planner's rule, src/plan/access.cc).
void Mapper::check_root(const schema::Root& root) {
  std::string reason;
  if (root.is_list) {
    bool is_backed = !root.collection || !root.collection->link.empty();
    if (!is_backed && !root.parameters.empty()) reason = "is listed by its parameters";
  } else if (root.target.is_abstract()) {
    reason = "gets one of several types";
  } else if (!root.parameters.empty()) {
    const schema::Entity& entity = schema_.entities[root.target.members.front()];
    bool is_key = root.parameters.size() == entity.key.size();
    for (const schema::Parameter& parameter : root.parameters) {
      is_key &= std::find(entity.key.begin(), entity.key.end(), parameter.name) != entity.key.end();
    }
    if (!is_key) {
      reason = fmt::format("takes other parameters than the key of {} ({})", entity.name,
                           join(entity.key, ", "));
    }
  }
  if (reason.empty()) return;
  report(root.span,
         fmt::format("root `{}` {}: give the SQL that finds its keys under [roots] of the "
                     "configuration",
                     root.name, reason),
         "root-without-hook");
}

void Mapper::map_hooks() {
  mapping_.hooks.resize(schema_.roots.size());
  for (size_t r = 0; r < schema_.roots.size(); ++r) {
    for (const StoreOptions::Hook& hook : options_.hooks) {
      if (hook.root == schema_.roots[r].name) mapping_.hooks[r] = {hook.sql, hook.reads};
    }
    if (!mapping_.hooks[r]) check_root(schema_.roots[r]);
  }
}

void Mapper::check_overrides() {
  for (const StoreOptions::Hook& hook : options_.hooks) {
    if (schema_.find_root(hook.root) != nullptr) continue;
    std::vector<std::string_view> known;
    for (const schema::Root& root : schema_.roots) known.push_back(root.name);
    report({}, fmt::format("[roots] names `{}`, which is no root{}", hook.root,
                           did_you_mean(hook.root, known)),
           "unknown-root");
  }
  for (const StoreOptions::Computed& computed : options_.computed) {
    size_t dot = computed.field.find('.');
    const schema::Entity* entity = schema_.find_entity(computed.field.substr(0, dot));
    FieldIndex field = kNone;
    if (entity != nullptr && dot != std::string::npos) {
      field = entity->find_field(computed.field.substr(dot + 1));
    }
    if (field != kNone && !entity->fields[field].arguments.empty()) continue;
    report({}, fmt::format("[computed] names `{}`, which is no field with arguments", computed.field),
           "unknown-field");
  }
}

Result<Mapping> Mapper::run() {
  mapping_.entities.resize(schema_.entities.size());
  own_table_.resize(schema_.entities.size());
  for (EntityIndex e = 0; e < schema_.entities.size(); ++e) {
    map_tables(e);
    map_fields(e);
    map_version(e);
  }
  for (EntityIndex e = 0; e < schema_.entities.size(); ++e) {
    map_whole_row(e);
    map_links(e);
  }
  map_owners();
  map_hooks();
  check_overrides();
  if (diagnostics_.empty()) return std::move(mapping_);
  std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                   [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
  Error error;
  error.code = Code::StoreMismatch;
  error.message = diagnostics_.size() == 1
                      ? diagnostics_.front().message
                      : fmt::format("the database does not fit the schema in {} places; the first: {}",
                                    diagnostics_.size(), diagnostics_.front().message);
  error.diagnostics = std::move(diagnostics_);
  return fail(std::move(error));
}

}  // namespace

const LinkMapping* Mapping::find_link(EntityIndex owner, std::string_view collection,
                                      EntityIndex target) const {
  for (const LinkMapping& link : links) {
    if (link.owner == owner && link.collection == collection && link.target == target) return &link;
  }
  return nullptr;
}

Result<Mapping> map_schema(const schema::Schema& schema, const Catalog& catalog,
                           const StoreOptions& options) {
  return Mapper(schema, catalog, options).run();
}

std::vector<std::string> conventional_tables(std::string_view entity) {
  std::string snake = snake_case(entity);
  std::vector<std::string> names;
  for (std::string name : {snake, std::string(entity), plural_of(snake), plural_of(entity)}) {
    bool known = std::any_of(names.begin(), names.end(),
                             [&](const std::string& n) { return same_identifier(n, name); });
    if (!known) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> conventional_columns(std::string_view field) {
  std::string snake = snake_case(field);
  if (same_identifier(snake, field)) return {snake};
  return {snake, std::string(field)};
}

std::string snake_case(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    bool starts_word = is_upper(name[i]) && i > 0 &&
                       (is_lower(name[i - 1]) ||
                        (is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1])));
    if (starts_word) out += '_';
    out += is_upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return out;
}

std::string plural_of(std::string_view name) {
  std::string out(name);
  auto ends = [&](std::string_view suffix) { return out.ends_with(suffix); };
  bool sibilant = ends("s") || ends("x") || ends("z") || ends("ch") || ends("sh");
  bool vowel_y = ends("ay") || ends("ey") || ends("iy") || ends("oy") || ends("uy");
  if (ends("y") && !vowel_y) {
    out.pop_back();
    return out + "ies";
  }
  return out + (sibilant ? "es" : "s");
}

}  // namespace lattice::store
