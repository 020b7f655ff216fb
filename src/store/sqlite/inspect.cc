#include "store/sqlite/inspect.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "schema/selection_parser.h"
#include "store/mapping.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/names.h"

namespace lattice::store {

namespace {

using schema::Primitive;

constexpr int64_t kCellsReadMax = 1'000'000;  // of one column, to see what type its data has

std::string upper_case(std::string_view text) {
  std::string out(text.substr(0, text.find('(')));
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

bool contains(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return text.find(w) != std::string_view::npos; });
}

// --- Types ---

struct Candidate {
  Primitive primitive;
  bool needs_evidence = false;  // a guess: at least one value must show it
  std::string note;
};

bool sounds_like_time(std::string_view column) {
  std::string snake = snake_case(column);
  return snake.ends_with("_at") || snake.ends_with("_on") || contains(snake, {"date", "time"});
}

// What the declaration suggests, most likely first; then what any column may turn out to hold.
std::vector<Candidate> candidates_of(const TableColumn& column) {
  std::string declared = upper_case(column.declared_type);
  std::vector<Candidate> out;
  if (contains(declared, {"BIGINT", "INT8"})) {
    out = {{Primitive::I64, false, {}}};
  } else if (contains(declared, {"BOOL"})) {
    out = {{Primitive::Bool, false, {}}};
  } else if (contains(declared, {"DATETIME", "TIMESTAMP"})) {
    out = {{Primitive::Timestamp, false, {}}, {Primitive::Date, true, {}}};
  } else if (contains(declared, {"DATE"})) {
    out = {{Primitive::Date, false, {}}, {Primitive::Timestamp, true, "the data has times of day"}};
  } else if (contains(declared, {"TIME"})) {
    out = {{Primitive::TimeOfDay, false, {}}};
  } else if (contains(declared, {"UUID", "GUID"})) {
    out = {{Primitive::Uuid, false, {}}};
  } else if (contains(declared, {"JSON"})) {
    out = {{Primitive::Json, false, {}}};
  } else if (contains(declared, {"INT"})) {
    out = {{Primitive::I32, false, {}}};
  } else if (contains(declared, {"CHAR", "CLOB", "TEXT", "STRING"})) {
    if (sounds_like_time(column.name)) {
      out = {{Primitive::Timestamp, true, "text, but every value is a time"},
             {Primitive::Date, true, "text, but every value is a date"}};
    }
    out.push_back({Primitive::Uuid, true, "text, but every value is a UUID"});
    out.push_back({Primitive::Text, false, {}});
  } else if (contains(declared, {"BLOB", "BINARY"})) {
    out = {{Primitive::Bytes, false, {}}};
  } else if (contains(declared, {"REAL", "FLOA", "DOUB"})) {
    out = {{Primitive::F64, false, {}}};
  } else if (contains(declared, {"DEC", "NUMERIC", "MONEY", "NUMBER"})) {
    out = {{Primitive::Decimal, false, {}}};
  }
  std::string why = declared.empty() ? "no declared type: by its data"
                                     : fmt::format("{}, but its data says otherwise", declared);
  for (Primitive primitive :
       {Primitive::I32, Primitive::I64, Primitive::F64, Primitive::Text, Primitive::Bytes}) {
    bool is_wider = primitive == Primitive::I64 && !out.empty() && out[0].primitive == Primitive::I32;
    out.push_back({primitive, false, is_wider ? "some values need 64 bits" : why});
  }
  return out;
}

struct Typed {
  std::string type;
  ScalarType::Kind kind = ScalarType::Kind::Text;
  std::string note;
};

// The first candidate that every cell is a value of; nothing when the data is of several kinds.
Result<std::optional<Typed>> type_of(const Database& database, const Table& table,
                                     const TableColumn& column) {
  const schema::Schema none;
  std::vector<Candidate> candidates = candidates_of(column);
  std::vector<ScalarType> types;
  for (const Candidate& candidate : candidates) {
    schema::Type type;
    type.primitive = candidate.primitive;
    types.push_back(scalar_type(type, none));
  }
  std::vector<bool> fits(candidates.size(), true);
  std::string name = quote_identifier(column.name);
  LATTICE_TRY(Statement statement,
              database.prepare(fmt::format("SELECT {} FROM {} WHERE {} IS NOT NULL LIMIT {}", name,
                                           quote_identifier(table.name), name, kCellsReadMax)));
  int64_t count = 0;
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) {
    ++count;
    Cell cell = cell_of(statement.get(), 0);
    for (size_t i = 0; i < types.size(); ++i) {
      if (!fits[i]) continue;
      Arena arena(256);
      fits[i] = decode_cell(cell, types[i], none, arena).kind != Value::Kind::Invalid;
    }
  }
  if (code != SQLITE_DONE) return fail(database.error("reading " + table.name));
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!fits[i] || (candidates[i].needs_evidence && count == 0)) continue;
    // Numbers as text are no Text that anyone meant: a column of a text type holds texts.
    return Typed{std::string(schema::primitive_name(candidates[i].primitive)), types[i].kind,
                 candidates[i].note};
  }
  return std::optional<Typed>();
}

bool is_key_kind(ScalarType::Kind kind) {
  switch (kind) {
    case ScalarType::Kind::Int:
    case ScalarType::Kind::Wide:
    case ScalarType::Kind::Decimal:
    case ScalarType::Kind::Text:
    case ScalarType::Kind::Uuid:
    case ScalarType::Kind::Timestamp:
    case ScalarType::Kind::Date:
    case ScalarType::Kind::Enum:
      return true;
    default:
      return false;
  }
}

// --- Checks as enums ---

struct SqlToken {
  enum class Kind : uint8_t { Word, Text, Mark } kind = Kind::Mark;
  std::string text;
};

std::vector<SqlToken> tokenize(std::string_view sql) {
  std::vector<SqlToken> tokens;
  for (size_t i = 0; i < sql.size();) {
    char c = sql[i];
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++i;
    } else if (c == '\'' || c == '"' || c == '`' || c == '[') {
      char close = c == '[' ? ']' : c;
      std::string text;
      for (++i; i < sql.size(); ++i) {
        if (sql[i] != close) {
          text += sql[i];
        } else if (close != ']' && i + 1 < sql.size() && sql[i + 1] == close) {
          text += sql[++i];
        } else {
          break;
        }
      }
      ++i;
      tokens.push_back({c == '\'' ? SqlToken::Kind::Text : SqlToken::Kind::Word, std::move(text)});
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      std::string text;
      while (i < sql.size() && (std::isalnum(static_cast<unsigned char>(sql[i])) != 0 || sql[i] == '_')) {
        text += sql[i++];
      }
      tokens.push_back({SqlToken::Kind::Word, std::move(text)});
    } else if (sql.substr(i, 2) == "--") {
      i = std::min(sql.find('\n', i), sql.size());
    } else {
      tokens.push_back({SqlToken::Kind::Mark, std::string(1, c)});
      ++i;
    }
  }
  return tokens;
}

bool is_enum_value(std::string_view text) {
  bool starts = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) != 0);
  return starts && text != "null" && !schema::is_reserved_word(text) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
         });
}

}  // namespace

std::vector<std::string> checked_values(std::string_view create_table, std::string_view column) {
  std::vector<SqlToken> tokens = tokenize(create_table);
  auto is = [&](size_t at, std::string_view text) {
    return at < tokens.size() && tokens[at].kind != SqlToken::Kind::Text &&
           same_identifier(tokens[at].text, text);
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!is(i, "check") || !is(i + 1, "(") || !is(i + 2, column) || !is(i + 3, "in") || !is(i + 4, "(")) {
      continue;
    }
    std::vector<std::string> values;
    size_t at = i + 5;
    for (; at < tokens.size() && tokens[at].kind == SqlToken::Kind::Text; at += 2) {
      values.push_back(tokens[at].text);
      if (!is(at + 1, ",")) break;
    }
    // Nothing else may be in the check: `IN (..) OR ..` allows more.
    if (!values.empty() && is(at + 1, ")") && is(at + 2, ")")) return values;
  }
  return {};
}

const InitField* InitEntity::find_field(std::string_view wanted) const {
  for (const InitField& field : fields) {
    if (field.name == wanted) return &field;
  }
  return nullptr;
}

InitField* InitEntity::find_column(std::string_view column) {
  for (InitField& field : fields) {
    if (same_identifier(field.column->name, column)) return &field;
  }
  return nullptr;
}

namespace {

class Inspector {
 public:
  Inspector(const Database& database, const Catalog& catalog)
      : database_(database), catalog_(catalog) {}
  Result<InitModel> run();

 private:
  Result<void> add_entity(const Table& table);
  Result<bool> add_field(InitEntity& entity, const TableColumn& column, bool is_key);
  std::optional<InitField> enum_field(const InitEntity& entity, const TableColumn& column);
  void unify_key_types();
  Result<void> add_edges(InitEntity& entity);
  Result<void> add_edge(InitEntity& entity, const ForeignKey& foreign);
  Result<bool> dangles(const Table& table, const ForeignKey& foreign) const;
  void add_roots(InitEntity& entity);
  std::string order_of(const InitEntity& entity, const InitField* link) const;
  InitEntity* entity_of(std::string_view table);

  const Database& database_;
  const Catalog& catalog_;
  InitModel model_;
  std::set<std::string> type_names_;  // entities and enums
  std::set<std::string> root_names_ = {"nodes"};
};

std::string unique_name(std::string name, const std::set<std::string>& taken) {
  std::string candidate = name;
  for (int i = 2; taken.contains(candidate); ++i) candidate = name + std::to_string(i);
  return candidate;
}

std::set<std::string> member_names(const InitEntity& entity) {
  std::set<std::string> names;
  for (const InitField& field : entity.fields) names.insert(field.name);
  for (const InitEdge& edge : entity.edges) names.insert(edge.name);
  return names;
}

InitEntity* Inspector::entity_of(std::string_view table) {
  for (InitEntity& entity : model_.entities) {
    if (same_identifier(entity.table->name, table)) return &entity;
  }
  return nullptr;
}

// --- Entities and fields ---

// The primary key, else a unique key that cannot be null.
std::vector<std::string> key_columns(const Table& table) {
  if (auto primary = table.primary_key(); !primary.empty()) return primary;
  for (const std::vector<std::string>& key : table.unique_keys) {
    bool is_complete = std::all_of(key.begin(), key.end(), [&](const std::string& name) {
      return table.find_column(name)->is_not_null;
    });
    if (is_complete) return key;
  }
  return {};
}

// CHECK (status IN ('draft', 'live')): the values, in their order.
std::optional<InitField> Inspector::enum_field(const InitEntity& entity, const TableColumn& column) {
  std::vector<std::string> values = checked_values(entity.table->sql, column.name);
  bool are_names = !values.empty() && std::all_of(values.begin(), values.end(), is_enum_value) &&
                   std::set<std::string>(values.begin(), values.end()).size() == values.size();
  if (!are_names) return std::nullopt;
  InitField field;
  field.type = unique_name(entity.name + capitalize(camel_case(column.name)), type_names_);
  type_names_.insert(field.type);
  model_.enums.push_back({field.type, values, fmt::format("the CHECK of {}.{}, in its order",
                                                          entity.table->name, column.name)});
  return field;
}

Result<bool> Inspector::add_field(InitEntity& entity, const TableColumn& column, bool is_key) {
  InitField field;
  std::string where = fmt::format("column {}.{}", entity.table->name, column.name);
  ScalarType::Kind kind = ScalarType::Kind::Enum;
  if (auto by_check = enum_field(entity, column)) {
    field = std::move(*by_check);
  } else {
    LATTICE_TRY(auto typed, type_of(database_, *entity.table, column));
    if (!typed) {
      model_.left_out.push_back(where + ": its values are of several kinds");
      return false;
    }
    kind = typed->kind;
    field.type = typed->type;
    field.note = typed->note;
  }
  if (is_key && !is_key_kind(kind)) {
    model_.left_out.push_back(fmt::format("{}: a key of type {} cannot be looked up", where, field.type));
    return false;
  }
  field.column = &column;
  field.name = camel_case(column.name);
  if (field.name.empty()) {
    model_.left_out.push_back(where + ": no name can be made of it");
    return false;
  }
  field.name = unique_name(field.name, member_names(entity));
  field.is_optional = !is_key && !column.is_not_null;
  field.has_order = is_key_kind(kind) || kind == ScalarType::Kind::Float || kind == ScalarType::Kind::Bool;
  std::vector<std::string> names = conventional_columns(field.name);
  auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return entity.table->find_column(name) != nullptr;
  });
  field.needs_column = found == names.end() || entity.table->find_column(*found) != &column;
  if (is_key) entity.key.push_back(field.name);
  entity.fields.push_back(std::move(field));
  return true;
}

Result<void> Inspector::add_entity(const Table& table) {
  std::vector<std::string> key = key_columns(table);
  std::string what = fmt::format("{} {}", table.is_view ? "view" : "table", table.name);
  if (key.empty()) {
    model_.left_out.push_back(what + ": it has no key, so its rows have no names");
    return {};
  }
  InitEntity entity;
  entity.table = &table;
  entity.name = entity_name(table.name);
  if (entity.name.empty()) {
    model_.left_out.push_back(what + ": no name can be made of it");
    return {};
  }
  bool is_type = schema::find_primitive(entity.name).has_value() || entity.name == "Vec" ||
                 entity.name == "Set" || entity.name == "Map";
  if (is_type) entity.name += "Row";
  entity.name = unique_name(entity.name, type_names_);
  type_names_.insert(entity.name);
  std::vector<std::string> names = conventional_tables(entity.name);
  auto found = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return catalog_.find_table(name) != nullptr;
  });
  entity.needs_table = found == names.end() || catalog_.find_table(*found) != &table;
  if (table.primary_key().empty()) entity.notes.push_back("keyed by a unique index: no primary key");
  for (const std::string& name : key) {
    LATTICE_TRY(bool added, add_field(entity, *table.find_column(name), true));
    if (added) continue;
    model_.left_out.push_back(what + ": its key cannot be served");
    return {};
  }
  for (const TableColumn& column : table.columns) {
    bool is_key = std::any_of(key.begin(), key.end(),
                              [&](const std::string& name) { return same_identifier(name, column.name); });
    if (!is_key) LATTICE_TRY_VOID(add_field(entity, column, false));
  }
  model_.entities.push_back(std::move(entity));
  return {};
}

// --- Edges ---

// A foreign key of one column that holds the whole key of its target.
bool is_simple(const ForeignKey& foreign, const InitEntity& target) {
  return foreign.columns.size() == 1 && foreign.target_columns.size() == 1 && target.key.size() == 1 &&
         same_identifier(target.find_field(target.key[0])->column->name, foreign.target_columns[0]);
}

// A link and the key that it holds have one type: the key's. A key may itself be a link, so go on until
// nothing changes.
void Inspector::unify_key_types() {
  for (size_t round = 0; round < model_.entities.size() + 1; ++round) {
    for (InitEntity& entity : model_.entities) {
      for (const ForeignKey& foreign : entity.table->foreign_keys) {
        const InitEntity* target = entity_of(foreign.table);
        InitField* field = foreign.columns.size() == 1 ? entity.find_column(foreign.columns[0]) : nullptr;
        if (target == nullptr || field == nullptr || !is_simple(foreign, *target)) continue;
        const InitField* key = target->find_field(target->key[0]);
        if (key->type == field->type) continue;
        field->type = key->type;
        field->has_order = true;
        field->note = fmt::format("typed as the key of {}", target->name);
      }
    }
  }
}

Result<bool> Inspector::dangles(const Table& table, const ForeignKey& foreign) const {
  std::string link = quote_identifier(foreign.columns[0]);
  LATTICE_TRY(Statement statement,
              database_.prepare(fmt::format(
                  "SELECT 1 FROM {} AS a WHERE a.{} IS NOT NULL AND NOT EXISTS "
                  "(SELECT 1 FROM {} AS b WHERE b.{} = a.{}) LIMIT 1",
                  quote_identifier(table.name), link, quote_identifier(foreign.table),
                  quote_identifier(foreign.target_columns[0]), link)));
  int code = sqlite3_step(statement.get());
  if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(database_.error("reading " + table.name));
  return code == SQLITE_ROW;
}

// The order of a collection: a second column of an index on the link when there is one (the newest first
// when it is a time), then the key.
std::string Inspector::order_of(const InitEntity& entity, const InitField* link) const {
  std::vector<std::string> columns;
  bool descends = false;
  for (const std::vector<std::string>& index : entity.table->indexes) {
    if (link == nullptr || index.size() < 2 || !same_identifier(index[0], link->column->name)) continue;
    for (const InitField& field : entity.fields) {
      bool is_key = std::find(entity.key.begin(), entity.key.end(), field.name) != entity.key.end();
      if (!same_identifier(field.column->name, index[1]) || field.is_optional || is_key) continue;
      if (!field.has_order || !columns.empty()) continue;
      descends = field.type == "Timestamp" || field.type == "Date";
      columns.push_back(field.name);
    }
  }
  for (const std::string& key : entity.key) {
    if (link == nullptr || key != link->name) columns.push_back(key);
  }
  // The link is the same in the whole group; it stands last so that the order names the whole key.
  for (const std::string& key : entity.key) {
    if (link != nullptr && key == link->name) columns.push_back(key);
  }
  std::string order;
  for (const std::string& column : columns) {
    order += fmt::format("{}{} {}", order.empty() ? "" : ", ", column, descends ? "desc" : "asc");
  }
  return order;
}

Result<void> Inspector::add_edge(InitEntity& entity, const ForeignKey& foreign) {
  InitEntity* target = entity_of(foreign.table);
  std::string what = fmt::format("the foreign key {}({}) → {}", entity.table->name,
                                 fmt::join(foreign.columns, ", "), foreign.table);
  if (target == nullptr) {
    model_.left_out.push_back(what + ": its target is not served");
    return {};
  }
  const InitField* field = foreign.columns.size() == 1 ? entity.find_column(foreign.columns[0]) : nullptr;
  if (field == nullptr || !is_simple(foreign, *target)) {
    model_.left_out.push_back(what + ": a relationship links by one field that holds the target's key");
    return {};
  }
  LATTICE_TRY(bool is_dangling, dangles(*entity.table, foreign));
  InitEdge one;
  one.kind = field->is_optional || is_dangling ? InitEdge::Kind::OneOptional : InitEdge::Kind::One;
  if (is_dangling) one.note = "some rows refer to a row that does not exist";
  one.name = without_id(field->name);
  if (one.name.empty()) one.name = field->name + target->name;
  one.name = unique_name(one.name, member_names(entity));
  one.target = target->name;
  one.link = field->name;

  auto links_again = [&](const ForeignKey& other) {
    return &other != &foreign && same_identifier(other.table, foreign.table);
  };
  bool is_ambiguous = target == &entity || std::any_of(entity.table->foreign_keys.begin(),
                                                       entity.table->foreign_keys.end(), links_again);
  InitEdge many;
  many.kind = InitEdge::Kind::Many;
  many.name = plural_of(decapitalize(entity.name));
  if (is_ambiguous) {
    std::string by = without_id(field->name);
    many.name += "By" + capitalize(by.empty() ? field->name : by);
  }
  many.target = entity.name;
  many.link = field->name;
  many.window = fmt::format("ordered by {} page 20 max 100", order_of(entity, field));
  if (!field->column->has_index) {
    many.note = fmt::format("no index begins with {}.{}: slow on a large table", entity.table->name,
                            field->column->name);
  }
  entity.edges.push_back(std::move(one));
  many.name = unique_name(many.name, member_names(*target));
  target->edges.push_back(std::move(many));
  return {};
}

Result<void> Inspector::add_edges(InitEntity& entity) {
  for (const ForeignKey& foreign : entity.table->foreign_keys) {
    LATTICE_TRY_VOID(add_edge(entity, foreign));
  }
  return {};
}

// --- Roots ---

// A list is by a field of its rows. Without that argument it is the whole table, so `by` the first link
// serves both questions, and `by` the key where there is no link.
void Inspector::add_roots(InitEntity& entity) {
  entity.get_root = unique_name(decapitalize(entity.name), root_names_);
  root_names_.insert(entity.get_root);
  std::string list = plural_of(decapitalize(entity.name));
  if (root_names_.contains(list)) list = "all" + capitalize(list);
  entity.list_root = unique_name(list, root_names_);
  root_names_.insert(entity.list_root);
  entity.list_link = entity.key.front();
  for (const InitEdge& edge : entity.edges) {
    bool is_key = std::find(entity.key.begin(), entity.key.end(), edge.link) != entity.key.end();
    if (edge.kind == InitEdge::Kind::Many || is_key || entity.list_link != entity.key.front()) continue;
    entity.list_link = edge.link;
  }
  entity.list_order = order_of(entity, nullptr);
}

Result<InitModel> Inspector::run() {
  for (const Table& table : catalog_.tables) LATTICE_TRY_VOID(add_entity(table));
  unify_key_types();
  for (InitEntity& entity : model_.entities) LATTICE_TRY_VOID(add_edges(entity));
  for (InitEntity& entity : model_.entities) add_roots(entity);
  return std::move(model_);
}

}  // namespace

Result<InitModel> inspect_database(const Database& database, const Catalog& catalog) {
  return Inspector(database, catalog).run();
}

}  // namespace lattice::store
