#include "tests/support/random_world.h"

#include <algorithm>

#include "exec/exec.h"

namespace lattice::testing {

namespace {

constexpr size_t kEntityCount = 4;
constexpr size_t kRowsMax = 7;
const std::vector<std::string> kTypes = {"Text", "I32",   "I64",  "F64",       "Bool",
                                         "Mood", "Text?", "I32?", "Timestamp", "Date"};
const std::vector<std::string> kKeysetTypes = {"Text", "I32", "I64", "F64", "Mood", "Timestamp"};

std::string name_of(size_t index) {
  return "E" + std::to_string(index);
}

bool is_keyset_type(const std::string& type) {
  return std::find(kKeysetTypes.begin(), kKeysetTypes.end(), type) != kKeysetTypes.end();
}

}  // namespace

RandomWorld::RandomWorld(uint64_t seed) : engine_(seed) {
  idl_ =
      "schema random.example\n"
      "enum Role closed = Reader | Boss\n"
      "enum Mood open = Calm | Loud | Wild\n"
      "claims { org: Text role: Role }\n"
      "interface Labelled { id: Text label: Text left: Text? }\n";
  for (size_t i = 0; i < kEntityCount; ++i) {
    EntityPlan plan{.name = name_of(i), .fields = {}, .is_labelled = i < 2};
    plan.fields = {{"org", "Text"},
                   {"owner", "Text"},
                   {"left", "Text?"},
                   {"right", "Text?"},
                   {"must", "Text"}};
    if (plan.is_labelled) plan.fields.push_back({"label", "Text"});
    size_t count = 2 + below(4);
    for (size_t f = 0; f < count; ++f) {
      plan.fields.push_back({"f" + std::to_string(f), pick(kTypes)});
    }
    plans_.push_back(std::move(plan));
  }
  for (size_t i = 0; i < kEntityCount; ++i) make_entity(i);
  make_roots();
}

std::vector<std::string> RandomWorld::entities() const {
  std::vector<std::string> names;
  for (const EntityPlan& plan : plans_) names.push_back(plan.name);
  return names;
}

std::string RandomWorld::policy(bool with_row_gates) {
  switch (below(with_row_gates ? 8 : 6)) {
    case 0:
      return " visible when caller.role = Boss";
    case 1:
      return " private";
    case 6:
    case 7:
      return " visible when caller.org = org";
    default:
      return "";
  }
}

// The window clauses of a collection of `target`; ties are likely, unless the keyset ends with the
// key.
std::string RandomWorld::collection(size_t target, bool is_root) {
  if (chance(35)) {
    std::string clause = !is_root && chance(20) ? " min 1 max 3" : " max 2";
    return clause + (chance(50) ? " truncate" : "");
  }
  std::vector<std::string> columns;
  for (const Field& field : plans_[target].fields) {
    if (is_keyset_type(field.type) && field.name != "org" && field.name != "owner") {
      columns.push_back(field.name);
    }
  }
  std::string clause = " ordered by ";
  if (columns.empty() || chance(10)) {
    clause += "id asc";
  } else {
    clause += pick(columns) + (chance(50) ? " desc" : " asc");
    if (chance(40)) clause += ", id asc";
  }
  return clause + (chance(70) ? " page 2 max 5" : " max 4");
}

void RandomWorld::make_entity(size_t index) {
  const EntityPlan& plan = plans_[index];
  idl_ += "entity " + plan.name + " by id" + (plan.is_labelled ? " implements Labelled" : "") +
          " {\n  visible to all by default\n";
  if (chance(40)) idl_ += "  hidden rows elide\n";
  idl_ += "  id: Text\n";
  for (const Field& field : plan.fields) {
    bool may_hide = field.name[0] == 'f';
    idl_ += "  " + field.name + ": " + field.type + (may_hide ? policy(true) : "") + "\n";
  }
  size_t one = below(kEntityCount);
  size_t many = below(kEntityCount);
  size_t strict = below(kEntityCount);
  idl_ += "  has one? near: " + name_of(one) + " by left" + policy(true) + "\n";
  idl_ += "  has one firm: " + name_of(strict) + " by must" + policy(true) + "\n";
  idl_ += "  has many kids: " + name_of(many) + " by left" + collection(many, false) +
          policy(true) + "\n";
  std::string labelled = chance(50)
                             ? " ordered by label asc page 2 max 5"
                             : (chance(50) ? " ordered by label desc, id asc max 4" : " max 3");
  idl_ += "  has many tags: Labelled by left" + labelled + policy(true) + "\n";
  idl_ += "}\n";
}

void RandomWorld::make_roots() {
  for (size_t i = 0; i < kEntityCount; ++i) {
    std::string name = name_of(i);
    auto gate = [&] {
      std::string chosen = policy(true);
      return chosen.empty() ? std::string(" public") : chosen;
    };
    std::string got = gate();
    if (got == " private") got = " public";
    idl_ += "get one" + std::to_string(i) + "(id: Text) of " + name + got + "\n";
    idl_ += "list all" + std::to_string(i) + " of " + name + " by org" + collection(i, true) +
            gate() + "\n";
    idl_ += "get mine" + std::to_string(i) + " of " + name + " private\n";
  }
}

// --- Rows ---

Json RandomWorld::value_of(const std::string& type) {
  if (type.ends_with('?')) {
    if (chance(30)) return nullptr;
    return value_of(type.substr(0, type.size() - 1));
  }
  auto number = static_cast<int64_t>(below(4));
  if (type == "I32") return number - 1;
  if (type == "I64") return std::to_string(number * 5);
  if (type == "F64") return static_cast<double>(number) / 2;
  if (type == "Bool") return number % 2 == 0;
  if (type == "Mood") return std::vector<std::string>{"Calm", "Loud", "Wild"}[below(3)];
  if (type == "Timestamp") return "2026-01-0" + std::to_string(1 + number) + "T00:00:00Z";
  if (type == "Date") return "2026-01-0" + std::to_string(1 + number);
  return std::vector<std::string>{"a", "b", "Zoë", "c\"d"}[below(4)];
}

Json RandomWorld::random_row(const EntityPlan& plan) {
  Json fields = Json::object();
  for (const Field& field : plan.fields) {
    Json value;
    if (field.name == "org") {
      value = chance(60) ? "o1" : "o2";
    } else if (field.name == "owner") {
      value = chance(60) ? "p1" : "p2";
    } else if (field.name == "left" || field.name == "right" || field.name == "must") {
      bool absent = field.name != "must" && chance(20);
      if (!absent) value = "k" + std::to_string(below(chance(60) ? 3 : kRowsMax + 1));
    } else {
      value = value_of(field.type);
    }
    if (!value.is_null()) fields.set(field.name, std::move(value));
  }
  return Json::object({{"ver", "v" + std::to_string(version_++)}, {"fields", std::move(fields)}});
}

Json RandomWorld::dataset() {
  Json rows = Json::object();
  for (const EntityPlan& plan : plans_) {
    Json table = Json::object();
    size_t count = below(kRowsMax + 1);
    for (size_t i = 0; i < count; ++i) table.set("k" + std::to_string(i), random_row(plan));
    rows.set(plan.name, std::move(table));
  }
  return Json::object({{"rows", std::move(rows)}});
}

std::string RandomWorld::write(Json& dataset) {
  const EntityPlan& plan = plans_[below(plans_.size())];
  std::string key = "k" + std::to_string(below(kRowsMax));
  Json& table = *dataset.find("rows")->find(plan.name);
  Json* row = table.find(key);
  if (row != nullptr && chance(20)) {
    table.erase(key);
  } else if (row != nullptr && chance(60)) {
    Json fresh = random_row(plan);
    const Field& field = plan.fields[below(plan.fields.size())];
    Json& fields = *row->find("fields");
    fields.erase(field.name);
    if (const Json* value = fresh.find("fields")->find(field.name)) fields.set(field.name, *value);
    row->set("ver", *fresh.find("ver"));
  } else {
    table.set(key, random_row(plan));
  }
  return plan.name + ":" + key;
}

// --- Queries ---

std::string RandomWorld::page(const schema::Schema& schema, const Json& dataset,
                              const schema::Collection& collection, const schema::Target& target,
                              Json& variables) {
  if (!collection.paginated) return "";
  std::string size = std::to_string(1 + below(3));
  bool may_lack_size = collection.default_page.has_value();
  if (may_lack_size && chance(25)) return "";
  std::string rows;
  const schema::Entity& entity = schema.entities[pick(target.members)];
  const Json& table = *dataset.find("rows")->find(entity.name);
  bool with_cursor = variables.find("c") == nullptr && !table.as_object().empty() && chance(50);
  if (!with_cursor) return chance(70) ? "(first: " + size + ")" : "(last: " + size + ")";
  const auto& [key, row] = table.as_object()[below(table.as_object().size())];
  Json::Array values;
  for (const schema::OrderColumn& column : collection.keyset) {
    const Json* value = column.field == "id" ? nullptr : row.find("fields")->find(column.field);
    values.push_back(column.field == "id" ? Json(key) : value ? *value : Json());
  }
  if (chance(40)) values.emplace_back(key);
  variables.set("c", exec::encode_cursor(collection.keyset, values));
  switch (below(3)) {
    case 0:
      return "(first: " + size + ", after: $c)";
    case 1:
      return "(last: " + size + ", before: $c)";
    default:
      return "(around: $c)";
  }
}

std::string RandomWorld::target_selection(const schema::Schema& schema, const Json& dataset,
                                          const schema::Target& target, size_t depth,
                                          Json& variables) {
  if (target.members.size() == 1 && !target.is_interface) {
    return selection(schema, dataset, schema.entities[target.members.front()], depth, variables);
  }
  std::string out = "{ ";
  if (chance(60)) out += "label ";
  for (schema::EntityIndex member : target.members) {
    if (chance(30)) continue;
    const schema::Entity& entity = schema.entities[member];
    out +=
        "... on " + entity.name + " " + selection(schema, dataset, entity, depth, variables) + " ";
  }
  if (out == "{ ") out += "label ";
  return out + "}";
}

std::string RandomWorld::selection(const schema::Schema& schema, const Json& dataset,
                                   const schema::Entity& entity, size_t depth, Json& variables) {
  std::string out = "{ ";
  for (const schema::Field& field : entity.fields) {
    if (chance(35)) out += field.name + " ";
  }
  for (const schema::Relationship& edge : entity.relationships) {
    if (depth == 0 || !chance(45)) continue;
    out += edge.name;
    if (edge.collection) out += page(schema, dataset, *edge.collection, edge.target, variables);
    out += " " + target_selection(schema, dataset, edge.target, depth - 1, variables) + " ";
  }
  if (out == "{ ") out += "id ";
  return out + "}";
}

std::string RandomWorld::query(const schema::Schema& schema, const Json& dataset, Json& variables) {
  variables = Json::object();
  std::string body;
  size_t count = 1 + below(2);
  std::vector<std::string> used;
  for (size_t i = 0; i < count; ++i) {
    const schema::Root& root = schema.roots[below(schema.roots.size())];
    if (std::find(used.begin(), used.end(), root.name) != used.end()) continue;
    used.push_back(root.name);
    std::string arguments;
    if (!root.parameters.empty()) {
      arguments = "(id: \"k" + std::to_string(below(kRowsMax)) + "\")";
    } else if (root.is_list) {
      arguments = page(schema, dataset, *root.collection, root.target, variables);
      std::string org = chance(50) ? "o1" : "o2";
      bool bound = chance(60);
      if (bound) {
        arguments = arguments.empty() ? "(org: \"" + org + "\")"
                                      : "(org: \"" + org + "\", " + arguments.substr(1);
      }
    }
    body += root.name + arguments + " " +
            target_selection(schema, dataset, root.target, 1 + below(3), variables) + " ";
  }
  return std::string("query") + (variables.find("c") ? "($c: Cursor)" : "") + " { " + body + "}";
}

}  // namespace lattice::testing
