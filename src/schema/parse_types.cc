// The type language and its declarations (spec §3.5.2).
#include <charconv>

#include "schema/parse.h"

namespace lattice::schema {

using syntax::Word;

// Type = Core [ "?" ]
bool IdlParser::parse_type(Type& out) {
  const uint32_t begin = peek().span.begin;
  if (!parse_type_core(out)) return false;
  out.span = span_from(begin);
  if (!accept(Kind::Question)) return true;
  if (at(Kind::Question))
    return fail_at(peek().span, "the type is optional already: one `?` will do");
  Type option;
  option.kind = Type::Kind::Option;
  option.arguments.push_back(std::move(out));
  option.span = span_from(begin);
  out = std::move(option);
  return true;
}

// Core = List | "(" Type ")" | Name { Atom } [ Refinements ]
bool IdlParser::parse_type_core(Type& out) {
  if (at(Kind::BracketOpen)) return parse_list_type(out);
  if (accept(Kind::ParenOpen)) return parse_type(out) && expect(Kind::ParenClose, "`)`");
  return parse_named_type(out, false);
}

// What stands as an argument: a list, a plain name, or anything in parentheses.
bool IdlParser::parse_type_atom(Type& out) {
  const uint32_t begin = peek().span.begin;
  if (accept(Kind::ParenOpen)) {
    if (!parse_type(out) || !expect(Kind::ParenClose, "`)`")) return false;
  } else if (at(Kind::BracketOpen)) {
    if (!parse_list_type(out)) return false;
  } else if (!parse_named_type(out, true)) {
    return false;
  }
  out.span = span_from(begin);
  return true;
}

// "[" Type "]" [ "+" ]
bool IdlParser::parse_list_type(Type& out) {
  take();
  out.kind = Type::Kind::List;
  if (!parse_type(out.arguments.emplace_back())) return false;
  if (!expect(Kind::BracketClose, "`]`")) return false;
  if (accept(Kind::Plus)) out.kind = Type::Kind::NonEmptyList;
  return true;
}

bool IdlParser::parse_named_type(Type& out, bool is_atom) {
  if (!at(Kind::Name)) return fail_expected("a type");
  const IdlToken token = peek();
  // A small word on the next line is no type, but the member behind a forgotten one.
  if (token.first_on_line && text_of(token).front() >= 'a') return fail_expected("a type");
  const std::string_view name = text_of(take());
  size_t argument_count = 0;
  if (name == "Vec" || name == "Set" || name == "Map") {
    out.kind = name == "Vec" ? Type::Kind::Vec : name == "Set" ? Type::Kind::Set : Type::Kind::Map;
    argument_count = name == "Map" ? 2 : 1;
  } else if (const auto primitive = find_primitive(name)) {
    out.kind = Type::Kind::Primitive;
    out.primitive = *primitive;
  } else {
    out.kind = Type::Kind::Named;
    out.name = name;
    if (const auto generic = generic_types_.find(name); generic != generic_types_.end()) {
      argument_count = generic->second;
    }
  }
  const bool is_bit = out.kind == Type::Kind::Primitive && out.primitive == Primitive::Bit;
  if (is_atom && (argument_count > 0 || is_bit)) {
    return fail_at(token.span, "`" + std::string(name) +
                                   "` with its arguments stands in "
                                   "parentheses here: `(" +
                                   std::string(name) + " ..)`");
  }
  const bool takes_size = out.kind == Type::Kind::Vec || is_bit ||
                          (out.kind == Type::Kind::Primitive && out.primitive == Primitive::Bytes &&
                           at(Kind::Number) && !is_atom);
  if (takes_size && !parse_size(out)) return false;
  if (!parse_type_arguments(out, argument_count)) return false;
  return !at_refinements() || parse_refinements(out);
}

bool IdlParser::parse_type_arguments(Type& out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (!parse_type_atom(out.arguments.emplace_back())) return false;
  }
  return true;
}

bool IdlParser::parse_size(Type& out) {
  constexpr uint32_t kSizeMax = 1 << 20;
  syntax::Number number;
  if (!expect_number(number, "a length")) return false;
  if (number.value == 0 || number.value > kSizeMax) {
    return fail_at(number.span, "a length is from 1 to " + std::to_string(kSizeMax));
  }
  out.size = number.value;
  return true;
}

bool IdlParser::at_refinements() const {
  return at(Kind::ParenOpen) &&
         (at_word("len", 1) || at_word("min", 1) || at_word("max", 1) || at_word("match", 1));
}

// "(" Refinement { "," Refinement } ")"
bool IdlParser::parse_refinements(Type& out) {
  take();
  while (!accept(Kind::ParenClose)) {
    if (!has_room(out.refinements.size(), kListMax, "refinements of one type")) return false;
    if (!parse_refinement(out.refinements.emplace_back())) return false;
    accept(Kind::Comma);
  }
  return true;
}

// "len" Number | "min" Number | "max" Number | "match" String
bool IdlParser::parse_refinement(Refinement& out) {
  if (accept_word("match")) {
    Word pattern;
    if (!expect_string(pattern, "a pattern in quotes after `match`")) return false;
    out.kind = Refinement::Kind::Match;
    out.bound = Json(pattern.text);
    append_json_string(out.spelled, pattern.text);
    return true;
  }
  if (accept_word("len")) {
    out.kind = Refinement::Kind::Len;
  } else if (accept_word("min")) {
    out.kind = Refinement::Kind::Min;
  } else if (accept_word("max")) {
    out.kind = Refinement::Kind::Max;
  } else {
    return fail_expected("len, min, max, match or `)`");
  }
  if (!at(Kind::Number)) return fail_expected("a number");
  Value number;
  if (!parse_value(number)) return false;
  out.bound = literal_to_json(number);
  out.spelled = std::move(number.text);
  return true;
}

// --- Declarations ---

// Name { parameter } [ "open" | "closed" ]
bool IdlParser::parse_type_head(syntax::TypeDeclaration& out) {
  if (!expect_name(out.name, "the name of a type")) return false;
  while (at(Kind::Name) && !at_word("open") && !at_word("closed")) {
    if (!has_room(out.parameters.size(), kListMax, "parameters of one type")) return false;
    if (!expect_name(out.parameters.emplace_back(), "a type parameter")) return false;
  }
  return parse_openness(out);
}

bool IdlParser::parse_openness(syntax::TypeDeclaration& out) {
  if (accept_word("open")) {
    out.is_open = true;
  } else if (accept_word("closed")) {
    out.is_open = false;
  }
  return true;
}

bool IdlParser::parse_newtype(syntax::Metadata metadata) {
  syntax::TypeDeclaration declaration;
  declaration.metadata = std::move(metadata);
  if (!parse_type_head(declaration)) return false;
  if (declaration.is_open)
    return fail_at(declaration.name.span, "a newtype is neither open nor closed");
  if (!expect(Kind::Equals, "`=` and a type after `newtype " + declaration.name.text + "`"))
    return false;
  if (!parse_type(declaration.underlying)) return false;
  document_.types.push_back(std::move(declaration));
  return true;
}

// data X { .. }   |   data X [open|closed] = A { .. } | B
bool IdlParser::parse_data(syntax::Metadata metadata) {
  syntax::TypeDeclaration declaration;
  declaration.kind = TypeDeclaration::Kind::Data;
  declaration.metadata = std::move(metadata);
  if (!parse_type_head(declaration)) return false;
  if (at(Kind::BraceOpen)) {
    declaration.is_brace_form = true;
    syntax::Constructor& constructor = declaration.constructors.emplace_back();
    constructor.name = declaration.name;
    if (!parse_record(constructor)) return false;
  } else {
    if (!expect(Kind::Equals, "`{` or `=` after `data " + declaration.name.text + "`"))
      return false;
    if (!parse_constructors(declaration.constructors)) return false;
  }
  document_.types.push_back(std::move(declaration));
  return true;
}

// Constructor { "|" Constructor }, with an optional leading bar.
bool IdlParser::parse_constructors(std::vector<syntax::Constructor>& out) {
  accept(Kind::Pipe);
  do {
    if (!has_room(out.size(), kMembersMax, "constructors of one type")) return false;
    syntax::Constructor& constructor = out.emplace_back();
    if (!expect_name(constructor.name, "a constructor")) return false;
    if (at(Kind::BraceOpen) && !parse_record(constructor)) return false;
  } while (accept(Kind::Pipe));
  return true;
}

// "{" { [ String ] Name ":" Type } "}"
bool IdlParser::parse_record(syntax::Constructor& out) {
  take();
  while (!accept(Kind::BraceClose)) {
    if (!has_room(out.fields.size(), kMembersMax, "members of one record")) return false;
    Word description;
    if (at(Kind::String) && !expect_string(description, "a description")) return false;
    if (at(Kind::At)) return fail_at(peek().span, "directives stand before the whole type");
    Word name;
    if (!expect_name(name, "a member of " + out.name.text + " or `}`")) return false;
    if (!expect(Kind::Colon, "`:` and a type after `" + name.text + "`")) return false;
    DataField& field = out.fields.emplace_back();
    if (!parse_type(field.type)) return false;
    field.name = std::move(name.text);
    field.description = std::move(description.text);
    field.span = name.span;
    accept(Kind::Comma);
  }
  return true;
}

// enum X open|closed = A | B
bool IdlParser::parse_enum(syntax::Metadata metadata) {
  syntax::TypeDeclaration declaration;
  declaration.kind = TypeDeclaration::Kind::Enum;
  declaration.metadata = std::move(metadata);
  if (!parse_type_head(declaration)) return false;
  if (!expect(Kind::Equals, "`=` and the values after `enum " + declaration.name.text + "`"))
    return false;
  accept(Kind::Pipe);
  do {
    if (!has_room(declaration.values.size(), kMembersMax, "values of one enum")) return false;
    if (!expect_name(declaration.values.emplace_back(), "a value of the enum")) return false;
  } while (accept(Kind::Pipe));
  document_.types.push_back(std::move(declaration));
  return true;
}

}  // namespace lattice::schema
