// Canonicalization on random schemas and queries: it is idempotent, and blind to order, layout,
// repetition, stated defaults and local fragments (spec §5.1).
//
// A seed determines schema and query. LATTICE_SEED=n runs that one seed alone, LATTICE_SEEDS=n the
// first n.
#include <doctest/doctest.h>

#include <cstdlib>

#include "base/random.h"
#include "query/format.h"
#include "query/inline.h"
#include "query/query.h"
#include "query/site.h"

namespace lattice::query {
namespace {

constexpr uint64_t kSeedCount = 40;
constexpr int kQueriesPerSchema = 4;

// --- Schemas ---

std::string random_type(SeededRandom& random) {
  static constexpr std::string_view kTypes[] = {"Text", "I32", "F64", "Bool", "Mood", "I64", "Name"};
  return std::string(kTypes[random.below(std::size(kTypes))]);
}

std::string random_default(std::string_view type, SeededRandom& random) {
  const std::string digit = std::to_string(random.below(10));
  if (type == "Text" || type == "Name") return "\"d" + digit + "\"";
  if (type == "F64") return digit + ".5";
  if (type == "Bool") return random.below(2) == 0 ? "true" : "false";
  if (type == "Mood") return random.below(2) == 0 ? "Calm" : "Loud";
  return digit;
}

std::string random_field(const std::string& name, SeededRandom& random) {
  std::string out = "  " + name;
  const uint64_t arguments = random.below(3);
  for (uint64_t i = 0; i < arguments; ++i) {
    const std::string type = random_type(random);
    out += (i == 0 ? "(" : ", ") + ("a" + std::to_string(i)) + ": " + type;
    const uint64_t kind = random.below(3);
    if (kind == 0) out += "?";
    if (kind == 1) out += " = " + random_default(type, random);
    if (i + 1 == arguments) out += ")";
  }
  return out + ": " + random_type(random) + "\n";
}

std::string random_window(SeededRandom& random) {
  switch (random.below(4)) {
    case 0: return " max 50";
    case 1: return " ordered by id asc max 40";
    default: return " ordered by id asc page " + std::to_string(5 + random.below(20)) + " max 50";
  }
}

std::string random_schema(SeededRandom& random) {
  const uint64_t entities = 2 + random.below(4);
  const auto entity = [&](uint64_t index) { return "E" + std::to_string(index); };
  std::string out =
      "schema random.example\n\nnewtype Name = Text\nenum Mood closed = Calm | Loud\n\n"
      "interface Thing {\n  id: Text\n  label(size: I32 = 9): Text\n"
      "  has many things: Thing by linkId ordered by id asc page 7 max 50\n}\n\n";
  for (uint64_t i = 0; i < entities; ++i) {
    const bool is_thing = i < 2;
    out += "entity " + entity(i) + " by id" + (is_thing ? " implements Thing" : "") + " {\n";
    out += "  visible to all by default\n  id: Text\n  linkId: Text\n";
    if (is_thing) {
      out += "  label(size: I32 = 9): Text\n"
             "  has many things: Thing by linkId ordered by id asc page 7 max 50\n";
    }
    for (uint64_t f = 0; f < 1 + random.below(5); ++f) {
      out += random_field("f" + std::to_string(i) + std::to_string(f), random);
    }
    for (uint64_t e = 0; e < 1 + random.below(3); ++e) {
      const std::string target = entity(random.below(entities));
      const std::string name = "e" + std::to_string(i) + std::to_string(e);
      out += random.below(3) == 0
                 ? "  has one " + name + ": " + target + " by linkId\n"
                 : "  has many " + name + ": " + target + " by linkId" + random_window(random) + "\n";
    }
    out += "  fetch by id: public\n}\n\n";
  }
  out += "fragment Card($size: I32 = 9) on Thing { label(size: $size) }\n";
  for (uint64_t i = 0; i < entities; ++i) {
    out += "get one" + std::to_string(i) + "(id: Text) of " + entity(i) + " public\n";
  }
  out += "list all of " + entity(0) + " by linkId ordered by id asc page 20 max 50 public\n";
  out += "get any of (E0 | E1) public\nget thing of Thing public\n";
  return out;
}

// --- Queries ---

struct RandomQuery {
  std::vector<Variable> variables;
  std::vector<Selection> roots;
};

class QueryMaker {
 public:
  QueryMaker(const schema::Schema& schema, SeededRandom& random)
      : schema_(schema), random_(random) {}

  RandomQuery make() {
    std::set<std::string> seen;
    for (uint64_t i = 0; i < 1 + random_.below(3); ++i) {
      const schema::Root& root = schema_.roots[random_.below(schema_.roots.size())];
      if (!seen.insert(root.name).second) continue;
      Selection field;
      field.name = root.name;
      field.arguments = make_arguments(root_slots(root, schema_));
      field.has_selections = true;
      field.selections = make_selections(target_site(root.target, schema_), 3);
      query_.roots.push_back(std::move(field));
    }
    return std::move(query_);
  }

 private:
  Value number(uint64_t value) {
    Value out;
    out.text = std::to_string(value);
    return out;
  }

  Value make_literal(const schema::Type& declared) {
    const schema::Type resolved = schema_.resolve(declared);
    const schema::Type& type = resolved.without_option();
    Value out;
    if (type.kind == schema::Type::Kind::Named) {
      out.kind = Value::Kind::Enum;
      out.text = random_.below(2) == 0 ? "Calm" : "Loud";
      return out;
    }
    switch (type.primitive) {
      case schema::Primitive::Bool:
        out.kind = Value::Kind::Boolean;
        out.boolean = random_.below(2) == 0;
        return out;
      case schema::Primitive::Text:
      case schema::Primitive::Cursor: {
        static constexpr std::string_view kTexts[] = {"", "d3", "e\u0301", "\u00e9", "a \"b\" # {",
                                                      "\\ \n\t\x01", "\U0001F600"};
        out.kind = Value::Kind::String;
        out.text = kTexts[random_.below(std::size(kTexts))];
        return out;
      }
      case schema::Primitive::F64: out.text = std::to_string(random_.below(10)) + ".5"; return out;
      default: return number(random_.below(10));
    }
  }

  // A variable of the slot's type, a new one or one that is there already.
  Value make_variable(const schema::Type& declared, bool may_be_optional) {
    const schema::Type& type = declared.without_option();
    const std::string name = type.kind == schema::Type::Kind::Named
                                 ? type.name
                                 : std::string(schema::primitive_name(type.primitive));
    Value out;
    out.kind = Value::Kind::Variable;
    for (const Variable& known : query_.variables) {
      if (known.type != name || (known.optional && !known.default_value && !may_be_optional)) continue;
      if (random_.below(2) == 0) continue;
      out.text = known.name;
      return out;
    }
    Variable variable;
    variable.name = "v" + std::to_string(random_.below(1000)) + "_" +
                    std::to_string(query_.variables.size());
    variable.type = name;
    if (random_.below(3) == 0) {
      variable.default_value = make_literal(type);
      variable.optional = random_.below(2) == 0;
    } else {
      variable.optional = may_be_optional && random_.below(2) == 0;
    }
    out.text = variable.name;
    query_.variables.push_back(std::move(variable));
    return out;
  }

  std::vector<Argument> make_arguments(const Slots& slots) {
    std::vector<Argument> out;
    for (const Slot& slot : slots.list) {
      if (slot.role == Slot::Role::Page || slot.role == Slot::Role::Cursor) continue;
      if (!slot.is_required && random_.below(2) == 0) continue;
      const bool may_be_optional = slot.type->is_option();
      out.push_back({std::string(slot.name),
                     random_.below(3) == 0 ? make_variable(*slot.type, may_be_optional)
                                           : make_literal(*slot.type),
                     {}});
    }
    if (slots.is_paginated()) make_window(slots, out);
    return out;
  }

  void make_window(const Slots& slots, std::vector<Argument>& out) {
    const auto add = [&](std::string_view name, Value value) {
      out.push_back({std::string(name), std::move(value), {}});
    };
    const auto cursor = [&] { return make_variable(*slots.find("after")->type, true); };
    switch (random_.below(slots.collection->default_page ? 6 : 5)) {
      case 0: add("first", number(1 + random_.below(40))); break;
      case 1: add("limit", number(1 + random_.below(40))); break;
      case 2:
        add("first", number(slots.collection->default_page.value_or(3)));
        add("after", cursor());
        break;
      case 3:
        add("last", number(1 + random_.below(40)));
        add("before", cursor());
        break;
      case 4: add("around", cursor()); break;
      default: break;
    }
  }

  std::vector<Selection> make_selections(const Site& site, int depth) {
    std::vector<Selection> out;
    const auto names = element_names(site);
    for (uint64_t i = 0; i < 1 + random_.below(5) && !names.empty(); ++i) {
      if (auto field = make_field(site, std::string(names[random_.below(names.size())]), depth)) {
        out.push_back(std::move(*field));
      }
    }
    if (!site.is_concrete() && depth > 0 && random_.below(2) == 0) {
      const auto members = site.list_members();
      const auto member = members[random_.below(members.size())];
      Selection alternative;
      alternative.kind = Selection::Kind::Inline;
      alternative.name = schema_.entities[member].name;
      alternative.has_selections = true;
      alternative.selections = make_selections(entity_site(member, schema_), depth - 1);
      out.push_back(std::move(alternative));
    }
    if (site.interface != nullptr && random_.below(3) == 0) {
      Selection spread;
      spread.kind = Selection::Kind::Spread;
      spread.name = "Card";
      if (random_.below(2) == 0) spread.arguments.push_back({"size", number(random_.below(12)), {}});
      out.push_back(std::move(spread));
    }
    if (out.empty()) out.push_back(*make_field(site, "id", 0));
    return out;
  }

  // nullopt: an edge where no more edges are wanted.
  std::optional<Selection> make_field(const Site& site, std::string name, int depth) {
    const Element element = find_element(site, name);
    if (!element.found()) return std::nullopt;
    if (element.edge != nullptr && depth == 0) return std::nullopt;
    Selection field;
    field.name = std::move(name);
    field.deferred = random_.below(8) == 0;
    field.arguments = make_arguments(element_slots(element, schema_));
    if (element.edge == nullptr) return field;
    const Site inner = target_site(element.edge->target, schema_);
    // Half of the recursive edges carry @depth; all of one name alike, so that they can merge.
    const bool recursive = inner.entity == site.entity && inner.interface == site.interface;
    if (recursive && field.name.back() % 2 == 0) {
      field.depth = static_cast<uint32_t>(1 + random_.below(4));
      return field;
    }
    field.has_selections = true;
    field.selections = make_selections(inner, depth - 1);
    return field;
  }

  const schema::Schema& schema_;
  SeededRandom& random_;
  RandomQuery query_;
};

// --- Writing a query in another way that means the same ---

struct Variation {
  bool shuffle = false;
  bool layout = false;     // white space, commas and comments between tokens
  bool repeat = false;     // selections written twice
  bool defaults = false;   // arguments that equal their default written out
  bool fragments = false;  // selections moved into local fragments
};

class Writer {
 public:
  Writer(const schema::Schema& schema, SeededRandom& random, Variation variation)
      : schema_(schema), random_(random), variation_(variation) {}

  std::string write(RandomQuery query) {
    shuffle(query.variables);
    std::vector<std::vector<std::string>> definitions(1);
    tokens_ = &definitions[0];
    put("query");
    if (variation_.layout) put("Name" + std::to_string(random_.below(10)));
    for (size_t i = 0; i < query.variables.size(); ++i) {
      const Variable& variable = query.variables[i];
      put(i == 0 ? "(" : ",");
      put("$");
      put(variable.name);
      put(":");
      put(variable.type);
      if (variable.optional) put("?");
      if (variable.default_value) put("="), put_value(*variable.default_value);
    }
    if (!query.variables.empty()) put(")");
    put("{");
    std::vector<Selection> roots = vary(query.roots);
    for (const Selection& root : roots) {
      const schema::Root& declared = *schema_.find_root(root.name);
      put_field(root, root_slots(declared, schema_), target_site(declared.target, schema_));
    }
    put("}");
    for (auto& fragment : fragments_) definitions.push_back(std::move(fragment));
    shuffle(definitions);
    std::string out;
    for (const auto& definition : definitions) {
      for (const std::string& token : definition) out += token + gap();
    }
    return out;
  }

 private:
  template <class Item>
  void shuffle(std::vector<Item>& items) {
    if (!variation_.shuffle) return;
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_.below(i)]);
  }

  std::vector<Selection> vary(std::vector<Selection> selections) {
    if (variation_.repeat && !selections.empty()) {
      selections.push_back(selections[random_.below(selections.size())]);
    }
    shuffle(selections);
    return selections;
  }

  void put(std::string token) { tokens_->push_back(std::move(token)); }

  void put_value(const Value& value) {
    if (value.kind == Value::Kind::Variable) put("$"), put(value.text);
    std::string text;
    schema::append_value(text, value);
    if (value.kind != Value::Kind::Variable) put(std::move(text));
  }

  std::string gap() {
    static constexpr std::string_view kGaps[] = {" ", "\n", ", ", "\t,,", " # note\n", "\r\n# {(\"\n"};
    return variation_.layout ? std::string(kGaps[random_.below(std::size(kGaps))]) : " ";
  }

  void put_arguments(std::vector<Argument> arguments, const Slots& slots) {
    if (variation_.defaults) add_defaults(arguments, slots);
    shuffle(arguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
      put(i == 0 ? "(" : ",");
      put(arguments[i].name);
      put(":");
      put_value(arguments[i].value);
    }
    if (!arguments.empty()) put(")");
  }

  void add_defaults(std::vector<Argument>& arguments, const Slots& slots) {
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(arguments, [&](const Argument& a) { return a.name == name; });
    };
    const auto add_text = [&](std::string_view name, Value::Kind kind, std::string text) {
      Argument argument{std::string(name), {}, {}};
      argument.value.kind = kind;
      argument.value.text = std::move(text);
      arguments.push_back(std::move(argument));
    };
    for (const Slot& slot : slots.list) {
      if (slot.default_value == nullptr || has(slot.name)) continue;
      const Json& value = *slot.default_value;
      const bool is_enum = slot.type->without_option().name == "Mood";
      if (value.is_string() && is_enum) {
        add_text(slot.name, Value::Kind::Enum, value.as_string());
      } else if (value.is_string()) {
        add_text(slot.name, Value::Kind::String, value.as_string());
      } else {
        add_text(slot.name, Value::Kind::Number, canonical_json(value));
      }
    }
    const bool bare = !has("first") && !has("limit") && !has("last") && !has("around");
    if (!slots.is_paginated() || !slots.collection->default_page || !bare) return;
    add_text(random_.below(2) == 0 ? "first" : "limit", Value::Kind::Number,
             std::to_string(*slots.collection->default_page));
  }

  void put_field(const Selection& field, const Slots& slots, const Site& inner) {
    put(field.name);
    put_arguments(field.arguments, slots);
    if (field.depth != 0) put("@depth(" + std::to_string(field.depth) + ")");
    if (field.deferred) put("@defer");
    if (field.has_selections) put_set(field.selections, inner);
  }

  void put_set(const std::vector<Selection>& selections, const Site& site) {
    put("{");
    for (const Selection& selection : vary(selections)) {
      if (variation_.fragments && !site.is_nodes() && random_.below(3) == 0 &&
          (site.is_concrete() || site.interface != nullptr)) {
        put_as_fragment(selection, site);
      } else {
        put_selection(selection, site);
      }
    }
    put("}");
  }

  void put_selection(const Selection& selection, const Site& site) {
    if (selection.kind == Selection::Kind::Inline) {
      put("...");
      put("on");
      put(selection.name);
      put_set(selection.selections, entity_site(schema_.entity_index(selection.name), schema_));
    } else if (selection.kind == Selection::Kind::Spread) {
      put("..." + selection.name);
      put_arguments(selection.arguments, parameter_slots(schema_.find_fragment("Card")->parameters));
    } else {
      const Element element = find_element(site, selection.name);
      const Site inner =
          element.edge != nullptr ? target_site(element.edge->target, schema_) : site;
      put_field(selection, element_slots(element, schema_), inner);
    }
  }

  void put_as_fragment(const Selection& selection, const Site& site) {
    const std::string name = "Local" + std::to_string(fragment_count_++);
    put("..." + name);
    std::vector<std::string> body;
    std::vector<std::string>* outer = std::exchange(tokens_, &body);
    put("fragment");
    put(name);
    put("on");
    put(site.name());
    put("{");
    put_selection(selection, site);
    put("}");
    tokens_ = outer;
    fragments_.push_back(std::move(body));
  }

  const schema::Schema& schema_;
  SeededRandom& random_;
  Variation variation_;
  std::vector<std::string>* tokens_ = nullptr;
  std::vector<std::vector<std::string>> fragments_;
  int fragment_count_ = 0;
};

// --- The properties ---

std::string canonical(std::string_view text, const schema::Schema& schema) {
  auto query = compile_query(text, schema);
  return query ? query->canonical : "error: " + query.error().message + " in " + std::string(text);
}

void check_query(const schema::Schema& schema, SeededRandom& random) {
  const RandomQuery query = QueryMaker(schema, random).make();
  const auto written = [&](Variation variation) {
    return Writer(schema, random, variation).write(query);
  };
  const std::string text = written({});
  const std::string once = canonical(text, schema);
  REQUIRE_MESSAGE(once.starts_with("query"), once);
  CHECK(canonical(once, schema) == once);
  CHECK(canonical(written({.shuffle = true}), schema) == once);
  CHECK(canonical(written({.layout = true}), schema) == once);
  CHECK(canonical(written({.repeat = true}), schema) == once);
  CHECK(canonical(written({.defaults = true}), schema) == once);
  CHECK(canonical(written({.fragments = true}), schema) == once);
  const std::string all = written({true, true, true, true, true});
  CHECK(canonical(all, schema) == once);
  const auto formatted = format_query(all);
  REQUIRE_MESSAGE(formatted.has_value(), all);
  CHECK(canonical(*formatted, schema) == once);
  CHECK(format_query(*formatted).value() == *formatted);
  const std::string dictionary = build_dictionary(schema);
  CHECK(decode_inline(encode_inline(once, dictionary), dictionary).value() == once);
}

void check_seed(uint64_t seed) {
  INFO("LATTICE_SEED=" << seed);
  SeededRandom random(seed);
  const std::string idl = random_schema(random);
  const auto schema = schema::load_schema(idl);
  REQUIRE_MESSAGE(schema.has_value(), schema.error().message << "\n" << idl);
  for (int i = 0; i < kQueriesPerSchema; ++i) check_query(**schema, random);
}

TEST_CASE("canonicalization is a function of what a query means") {
  if (const char* seed = std::getenv("LATTICE_SEED")) {
    check_seed(std::strtoull(seed, nullptr, 10));
    return;
  }
  const char* count = std::getenv("LATTICE_SEEDS");
  const uint64_t seeds = count == nullptr ? kSeedCount : std::strtoull(count, nullptr, 10);
  MESSAGE("seeds 1 to " << seeds << "; LATTICE_SEED=n runs one of them, or any other");
  for (uint64_t seed = 1; seed <= seeds; ++seed) check_seed(seed);
}

}  // namespace
}  // namespace lattice::query
