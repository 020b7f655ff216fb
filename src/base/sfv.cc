#include "base/sfv.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace lattice {
namespace {

// The sizes that RFC 8941 §3 obliges a parser to read; we read no larger ones.
constexpr size_t kMembersMax = 1024;
constexpr size_t kInnerItemsMax = 256;
constexpr size_t kParametersMax = 256;
constexpr size_t kIntegerDigitsMax = 15;
constexpr size_t kDecimalIntegerDigitsMax = 12;
constexpr size_t kFractionDigitsMax = 3;
constexpr int64_t kIntegerMax = 999'999'999'999'999;

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alpha(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
bool is_key_start(char c) {
  return is_lower(c) || c == '*';
}
bool is_key_char(char c) {
  return is_lower(c) || is_digit(c) || c == '_' || c == '-' || c == '.' || c == '*';
}
bool is_token_start(char c) {
  return is_alpha(c) || c == '*';
}
// tchar of RFC 9110, and `:` and `/`.
bool is_token_char(char c) {
  return is_alpha(c) || is_digit(c) ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~:/").find(c) != std::string_view::npos);
}
bool is_visible(char c) {
  return c >= 0x20 && c < 0x7f;
}

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void append_base64(std::string& out, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0u);
    }
    for (size_t j = 0; j < 4; ++j) {
      out += j <= count ? kBase64Digits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
}

// Puts `value` under `key`: a repeated key keeps its place and gets the later value.
template <class T>
void put(std::vector<std::pair<std::string, T>>& members, std::string key, T value) {
  auto held = std::find_if(members.begin(), members.end(),
                           [&](const auto& member) { return member.first == key; });
  if (held != members.end()) {
    held->second = std::move(value);
  } else {
    members.emplace_back(std::move(key), std::move(value));
  }
}

// The algorithms of RFC 8941 §4.2, under their names there.
class Parser {
 public:
  explicit Parser(std::string_view field) : field_(field) {}

  Result<SfvItem> parse_item_field() {
    skip_spaces();
    LATTICE_TRY(SfvItem item, parse_item());
    skip_spaces();
    if (!at_end()) return broken("text after the item");
    return item;
  }

  Result<SfvList> parse_list_field() {
    SfvList list;
    skip_spaces();
    while (!at_end()) {
      if (list.size() == kMembersMax) return over("members", kMembersMax);
      LATTICE_TRY(SfvMember member, parse_member());
      list.push_back(std::move(member));
      LATTICE_TRY_VOID(parse_separator());
    }
    return list;
  }

  Result<SfvDictionary> parse_dictionary_field() {
    SfvDictionary dictionary;
    skip_spaces();
    while (!at_end()) {
      LATTICE_TRY(std::string key, parse_key());
      if (take('=')) {
        LATTICE_TRY(SfvMember member, parse_member());
        put(dictionary, std::move(key), std::move(member));
      } else {
        LATTICE_TRY(SfvParameters parameters, parse_parameters());
        put(dictionary, std::move(key), SfvMember(SfvItem{true, std::move(parameters)}));
      }
      if (dictionary.size() > kMembersMax) return over("members", kMembersMax);
      LATTICE_TRY_VOID(parse_separator());
    }
    return dictionary;
  }

 private:
  bool at_end() const { return at_ == field_.size(); }
  char peek() const { return at_end() ? '\0' : field_[at_]; }
  bool take(char c) {
    if (at_end() || field_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_spaces() {
    while (take(' ')) {
    }
  }
  void skip_optional_whitespace() {
    while (take(' ') || take('\t')) {
    }
  }

  std::unexpected<Error> broken(std::string_view what) const {
    return fail(Code::Encoding,
                "structured field: " + std::string(what) + " at offset " + std::to_string(at_));
  }
  std::unexpected<Error> over(std::string_view what, size_t limit) const {
    return broken("more than " + std::to_string(limit) + " " + std::string(what));
  }

  // What stands between two members, and at the end of the last.
  Result<void> parse_separator() {
    skip_optional_whitespace();
    if (at_end()) return {};
    if (!take(',')) return broken("expected `,`");
    skip_optional_whitespace();
    if (at_end()) return broken("expected a member after `,`");
    return {};
  }

  Result<SfvMember> parse_member() {
    if (peek() == '(') {
      LATTICE_TRY(SfvInnerList list, parse_inner_list());
      return SfvMember(std::move(list));
    }
    LATTICE_TRY(SfvItem item, parse_item());
    return SfvMember(std::move(item));
  }

  Result<SfvInnerList> parse_inner_list() {
    ++at_;  // the parenthesis
    SfvInnerList list;
    while (!at_end()) {
      skip_spaces();
      if (take(')')) {
        LATTICE_TRY(list.parameters, parse_parameters());
        return list;
      }
      if (list.items.size() == kInnerItemsMax) return over("inner items", kInnerItemsMax);
      LATTICE_TRY(SfvItem item, parse_item());
      list.items.push_back(std::move(item));
      if (peek() != ' ' && peek() != ')') return broken("expected a space or `)`");
    }
    return broken("expected `)`");
  }

  Result<SfvItem> parse_item() {
    LATTICE_TRY(SfvBare value, parse_bare_item());
    LATTICE_TRY(SfvParameters parameters, parse_parameters());
    return SfvItem{std::move(value), std::move(parameters)};
  }

  Result<SfvParameters> parse_parameters() {
    SfvParameters parameters;
    while (take(';')) {
      skip_spaces();
      LATTICE_TRY(std::string key, parse_key());
      SfvBare value = true;
      if (take('=')) {
        LATTICE_TRY(value, parse_bare_item());
      }
      put(parameters, std::move(key), std::move(value));
      if (parameters.size() > kParametersMax) return over("parameters", kParametersMax);
    }
    return parameters;
  }

  Result<std::string> parse_key() {
    if (!is_key_start(peek())) return broken("expected a key");
    size_t begin = at_;
    while (is_key_char(peek())) ++at_;
    return std::string(field_.substr(begin, at_ - begin));
  }

  Result<SfvBare> parse_bare_item() {
    char c = peek();
    if (c == '-' || is_digit(c)) return parse_number();
    if (c == '"') return parse_string();
    if (c == ':') return parse_bytes();
    if (c == '?') return parse_boolean();
    if (is_token_start(c)) return parse_token();
    return broken("expected an item");
  }

  Result<SfvBare> parse_number() {
    int64_t sign = take('-') ? -1 : 1;
    size_t begin = at_;
    int64_t value = 0;
    while (is_digit(peek())) {
      value = value * 10 + (field_[at_++] - '0');
      if (at_ - begin > kIntegerDigitsMax) return broken("a number of too many digits");
    }
    size_t integer_digits = at_ - begin;
    if (integer_digits == 0) return broken("expected a digit");
    if (!take('.')) return SfvBare(sign * value);
    if (integer_digits > kDecimalIntegerDigitsMax) {
      return broken("a decimal of more than 12 digits before the point");
    }
    size_t fraction_digits = 0;
    for (; is_digit(peek()); ++fraction_digits, ++at_) {
      if (fraction_digits == kFractionDigitsMax) {
        return broken("a decimal of more than 3 digits after the point");
      }
      value = value * 10 + (field_[at_] - '0');
    }
    if (fraction_digits == 0) return broken("expected a digit after the point");
    for (; fraction_digits < kFractionDigitsMax; ++fraction_digits) value *= 10;
    return SfvBare(SfvDecimal{sign * value});
  }

  Result<SfvBare> parse_string() {
    ++at_;  // the quote
    std::string text;
    while (!at_end()) {
      char c = field_[at_];
      if (c == '"') {
        ++at_;
        return SfvBare(std::move(text));
      }
      if (!is_visible(c)) return broken("a character beyond visible ASCII in a string");
      if (c == '\\') {
        ++at_;
        if (peek() != '"' && peek() != '\\') return broken("an unknown escape in a string");
        c = field_[at_];
      }
      text += c;
      ++at_;
    }
    return broken("expected `\"` at the end of a string");
  }

  Result<SfvBare> parse_token() {
    size_t begin = at_;
    while (is_token_char(peek())) ++at_;
    return SfvBare(SfvToken{std::string(field_.substr(begin, at_ - begin))});
  }

  // Missing padding and nonzero spare bits are tolerated, as §4.2.7 asks.
  Result<SfvBare> parse_bytes() {
    ++at_;  // the colon
    std::string bytes;
    uint32_t bits = 0;
    size_t digit_count = 0;
    size_t padding_count = 0;
    for (; !at_end() && field_[at_] != ':'; ++at_) {
      if (field_[at_] == '=') {
        ++padding_count;
        continue;
      }
      size_t digit = kBase64Digits.find(field_[at_]);
      if (digit == std::string_view::npos || padding_count > 0) {
        return broken("a character that is not base64");
      }
      bits = bits << 6 | static_cast<uint32_t>(digit);
      ++digit_count;
      size_t spare = digit_count % 4 == 0 ? 0 : 8 - digit_count % 4 * 2;
      if (digit_count % 4 != 1) bytes += static_cast<char>(bits >> spare & 0xff);
    }
    if (!take(':')) return broken("expected `:` at the end of a byte sequence");
    bool is_padded = padding_count == 0 || (digit_count + padding_count) % 4 == 0;
    if (digit_count % 4 == 1 || padding_count > 2 || !is_padded) {
      return broken("base64 of a wrong length");
    }
    return SfvBare(SfvBytes{std::move(bytes)});
  }

  Result<SfvBare> parse_boolean() {
    ++at_;  // the question mark
    if (take('1')) return SfvBare(true);
    if (take('0')) return SfvBare(false);
    return broken("expected `0` or `1` after `?`");
  }

  std::string_view field_;
  size_t at_ = 0;
};

std::unexpected<Error> unprintable(std::string what) {
  return fail(Code::Encoding, "structured field: cannot print " + std::move(what));
}

// The algorithms of RFC 8941 §4.1.
class Writer {
 public:
  Result<void> write_bare(const SfvBare& value) {
    return std::visit([&](const auto& held) { return write(held); }, value);
  }

  Result<void> write_item(const SfvItem& item) {
    LATTICE_TRY_VOID(write_bare(item.value));
    return write_parameters(item.parameters);
  }

  Result<void> write_member(const SfvMember& member) {
    if (const auto* item = std::get_if<SfvItem>(&member)) return write_item(*item);
    const auto& list = std::get<SfvInnerList>(member);
    out_ += '(';
    for (size_t i = 0; i < list.items.size(); ++i) {
      if (i > 0) out_ += ' ';
      LATTICE_TRY_VOID(write_item(list.items[i]));
    }
    out_ += ')';
    return write_parameters(list.parameters);
  }

  Result<void> write_list(const SfvList& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) out_ += ", ";
      LATTICE_TRY_VOID(write_member(list[i]));
    }
    return {};
  }

  Result<void> write_dictionary(const SfvDictionary& dictionary) {
    for (size_t i = 0; i < dictionary.size(); ++i) {
      if (i > 0) out_ += ", ";
      const auto& [key, member] = dictionary[i];
      LATTICE_TRY_VOID(write_key(key));
      const auto* item = std::get_if<SfvItem>(&member);
      if (item != nullptr && item->value == SfvBare(true)) {
        LATTICE_TRY_VOID(write_parameters(item->parameters));
      } else {
        out_ += '=';
        LATTICE_TRY_VOID(write_member(member));
      }
    }
    return {};
  }

  std::string take() { return std::move(out_); }

 private:
  Result<void> write_parameters(const SfvParameters& parameters) {
    for (const auto& [key, value] : parameters) {
      out_ += ';';
      LATTICE_TRY_VOID(write_key(key));
      if (value == SfvBare(true)) continue;
      out_ += '=';
      LATTICE_TRY_VOID(write_bare(value));
    }
    return {};
  }

  Result<void> write_key(const std::string& key) {
    bool is_key =
        !key.empty() && is_key_start(key[0]) && std::all_of(key.begin(), key.end(), is_key_char);
    if (!is_key) return unprintable("the key `" + key + "`");
    out_ += key;
    return {};
  }

  Result<void> write(int64_t value) {
    if (value > kIntegerMax || value < -kIntegerMax) {
      return unprintable("the integer " + std::to_string(value) + ", it has more than 15 digits");
    }
    out_ += std::to_string(value);
    return {};
  }

  Result<void> write(SfvDecimal value) {
    if (value.thousandths > kIntegerMax || value.thousandths < -kIntegerMax) {
      return unprintable("a decimal of more than 12 digits before the point");
    }
    if (value.thousandths < 0) out_ += '-';
    int64_t size = value.thousandths < 0 ? -value.thousandths : value.thousandths;
    out_ += std::to_string(size / 1000);
    std::string fraction = std::to_string(1000 + size % 1000).substr(1);
    while (fraction.size() > 1 && fraction.back() == '0') fraction.pop_back();
    out_ += '.';
    out_ += fraction;
    return {};
  }

  Result<void> write(const std::string& text) {
    if (!std::all_of(text.begin(), text.end(), is_visible)) {
      return unprintable("a string with characters beyond visible ASCII");
    }
    out_ += '"';
    for (char c : text) {
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += c;
    }
    out_ += '"';
    return {};
  }

  Result<void> write(const SfvToken& token) {
    const std::string& text = token.text;
    bool is_token = !text.empty() && is_token_start(text[0]) &&
                    std::all_of(text.begin(), text.end(), is_token_char);
    if (!is_token) return unprintable("the token `" + text + "`");
    out_ += text;
    return {};
  }

  Result<void> write(const SfvBytes& value) {
    out_ += ':';
    append_base64(out_, value.bytes);
    out_ += ':';
    return {};
  }

  Result<void> write(bool value) {
    out_ += value ? "?1" : "?0";
    return {};
  }

  std::string out_;
};

}  // namespace

Result<SfvItem> parse_sfv_item(std::string_view field) {
  return Parser(field).parse_item_field();
}
Result<SfvList> parse_sfv_list(std::string_view field) {
  return Parser(field).parse_list_field();
}
Result<SfvDictionary> parse_sfv_dictionary(std::string_view field) {
  return Parser(field).parse_dictionary_field();
}

Result<std::string> serialize_sfv(const SfvItem& item) {
  Writer writer;
  LATTICE_TRY_VOID(writer.write_item(item));
  return writer.take();
}

Result<std::string> serialize_sfv(const SfvList& list) {
  Writer writer;
  LATTICE_TRY_VOID(writer.write_list(list));
  return writer.take();
}

Result<std::string> serialize_sfv(const SfvDictionary& dictionary) {
  Writer writer;
  LATTICE_TRY_VOID(writer.write_dictionary(dictionary));
  return writer.take();
}

}  // namespace lattice
