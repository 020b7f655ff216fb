#include "schema/lex.h"

#include "base/json.h"
#include "base/utf8.h"

namespace lattice::schema {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Lexer {
 public:
  Lexer(std::string_view text, std::vector<Diagnostic>& diagnostics)
      : text_(text), diagnostics_(diagnostics) {}

  std::vector<IdlToken> run() {
    while (cursor_ < text_.size() && !stopped_) lex_one();
    if (stopped_) cursor_ = static_cast<uint32_t>(text_.size());
    push(IdlTokenKind::End, cursor_);
    return std::move(tokens_);
  }

 private:
  char at(uint32_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }

  void push(IdlTokenKind kind, uint32_t begin) {
    tokens_.push_back({kind, line_begins_, depth_, {begin, cursor_}});
    line_begins_ = false;
  }

  void report(uint32_t begin, std::string message, std::string_view rule) {
    diagnostics_.push_back(
        {Severity::Error, std::move(message), {begin, cursor_}, {}, std::string(rule)});
    if (diagnostics_.size() >= kFindingsMax) stopped_ = true;
  }

  void lex_one() {
    const uint32_t begin = cursor_;
    const char c = text_[cursor_];
    if (c == '\n') line_begins_ = true;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      ++cursor_;
    } else if (c == '#' || (c == '-' && at(cursor_ + 1) == '-')) {
      while (cursor_ < text_.size() && text_[cursor_] != '\n') ++cursor_;
    } else if (is_letter(c)) {
      lex_name();
    } else if (is_digit(c) || (c == '-' && is_digit(at(cursor_ + 1)))) {
      lex_number();
    } else if (c == '"') {
      lex_string();
    } else if (text_.substr(cursor_, 3) == "...") {
      cursor_ += 3;
      push(IdlTokenKind::Spread, begin);
    } else if (text_.substr(cursor_, 2) == "->") {
      cursor_ += 2;
      push(IdlTokenKind::Arrow, begin);
    } else {
      lex_punctuation(c);
    }
  }

  // Names may hold inner hyphens: `last-writer-wins`.
  void lex_name() {
    const uint32_t begin = cursor_;
    while (is_letter(at(cursor_)) || is_digit(at(cursor_)) ||
           (at(cursor_) == '-' && (is_letter(at(cursor_ + 1)) || is_digit(at(cursor_ + 1))))) {
      ++cursor_;
    }
    if (cursor_ - begin > kNameBytesMax) {
      report(begin, "a name has at most " + std::to_string(kNameBytesMax) + " bytes", "name");
    }
    push(IdlTokenKind::Name, begin);
  }

  // A JSON number, or a number with a unit (`30s`).
  void lex_number() {
    const uint32_t begin = cursor_;
    if (text_[cursor_] == '-') ++cursor_;
    const uint32_t digits = cursor_;
    while (is_digit(at(cursor_))) ++cursor_;
    if (text_[digits] == '0' && cursor_ - digits > 1) {
      report(begin, "a number has no leading zero", "number");
    }
    if (at(cursor_) == '.' && is_digit(at(cursor_ + 1))) {
      ++cursor_;
      while (is_digit(at(cursor_))) ++cursor_;
    }
    const char sign = at(cursor_ + 1);
    if ((at(cursor_) == 'e' || at(cursor_) == 'E') &&
        (is_digit(sign) || ((sign == '+' || sign == '-') && is_digit(at(cursor_ + 2))))) {
      cursor_ += 2;
      while (is_digit(at(cursor_))) ++cursor_;
    }
    const bool has_unit = is_letter(at(cursor_));
    while (is_letter(at(cursor_)) || is_digit(at(cursor_))) ++cursor_;
    push(has_unit ? IdlTokenKind::Quantity : IdlTokenKind::Number, begin);
  }

  void lex_string() {
    const uint32_t begin = cursor_++;
    while (cursor_ < text_.size() && text_[cursor_] != '"' && text_[cursor_] != '\n') {
      cursor_ +=
          text_[cursor_] == '\\' && at(cursor_ + 1) != '\n' && cursor_ + 1 < text_.size() ? 2 : 1;
    }
    if (at(cursor_) != '"') {
      report(begin,
             "this string does not end on its line: close it with `\"`, write `\\n` for a "
             "line end",
             "string");
    } else {
      ++cursor_;
    }
    push(IdlTokenKind::String, begin);
  }

  void open(IdlTokenKind kind, uint32_t begin) {
    ++cursor_;
    push(kind, begin);
    if (++depth_ > kNestingMax) {
      report(begin, "nested more than " + std::to_string(kNestingMax) + " levels deep", "nesting");
      stopped_ = true;
    }
  }
  void close(IdlTokenKind kind, uint32_t begin) {
    ++cursor_;
    if (depth_ > 0) --depth_;
    push(kind, begin);
  }
  void single(IdlTokenKind kind, uint32_t begin) {
    ++cursor_;
    push(kind, begin);
  }

  void lex_punctuation(char c) {
    const uint32_t begin = cursor_;
    switch (c) {
      case '{':
        return open(IdlTokenKind::BraceOpen, begin);
      case '(':
        return open(IdlTokenKind::ParenOpen, begin);
      case '[':
        return open(IdlTokenKind::BracketOpen, begin);
      case '}':
        return close(IdlTokenKind::BraceClose, begin);
      case ')':
        return close(IdlTokenKind::ParenClose, begin);
      case ']':
        return close(IdlTokenKind::BracketClose, begin);
      case ':':
        return single(IdlTokenKind::Colon, begin);
      case ',':
        return single(IdlTokenKind::Comma, begin);
      case '=':
        return single(IdlTokenKind::Equals, begin);
      case '?':
        return single(IdlTokenKind::Question, begin);
      case '|':
        return single(IdlTokenKind::Pipe, begin);
      case '.':
        return single(IdlTokenKind::Dot, begin);
      case '+':
        return single(IdlTokenKind::Plus, begin);
      case '@':
        return single(IdlTokenKind::At, begin);
      case '$':
        return single(IdlTokenKind::Dollar, begin);
      case '/':
        return single(IdlTokenKind::Slash, begin);
      default:
        return report_character(c);
    }
  }

  void report_character(char c) {
    const uint32_t begin = cursor_++;
    while ((static_cast<uint8_t>(at(cursor_)) & 0xC0) == 0x80) ++cursor_;
    const std::string_view character = text_.substr(begin, cursor_ - begin);
    if (character == "\xEF\xBB\xBF" && begin == 0) return;  // a byte order mark says nothing
    if (static_cast<uint8_t>(c) < 0x20 || c == 0x7F) {
      return report(begin, "a control character is not part of the IDL", "character");
    }
    std::string message = "`" + std::string(character) + "` is not part of the IDL";
    if (c == ';') message += ": nothing ends a line but the line end";
    if (c == '!') message += ": types are required unless marked with `?`";
    if (c == '\'') message += ": strings stand in double quotes";
    report(begin, std::move(message), "character");
  }

  std::string_view text_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<IdlToken> tokens_;
  uint32_t cursor_ = 0;
  uint16_t depth_ = 0;
  bool line_begins_ = true;
  bool stopped_ = false;
};

}  // namespace

std::vector<IdlToken> lex_document(std::string_view text, std::vector<Diagnostic>& diagnostics) {
  return Lexer(text, diagnostics).run();
}

std::string describe_token(const IdlToken& token, std::string_view text) {
  switch (token.kind) {
    case IdlTokenKind::End:
      return "the end of the document";
    case IdlTokenKind::String:
      return "a string";
    default:
      break;
  }
  return "`" + std::string(text.substr(token.span.begin, token.span.end - token.span.begin)) + "`";
}

Result<std::string> decode_string(std::string_view quoted) {
  auto value = parse_json(quoted);
  if (value && value->is_string()) return value->as_string();
  return fail(Code::SchemaInvalid,
              "this string is no JSON string: " +
                  (value ? std::string("expected a string") : value.error().message));
}

}  // namespace lattice::schema
