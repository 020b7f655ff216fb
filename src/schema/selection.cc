#include "schema/selection.h"

#include "base/check.h"
#include "schema/selection_parser.h"

namespace lattice::schema {

bool Value::operator==(const Value& other) const {
  return kind == other.kind && text == other.text && boolean == other.boolean && list == other.list;
}

Result<std::vector<Selection>> parse_selections(std::string_view text, uint32_t& offset,
                                                const SelectionLimits& limits) {
  SelectionParser parser(text, offset,
                         {.nesting_max = limits.nesting_max, .dash_comments = true});
  std::vector<Selection> selections;
  const bool complete = parser.parse_selection_set(selections);
  if (!complete || !parser.diagnostics().empty()) {
    return fail(error_of(Code::CompileRejected, std::move(parser.diagnostics())));
  }
  offset = parser.offset();
  return selections;
}

std::string print_selections(const std::vector<Selection>& selections) {
  std::string out;
  for (const Selection& selection : selections) {
    if (!out.empty()) out += ' ';
    append_selection(out, selection);
  }
  return out;
}

void append_selection(std::string& out, const Selection& selection) {
  switch (selection.kind) {
    case Selection::Kind::Field: break;
    case Selection::Kind::Spread: out += "..."; break;
    case Selection::Kind::Inline: out += "... on "; break;
  }
  out += selection.name;
  append_arguments(out, selection.arguments);
  if (selection.depth != 0) {
    out += "@depth(";
    out += std::to_string(selection.depth);
    out += ')';
  }
  if (selection.deferred) out += "@defer";
  if (!selection.has_selections) return;
  out += '{';
  bool first = true;
  for (const Selection& child : selection.selections) {
    if (!first) out += ' ';
    first = false;
    append_selection(out, child);
  }
  out += '}';
}

void append_arguments(std::string& out, const std::vector<Argument>& arguments) {
  if (arguments.empty()) return;
  char separator = '(';
  for (const Argument& argument : arguments) {
    out += separator;
    separator = ',';
    out += argument.name;
    out += ':';
    append_value(out, argument.value);
  }
  out += ')';
}

void append_value(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::Variable:
      out += '$';
      out += value.text;
      return;
    case Value::Kind::Number:
    case Value::Kind::Enum: out += value.text; return;
    case Value::Kind::String: append_json_string(out, value.text); return;
    case Value::Kind::Boolean: out += value.boolean ? "true" : "false"; return;
    case Value::Kind::List: break;
  }
  out += '[';
  for (size_t i = 0; i < value.list.size(); ++i) {
    if (i != 0) out += ',';
    append_value(out, value.list[i]);
  }
  out += ']';
}

namespace {

// A token as a message quotes it: whole, or its beginning.
std::string quote_number(std::string_view token) {
  constexpr size_t kQuotedMax = 40;
  if (token.size() <= kQuotedMax) return "`" + std::string(token) + "`";
  return "`" + std::string(token.substr(0, kQuotedMax)) + "...`";
}

}  // namespace

Result<std::string> canonical_number(std::string_view token) {
  constexpr size_t kExponentDigitsMax = 5;
  if (const size_t e = token.find_first_of("eE"); e != std::string_view::npos) {
    const size_t digits = token.find_first_of("0123456789", e);
    if (digits != std::string_view::npos && token.size() - digits > kExponentDigitsMax) {
      return fail(Code::CompileRejected,
                  "the exponent of " + quote_number(token) + " has more than five digits");
    }
  }
  auto number = parse_json(token);
  if (!number || !number->is_number()) {
    return fail(Code::CompileRejected,
                quote_number(token) + " is not a number that a double can hold");
  }
  return canonical_json(*number);
}

Json literal_to_json(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Boolean: return value.boolean;
    case Value::Kind::String:
    case Value::Kind::Enum: return value.text;
    case Value::Kind::Number: {
      auto number = parse_json(value.text);
      LATTICE_CHECK(number.has_value(), value.text);
      return std::move(*number);
    }
    case Value::Kind::Variable: LATTICE_CHECK(false, value.text); break;
    case Value::Kind::List: break;
  }
  Json::Array items;
  items.reserve(value.list.size());
  for (const Value& item : value.list) items.push_back(literal_to_json(item));
  return items;
}

}  // namespace lattice::schema
