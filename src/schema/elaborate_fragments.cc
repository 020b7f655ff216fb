// Schema fragments: their selections against the schema (spec §4.5, §4.8).
#include "base/diagnostic.h"
#include "schema/elaborate.h"
#include "schema/lex.h"
#include "schema/selection_parser.h"
#include "schema/value.h"

namespace lattice::schema {

namespace {

bool same_arguments(const Field& left, const Field& right) {
  return std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                    right.arguments.end(), [](const Parameter& one, const Parameter& other) {
                      return one.name == other.name && same_type(one.type, other.type) &&
                             one.default_spelled == other.default_spelled;
                    });
}

std::string target_name(const Target& target) {
  if (!target.name.empty()) return target.name;
  std::string out = "(";
  for (const std::string& member : target.union_) out += (out.size() > 1 ? " | " : "") + member;
  return out + ")";
}

void collect_spreads(const std::vector<Selection>& selections, std::vector<std::string>& out) {
  for (const Selection& selection : selections) {
    if (selection.kind == Selection::Kind::Spread) out.push_back(selection.name);
    collect_spreads(selection.selections, out);
  }
}

}  // namespace

void Elaborator::elaborate_fragments() {
  for (syntax::Fragment& in : document_.fragments) {
    const std::string label = "fragment " + in.name.text;
    Fragment& out = schema_->fragments.emplace_back();
    out.name = in.name.text;
    out.span = in.name.span;
    out.on = in.on.text;
    out.parameters = elaborate_parameters(in.parameters, label);
    out.selections = std::move(in.selections);
    out.selection_span = in.selection_span;
    if (is_reserved_word(out.name)) {
      report(in.name.span, "`" + out.name + "` is reserved and names no fragment", "name");
    }
    for (const syntax::Parameter& parameter : in.parameters) {
      if (!is_reserved_word(parameter.name.text)) continue;
      report(parameter.name.span, "`" + parameter.name.text + "` is reserved and names no variable",
             "name");
    }
  }
  for (size_t i = 0; i < schema_->fragments.size(); ++i) {
    const Fragment& fragment = schema_->fragments[i];
    const bool is_known = schema_->find_entity(fragment.on) != nullptr ||
                          schema_->find_interface(fragment.on) != nullptr;
    if (is_known) {
      check_fragment(fragment);
      continue;
    }
    report(document_.fragments[i].on.span,
           "fragment " + fragment.name + " is on `" + fragment.on +
               "`, which is no entity and no interface" +
               suggest(fragment.on, schema_->entities, schema_->interfaces),
           "fragment");
  }
  check_fragment_cycles();
}

void Elaborator::check_fragment(const Fragment& fragment) {
  std::set<std::string> used;
  const SelectionScope scope{&fragment, &used, "fragment " + fragment.name};
  check_selections(fragment.selections, target_named(fragment.on), scope);
  for (const Parameter& parameter : fragment.parameters) {
    if (used.contains(parameter.name)) continue;
    report(parameter.span, scope.label + " declares $" + parameter.name + " and never uses it",
           "unused-variable");
  }
}

// --- Look-ups ---

Target Elaborator::target_named(std::string_view name) const {
  Target out;
  out.name = name;
  if (const EntityIndex index = schema_->entity_index(name); index != kNone) {
    out.members.push_back(index);
  } else if (const Interface* interface = schema_->find_interface(name)) {
    out.is_interface = true;
    out.members = interface->members;
  }
  return out;
}

// Whether everything that `site` can be is an `on`.
bool Elaborator::is_subtype(const Target& site, std::string_view on) const {
  if (site.name == on) return true;
  const Target wanted = target_named(on);
  return !site.members.empty() && std::includes(wanted.members.begin(), wanted.members.end(),
                                                site.members.begin(), site.members.end());
}

const Relationship* Elaborator::find_target_edge(const Target& target,
                                                 std::string_view name) const {
  const auto find = [&](const auto& declarer) -> const Relationship* {
    const EdgeIndex index = declarer.find_relationship(name);
    return index == kNone ? nullptr : &declarer.relationships[index];
  };
  if (target.is_interface) return find(*schema_->find_interface(target.name));
  const Relationship* first = nullptr;
  for (const EntityIndex member : target.members) {
    const Relationship* edge = find(schema_->entities[member]);
    if (edge == nullptr) return nullptr;
    if (first == nullptr) first = edge;
    if (first->kind != edge->kind || first->target.members != edge->target.members) return nullptr;
  }
  return first;
}

const Field* Elaborator::find_target_field(const Target& target, std::string_view name) const {
  if (target.is_interface) {
    const Interface& interface = *schema_->find_interface(target.name);
    const FieldIndex index = interface.find_field(name);
    return index == kNone ? nullptr : &interface.fields[index];
  }
  const MemberField found = find_member_field(target, name);
  if (!found.is_everywhere()) return nullptr;
  for (const EntityIndex member : target.members) {
    const Entity& entity = schema_->entities[member];
    const Field& field = entity.fields[entity.find_field(name)];
    if (!same_type(field.type, found.field->type) || !same_arguments(field, *found.field))
      return nullptr;
  }
  return found.field;
}

// --- Selections ---

void Elaborator::check_selections(const std::vector<Selection>& selections, const Target& target,
                                  const SelectionScope& scope) {
  for (const Selection& selection : selections) {
    switch (selection.kind) {
      case Selection::Kind::Field:
        check_selected_field(selection, target, scope);
        break;
      case Selection::Kind::Spread:
        check_spread(selection, target, scope);
        break;
      case Selection::Kind::Inline:
        check_inline(selection, target, scope);
        break;
    }
  }
}

void Elaborator::check_selected_field(const Selection& selection, const Target& target,
                                      const SelectionScope& scope) {
  check_query_directives(selection.directives, "SELECTION", scope);
  if (const Relationship* edge = find_target_edge(target, selection.name)) {
    return check_selected_edge(selection, *edge, target, scope);
  }
  const Field* field = find_target_field(target, selection.name);
  if (field == nullptr) {
    Names edges;
    for (const EntityIndex member : target.members) {
      if (!is_full()) add_names(edges, schema_->entities[member].relationships);
    }
    report(selection.span,
           scope.label + ": " + target_name(target) + " has no field `" + selection.name + "`" +
               suggest(selection.name, member_field_names(target), edges),
           "unknown-field");
    return;
  }
  if (selection.has_selections || selection.depth != 0) {
    report(selection.span,
           scope.label + ": `" + selection.name + "` is a value of type " +
               print_type(field->type) + " and takes no selection",
           "selection");
  }
  check_arguments(selection, field->arguments, scope);
}

void Elaborator::check_selected_edge(const Selection& selection, const Relationship& edge,
                                     const Target& target, const SelectionScope& scope) {
  if (selection.depth != 0 && edge.target.name != target.name) {
    report(selection.span,
           scope.label + ": @depth repeats the selection around it, but `" + selection.name +
               "` leads to " + target_name(edge.target),
           "depth");
  } else if (selection.depth != 0 && selection.has_selections) {
    report(selection.span,
           scope.label + ": `" + selection.name +
               "` has @depth, so it takes no "
               "selection of its own",
           "depth");
  } else if (selection.depth == 0 && !selection.has_selections) {
    report(selection.span,
           scope.label + ": `" + selection.name + "` leads to " + target_name(edge.target) +
               "; say which fields, as in `" + selection.name + " { .. }`",
           "selection");
  }
  check_arguments(selection, edge_parameters(edge), scope);
  if (edge.collection && edge.collection->paginated)
    check_paging(selection, *edge.collection, scope);
  check_selections(selection.selections, edge.target, scope);
}

void Elaborator::check_spread(const Selection& selection, const Target& target,
                              const SelectionScope& scope) {
  check_query_directives(selection.directives, "SPREAD", scope);
  const Fragment* fragment = schema_->find_fragment(selection.name);
  if (fragment == nullptr) {
    report(selection.span,
           scope.label + ": there is no fragment `" + selection.name + "`" +
               suggest(selection.name, schema_->fragments),
           "unknown-fragment");
    return;
  }
  if (!is_subtype(target, fragment->on)) {
    report(selection.span,
           scope.label + ": " + fragment->name + " is on " + fragment->on + " and does not fit " +
               target_name(target),
           "fragment");
  }
  check_arguments(selection, fragment->parameters, scope);
}

void Elaborator::check_inline(const Selection& selection, const Target& target,
                              const SelectionScope& scope) {
  const EntityIndex index = schema_->entity_index(selection.name);
  const bool is_member =
      std::find(target.members.begin(), target.members.end(), index) != target.members.end();
  if (!target.is_abstract()) {
    report(selection.span,
           scope.label +
               ": an inline fragment stands where several types are possible; "
               "here it is always " +
               target_name(target),
           "inline");
  } else if (index == kNone || !is_member) {
    report(selection.span,
           scope.label + ": `" + selection.name + "` is none of the entities of " +
               target_name(target) + suggest(selection.name, member_names(target)),
           "inline");
    return;
  }
  check_selections(selection.selections, target_named(selection.name), scope);
}

// --- Arguments ---

// What an edge accepts: paging, and the grouping fields that its link does not fix.
std::vector<Parameter> Elaborator::edge_parameters(const Relationship& edge) const {
  std::vector<Parameter> out;
  if (!edge.collection || !edge.collection->paginated) return out;
  const auto add = [&](std::string_view name, Type type) {
    Type option;
    option.kind = Type::Kind::Option;
    option.arguments.push_back(std::move(type));
    Parameter& parameter = out.emplace_back();
    parameter.name = name;
    parameter.type = std::move(option);
  };
  Type number;
  number.primitive = Primitive::I32;
  Type cursor;
  cursor.primitive = Primitive::Cursor;
  for (const std::string_view name : {"first", "last", "limit"}) add(name, number);
  for (const std::string_view name : {"after", "before", "around"}) add(name, cursor);
  for (const std::string& name : edge.collection->grouping) {
    const Field* field = find_member_field(edge.target, name).field;
    if (name != edge.collection->link && field != nullptr)
      add(name, schema_->resolve(field->type).without_option());
  }
  return out;
}

void Elaborator::check_paging(const Selection& selection, const Collection& collection,
                              const SelectionScope& scope) {
  const auto find = [&](std::string_view name) -> const Argument* {
    for (const Argument& argument : selection.arguments) {
      if (argument.name == name) return &argument;
    }
    return nullptr;
  };
  const Argument* first = find("first") != nullptr ? find("first") : find("limit");
  const Argument* last = find("last");
  const bool around = find("around") != nullptr;
  const std::string label = scope.label + ": `" + selection.name + "`";
  if ((find("first") != nullptr && find("limit") != nullptr) ||
      (first != nullptr && last != nullptr) || (around && (first != nullptr || last != nullptr))) {
    report(selection.span, label + " takes one of first, last and around", "paging");
  }
  if ((find("after") != nullptr && first == nullptr) ||
      (find("before") != nullptr && last == nullptr)) {
    report(selection.span, label + " takes `after` with `first` and `before` with `last`",
           "paging");
  }
  if (first == nullptr && last == nullptr && !around && !collection.default_page) {
    report(selection.span, label + " has no default page: say `first: n`", "paging");
  }
  const Argument* size = first != nullptr ? first : last;
  if (size == nullptr || size->value.kind != Value::Kind::Number) return;
  const Json number = literal_to_json(size->value);
  if (number.is_int64() && number.as_int64() >= 1 && number.as_int64() <= collection.max) return;
  report(size->value.span, label + " takes pages of 1 to " + std::to_string(collection.max),
         "paging");
}

void Elaborator::check_arguments(const Selection& selection,
                                 const std::vector<Parameter>& parameters,
                                 const SelectionScope& scope) {
  const std::string label = scope.label + ": `" + selection.name + "`";
  std::set<std::string_view> given;
  for (const Argument& argument : selection.arguments) {
    if (!given.insert(argument.name).second) {
      report(argument.span, label + " gives `" + argument.name + "` twice", "argument");
    }
    const auto parameter =
        std::find_if(parameters.begin(), parameters.end(),
                     [&](const Parameter& candidate) { return candidate.name == argument.name; });
    if (parameter == parameters.end()) {
      report(
          argument.span,
          label + " has no argument `" + argument.name + "`" + suggest(argument.name, parameters),
          "unknown-argument");
      continue;
    }
    check_argument(argument.value, *parameter, parameter->type, scope);
  }
  for (const Parameter& parameter : parameters) {
    if (given.contains(parameter.name) || parameter.default_value || is_optional(parameter.type))
      continue;
    report(
        selection.span,
        label + " lacks the argument `" + parameter.name + ": " + print_type(parameter.type) + "`",
        "argument");
  }
}

// `type` is the parameter's, or that of an element when a list literal is entered.
void Elaborator::check_argument(const Value& value, const Parameter& parameter, const Type& type,
                                const SelectionScope& scope) {
  if (value.kind == Value::Kind::Variable) return check_variable(value, parameter, type, scope);
  const Type resolved = schema_->resolve(type);
  const Type& core = resolved.without_option();
  const bool is_list = core.kind == Type::Kind::List || core.kind == Type::Kind::NonEmptyList ||
                       core.kind == Type::Kind::Set || core.kind == Type::Kind::Vec;
  const bool has_variable =
      std::any_of(value.list.begin(), value.list.end(),
                  [](const Value& item) { return item.kind == Value::Kind::Variable; });
  if (value.kind == Value::Kind::List && is_list && has_variable) {
    for (const Value& item : value.list)
      check_argument(item, parameter, core.arguments.front(), scope);
    return;
  }
  auto checked = check_literal(value, type, *schema_, parameter.name);
  if (!checked) report(value.span, scope.label + ": " + checked.error().message, "argument");
}

void Elaborator::check_variable(const Value& variable, const Parameter& slot, const Type& type,
                                const SelectionScope& scope) {
  const auto& parameters = scope.fragment->parameters;
  const auto declared =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const Parameter& candidate) { return candidate.name == variable.text; });
  if (declared == parameters.end()) {
    report(variable.span,
           scope.label + ": the variable $" + variable.text + " is not declared" +
               suggest(variable.text, parameters),
           "unknown-variable");
    return;
  }
  scope.used_variables->insert(variable.text);
  const bool same = same_type(declared->type.without_option(), type.without_option());
  const bool may_be_absent = type.is_option() || slot.default_value.has_value();
  if (same && (!declared->type.is_option() || declared->default_value || may_be_absent)) return;
  report(variable.span,
         scope.label + ": $" + variable.text + " is " + print_type(declared->type) + ", but `" +
             slot.name + "` takes " + print_type(type),
         "variable-type");
}

void Elaborator::check_query_directives(const std::vector<Directive>& directives,
                                        std::string_view location, const SelectionScope& scope) {
  for (const Directive& directive : directives) {
    syntax::DirectiveUse use{{directive.name, directive.span}, {}, directive.span};
    for (const Argument& argument : directive.arguments) {
      if (argument.value.kind == Value::Kind::Variable) {
        report(argument.span,
               scope.label + ": @" + directive.name + " takes literals, no variables", "directive");
      }
      use.arguments.push_back({{argument.name, argument.span}, argument.value});
    }
    elaborate_metadata({.description = {}, .directives = {use}, .span = directive.span}, location,
                       scope.label);
  }
}

// --- Spreads end ---

// Reports fragments that spread themselves, and spreads that nest too deeply.
void Elaborator::check_fragment_cycles() {
  enum class State : uint8_t { New, Open, Done };
  struct Step {
    size_t fragment;
    std::vector<std::string> spreads;
    size_t next = 0;
  };
  std::vector<State> states(schema_->fragments.size(), State::New);
  std::vector<uint32_t> heights(schema_->fragments.size(), 1);
  for (size_t start = 0; start < states.size(); ++start) {
    if (states[start] != State::New) continue;
    std::vector<Step> stack;
    const auto enter = [&](size_t index) {
      states[index] = State::Open;
      stack.push_back({index, {}});
      collect_spreads(schema_->fragments[index].selections, stack.back().spreads);
    };
    enter(start);
    while (!stack.empty()) {
      Step& step = stack.back();
      const Fragment& fragment = schema_->fragments[step.fragment];
      if (step.next == step.spreads.size()) {
        states[step.fragment] = State::Done;
        if (heights[step.fragment] == kNestingMax + 1) {
          report(fragment.span,
                 "fragment " + fragment.name + " spreads more than " + std::to_string(kNestingMax) +
                     " fragments deep",
                 "nesting");
          fragments_end_ = false;
        }
        stack.pop_back();
        continue;
      }
      const Fragment* spread = schema_->find_fragment(step.spreads[step.next]);
      const size_t index =
          spread == nullptr ? 0 : static_cast<size_t>(spread - schema_->fragments.data());
      if (spread != nullptr && states[index] == State::New) {
        enter(index);
        continue;  // and look at this spread again, then Done
      }
      ++step.next;
      if (spread == nullptr) continue;
      if (states[index] == State::Open) {
        report(fragment.span,
               "fragment " + fragment.name + " spreads ..." + spread->name +
                   ", which leads back to it",
               "fragment-cycle");
        fragments_end_ = false;
      }
      heights[step.fragment] = std::max(heights[step.fragment], heights[index] + 1);
    }
  }
}

}  // namespace lattice::schema
