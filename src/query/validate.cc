#include "query/validate.h"

#include "base/diagnostic.h"
#include "query/literal.h"
#include "query/validator.h"

namespace lattice::query {

using schema::Schema;
using schema::Type;
using schema::TypeDeclaration;

namespace {

// Variables travel as URL query parameters beside these (§6.1).
constexpr std::string_view kUrlParameters[] = {"p",    "slice", "vc", "project",
                                               "live", "d",     "dv", "intent"};

bool is_list_of_refs(const Variable& variable) { return variable.type == "EntityRef"; }

}  // namespace

std::optional<Type> variable_type(const Variable& variable, const Schema& schema) {
  Type type;
  if (const auto primitive = schema::find_primitive(variable.type)) {
    type.primitive = *primitive;
  } else if (const TypeDeclaration* declaration = schema.find_type(variable.type)) {
    if (!declaration->parameters.empty()) return std::nullopt;
    type.kind = Type::Kind::Named;
    type.name = declaration->name;
  } else {
    return std::nullopt;
  }
  if (!variable.optional) return type;
  Type option;
  option.kind = Type::Kind::Option;
  option.arguments.push_back(std::move(type));
  return option;
}

FragmentSlots fragment_slots(const FragmentDefinition& fragment, const Schema& schema) {
  FragmentSlots out;
  for (const Variable& variable : fragment.parameters) {
    schema::Parameter parameter;
    parameter.name = variable.name;
    if (auto type = variable_type(variable, schema)) parameter.type = std::move(*type);
    // Only whether there is a default matters here: expansion compares nothing with it.
    if (variable.default_value) parameter.default_value = Json();
    out.parameters.push_back(std::move(parameter));
  }
  out.slots = parameter_slots(out.parameters);
  return out;
}

void validate_document(const Document& document, const Schema& schema, const QueryLimits& limits,
                       Findings& findings) {
  Validator(document, schema, limits, findings).run();
}

void Validator::run() {
  if (document_.fragments.size() > limits_.fragments_max) {
    findings_.report(document_.fragments[limits_.fragments_max].name_span,
                     "more than " + std::to_string(limits_.fragments_max) + " fragments",
                     "fragment-count");
    return;
  }
  check_fragment_names();
  check_spread_graph();
  if (document_.query) {
    check_query(*document_.query);
  } else {
    findings_.report({0, 0}, "the document holds no query: write `query { ... }`", "query-count");
  }
  for (const FragmentDefinition& fragment : document_.fragments) {
    if (findings_.is_full()) return;
    check_fragment(fragment);
  }
}

void Validator::check_query(const QueryDefinition& query) {
  scope_.clear();
  check_variables(query.variables, true);
  for (const Variable& variable : query.variables) scope_.emplace(variable.name, &variable);
  check_directives(query.directives, "QUERY");
  check_roots(query.selections);
  check_variable_uses(query);
}

void Validator::check_fragment(const FragmentDefinition& fragment) {
  scope_.clear();
  parameters_used_.clear();
  check_variables(fragment.parameters, false);
  for (const Variable& variable : fragment.parameters) scope_.emplace(variable.name, &variable);
  if (document_.query) {
    for (const Variable& variable : document_.query->variables) {
      scope_.emplace(variable.name, &variable);
    }
  }
  const auto site = named_site(fragment.on, schema_);
  if (!site) {
    std::vector<std::string_view> names;
    for (const auto& entity : schema_.entities) names.push_back(entity.name);
    for (const auto& interface : schema_.interfaces) names.push_back(interface.name);
    findings_.report(fragment.on_span,
                     "there is no entity or interface `" + fragment.on + "`" +
                         did_you_mean(fragment.on, names),
                     "unknown-type");
    return;
  }
  check_selections(fragment.selections, *site);
  for (const Variable& variable : fragment.parameters) {
    if (parameters_used_.contains(variable.name)) continue;
    findings_.report(variable.span,
                     "the parameter $" + variable.name + " of `" + fragment.name + "` is never used",
                     "unused-variable");
  }
}

// Names are unique, and do not hide a schema fragment of the same type (§4.5).
void Validator::check_fragment_names() {
  for (const FragmentDefinition& fragment : document_.fragments) {
    const FragmentDefinition* first = document_.find_fragment(fragment.name);
    if (first != &fragment) {
      findings_.report(fragment.name_span, "the fragment `" + fragment.name + "` is defined twice",
                       "duplicate-fragment");
      continue;
    }
    const schema::Fragment* declared = schema_.find_fragment(fragment.name);
    if (declared == nullptr || declared->on != fragment.on) continue;
    findings_.report(fragment.name_span,
                     "`" + fragment.name + "` on " + fragment.on +
                         " is a fragment of the schema: spread that one, or choose another name",
                     "fragment-shadow", Code::FragmentShadow);
  }
}

void Validator::check_variables(const std::vector<Variable>& variables, bool of_query) {
  std::set<std::string_view> seen;
  for (const Variable& variable : variables) {
    if (!seen.insert(variable.name).second) {
      findings_.report(variable.span, "the variable $" + variable.name + " is declared twice",
                       "duplicate-variable");
    }
    if (of_query && std::ranges::find(kUrlParameters, variable.name) != std::end(kUrlParameters)) {
      findings_.report(variable.span,
                       "the variable $" + variable.name + " would collide with the URL parameter `" +
                           variable.name + "`: choose another name",
                       "url-parameter");
    }
    check_variable_type(variable);
  }
}

void Validator::check_variable_type(const Variable& variable) {
  const auto type = variable_type(variable, schema_);
  if (!type) {
    std::string message = "there is no type `" + variable.type + "`";
    if (const TypeDeclaration* declaration = schema_.find_type(variable.type)) {
      message = "the type `" + declaration->name +
                "` takes parameters: a newtype in the schema can name one of its uses";
    } else if (named_site(variable.type, schema_)) {
      message = "`" + variable.type + "` is no value type: pass the key of the entity";
    } else {
      std::vector<std::string_view> names;
      for (const TypeDeclaration& known : schema_.types) names.push_back(known.name);
      for (auto i = 0; i <= static_cast<int>(schema::Primitive::EntityRef); ++i) {
        names.push_back(primitive_name(static_cast<schema::Primitive>(i)));
      }
      message += did_you_mean(variable.type, names);
    }
    findings_.report(variable.type_span, std::move(message), "unknown-type");
    return;
  }
  if (!variable.default_value) return;
  const Value& value = *variable.default_value;
  if (value.kind == Value::Kind::Variable) {
    findings_.report(value.span,
                     "the default of $" + variable.name + " must be a literal, not a variable",
                     "default-not-constant");
    return;
  }
  if (is_list_of_refs(variable)) {
    check_refs({"$" + variable.name, value, value.span});
    return;
  }
  auto read = literal_value(value, *type, schema_, "$" + variable.name);
  if (!read) findings_.add(std::move(read.error().diagnostics));
}

namespace {

void collect_variables(const Value& value, std::set<std::string_view>& out) {
  if (value.kind == Value::Kind::Variable) out.insert(value.text);
  for (const Value& item : value.list) collect_variables(item, out);
}

}  // namespace

// Rule 7: what the query declares reaches its canonical text, through the fragments it spreads.
void Validator::check_variable_uses(const QueryDefinition& query) {
  std::set<std::string_view> used;
  std::vector<const FragmentDefinition*> reached;
  collect_uses(query.selections, reached, used);
  for (size_t i = 0; i < reached.size(); ++i) {
    std::set<std::string_view> inner;
    collect_uses(reached[i]->selections, reached, inner);
    for (const Variable& parameter : reached[i]->parameters) inner.erase(parameter.name);
    used.merge(inner);
  }
  for (const Variable& variable : query.variables) {
    if (used.contains(variable.name)) continue;
    findings_.report(variable.span, "the variable $" + variable.name + " is declared but never used",
                     "unused-variable");
  }
}

// Adds the variables that `selections` name to `used`, and the local fragments they spread to `reached`.
void Validator::collect_uses(const std::vector<Selection>& selections,
                             std::vector<const FragmentDefinition*>& reached,
                             std::set<std::string_view>& used) {
  for (const Selection& selection : selections) {
    for (const Argument& argument : selection.arguments) collect_variables(argument.value, used);
    collect_uses(selection.selections, reached, used);
    if (selection.kind != Selection::Kind::Spread) continue;
    const FragmentDefinition* fragment = document_.find_fragment(selection.name);
    if (fragment != nullptr && reached_.insert(fragment).second) reached.push_back(fragment);
  }
}

// Rule 8: spreads do not go in a circle, and not too deep.
void Validator::check_spread_graph() {
  std::vector<Mark> marks(document_.fragments.size(), Mark::Unseen);
  std::vector<uint32_t> path;
  for (uint32_t i = 0; i < marks.size(); ++i) {
    if (findings_.is_full()) return;
    if (marks[i] == Mark::Unseen) walk_spreads(i, marks, path);
  }
}

void Validator::walk_spreads(uint32_t fragment, std::vector<Mark>& marks,
                             std::vector<uint32_t>& path) {
  marks[fragment] = Mark::Open;
  path.push_back(fragment);
  walk_selections(document_.fragments[fragment].selections, marks, path);
  path.pop_back();
  marks[fragment] = Mark::Done;
}

void Validator::walk_selections(const std::vector<Selection>& selections, std::vector<Mark>& marks,
                                std::vector<uint32_t>& path) {
  for (const Selection& selection : selections) {
    walk_selections(selection.selections, marks, path);
    if (selection.kind != Selection::Kind::Spread) continue;
    const auto found = document_.fragment_index.find(selection.name);
    if (found == document_.fragment_index.end()) continue;
    const uint32_t next = found->second;
    if (marks[next] == Mark::Open) {
      std::string circle;
      for (auto it = std::ranges::find(path, next); it != path.end(); ++it) {
        circle += document_.fragments[*it].name + " → ";
      }
      findings_.report(selection.span, "fragments spread in a circle: " + circle + selection.name,
                       "spread-cycle");
    } else if (marks[next] == Mark::Unseen) {
      if (path.size() >= limits_.spread_depth_max) {
        findings_.report(selection.span,
                         "fragments spread fragments more than " +
                             std::to_string(limits_.spread_depth_max) + " levels deep",
                         "spread-depth");
        marks[next] = Mark::Done;
        continue;
      }
      walk_spreads(next, marks, path);
    }
  }
}

}  // namespace lattice::query
