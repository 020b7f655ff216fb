#include "schema/selection_parser.h"

namespace lattice::schema {

namespace {

// @depth beyond this is a slip of the pen; budgets (§14.1) decide about everything below.
constexpr uint32_t kDepthMax = 1'000'000;

}  // namespace

bool is_reserved_word(std::string_view name) {
  return name == "query" || name == "fragment" || name == "import" || name == "on" ||
         name == "true" || name == "false";
}

Error error_of(Code code, std::vector<Diagnostic> diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(), [](const auto& left, const auto& right) {
    return left.span.begin < right.span.begin;
  });
  Error error;
  error.code = code;
  if (!diagnostics.empty()) error.message = diagnostics.front().message;
  error.diagnostics = std::move(diagnostics);
  return error;
}

bool SelectionParser::enter(Span at) {
  if (++nesting_ <= options_.nesting_max) return true;
  report(at, "nested more than " + std::to_string(options_.nesting_max) + " levels deep", "nesting");
  return false;
}

// SelectionSet = "{" Selection { Selection } "}"
bool SelectionParser::parse_selection_set(std::vector<Selection>& out) {
  Token open;
  if (!expect(TokenKind::BraceOpen, "`{`", &open)) return false;
  if (!enter(open.span)) return false;
  if (at(TokenKind::BraceClose)) {
    report({open.span.begin, peek().span.end}, "this selection set is empty: name at least one field",
           "empty-selection");
  }
  while (!at(TokenKind::BraceClose)) {
    if (at(TokenKind::End)) {
      report(open.span, "this `{` is never closed", "syntax");
      return false;
    }
    Selection selection;
    if (!parse_selection(selection)) return false;
    out.push_back(std::move(selection));
  }
  take();
  --nesting_;
  return true;
}

bool SelectionParser::parse_selections_to_end(std::vector<Selection>& out) {
  while (!at(TokenKind::End)) {
    if (!parse_selection(out.emplace_back())) return false;
  }
  return true;
}

bool SelectionParser::parse_selection(Selection& out) {
  if (at(TokenKind::Name)) return parse_field(out);
  if (at(TokenKind::Spread)) return parse_spread(out);
  report(peek().span, "expected a field, `...` or `}`, found " + describe_token(peek()), "syntax");
  return false;
}

// Field = Name [ Arguments ] [ Depth ] [ Defer ] { Directive } [ SelectionSet ]
bool SelectionParser::parse_field(Selection& out) {
  Token name = take();
  if (at(TokenKind::Colon)) {
    take();
    Token field;
    if (!expect(TokenKind::Name, "a field", &field)) return false;
    report(name.span,
           "aliases do not exist: `" + field.text + "` is read under its own name, without `" +
               name.text + ":`",
           "alias");
    name = std::move(field);
  }
  out.kind = Selection::Kind::Field;
  out.name = std::move(name.text);
  out.span = name.span;
  if (at(TokenKind::ParenOpen) && !parse_arguments(out.arguments)) return false;
  if (!parse_field_directives(out)) return false;
  if (!at(TokenKind::BraceOpen)) return true;
  out.has_selections = true;
  return parse_selection_set(out.selections);
}

bool SelectionParser::parse_field_directives(Selection& out) {
  while (at(TokenKind::At)) {
    const Token at_sign = take();
    if (at_word("depth")) {
      const Span at = {at_sign.span.begin, take().span.end};
      if (out.deferred || !out.directives.empty()) {
        report(at, "@depth stands directly after the arguments, before other directives",
               "directive-order");
      }
      if (!parse_depth(out, at)) return false;
      continue;
    }
    if (at_word("defer")) {
      const Span at = {at_sign.span.begin, take().span.end};
      if (!parse_defer(out, at)) return false;
      continue;
    }
    Directive directive;
    directive.span = at_sign.span;
    if (!parse_directive(directive)) return false;
    out.directives.push_back(std::move(directive));
  }
  return true;
}

// Depth = "@depth" "(" IntValue ")", after its name.
bool SelectionParser::parse_depth(Selection& out, Span at) {
  if (out.depth != 0) report(at, "@depth is given twice", "depth");
  Token number;
  if (!expect(TokenKind::ParenOpen, "`(` and the number of levels after @depth")) return false;
  if (!expect(TokenKind::Number, "the number of levels", &number)) return false;
  if (!expect(TokenKind::ParenClose, "`)`")) return false;
  uint32_t depth = 0;
  const char* end = number.text.data() + number.text.size();
  const auto [rest, error] = std::from_chars(number.text.data(), end, depth);
  if (rest != end || error != std::errc{} || depth == 0 || depth > kDepthMax) {
    report(number.span,
           "@depth takes a whole number of levels from 1 to " + std::to_string(kDepthMax) +
               ", not `" + number.text + "`",
           "depth");
    depth = 1;
  }
  out.depth = depth;
  return true;
}

// Defer = "@defer", after its name.
bool SelectionParser::parse_defer(Selection& out, Span at) {
  if (out.deferred) report(at, "@defer is given twice", "defer");
  if (!out.directives.empty()) {
    report(at, "@defer stands before other directives", "directive-order");
  }
  out.deferred = true;
  if (this->at(TokenKind::ParenOpen)) {
    report(peek().span, "@defer takes no arguments", "defer");
    std::vector<Argument> ignored;
    return parse_arguments(ignored);
  }
  return true;
}

// Directive = "@" Name [ Arguments ]; the `@` has been taken and `out.span` is its span.
bool SelectionParser::parse_directive(Directive& out) {
  Token name;
  if (!expect(TokenKind::Name, "the name of a directive", &name)) return false;
  out.name = std::move(name.text);
  out.span.end = name.span.end;
  if (out.name == "depth" || out.name == "defer") {
    report(out.span, "@" + out.name + " stands on a field only", "directive-place");
    out.name.clear();
    std::vector<Argument> ignored;
    if (!at(TokenKind::ParenOpen)) return true;
    return parse_arguments(ignored);
  }
  return !at(TokenKind::ParenOpen) || parse_arguments(out.arguments);
}

// FragmentSpread = "..." Name [ Arguments ] { Directive };  InlineFragment = "..." "on" Name SelectionSet
bool SelectionParser::parse_spread(Selection& out) {
  const Token dots = take();
  if (at(TokenKind::BraceOpen)) {
    report(dots.span, "an inline fragment names its type: `... on Type { }`", "syntax");
    return false;
  }
  Token name;
  if (!expect(TokenKind::Name, "the name of a fragment, or `on` and a type", &name)) return false;
  const bool is_inline = name.text == "on";
  if (is_inline && !expect(TokenKind::Name, "the type of this inline fragment", &name)) return false;
  out.kind = is_inline ? Selection::Kind::Inline : Selection::Kind::Spread;
  out.name = std::move(name.text);
  out.span = {dots.span.begin, name.span.end};
  if (is_inline) {
    if (at(TokenKind::At)) {
      report(peek().span, "an inline fragment takes no directives", "directive-place");
    }
    out.has_selections = true;
  } else if (is_reserved_word(out.name)) {
    report(name.span, "`" + out.name + "` is reserved and names no fragment", "reserved");
  }
  if (!is_inline && at(TokenKind::ParenOpen) && !parse_arguments(out.arguments)) return false;
  while (at(TokenKind::At)) {
    Directive directive;
    directive.span = take().span;
    if (!parse_directive(directive)) return false;
    if (!directive.name.empty()) out.directives.push_back(std::move(directive));
  }
  return !is_inline || parse_selection_set(out.selections);
}

// Arguments = "(" Argument { Argument } ")"
bool SelectionParser::parse_arguments(std::vector<Argument>& out) {
  Token open;
  if (!expect(TokenKind::ParenOpen, "`(`", &open)) return false;
  if (at(TokenKind::ParenClose)) {
    report({open.span.begin, peek().span.end}, "this argument list is empty: leave out `()`",
           "syntax");
  }
  while (!at(TokenKind::ParenClose)) {
    Token name;
    if (!expect(TokenKind::Name, "an argument or `)`", &name)) return false;
    if (!expect(TokenKind::Colon, "`:` and a value after `" + name.text + "`")) return false;
    Argument argument;
    argument.name = std::move(name.text);
    argument.span = name.span;
    if (!parse_value(argument.value)) return false;
    out.push_back(std::move(argument));
  }
  take();
  return true;
}

bool SelectionParser::parse_variable(Value& out) {
  Token dollar;
  Token name;
  if (!expect(TokenKind::Dollar, "a variable", &dollar)) return false;
  if (!expect(TokenKind::Name, "the name of a variable after `$`", &name)) return false;
  out.kind = Value::Kind::Variable;
  out.text = std::move(name.text);
  out.span = {dollar.span.begin, name.span.end};
  return true;
}

bool SelectionParser::parse_value(Value& out) {
  out.span = peek().span;
  switch (peek().kind) {
    case TokenKind::Dollar: return parse_variable(out);
    case TokenKind::Name: take_name_value(out); return true;
    case TokenKind::BracketOpen: return parse_list(out);
    case TokenKind::String:
      out.kind = Value::Kind::String;
      out.text = take().text;
      return true;
    case TokenKind::Number: {
      out.kind = Value::Kind::Number;
      auto spelled = canonical_number(peek().text);
      if (!spelled) report(out.span, spelled.error().message, "number");
      out.text = spelled ? std::move(*spelled) : "0";
      take();
      return true;
    }
    case TokenKind::BraceOpen:
      report(out.span, "there are no object values: pass the value in a variable", "syntax");
      return false;
    default:
      report(out.span, "expected a value, found " + describe_token(peek()), "syntax");
      return false;
  }
}

// BooleanValue, EnumValue, and the names that are neither.
void SelectionParser::take_name_value(Value& out) {
  Token name = take();
  if (name.text == "true" || name.text == "false") {
    out.kind = Value::Kind::Boolean;
    out.boolean = name.text == "true";
    return;
  }
  if (name.text == "null") {
    report(name.span, "null is not a value: leave the argument out", "null");
  } else if (is_reserved_word(name.text)) {
    report(name.span, "`" + name.text + "` is reserved and is no enum value", "reserved");
  }
  out.kind = Value::Kind::Enum;
  out.text = std::move(name.text);
}

bool SelectionParser::parse_list(Value& out) {
  const Token open = take();
  if (!enter(open.span)) return false;
  out.kind = Value::Kind::List;
  while (!at(TokenKind::BracketClose)) {
    if (at(TokenKind::End)) {
      report(open.span, "this `[` is never closed", "syntax");
      return false;
    }
    if (!parse_value(out.list.emplace_back())) return false;
  }
  out.span = {open.span.begin, take().span.end};
  --nesting_;
  return true;
}

}  // namespace lattice::schema
