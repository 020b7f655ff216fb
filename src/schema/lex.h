// The tokens of the IDL (spec §3.4).
//
//   id: Text? -- the key   ──lex_document──▶   Name Colon Name Question End
//
// Tokens are small and borrow nothing: their text is the span of the source. White space, line ends
// and comments (`--`, `#`) separate tokens and mean nothing else; a comma is a token, because some
// lists need it. Values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lattice::schema {

// Limits of one document. What goes beyond is refused with the place.
inline constexpr uint32_t kDocumentBytesMax = 2 << 20;
inline constexpr uint32_t kNameBytesMax = 128;
inline constexpr uint16_t kNestingMax = 64;  // braces, brackets and parentheses
inline constexpr uint32_t kDeclarationsMax = 20'000;
inline constexpr uint32_t kMembersMax = 4'000;  // of one declaration
inline constexpr uint32_t kListMax = 256;           // of names in one clause, arguments, unions
inline constexpr uint32_t kFindingsMax = 100;   // diagnostics; then the work ends

enum class IdlTokenKind : uint8_t {
  End,
  Name,
  Number,
  Quantity,
  String,
  BraceOpen,
  BraceClose,
  ParenOpen,
  ParenClose,
  BracketOpen,
  BracketClose,
  Colon,
  Comma,
  Equals,
  Question,
  Pipe,
  Dot,
  Plus,
  At,
  Dollar,
  Spread,
  Arrow,
  Slash,
};

struct IdlToken {
  IdlTokenKind kind = IdlTokenKind::End;
  bool first_on_line = false;
  uint16_t depth = 0;  // open braces around it; a brace has the depth outside
  Span span;
};

// All tokens of `text`, an End last. Findings go to `diagnostics`; lexing goes on behind them,
// except behind nesting that is too deep. `text` has at most kDocumentBytesMax bytes.
std::vector<IdlToken> lex_document(std::string_view text, std::vector<Diagnostic>& diagnostics);

// "`{`", "a string", "the end of the document": how messages name a token.
std::string describe_token(const IdlToken& token, std::string_view text);

// The contents of a string token. Errors: lattice:schema-invalid when an escape is wrong.
Result<std::string> decode_string(std::string_view quoted);

}  // namespace lattice::schema
