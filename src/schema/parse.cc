// The cursor, the declarations, and how parsing goes on behind a mistake.
#include "schema/parse.h"

#include <charconv>

namespace lattice::schema {

using syntax::Word;

syntax::Document parse_document(std::string_view text, std::vector<Diagnostic>& diagnostics) {
  return IdlParser(text, diagnostics).parse();
}

IdlParser::IdlParser(std::string_view text, std::vector<Diagnostic>& diagnostics)
    : text_(text), diagnostics_(diagnostics), tokens_(lex_document(text, diagnostics)) {
  scan_generic_types();
}

syntax::Document IdlParser::parse() {
  uint32_t declaration_count = 0;
  while (!at(Kind::End) && !is_full()) {
    if (++declaration_count > kDeclarationsMax) {
      fail_at(peek().span,
              "a document has at most " + std::to_string(kDeclarationsMax) + " declarations",
              "limit");
      break;
    }
    const size_t before = index_;
    if (parse_declaration()) continue;
    if (index_ == before && !at(Kind::End)) take();
    skip_to_declaration();
  }
  return std::move(document_);
}

// --- The cursor ---

const IdlToken& IdlParser::peek(size_t ahead) const {
  return tokens_[std::min(index_ + ahead, tokens_.size() - 1)];
}

const IdlToken& IdlParser::take() {
  const IdlToken& token = peek();
  end_of_taken_ = token.span.end;
  if (index_ + 1 < tokens_.size()) ++index_;
  return token;
}

std::string_view IdlParser::text_of(const IdlToken& token) const {
  return text_.substr(token.span.begin, token.span.end - token.span.begin);
}

bool IdlParser::at_word(std::string_view word, size_t ahead) const {
  return peek(ahead).kind == Kind::Name && text_of(peek(ahead)) == word;
}

bool IdlParser::at_clause(std::string_view word) const {
  return at_word(word) && peek(1).kind != Kind::Colon && peek(1).kind != Kind::ParenOpen;
}

bool IdlParser::accept(Kind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

bool IdlParser::accept_word(std::string_view word) {
  if (!at_word(word)) return false;
  take();
  return true;
}

bool IdlParser::fail_at(Span span, std::string message, std::string_view rule) {
  if (!is_full()) {
    diagnostics_.push_back({Severity::Error, std::move(message), span, {}, std::string(rule)});
  }
  return false;
}

bool IdlParser::fail_expected(std::string_view wanted) {
  return fail_at(peek().span,
                 "expected " + std::string(wanted) + ", found " + describe_token(peek(), text_));
}

bool IdlParser::expect(Kind kind, std::string_view wanted) {
  return accept(kind) || fail_expected(wanted);
}

bool IdlParser::expect_word(std::string_view word, std::string_view context) {
  return accept_word(word) || fail_expected("`" + std::string(word) + "` " + std::string(context));
}

bool IdlParser::expect_name(Word& out, std::string_view wanted) {
  if (!at(Kind::Name)) return fail_expected(wanted);
  const IdlToken& token = take();
  out = {std::string(text_of(token)), token.span};
  if (out.text.find('-') != std::string::npos) {
    fail_at(token.span, "`" + out.text + "` is no name: names have letters, digits and `_`",
            "name");
  }
  return true;
}

bool IdlParser::expect_number(syntax::Number& out, std::string_view wanted) {
  if (!at(Kind::Number)) return fail_expected(wanted);
  const IdlToken& token = take();
  const std::string_view digits = text_of(token);
  const auto [rest, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), out.value);
  out.span = token.span;
  constexpr uint32_t kNumberMax = 1'000'000'000;
  if (rest == digits.data() + digits.size() && error == std::errc{} && out.value <= kNumberMax) {
    return true;
  }
  return fail_at(token.span, "expected " + std::string(wanted) + " from 0 to " +
                                 std::to_string(kNumberMax) + ", found `" + std::string(digits) +
                                 "`");
}

bool IdlParser::expect_string(Word& out, std::string_view wanted) {
  if (!at(Kind::String)) return fail_expected(wanted);
  const IdlToken& token = take();
  out.span = token.span;
  auto contents = decode_string(text_of(token));
  if (contents) {
    out.text = std::move(*contents);
  } else if (text_of(token).ends_with('"')) {  // else the lexer has reported it
    fail_at(token.span, contents.error().message, "string");
  }
  return true;
}

// --- Declarations ---

bool IdlParser::at_declaration(size_t ahead) const {
  static constexpr std::string_view kWords[] = {
      "schema", "claims", "directive", "newtype", "data", "enum",    "interface",
      "entity", "extend", "fragment",  "get",     "list", "mutation"};
  const IdlToken& token = peek(ahead);
  if (token.kind != Kind::Name || token.depth != 0) return false;
  const Kind next = peek(ahead + 1).kind;
  if (next != Kind::Name && next != Kind::BraceOpen && next != Kind::At) return false;
  return std::find(std::begin(kWords), std::end(kWords), text_of(token)) != std::end(kWords);
}

void IdlParser::skip_to_declaration() {
  while (!at(Kind::End)) {
    if (at_declaration(0)) return;
    // A description or a directive on a line of its own belongs to the next declaration.
    if (peek().depth == 0 && peek().first_on_line && (at(Kind::String) || at(Kind::At))) return;
    take();
  }
}

void IdlParser::skip_to_member(uint16_t block_depth) {
  while (!at(Kind::End)) {
    const IdlToken& token = peek();
    if (token.depth < block_depth) return;  // the closing brace
    if (token.depth == block_depth && token.first_on_line) return;
    take();
  }
}

// `newtype Page a = ..`: how many arguments a type takes must be known before it is used.
void IdlParser::scan_generic_types() {
  for (size_t i = 0; i + 2 < tokens_.size(); ++i) {
    if (tokens_[i].depth != 0 || tokens_[i].kind != Kind::Name) continue;
    const std::string_view word = text_of(tokens_[i]);
    if (word != "newtype" && word != "data") continue;
    if (tokens_[i + 1].kind != Kind::Name) continue;
    size_t count = 0;
    for (size_t j = i + 2; tokens_[j].kind == Kind::Name; ++j) {
      const std::string_view parameter = text_of(tokens_[j]);
      if (parameter == "open" || parameter == "closed") break;
      ++count;
    }
    if (count > 0) generic_types_.emplace(text_of(tokens_[i + 1]), count);
  }
}

bool IdlParser::parse_declaration() {
  syntax::Metadata metadata;
  if (!parse_metadata(metadata)) return false;
  if (accept(Kind::Comma)) return true;
  return parse_declaration_after(std::move(metadata));
}

bool IdlParser::parse_declaration_after(syntax::Metadata metadata) {
  if (accept_word("schema")) return parse_schema_line(std::move(metadata));
  if (accept_word("claims")) return parse_claims(metadata);
  if (accept_word("directive")) return parse_directive(std::move(metadata));
  if (accept_word("newtype")) return parse_newtype(std::move(metadata));
  if (accept_word("data")) return parse_data(std::move(metadata));
  if (accept_word("enum")) return parse_enum(std::move(metadata));
  if (accept_word("interface")) return parse_interface(std::move(metadata));
  if (accept_word("entity")) return parse_entity(std::move(metadata));
  if (accept_word("extend")) return parse_extension(std::move(metadata));
  if (accept_word("fragment")) return parse_fragment(std::move(metadata));
  if (accept_word("get")) return parse_root(std::move(metadata), false);
  if (accept_word("list")) return parse_root(std::move(metadata), true);
  if (accept_word("mutation")) return parse_mutation(std::move(metadata));
  return fail_expected(
      "a declaration (schema, claims, directive, newtype, data, enum, interface, entity, extend, "
      "fragment, get, list, mutation)");
}

// schema Name { "." Name } [ Cache ]
bool IdlParser::parse_schema_line(syntax::Metadata metadata) {
  syntax::SchemaLine line;
  line.metadata = std::move(metadata);
  if (!at(Kind::Name)) return fail_expected("the name of the schema, such as `api.example.com`");
  const uint32_t begin = peek().span.begin;
  line.name.text = text_of(take());
  while (accept(Kind::Dot)) {
    if (!at(Kind::Name) && !at(Kind::Number) && !at(Kind::Quantity)) {
      return fail_expected("the next part of the schema's name");
    }
    line.name.text += '.';
    line.name.text += text_of(take());
  }
  line.name.span = span_from(begin);
  if (at_clause("cache")) {
    line.cache.emplace();
    if (!parse_cache_clause(*line.cache)) return false;
  }
  document_.schema_lines.push_back(std::move(line));
  return true;
}

}  // namespace lattice::schema
