// The lexical half of SelectionParser.
#include "base/utf8.h"
#include "schema/selection_parser.h"

namespace lattice::schema {

namespace {

constexpr uint32_t kNameBytesMax = 255;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_continue(char c) { return is_name_start(c) || is_digit(c); }

TokenKind punctuation(char c) {
  switch (c) {
    case '{': return TokenKind::BraceOpen;
    case '}': return TokenKind::BraceClose;
    case '(': return TokenKind::ParenOpen;
    case ')': return TokenKind::ParenClose;
    case '[': return TokenKind::BracketOpen;
    case ']': return TokenKind::BracketClose;
    case ':': return TokenKind::Colon;
    case '=': return TokenKind::Equals;
    case '$': return TokenKind::Dollar;
    case '?': return TokenKind::Question;
    case '@': return TokenKind::At;
    default: return TokenKind::End;
  }
}

// The sentence for a character that begins no token; what people of other languages write gets a hint.
std::string stray_character(std::string_view character) {
  std::string out = "`";
  out += character;
  out += "` is not part of the query language";
  switch (character.front()) {
    case '!': return out + ": types are required unless marked with `?`";
    case ';': return out + ": nothing separates selections but white space";
    case '\'': return out + ": strings stand in double quotes";
    case '.': return out + ": a spread has three dots, and a number begins with a digit";
    case '-': return out + " without digits after it";
    case '|':
    case '&': return out + ": list the alternatives as `... on Type { }`";
    default: return out;
  }
}

}  // namespace

std::string describe_token(const Token& token) {
  switch (token.kind) {
    case TokenKind::End: return "the end of the text";
    case TokenKind::String: return "a string";
    case TokenKind::Name:
    case TokenKind::Number: return "`" + token.text + "`";
    case TokenKind::BraceOpen: return "`{`";
    case TokenKind::BraceClose: return "`}`";
    case TokenKind::ParenOpen: return "`(`";
    case TokenKind::ParenClose: return "`)`";
    case TokenKind::BracketOpen: return "`[`";
    case TokenKind::BracketClose: return "`]`";
    case TokenKind::Colon: return "`:`";
    case TokenKind::Equals: return "`=`";
    case TokenKind::Dollar: return "`$`";
    case TokenKind::Question: return "`?`";
    case TokenKind::At: return "`@`";
    case TokenKind::Spread: return "`...`";
  }
  return "a token";
}

SelectionParser::SelectionParser(std::string_view text, uint32_t offset, SyntaxOptions options)
    : text_(text), options_(options), cursor_(offset), end_of_taken_(offset) {
  last_span_ = span(offset, offset);
}

const Token& SelectionParser::peek() {
  if (!has_token_) {
    token_ = lex();
    has_token_ = true;
  }
  return token_;
}

Token SelectionParser::take() {
  peek();
  has_token_ = false;
  end_of_taken_ = cursor_;
  last_span_ = token_.span;
  return std::move(token_);
}

bool SelectionParser::expect(TokenKind kind, std::string_view wanted, Token* out) {
  if (!at(kind)) {
    report(peek().span, "expected " + std::string(wanted) + ", found " + describe_token(peek()),
           "syntax");
    return false;
  }
  Token token = take();
  if (out != nullptr) *out = std::move(token);
  return true;
}

void SelectionParser::report(Span span, std::string message, std::string_view rule) {
  if (stopped_) return;
  diagnostics_.push_back({Severity::Error, std::move(message), span, {}, std::string(rule)});
  if (diagnostics_.size() >= options_.diagnostics_max) stopped_ = true;
}

Span SelectionParser::span(uint32_t begin, uint32_t end) const {
  return {begin + options_.span_base, end + options_.span_base};
}

Token SelectionParser::make(TokenKind kind, uint32_t begin) const {
  return {kind, {}, span(begin, cursor_)};
}

void SelectionParser::skip_line() {
  while (cursor_ < text_.size() && text_[cursor_] != '\n' && text_[cursor_] != '\r') ++cursor_;
}

void SelectionParser::skip_ignored() {
  while (cursor_ < text_.size()) {
    const char c = text_[cursor_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',') {
      ++cursor_;
    } else if (c == '#' || (options_.dash_comments && c == '-' && char_at(cursor_ + 1) == '-')) {
      skip_line();
    } else {
      return;
    }
  }
}

Token SelectionParser::lex() {
  while (true) {
    skip_ignored();
    if (stopped_) cursor_ = static_cast<uint32_t>(text_.size());
    if (cursor_ >= text_.size()) return make(TokenKind::End, cursor_);
    const uint32_t begin = cursor_;
    const char c = text_[cursor_];
    if (is_name_start(c)) {
      while (is_name_continue(char_at(cursor_))) ++cursor_;
      Token token = make(TokenKind::Name, begin);
      token.text = text_.substr(begin, std::min(cursor_ - begin, kNameBytesMax));
      if (cursor_ - begin > kNameBytesMax) {
        report(token.span, "a name is at most " + std::to_string(kNameBytesMax) + " bytes long",
               "name");
      }
      return token;
    }
    if (is_digit(c) || (c == '-' && is_digit(char_at(cursor_ + 1)))) return lex_number();
    if (c == '"') return lex_string();
    if (text_.substr(cursor_, 3) == "...") {
      cursor_ += 3;
      return make(TokenKind::Spread, begin);
    }
    if (const TokenKind kind = punctuation(c); kind != TokenKind::End) {
      ++cursor_;
      return make(kind, begin);
    }
    report_character();
  }
}

// Records the character at the cursor as out of place and moves past it.
void SelectionParser::report_character() {
  const uint32_t begin = cursor_;
  const char c = text_[cursor_];
  if (c == '.' && is_digit(char_at(cursor_ + 1))) {
    while (is_digit(char_at(++cursor_))) {}
    report(span(begin, cursor_),
           "a number begins with a digit: write `0" +
               std::string(text_.substr(begin, cursor_ - begin)) + "`",
           "number");
    return;
  }
  ++cursor_;
  while (cursor_ < text_.size() && (static_cast<uint8_t>(text_[cursor_]) & 0xC0) == 0x80) ++cursor_;
  std::string_view character = text_.substr(begin, cursor_ - begin);
  if (character == "\xEF\xBB\xBF") {
    report(span(begin, cursor_), "a byte order mark is not part of the query language", "character");
  } else if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) {
    report(span(begin, cursor_), "a control character is not part of the query language",
           "character");
  } else {
    report(span(begin, cursor_), stray_character(character), "character");
  }
}

Token SelectionParser::lex_number() {
  const uint32_t begin = cursor_;
  if (text_[cursor_] == '-') ++cursor_;
  const bool leading_zero = text_[cursor_] == '0' && is_digit(char_at(cursor_ + 1));
  while (is_digit(char_at(cursor_))) ++cursor_;
  std::string_view wrong = leading_zero ? "a number has no leading zero" : "";
  if (char_at(cursor_) == '.' && char_at(cursor_ + 1) != '.') {
    ++cursor_;
    if (!is_digit(char_at(cursor_))) wrong = "a number has digits after its point";
    while (is_digit(char_at(cursor_))) ++cursor_;
  }
  if (char_at(cursor_) == 'e' || char_at(cursor_) == 'E') {
    ++cursor_;
    if (char_at(cursor_) == '+' || char_at(cursor_) == '-') ++cursor_;
    if (!is_digit(char_at(cursor_))) wrong = "a number has digits after its exponent sign";
    while (is_digit(char_at(cursor_))) ++cursor_;
  }
  if (is_name_start(char_at(cursor_))) {
    wrong = "a number and a name need white space between them";
    while (is_name_continue(char_at(cursor_))) ++cursor_;
  }
  Token token = make(TokenKind::Number, begin);
  token.text = text_.substr(begin, cursor_ - begin);
  if (!wrong.empty()) {
    report(token.span, std::string(wrong) + ": `" + token.text + "`", "number");
    token.text = "1";
  }
  return token;
}

Token SelectionParser::lex_string() {
  const uint32_t begin = cursor_++;
  std::string contents;
  while (true) {
    const char c = char_at(cursor_);
    if (cursor_ >= text_.size() || c == '\n' || c == '\r') {
      report(span(begin, cursor_), "this string does not end on its line: close it with `\"`",
             "string");
      break;
    }
    if (c == '"') {
      ++cursor_;
      if (contents.empty() && cursor_ - begin == 2 && char_at(cursor_) == '"') {
        report(span(begin, cursor_ + 1), "block strings do not exist: write `\\n` in a string",
               "string");
        skip_line();
      }
      break;
    }
    if (c == '\\') {
      lex_escape(contents);
    } else {
      if (static_cast<uint8_t>(c) < 0x20) {
        report(span(cursor_, cursor_ + 1), "a control character in a string is written `\\u00..`",
               "string");
      }
      contents += c;
      ++cursor_;
    }
  }
  Token token = make(TokenKind::String, begin);
  token.text = std::move(contents);
  return token;
}

bool SelectionParser::read_hex4(uint32_t& out) {
  out = 0;
  for (uint32_t i = 0; i < 4; ++i) {
    const char c = char_at(cursor_ + i);
    uint32_t digit = 0;
    if (is_digit(c)) {
      digit = static_cast<uint32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      digit = static_cast<uint32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      digit = static_cast<uint32_t>(c - 'A' + 10);
    } else {
      return false;
    }
    out = out * 16 + digit;
  }
  cursor_ += 4;
  return true;
}

// One escape, the cursor on its backslash.
void SelectionParser::lex_escape(std::string& out) {
  static constexpr std::string_view kLetters = "\"\\/bfnrt";
  static constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const uint32_t begin = cursor_++;
  const char c = char_at(cursor_);
  if (const size_t index = kLetters.find(c); c != '\0' && index != std::string_view::npos) {
    out += kMeanings[index];
    ++cursor_;
    return;
  }
  if (c != 'u') {
    if (c != '\0' && c != '\n' && c != '\r') ++cursor_;
    report(span(begin, cursor_),
           "`" + std::string(text_.substr(begin, cursor_ - begin)) +
               "` is not an escape: JSON knows \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX",
           "string");
    return;
  }
  ++cursor_;
  uint32_t unit = 0;
  if (!read_hex4(unit)) {
    report(span(begin, cursor_), "`\\u` takes four hexadecimal digits", "string");
    return;
  }
  if (unit >= 0xD800 && unit <= 0xDBFF && char_at(cursor_) == '\\' && char_at(cursor_ + 1) == 'u') {
    const uint32_t after_high = cursor_;
    cursor_ += 2;
    uint32_t low = 0;
    if (read_hex4(low) && low >= 0xDC00 && low <= 0xDFFF) {
      append_code_point(out, static_cast<char32_t>(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)));
      return;
    }
    cursor_ = after_high;
  }
  if (unit >= 0xD800 && unit <= 0xDFFF) {
    report(span(begin, cursor_), "half of a surrogate pair stands alone", "string");
    return;
  }
  append_code_point(out, static_cast<char32_t>(unit));
}

}  // namespace lattice::schema
