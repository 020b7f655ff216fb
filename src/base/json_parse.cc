// parse_json: a recursive descent over the bytes. Every rule of RFC 8259 is checked here; UTF-8 is
// checked once for the whole text before.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"

namespace lattice {
namespace {

// Objects with more members than this look for equal keys by sorting at their end, in place of a
// scan per member.
constexpr size_t kScanMembersMax = 16;
// Growing from one to two to four elements would move each several times.
constexpr size_t kFirstReserve = 4;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Scanning for the end of a run of plain string bytes is most of the work: one table look-up a
// byte.
constexpr std::array<bool, 256> make_plain_bytes() {
  std::array<bool, 256> plain{};
  for (size_t byte = 0x20; byte < plain.size(); ++byte) plain[byte] = byte != '"' && byte != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlainBytes = make_plain_bytes();

// The functions that read return false after they have set `error_`: a Result at every step would
// move each value several times.
class Parser {
 public:
  Parser(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  Result<Json> parse_document() {
    size_t invalid = find_invalid_utf8(text_);
    Json value;
    bool is_read = invalid == std::string_view::npos
                       ? parse_value(value)
                       : broken("not valid UTF-8", invalid, invalid + 1);
    if (is_read) {
      skip_space();
      is_read = at_ == text_.size() || unexpected("the end of the text");
    }
    if (!is_read) return fail(std::move(error_));
    return value;
  }

 private:
  bool broken(std::string message, size_t begin, size_t end) {
    error_.code = Code::Encoding;
    error_.message = "JSON: " + std::move(message) + " at offset " + std::to_string(begin);
    Span span{static_cast<uint32_t>(begin), static_cast<uint32_t>(std::min(end, text_.size()))};
    error_.diagnostics.push_back({Severity::Error, error_.message, span, {}, {}});
    return false;
  }

  // The next byte is not what the grammar wants.
  bool unexpected(std::string_view wanted) {
    std::string message = "expected " + std::string(wanted);
    if (at_ >= text_.size()) return broken(message + ", the text ends", at_, at_);
    size_t end = at_;
    next_code_point(text_, end);
    auto byte = static_cast<uint8_t>(text_[at_]);
    if (byte >= 0x20 && byte != 0x7f) {
      message += ", found `" + std::string(text_.substr(at_, end - at_)) + "`";
    } else {
      message += ", found a control character";
    }
    return broken(std::move(message), at_, end);
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }

  bool parse_value(Json& out) {
    skip_space();
    switch (peek()) {
      case '{':
        return parse_object(out);
      case '[':
        return parse_array(out);
      case '"':
        return parse_string(out.emplace_string());
      case 't':
        out = Json(true);
        return take_word("true");
      case 'f':
        out = Json(false);
        return take_word("false");
      case 'n':
        return take_word("null");
      default:
        return parse_number(out);
    }
  }

  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return unexpected("a JSON value");
    at_ += word.size();
    return true;
  }

  // Moves past the bracket that begins an array or object.
  bool enter() {
    if (depth_ == limits_.depth_max) {
      return broken("nested deeper than the limit of " + std::to_string(limits_.depth_max), at_,
                    at_ + 1);
    }
    ++depth_;
    ++at_;
    skip_space();
    return true;
  }

  bool parse_array(Json& out) {
    Json::Array& items = out.emplace_array();
    if (!enter()) return false;
    if (!take(']')) {
      items.reserve(kFirstReserve);
      while (true) {
        if (!parse_value(items.emplace_back())) return false;
        skip_space();
        if (take(']')) break;
        if (!take(',')) return unexpected("`,` or `]`");
      }
    }
    --depth_;
    return true;
  }

  bool parse_object(Json& out) {
    Json::Object& members = out.emplace_object();
    size_t first_key = key_begins_.size();
    if (!enter()) return false;
    if (!take('}')) {
      members.reserve(kFirstReserve);
      while (true) {
        skip_space();
        if (peek() != '"') return unexpected("a member name in quotes");
        key_begins_.push_back(at_);
        Json::Member& member = members.emplace_back();
        if (!parse_string(member.first)) return false;
        if (members.size() <= kScanMembersMax && is_repeated(members)) {
          return repeated(member.first, key_begins_.back());
        }
        skip_space();
        if (!take(':')) return unexpected("`:`");
        if (!parse_value(member.second)) return false;
        skip_space();
        if (take('}')) break;
        if (!take(',')) return unexpected("`,` or `}`");
      }
    }
    --depth_;
    if (members.size() > kScanMembersMax && !check_unique(members, first_key)) return false;
    key_begins_.resize(first_key);
    return true;
  }

  // Whether the last member has a key that stands before.
  static bool is_repeated(const Json::Object& members) {
    for (size_t i = 0; i + 1 < members.size(); ++i) {
      if (members[i].first == members.back().first) return true;
    }
    return false;
  }

  bool repeated(const std::string& key, size_t key_begin) {
    return broken("the member `" + key + "` is there twice", key_begin, key_begin + key.size() + 2);
  }

  // The same for all members of a large object, whose keys begin at key_begins_[first_key] and
  // after.
  bool check_unique(const Json::Object& members, size_t first_key) {
    std::vector<std::pair<std::string_view, size_t>> keys;  // with the offset in the text
    keys.reserve(members.size());
    for (size_t i = 0; i < members.size(); ++i) {
      keys.emplace_back(members[i].first, key_begins_[first_key + i]);
    }
    std::sort(keys.begin(), keys.end());
    for (size_t i = 1; i < keys.size(); ++i) {
      if (keys[i].first == keys[i - 1].first) {
        return repeated(std::string(keys[i].first), keys[i].second);
      }
    }
    return true;
  }

  bool parse_string(std::string& out) {
    ++at_;  // the quote
    while (true) {
      size_t run = at_;
      while (at_ < text_.size() && kPlainBytes[static_cast<uint8_t>(text_[at_])]) ++at_;
      out.append(text_, run, at_ - run);
      if (at_ >= text_.size()) return unexpected("`\"` at the end of a string");
      if (take('"')) return true;
      if (text_[at_] != '\\') return broken("a raw control character in a string", at_, at_ + 1);
      if (!parse_escape(out)) return false;
    }
  }

  bool parse_escape(std::string& out) {
    size_t begin = at_;
    ++at_;  // the backslash
    char c = peek();
    ++at_;
    switch (c) {
      case '"':
        out += '"';
        return true;
      case '\\':
        out += '\\';
        return true;
      case '/':
        out += '/';
        return true;
      case 'b':
        out += '\b';
        return true;
      case 'f':
        out += '\f';
        return true;
      case 'n':
        out += '\n';
        return true;
      case 'r':
        out += '\r';
        return true;
      case 't':
        out += '\t';
        return true;
      case 'u':
        return parse_unicode_escape(out, begin);
      default:
        return broken("unknown escape in a string", begin, begin + 1);
    }
  }

  // Behind `\u` of an escape, or of a pair of them, that began at `begin`.
  bool parse_unicode_escape(std::string& out, size_t begin) {
    uint32_t unit = 0;
    if (!parse_hex4(unit, begin)) return false;
    if (unit >= 0xd800 && unit <= 0xdbff && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      uint32_t low = 0;
      if (!parse_hex4(low, begin)) return false;
      if (low < 0xdc00 || low > 0xdfff) return broken("a lone surrogate", begin, at_);
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    if (unit >= 0xd800 && unit <= 0xdfff) return broken("a lone surrogate", begin, at_);
    append_code_point(out, unit);
    return true;
  }

  bool parse_hex4(uint32_t& value, size_t begin) {
    for (int i = 0; i < 4; ++i) {
      int digit = hex_value(peek());
      if (digit < 0) return broken("`\\u` without four hexadecimal digits", begin, at_);
      value = value << 4 | static_cast<uint32_t>(digit);
      ++at_;
    }
    return true;
  }

  bool parse_number(Json& out) {
    size_t begin = at_;
    take('-');
    if (!is_digit(peek())) {
      return unexpected(at_ == begin ? "a JSON value" : "a digit after `-`");
    }
    if (take('0') && is_digit(peek())) {
      return broken("a number with a leading zero", begin, at_ + 1);
    }
    skip_digits();
    size_t integer_end = at_;
    if (take('.')) {
      if (!is_digit(peek())) return unexpected("a digit after the decimal point");
      skip_digits();
    }
    if (take('e') || take('E')) {
      if (!take('+')) take('-');
      if (!is_digit(peek())) return unexpected("a digit in the exponent");
      skip_digits();
    }
    std::string_view number = text_.substr(begin, at_ - begin);
    return at_ == integer_end ? read_integer(out, number, begin) : read_double(out, number, begin);
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  bool read_integer(Json& out, std::string_view number, size_t begin) {
    int64_t value = 0;
    auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status == std::errc()) {
      out = Json(value);
      return true;
    }
    if (number.size() - number.starts_with('-') > limits_.integer_digits_max) {
      return broken(
          "an integer of more than " + std::to_string(limits_.integer_digits_max) + " digits",
          begin, at_);
    }
    out = Json(BigInteger{std::string(number)});
    return true;
  }

  bool read_double(Json& out, std::string_view number, size_t begin) {
    double value = 0;
    auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status != std::errc() || !std::isfinite(value)) {
      // from_chars reports both ends of the range alike.
      if (!is_tiny(number)) return broken("a number beyond the range of a double", begin, at_);
      value = number.starts_with('-') ? -0.0 : 0.0;
    }
    out = Json(value);
    return true;
  }

  // Whether a number that is no double because of its size is near zero (else it is huge): where
  // does the first digit that counts stand, seen from the decimal point?
  static bool is_tiny(std::string_view number) {
    size_t mark = std::min(number.find_first_of("eE"), number.size());
    std::string_view mantissa = number.substr(0, mark);
    size_t point = std::min(mantissa.find('.'), mantissa.size());
    size_t digit = mantissa.find_first_of("123456789");
    if (digit == std::string_view::npos) return true;
    auto magnitude = static_cast<int64_t>(point) - static_cast<int64_t>(digit);
    std::string_view exponent_text = number.substr(std::min(mark + 1, number.size()));
    if (exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
    int64_t exponent = 0;
    auto [end, status] = std::from_chars(exponent_text.data(),
                                         exponent_text.data() + exponent_text.size(), exponent);
    if (status == std::errc::result_out_of_range) return exponent_text.starts_with('-');
    return exponent < -magnitude;  // the sum could overflow, and the magnitude is short
  }

  std::string_view text_;
  const JsonLimits& limits_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
  std::vector<size_t> key_begins_;  // offsets of the keys of all objects that are open
  Error error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  size_t bytes_max = std::min<size_t>(limits.bytes_max, std::numeric_limits<uint32_t>::max());
  if (text.size() > bytes_max) {
    return fail(Code::Encoding, "JSON: the text has " + std::to_string(text.size()) +
                                    " bytes, more than the limit of " + std::to_string(bytes_max));
  }
  return Parser(text, limits).parse_document();
}

}  // namespace lattice
