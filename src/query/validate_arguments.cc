// Arguments, values and directives (spec §4.8 rules 4, 6, 7; §3.9).
#include "base/diagnostic.h"
#include "query/literal.h"
#include "query/validator.h"

namespace lattice::query {

using schema::Type;

namespace {

constexpr std::string_view kWindowNames[] = {"first", "after", "last", "before", "around", "limit"};

bool is_window_name(std::string_view name) {
  return std::ranges::find(kWindowNames, name) != std::end(kWindowNames);
}

const Argument* find_argument(const std::vector<Argument>& arguments, std::string_view name) {
  for (const Argument& argument : arguments) {
    if (argument.name == name) return &argument;
  }
  return nullptr;
}

bool contains_variable(const Value& value) {
  return value.kind == Value::Kind::Variable ||
         std::ranges::any_of(value.list, [](const Value& item) { return contains_variable(item); });
}

std::string spell(const Variable& variable) {
  return variable.type + (variable.optional ? "?" : "");
}

// The one name by which a variable's type can match the slot's (types are nominal); empty when the
// slot's type has no name.
std::string nominal_name(const Type& slot) {
  const Type& type = slot.without_option();
  if (type.kind == Type::Kind::Primitive) return std::string(primitive_name(type.primitive));
  if (type.kind == Type::Kind::Named && type.arguments.empty()) return type.name;
  return {};
}

}  // namespace

void Validator::check_arguments(const std::vector<Argument>& arguments, const Slots& slots,
                                std::string_view what, Span at) {
  std::set<std::string_view> seen;
  for (const Argument& argument : arguments) {
    if (findings_.is_full()) return;
    const bool is_limit = argument.name == "limit" && slots.limit_is_first();
    const std::string_view name = is_limit ? "first" : std::string_view(argument.name);
    if (!seen.insert(name).second) {
      findings_.report(argument.span,
                       "the argument `" + argument.name + "` of " + std::string(what) +
                           (is_limit || argument.name == "first" ? " is given twice (`limit` is `first`)"
                                                                 : " is given twice"),
                       "duplicate-argument");
      continue;
    }
    if (const Slot* slot = slots.find(name)) {
      check_value(argument, *slot, slots);
    } else {
      report_unknown_argument(argument, slots, what);
    }
  }
  for (const Slot& slot : slots.list) {
    if (!slot.is_required || slot.role == Slot::Role::Page || seen.contains(slot.name)) continue;
    findings_.report(at,
                     std::string(what) + " needs the argument `" + std::string(slot.name) + ": " +
                         (slot.role == Slot::Role::Refs ? "[EntityRef]" : print_type(*slot.type)) +
                         "`",
                     "missing-argument");
  }
  check_window(arguments, slots, what, at);
}

void Validator::report_unknown_argument(const Argument& argument, const Slots& slots,
                                        std::string_view what) {
  std::string message = std::string(what) + " takes no argument `" + argument.name + "`";
  if (is_window_name(argument.name)) {
    message += slots.collection == nullptr ? ": it does not lead to a list in pages"
                                           : ": the collection is bounded and comes whole";
  } else if (const auto names = slots.names(); !names.empty()) {
    const std::string hint = did_you_mean(argument.name, names);
    message += hint.empty() ? "; it takes " + list_names(names) : hint;
  }
  findings_.report(argument.span, std::move(message), "unknown-argument");
}

// Rule 6: first/last exclude each other, after goes with first, before with last, around alone; and a
// collection without a default page needs one of them (§4.2).
void Validator::check_window(const std::vector<Argument>& arguments, const Slots& slots,
                             std::string_view what, Span at) {
  if (!slots.is_paginated()) return;
  const auto given = [&](std::string_view name, Slot::Role role) -> const Argument* {
    const Slot* slot = slots.find(name);
    if (slot == nullptr || slot->role != role) return nullptr;
    const Argument* argument = find_argument(arguments, name);
    if (argument != nullptr || name != "first" || !slots.limit_is_first()) return argument;
    return find_argument(arguments, "limit");
  };
  const Argument* first = given("first", Slot::Role::Page);
  const Argument* last = given("last", Slot::Role::Page);
  const Argument* after = given("after", Slot::Role::Cursor);
  const Argument* before = given("before", Slot::Role::Cursor);
  const Argument* around = given("around", Slot::Role::Cursor);
  const auto report = [&](const Argument* argument, std::string_view message) {
    findings_.report(argument->span, std::string(what) + ": " + std::string(message), "page-arguments");
  };
  if (first != nullptr && last != nullptr) {
    report(last, "`first` and `last` exclude each other");
  }
  if (around != nullptr && (first != nullptr || last != nullptr)) {
    report(around, "`around` takes no `first` or `last`: its window has the default page size");
  }
  if (after != nullptr && first == nullptr) report(after, "`after` goes with `first`");
  if (before != nullptr && last == nullptr) report(before, "`before` goes with `last`");
  if (first != nullptr || last != nullptr || around != nullptr || slots.collection->default_page) {
    return;
  }
  findings_.report(at,
                   std::string(what) +
                       " has no default page: give `first`, `last` or `around` (at most " +
                       std::to_string(slots.collection->max) + " items)",
                   "page-arguments");
}

void Validator::check_value(const Argument& argument, const Slot& slot, const Slots& slots) {
  if (argument.value.kind == Value::Kind::Variable) return check_variable(argument, slot, slots);
  if (literals_only_ && contains_variable(argument.value)) {
    findings_.report(argument.value.span, "a directive takes literals only", "directive-variable");
    return;
  }
  if (slot.role == Slot::Role::Refs) return check_refs(argument);
  auto value = literal_value(argument.value, *slot.type, schema_, argument.name);
  if (!value) {
    findings_.add(std::move(value.error().diagnostics));
  } else if (slot.role == Slot::Role::Page) {
    check_page_size(argument.value, argument.name, slots);
  }
}

// The refs of `nodes` as literals: a list of strings.
void Validator::check_refs(const Argument& argument) {
  const Value& value = argument.value;
  const bool is_list_of_strings =
      value.kind == Value::Kind::List && std::ranges::all_of(value.list, [](const Value& item) {
        return item.kind == Value::Kind::String;
      });
  if (is_list_of_strings) return;
  findings_.report(value.span,
                   argument.name + " wants a list of references, as in [\"Post:17\"]" +
                       (contains_variable(value) ? "; a variable stands for the whole list" : ""),
                   "refs");
}

void Validator::check_page_size(const Value& value, std::string_view name, const Slots& slots) {
  if (value.kind != Value::Kind::Number) return;
  const uint32_t max = slots.collection->max;
  int64_t size = 0;
  const auto [end, error] =
      std::from_chars(value.text.data(), value.text.data() + value.text.size(), size);
  if (error == std::errc{} && size >= 1 && size <= max) return;
  findings_.report(value.span,
                   std::string(name) + ": a page of " + value.text.substr(0, 20) + " is not from 1 to " +
                       std::to_string(max),
                   "page-size");
}

// Rule 7: variables are declared, and their types are the slot's by name.
void Validator::check_variable(const Argument& argument, const Slot& slot, const Slots& slots) {
  const Value& value = argument.value;
  if (literals_only_) {
    findings_.report(value.span, "a directive takes literals only, not $" + value.text,
                     "directive-variable");
    return;
  }
  const auto found = scope_.find(value.text);
  if (found == scope_.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, variable] : scope_) names.push_back(name);
    findings_.report(value.span,
                     "the variable $" + value.text + " is not declared" +
                         did_you_mean(value.text, names),
                     "undeclared-variable");
    return;
  }
  parameters_used_.insert(value.text);
  const Variable& variable = *found->second;
  if (!variable_type(variable, schema_)) return;  // reported at its declaration
  const std::string wanted = nominal_name(*slot.type);
  if (wanted.empty()) {
    findings_.report(value.span,
                     argument.name + ": no variable has the type " + print_type(*slot.type) +
                         ", which a newtype in the schema could name",
                     "variable-type");
    return;
  }
  if (variable.type != wanted) {
    findings_.report(value.span,
                     argument.name + ": $" + variable.name + " is declared as " + spell(variable) +
                         ", and " + wanted + " is wanted",
                     "variable-type");
    return;
  }
  const bool slot_is_optional =
      slot.type->is_option() || slot.role == Slot::Role::Cursor ||
      (slot.role == Slot::Role::Page && !slot.is_required);
  if (variable.optional && !variable.default_value && !slot_is_optional) {
    findings_.report(value.span,
                     argument.name + ": $" + variable.name + " is declared as " + spell(variable) +
                         " and may be missing; declare it as " + variable.type +
                         " or give it a default",
                     "variable-type");
  }
  if (slot.role == Slot::Role::Page && variable.default_value) {
    check_page_size(*variable.default_value, "$" + variable.name, slots);
  }
}

void Validator::check_directives(const std::vector<Directive>& directives,
                                 std::string_view location) {
  std::set<std::string_view> seen;
  for (const Directive& directive : directives) {
    check_directive(directive, location);
    const schema::DirectiveDeclaration* declaration = schema_.find_directive(directive.name);
    if (declaration == nullptr || declaration->repeatable) continue;
    if (seen.insert(declaration->name).second) continue;
    findings_.report(directive.span, "@" + directive.name + " may stand here only once",
                     "directive-repeated");
  }
}

void Validator::check_directive(const Directive& directive, std::string_view location) {
  const std::string what = "@" + directive.name;
  if (directive.name == "break" || directive.name == "deprecated" ||
      directive.name == "declassify") {
    findings_.report(directive.span, what + " belongs to schemas, not to queries",
                     "directive-reserved");
    return;
  }
  const schema::DirectiveDeclaration* declaration = schema_.find_directive(directive.name);
  if (declaration == nullptr) {
    std::string message = "the schema declares no directive " + what;
    if (directive.name == "include" || directive.name == "skip") {
      message += ": selections are never conditional; write two queries that share a fragment";
    } else {
      std::vector<std::string_view> names = {"depth", "defer"};
      for (const auto& known : schema_.directives) names.push_back(known.name);
      message += did_you_mean(directive.name, names);
    }
    findings_.report(directive.span, std::move(message), "unknown-directive");
    return;
  }
  if (std::ranges::find(declaration->locations, location) == declaration->locations.end()) {
    const std::vector<std::string_view> places(declaration->locations.begin(),
                                               declaration->locations.end());
    findings_.report(directive.span,
                     what + " may not stand on a " + std::string(location) + ": it is declared on " +
                         list_names(places),
                     "directive-place");
  }
  literals_only_ = true;
  check_arguments(directive.arguments, parameter_slots(declaration->arguments), what,
                  directive.span);
  literals_only_ = false;
}

}  // namespace lattice::query
