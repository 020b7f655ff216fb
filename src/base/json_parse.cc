// parse_json: a recursive descent over the bytes. Every rule of RFC 8259 is checked here; UTF-8 is
// checked once for the whole text before.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"

namespace lattice {
namespace {

// Objects with more members than this look for equal keys by sorting, in place of a scan per member.
constexpr size_t kScanMembersMax = 16;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

class Parser {
 public:
  Parser(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  Result<Json> parse_document() {
    size_t invalid = find_invalid_utf8(text_);
    if (invalid != std::string_view::npos) return broken("not valid UTF-8", invalid, invalid + 1);
    LATTICE_TRY(Json value, parse_value());
    skip_space();
    if (at_ < text_.size()) return unexpected("the end of the text");
    return value;
  }

 private:
  std::unexpected<Error> broken(std::string message, size_t begin, size_t end) const {
    message = "JSON: " + std::move(message) + " at offset " + std::to_string(begin);
    return fail(Code::Encoding, std::move(message),
                Span{static_cast<uint32_t>(begin),
                     static_cast<uint32_t>(std::min(end, text_.size()))});
  }

  // The next byte is not what the grammar wants.
  std::unexpected<Error> unexpected(std::string_view wanted) const {
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

  Result<Json> parse_value() {
    skip_space();
    switch (peek()) {
      case '{': return parse_object();
      case '[': return parse_array();
      case '"': {
        LATTICE_TRY(std::string value, parse_string());
        return Json(std::move(value));
      }
      case 't': return parse_literal("true", Json(true));
      case 'f': return parse_literal("false", Json(false));
      case 'n': return parse_literal("null", Json());
      default: return parse_number();
    }
  }

  Result<Json> parse_literal(std::string_view word, Json value) {
    if (!text_.substr(at_).starts_with(word)) return unexpected("a JSON value");
    at_ += word.size();
    return value;
  }

  Result<void> enter() {
    if (depth_ == limits_.depth_max) {
      return broken("nested deeper than the limit of " + std::to_string(limits_.depth_max), at_,
                    at_ + 1);
    }
    ++depth_;
    ++at_;  // the bracket
    skip_space();
    return {};
  }

  Result<Json> parse_array() {
    LATTICE_TRY_VOID(enter());
    Json::Array items;
    if (!take(']')) {
      while (true) {
        LATTICE_TRY(Json item, parse_value());
        items.push_back(std::move(item));
        skip_space();
        if (take(']')) break;
        if (!take(',')) return unexpected("`,` or `]`");
      }
    }
    --depth_;
    return Json(std::move(items));
  }

  Result<Json> parse_object() {
    LATTICE_TRY_VOID(enter());
    Json::Object members;
    std::vector<size_t> key_offsets;
    if (!take('}')) {
      while (true) {
        skip_space();
        if (peek() != '"') return unexpected("a member name in quotes");
        key_offsets.push_back(at_);
        LATTICE_TRY(std::string key, parse_string());
        skip_space();
        if (!take(':')) return unexpected("`:`");
        LATTICE_TRY(Json value, parse_value());
        members.emplace_back(std::move(key), std::move(value));
        skip_space();
        if (take('}')) break;
        if (!take(',')) return unexpected("`,` or `}`");
      }
    }
    --depth_;
    LATTICE_TRY_VOID(check_unique(members, key_offsets));
    return Json(std::move(members));
  }

  // The span of the error is the second of two equal keys.
  Result<void> check_unique(const Json::Object& members, const std::vector<size_t>& key_offsets) {
    auto repeated = [&](size_t index) {
      size_t begin = key_offsets[index];
      return broken("the member `" + members[index].first + "` is there twice", begin,
                    begin + members[index].first.size() + 2);
    };
    if (members.size() <= kScanMembersMax) {
      for (size_t i = 1; i < members.size(); ++i) {
        for (size_t j = 0; j < i; ++j) {
          if (members[i].first == members[j].first) return repeated(i);
        }
      }
      return {};
    }
    std::vector<size_t> order(members.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      auto by_key = members[a].first <=> members[b].first;
      return by_key != 0 ? by_key < 0 : a < b;
    });
    size_t first = members.size();
    for (size_t i = 1; i < order.size(); ++i) {
      if (members[order[i]].first == members[order[i - 1]].first) first = std::min(first, order[i]);
    }
    if (first < members.size()) return repeated(first);
    return {};
  }

  Result<std::string> parse_string() {
    ++at_;  // the quote
    std::string out;
    while (true) {
      size_t run = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
             static_cast<uint8_t>(text_[at_]) >= 0x20) {
        ++at_;
      }
      out.append(text_, run, at_ - run);
      if (at_ >= text_.size()) return unexpected("`\"` at the end of a string");
      if (take('"')) return out;
      if (text_[at_] != '\\') return broken("a raw control character in a string", at_, at_ + 1);
      LATTICE_TRY_VOID(parse_escape(out));
    }
  }

  Result<void> parse_escape(std::string& out) {
    size_t begin = at_;
    ++at_;  // the backslash
    char c = peek();
    ++at_;
    switch (c) {
      case '"': out += '"'; return {};
      case '\\': out += '\\'; return {};
      case '/': out += '/'; return {};
      case 'b': out += '\b'; return {};
      case 'f': out += '\f'; return {};
      case 'n': out += '\n'; return {};
      case 'r': out += '\r'; return {};
      case 't': out += '\t'; return {};
      case 'u': break;
      default: return broken("unknown escape in a string", begin, begin + 1);
    }
    LATTICE_TRY(uint32_t unit, parse_hex4(begin));
    if (unit >= 0xd800 && unit <= 0xdbff && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      LATTICE_TRY(uint32_t low, parse_hex4(begin));
      if (low < 0xdc00 || low > 0xdfff) return broken("a lone surrogate", begin, at_);
      unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    }
    if (unit >= 0xd800 && unit <= 0xdfff) return broken("a lone surrogate", begin, at_);
    append_code_point(out, unit);
    return {};
  }

  // Four hexadecimal digits of the escape that began at `begin`.
  Result<uint32_t> parse_hex4(size_t begin) {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      int digit = hex_value(peek());
      if (digit < 0) return broken("`\\u` without four hexadecimal digits", begin, at_);
      value = value << 4 | static_cast<uint32_t>(digit);
      ++at_;
    }
    return value;
  }

  Result<Json> parse_number() {
    size_t begin = at_;
    take('-');
    if (!is_digit(peek())) {
      if (at_ != begin) return unexpected("a digit after `-`");
      return unexpected("a JSON value");
    }
    if (take('0')) {
      if (is_digit(peek())) return broken("a number with a leading zero", begin, at_ + 1);
    }
    skip_digits();
    size_t integer_end = at_;
    if (take('.')) {
      if (!is_digit(peek())) return unexpected("a digit after the decimal point");
      skip_digits();
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (!take('+')) take('-');
      if (!is_digit(peek())) return unexpected("a digit in the exponent");
      skip_digits();
    }
    std::string_view number = text_.substr(begin, at_ - begin);
    return at_ == integer_end ? integer_of(number, begin) : double_of(number, begin);
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  Result<Json> integer_of(std::string_view number, size_t begin) const {
    int64_t value = 0;
    auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status == std::errc()) return Json(value);
    if (number.size() - number.starts_with('-') > limits_.integer_digits_max) {
      return broken("an integer of more than " + std::to_string(limits_.integer_digits_max) +
                        " digits", begin, begin + number.size());
    }
    return Json(BigInteger{std::string(number)});
  }

  Result<Json> double_of(std::string_view number, size_t begin) const {
    double value = 0;
    auto [end, status] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (status == std::errc() && std::isfinite(value)) return Json(value);
    // from_chars reports both ends of the range alike.
    if (is_tiny(number)) return Json(number.starts_with('-') ? -0.0 : 0.0);
    return broken("a number beyond the range of a double", begin, begin + number.size());
  }

  // Whether a number that is no double because of its size is near zero (else it is huge): where does
  // the first digit that counts stand, seen from the decimal point?
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
    auto [end, status] = std::from_chars(
        exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
    if (status == std::errc::result_out_of_range) return exponent_text.starts_with('-');
    return magnitude + exponent < 0;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  size_t at_ = 0;
  uint32_t depth_ = 0;
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
