#include "tests/support/naive_walker.h"

#include <algorithm>

#include "base/check.h"
#include "exec/exec.h"

namespace lattice::testing {

namespace {

using query::Selection;
using schema::Entity;
using schema::Policy;
using schema::Relationship;

enum Level : size_t { kPub = 0, kCtx = 1, kPriv = 2 };

struct Row {
  const Entity* entity = nullptr;
  std::string ref;
  std::string key_text;
  std::string version;
  Json fields;  // key fields included
  const Json* find(std::string_view name) const { return fields.find(name); }
};

Level level_of(const Policy& policy) {
  if (policy.level == Policy::Level::Public) return kPub;
  return policy.level == Policy::Level::Claims ? kCtx : kPriv;
}

// The typed order of one column's values in wire form.
int compare_wire(const Json& a, const Json& b, const schema::Type& type,
                 const schema::Schema& schema) {
  schema::Type resolved = schema.resolve(type);
  const schema::Type& plain = resolved.without_option();
  auto sign = [](auto x, auto y) { return x < y ? -1 : (x > y ? 1 : 0); };
  if (a.is_null() || b.is_null()) return sign(!a.is_null(), !b.is_null());
  if (a.is_bool()) return sign(a.as_bool(), b.as_bool());
  if (a.is_number()) return sign(a.as_double(), b.as_double());
  const std::string& x = a.as_string();
  const std::string& y = b.as_string();
  if (plain.kind == schema::Type::Kind::Named) {
    const auto& values = schema.find_type(plain.name)->values;
    return sign(std::find(values.begin(), values.end(), x) - values.begin(),
                std::find(values.begin(), values.end(), y) - values.begin());
  }
  if (schema.wire_form(type) == schema::WireForm::WideInteger) {
    return sign(std::stoll(x), std::stoll(y));  // the worlds of the tests stay within 64 bits
  }
  return sign(x.compare(y), 0);
}

class Walker {
 public:
  Walker(const World& world, const query::Query& query,
         const std::map<std::string, Json>& variables, const WalkCaller& caller)
      : world_(world),
        schema_(*world.schema),
        query_(query),
        variables_(variables),
        caller_(caller) {
    read_rows();
  }

  WalkedSlices run() {
    for (const Selection& root : query_.roots) walk_root(root);
    return std::move(slices_);
  }

 private:
  void read_rows();
  void walk_root(const Selection& selection);
  std::vector<const Row*> root_members(const schema::Root& root, const Selection& selection);
  void walk_row(const Row& row, const std::vector<Selection>& selections, Level level);
  void walk_field(const Row& row, const Selection& selection, Level level);
  void walk_edge(const Row& row, const Relationship& edge, const Selection& selection, Level level);
  std::optional<Json> edge_value(const Row& row, const Relationship& edge,
                                 const Selection& selection, Level level,
                                 std::vector<const Row*>& members);
  std::optional<Json> to_one(const Row& row, const Relationship& edge, Level level,
                             std::vector<const Row*>& members);
  Json page_value(const schema::Collection& collection, const Selection& selection,
                  const std::vector<const Row*>& rows, std::vector<const Row*>& members);
  std::vector<const Row*> select_page(const schema::Collection& collection,
                                      const Selection& selection,
                                      const std::vector<const Row*>& rows, size_t& begin,
                                      size_t& end);
  Json cursor_at(const schema::Collection& collection, const std::vector<const Row*>& rows,
                 size_t row, size_t neighbour);
  int compare_keysets(const schema::Collection& collection, const Row& a, const Row& b);
  int compare_rows(const schema::Collection& collection, const Row& a, const Row& b);

  bool passes(const Policy& policy, const Row& row);
  bool passes_caller(const Policy& policy);
  bool owns(const Row& row);
  bool is_member(const Policy& policy, const Row& row);
  const Json* claim(const std::string& name) const;

  std::optional<Json> argument(const Selection& selection, std::string_view name);
  std::string wire_key(const Selection& selection, const schema::Collection* collection);
  const Row* find(const std::string& ref) const;
  std::vector<const Row*> rows_of(const schema::Target& target) const;
  void see(const Row& row, Level level);
  void hide(const Row& row, Level level);
  void error(Level level, const char* code, const char* scope, const Row& row,
             const std::string& field) {
    slices_[level].errors.insert(std::string(code) + " " + scope + " " + row.ref + " " + field);
  }

  const World& world_;
  const schema::Schema& schema_;
  const query::Query& query_;
  const std::map<std::string, Json>& variables_;
  const WalkCaller& caller_;
  std::map<std::string, Row> rows_;  // by ref
  WalkedSlices slices_;
};

void Walker::read_rows() {
  const Json* types = world_.dataset.find("rows");
  for (const auto& [type, rows] : types->as_object()) {
    const Entity* entity = schema_.find_entity(type);
    LATTICE_CHECK(entity != nullptr && entity->key.size() == 1, type);
    for (const auto& [key, data] : rows.as_object()) {
      Row row;
      row.entity = entity;
      row.ref = type + ":" + key;
      row.key_text = key;
      row.version = data.find("ver")->as_string();
      row.fields = *data.find("fields");
      row.fields.set(entity->key.front(), key);
      rows_[row.ref] = std::move(row);
    }
  }
}

const Row* Walker::find(const std::string& ref) const {
  auto at = rows_.find(ref);
  return at == rows_.end() ? nullptr : &at->second;
}

std::vector<const Row*> Walker::rows_of(const schema::Target& target) const {
  std::vector<const Row*> rows;
  for (const auto& [ref, row] : rows_) {
    for (schema::EntityIndex member : target.members) {
      if (&schema_.entities[member] == row.entity) rows.push_back(&row);
    }
  }
  return rows;
}

// --- Policies ---

const Json* Walker::claim(const std::string& name) const {
  return caller_.claims ? caller_.claims->find(name) : nullptr;
}

bool Walker::owns(const Row& row) {
  auto owner = world_.owners.find(row.entity->name);
  if (owner == world_.owners.end() || !caller_.principal) return false;
  const Json* held = row.find(owner->second);
  return held != nullptr && held->is_string() && held->as_string() == *caller_.principal;
}

bool Walker::passes(const Policy& policy, const Row& row) {
  if (policy.level == Policy::Level::Public) return true;
  if (policy.level == Policy::Level::Private) return owns(row);
  for (const schema::Comparison& comparison : policy.all_of) {
    const Json* held = claim(comparison.claim);
    if (held == nullptr) return false;
    if (!comparison.field.empty()) {
      const Json* column = row.find(comparison.field);
      if (column == nullptr || *column != *held) return false;
    } else if (std::find(comparison.literals.begin(), comparison.literals.end(), *held) ==
               comparison.literals.end()) {
      return false;
    }
  }
  return true;
}

// The part of a policy that no row decides.
bool Walker::passes_caller(const Policy& policy) {
  if (policy.level != Policy::Level::Claims) return true;
  for (const schema::Comparison& comparison : policy.all_of) {
    const Json* held = claim(comparison.claim);
    if (!comparison.field.empty()) continue;
    if (held == nullptr || std::find(comparison.literals.begin(), comparison.literals.end(),
                                     *held) == comparison.literals.end()) {
      return false;
    }
  }
  return true;
}

// A claims policy of an edge looks at the row that holds it, a private one at the target's owner.
bool Walker::is_member(const Policy& policy, const Row& target) {
  return policy.level != Policy::Level::Private || owns(target);
}

// --- Arguments ---

std::optional<Json> Walker::argument(const Selection& selection, std::string_view name) {
  for (const schema::Argument& argument : selection.arguments) {
    if (argument.name != name) continue;
    if (argument.value.kind != schema::Value::Kind::Variable) {
      return schema::literal_to_json(argument.value);
    }
    auto bound = variables_.find(argument.value.text);
    if (bound != variables_.end()) return bound->second;
    return std::nullopt;
  }
  return std::nullopt;
}

// The canonical argument form with bound values; `first` equal to the default is erased except
// beside `after`.
std::string Walker::wire_key(const Selection& selection, const schema::Collection* collection) {
  std::string arguments;
  for (const schema::Argument& written : selection.arguments) {
    auto value = argument(selection, written.name);
    if (!value) continue;
    bool is_default = written.name == "first" && collection && collection->default_page &&
                      *value == Json(*collection->default_page);
    if (is_default && !argument(selection, "after")) continue;
    arguments += (arguments.empty() ? "(" : ",") + written.name + ":" + canonical_json(*value);
  }
  return selection.name + arguments + (arguments.empty() ? "" : ")");
}

// --- Pages ---

int Walker::compare_keysets(const schema::Collection& collection, const Row& a, const Row& b) {
  for (const schema::OrderColumn& column : collection.keyset) {
    const schema::Type& type = a.entity->fields[a.entity->find_field(column.field)].type;
    const Json* x = a.find(column.field);
    const Json* y = b.find(column.field);
    int sign = compare_wire(x ? *x : Json(), y ? *y : Json(), type, schema_);
    if (sign != 0) return column.descending ? -sign : sign;
  }
  return 0;
}

int Walker::compare_rows(const schema::Collection& collection, const Row& a, const Row& b) {
  if (int sign = compare_keysets(collection, a, b)) return sign;
  if (int sign = a.key_text.compare(b.key_text)) return sign;
  return a.entity->name.compare(b.entity->name);
}

std::vector<const Row*> Walker::select_page(const schema::Collection& collection,
                                            const Selection& selection,
                                            const std::vector<const Row*>& rows, size_t& begin,
                                            size_t& end) {
  size_t count = rows.size();
  auto first = argument(selection, "first");
  auto last = argument(selection, "last");
  auto around = argument(selection, "around");
  auto cursor = around ? around
                : last ? argument(selection, "before")
                       : argument(selection, "after");
  size_t size = collection.default_page.value_or(collection.max);
  if (!around && first) size = static_cast<size_t>(first->as_int64());
  if (!around && last) size = static_cast<size_t>(last->as_int64());
  size_t low = 0, high = 0;  // the rows that equal the cursor
  bool has_key = false;
  if (cursor) {
    auto values = exec::decode_cursor(collection.keyset, 1, cursor->as_string());
    LATTICE_CHECK(values.has_value(), cursor->as_string());
    has_key = values->size() > collection.keyset.size();
    auto compare = [&](const Row& row) {
      for (size_t i = 0; i < values->size(); ++i) {
        bool in_keyset = i < collection.keyset.size();
        const std::string& field = in_keyset ? collection.keyset[i].field : row.entity->key.front();
        const schema::Type& type = row.entity->fields[row.entity->find_field(field)].type;
        const Json* held = row.find(field);
        int sign = compare_wire(held ? *held : Json(), (*values)[i], type, schema_);
        if (sign != 0) return in_keyset && collection.keyset[i].descending ? -sign : sign;
      }
      return 0;
    };
    while (low < count && compare(*rows[low]) < 0) ++low;
    high = low;
    while (high < count && compare(*rows[high]) == 0) ++high;
  }
  bool repeats = !has_key && high - low > 1;
  if (around && cursor) {
    begin = low - std::min(low, size / 2);
    begin = std::min(begin, count - std::min(count, size));
    end = std::min(count, begin + size);
  } else if (last) {
    end = cursor ? (repeats ? high : low) : count;
    begin = end - std::min(end, size);
  } else {
    begin = cursor ? (repeats ? low : high) : 0;
    end = std::min(count, begin + size);
  }
  return {rows.begin() + static_cast<ptrdiff_t>(begin), rows.begin() + static_cast<ptrdiff_t>(end)};
}

Json Walker::cursor_at(const schema::Collection& collection, const std::vector<const Row*>& rows,
                       size_t row, size_t neighbour) {
  Json::Array values;
  for (const schema::OrderColumn& column : collection.keyset) {
    const Json* held = rows[row]->find(column.field);
    values.push_back(held ? *held : Json());
  }
  if (compare_keysets(collection, *rows[row], *rows[neighbour]) == 0) {
    values.emplace_back(rows[row]->key_text);
  }
  return exec::encode_cursor(collection.keyset, values);
}

Json Walker::page_value(const schema::Collection& collection, const Selection& selection,
                        const std::vector<const Row*>& rows, std::vector<const Row*>& members) {
  size_t begin = 0, end = 0;
  members = select_page(collection, selection, rows, begin, end);
  Json::Array items;
  for (const Row* member : members) items.push_back(Json::object({{"$ref", member->ref}}));
  Json page = Json::object({{"items", std::move(items)}, {"next", nullptr}, {"prev", nullptr}});
  if (begin < end && end < rows.size()) page.set("next", cursor_at(collection, rows, end - 1, end));
  if (begin < end && begin > 0) page.set("prev", cursor_at(collection, rows, begin, begin - 1));
  if (collection.total != schema::CountPolicy::None) page.set("total", uint64_t{rows.size()});
  return Json::object({{"$page", std::move(page)}});
}

// --- The walk ---

void Walker::see(const Row& row, Level level) {
  slices_[level].entities[row.ref];
  slices_[level].versions[row.ref] = row.version;
  slices_[level].elided.erase(row.ref);
}

// A part that the caller may not see: the row is elided if nothing else of it is seen, and its type
// says so.
void Walker::hide(const Row& row, Level level) {
  bool known = slices_[level].entities.contains(row.ref);
  if (row.entity->elides_hidden_rows && !known) slices_[level].elided.insert(row.ref);
}

void Walker::walk_field(const Row& row, const Selection& selection, Level level) {
  schema::FieldIndex index = row.entity->find_field(selection.name);
  LATTICE_CHECK(index != schema::kNone && row.entity->fields[index].is_stored(), selection.name);
  const schema::Field& field = row.entity->fields[index];
  level = std::max(level, level_of(field.policy));
  if (!passes(field.policy, row)) {
    return hide(row, level);
  }
  see(row, level);
  const Json* value = row.find(field.name);
  bool absent = value == nullptr || value->is_null();
  if (absent && schema_.resolve(field.type).is_option()) return;
  if (absent) return error(level, "lattice:integrity", "Field", row, field.name);
  slices_[level].entities[row.ref][selection.name] = *value;
}

std::optional<Json> Walker::to_one(const Row& row, const Relationship& edge, Level level,
                                   std::vector<const Row*>& members) {
  bool required = edge.kind == Relationship::Kind::One;
  const Json* link = row.find(edge.link);
  bool absent = link == nullptr || link->is_null();
  if (!absent) {
    for (schema::EntityIndex member : edge.target.members) {
      const Row* found = find(schema_.entities[member].name + ":" + link->as_string());
      if (found == nullptr) continue;
      if (!is_member(edge.policy, *found)) {
        hide(row, level);
        return std::nullopt;
      }
      see(row, level);
      members.push_back(found);
      return Json::object({{"$ref", found->ref}});
    }
  }
  see(row, level);
  if (!required) return std::nullopt;
  error(level, "lattice:cardinality", "Edge", row, edge.name);
  if (absent || edge.target.members.size() > 1) return std::nullopt;
  std::string ref = schema_.entities[edge.target.members.front()].name + ":" + link->as_string();
  return Json::object({{"$ref", ref}});
}

std::optional<Json> Walker::edge_value(const Row& row, const Relationship& edge,
                                       const Selection& selection, Level level,
                                       std::vector<const Row*>& members) {
  if (edge.kind != Relationship::Kind::Many) return to_one(row, edge, level, members);
  see(row, level);
  const schema::Collection& collection = *edge.collection;
  std::vector<const Row*> rows;
  for (const Row* candidate : rows_of(edge.target)) {
    const Json* link = candidate->find(collection.link);
    if (link && link->is_string() && link->as_string() == row.key_text &&
        is_member(edge.policy, *candidate)) {
      rows.push_back(candidate);
    }
  }
  std::sort(rows.begin(), rows.end(),
            [&](const Row* a, const Row* b) { return compare_rows(collection, *a, *b) < 0; });
  if (collection.paginated) return page_value(collection, selection, rows, members);
  if (rows.size() > collection.max && !collection.truncate) {
    error(level, "lattice:collection-overflow", "Edge", row, edge.name);
    return std::nullopt;
  }
  rows.resize(std::min<size_t>(rows.size(), collection.max));
  if (rows.size() < collection.min) {
    error(level, "lattice:collection-underflow", "Edge", row, edge.name);
  }
  members = rows;
  Json::Array refs;
  for (const Row* member : rows) refs.emplace_back(member->ref);
  return Json(std::move(refs));
}

void Walker::walk_edge(const Row& row, const Relationship& edge, const Selection& selection,
                       Level level) {
  level = std::max(level, level_of(edge.policy));
  if (edge.policy.level == Policy::Level::Claims && !passes(edge.policy, row)) {
    return hide(row, level);
  }
  std::vector<const Row*> members;
  auto value = edge_value(row, edge, selection, level, members);
  if (value) {
    const schema::Collection* collection = edge.collection ? &*edge.collection : nullptr;
    slices_[level].entities[row.ref][wire_key(selection, collection)] = *value;
  }
  for (const Row* member : members) walk_row(*member, selection.selections, level);
}

void Walker::walk_row(const Row& row, const std::vector<Selection>& selections, Level level) {
  for (const Selection& selection : selections) {
    LATTICE_CHECK(selection.kind != Selection::Kind::Spread, selection.name);
    if (selection.kind == Selection::Kind::Inline) {
      if (selection.name == row.entity->name) walk_row(row, selection.selections, level);
      continue;
    }
    schema::EdgeIndex edge = row.entity->find_relationship(selection.name);
    if (edge != schema::kNone) {
      walk_edge(row, row.entity->relationships[edge], selection, level);
    } else {
      walk_field(row, selection, level);
    }
  }
}

std::vector<const Row*> Walker::root_members(const schema::Root& root, const Selection& selection) {
  std::vector<const Row*> rows;
  bool by_principal = !root.is_list && root.parameters.empty();
  for (const Row* row : rows_of(root.target)) {
    bool matches = true;
    for (const schema::Parameter& parameter : root.parameters) {
      auto value = argument(selection, parameter.name);
      const Json* held = row->find(parameter.name);
      if (!value && !root.is_list) return {};
      if (value && (held == nullptr || *held != *value)) matches = false;
    }
    if (root.is_list) {
      auto value = argument(selection, root.collection->link);
      const Json* held = row->find(root.collection->link);
      if (value && (held == nullptr || *held != *value)) matches = false;
    }
    if (by_principal && !rows.empty()) matches = false;  // one row: the first by key
    if (matches && passes(root.policy, *row)) rows.push_back(row);
  }
  return rows;
}

void Walker::walk_root(const Selection& selection) {
  const schema::Root* root = schema_.find_root(selection.name);
  LATTICE_CHECK(root != nullptr, selection.name);
  Level level = level_of(root->policy);
  if (!passes_caller(root->policy)) return;
  std::vector<const Row*> rows = root_members(*root, selection);
  if (root->is_list) {
    const schema::Collection& collection = *root->collection;
    std::sort(rows.begin(), rows.end(),
              [&](const Row* a, const Row* b) { return compare_rows(collection, *a, *b) < 0; });
    if (collection.paginated) {
      size_t begin = 0, end = 0;
      rows = select_page(collection, selection, rows, begin, end);
    } else {
      rows.resize(std::min<size_t>(rows.size(), collection.max));
    }
  }
  std::vector<std::string>& refs = slices_[level].roots[root->name];
  for (const Row* row : rows) refs.push_back(row->ref);
  for (const Row* row : rows) walk_row(*row, selection.selections, level);
}

}  // namespace

WalkedSlices walk(const World& world, const query::Query& query,
                  const std::map<std::string, Json>& variables, const WalkCaller& caller) {
  return Walker(world, query, variables, caller).run();
}

namespace {

void read_error(const Json& record, Walked& walked) {
  const Json& scope = *record.find("scope");
  std::string line = record.find("code")->as_string() + " ";
  if (scope.is_string()) {
    line += "Entity " + scope.as_string();
  } else {
    line += scope.find("$tag")->as_string();
    if (const Json* entity = scope.find("entity")) line += " " + entity->as_string();
    if (const Json* field = scope.find("field")) line += " " + field->as_string();
    if (const Json* root = scope.find("root")) line += " " + root->as_string();
  }
  walked.errors.insert(line);
}

}  // namespace

Walked read_records(std::string_view body) {
  Walked walked;
  while (!body.empty()) {
    size_t end = body.find('\n');
    LATTICE_CHECK(end != std::string_view::npos, body);
    auto record = parse_json(body.substr(0, end));
    LATTICE_CHECK(record.has_value(), body.substr(0, end));
    body.remove_prefix(end + 1);
    const std::string& kind = record->find("kind")->as_string();
    if (kind == "manifest") {
      for (const auto& [name, refs] : record->find("root")->as_object()) {
        for (const Json& ref : refs.as_array()) walked.roots[name].push_back(ref.as_string());
        walked.roots[name];
      }
    } else if (kind == "entity") {
      const std::string& ref = record->find("id")->as_string();
      LATTICE_CHECK(!walked.entities.contains(ref), ref);
      walked.versions[ref] = record->find("ver")->as_string();
      walked.entities[ref];
      for (const auto& [key, value] : record->find("fields")->as_object()) {
        walked.entities[ref][key] = value;
      }
    } else if (kind == "elided") {
      walked.elided.insert(record->find("id")->as_string());
    } else if (kind == "error") {
      read_error(*record, walked);
    }
  }
  return walked;
}

std::string print_walked(const Walked& walked) {
  std::string out;
  for (const auto& [name, refs] : walked.roots) {
    out += "root " + name + ":";
    for (const std::string& ref : refs) out += " " + ref;
    out += '\n';
  }
  for (const auto& [ref, fields] : walked.entities) {
    out += "entity " + ref + " @" + walked.versions.at(ref) + "\n";
    for (const auto& [key, value] : fields) {
      out += "  " + ref + " " + key + " = " + canonical_json(value) + "\n";
    }
  }
  for (const std::string& ref : walked.elided) out += "elided " + ref + "\n";
  for (const std::string& error : walked.errors) out += "error " + error + "\n";
  return out;
}

}  // namespace lattice::testing
