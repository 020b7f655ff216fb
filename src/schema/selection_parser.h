// The lexer and the grammar of selection sets (spec §4.8), for src/query and for the IDL.
//
//   author(id: $id) @defer { name }   ──SelectionParser──▶ Selection, and the findings on the way
//
// The parser is a cursor over one text with one token of lookahead, which it reads only when asked. A
// finding that does not hide what follows (an alias, `null`, `@depth(0)`, a stray `;`) is recorded and
// parsing goes on; a function that returns false has recorded why and the cursor is lost. Not
// thread-safe; borrows the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/selection.h"

namespace lattice::schema {

enum class TokenKind : uint8_t {
  End, Name, Number, String, BraceOpen, BraceClose, ParenOpen, ParenClose, BracketOpen, BracketClose,
  Colon, Equals, Dollar, Question, At, Spread,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string text;  // a name or number as written; the contents of a string
  Span span;
};

// "`name`", "a string", "the end of the text": how messages name a token.
std::string describe_token(const Token& token);

// Words that no fragment, variable or enum value may be called (§4.8 rule 2).
bool is_reserved_word(std::string_view name);

struct SyntaxOptions {
  uint32_t nesting_max = 64;      // braces and brackets
  uint32_t diagnostics_max = 50;  // then the text counts as ended
  uint32_t span_base = 0;         // added to every span
  bool dash_comments = false;     // `--` to the end of the line, as in the IDL
};

class SelectionParser {
 public:
  // Starts at byte `offset` of `text`, which is less than 4 GiB long.
  SelectionParser(std::string_view text, uint32_t offset, SyntaxOptions options);

  const Token& peek();
  Token take();
  bool at(TokenKind kind) { return peek().kind == kind; }
  bool at_word(std::string_view word) { return at(TokenKind::Name) && peek().text == word; }
  // Takes the next token when it is of `kind`, into `out` if given; false and a finding otherwise.
  // `wanted` completes the sentence "expected ...".
  bool expect(TokenKind kind, std::string_view wanted, Token* out = nullptr);

  bool parse_selection_set(std::vector<Selection>& out);
  bool parse_selections_to_end(std::vector<Selection>& out);  // without braces
  bool parse_value(Value& out);
  bool parse_variable(Value& out);  // `$name`
  bool parse_arguments(std::vector<Argument>& out);  // with the parentheses
  bool parse_directive(Directive& out);              // custom ones; built-ins are findings

  void report(Span span, std::string message, std::string_view rule);
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  // Just past the last token taken, in `text` (without span_base).
  uint32_t offset() const { return end_of_taken_; }
  Span last_span() const { return last_span_; }

 private:
  Token lex();
  void skip_ignored();
  void skip_line();
  Token lex_number();
  void finish_number(Token& token);
  Token lex_string();
  void lex_escape(std::string& out);
  bool read_hex4(uint32_t& out);
  void report_character();
  Token make(TokenKind kind, uint32_t begin) const;
  Span span(uint32_t begin, uint32_t end) const;
  char char_at(uint32_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  bool parse_selection(Selection& out);
  bool parse_field(Selection& out);
  bool parse_field_directives(Selection& out);
  bool parse_depth(Selection& out, Span at);
  bool parse_defer(Selection& out, Span at);
  bool parse_spread(Selection& out);
  bool parse_list(Value& out);
  void take_name_value(Value& out);
  bool enter(Span at);

  std::string_view text_;
  SyntaxOptions options_;
  uint32_t cursor_;
  uint32_t end_of_taken_;
  uint32_t nesting_ = 0;
  bool has_token_ = false;
  bool stopped_ = false;  // too many findings
  Token token_;
  Span last_span_;
  std::vector<Diagnostic> diagnostics_;
};

// One Error of all findings, in source order; its sentence is the first one's.
Error error_of(Code code, std::vector<Diagnostic> diagnostics);

}  // namespace lattice::schema
