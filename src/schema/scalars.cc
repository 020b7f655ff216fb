// Numbers as text, UUIDs and bits.
#include "schema/scalars.h"

#include <charconv>

#include "base/base64url.h"
#include "schema/value.h"

namespace lattice::schema {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view take_digits(std::string_view& rest) {
  size_t count = 0;
  while (count < rest.size() && is_digit(rest[count])) ++count;
  const std::string_view digits = rest.substr(0, count);
  rest.remove_prefix(count);
  return digits;
}

bool take_sign(std::string_view& rest, Spelling spelling) {
  if (rest.empty()) return false;
  const bool is_negative = rest.front() == '-';
  if (is_negative || (rest.front() == '+' && spelling == Spelling::Lenient)) rest.remove_prefix(1);
  return is_negative;
}

// `whole`.`fraction`, without superfluous zeros.
std::string spell_decimal(bool is_negative, std::string whole, std::string fraction) {
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (whole.empty()) whole = "0";
  std::string out = whole;
  if (!fraction.empty()) out += '.' + fraction;
  return is_negative && out != "0" ? "-" + out : out;
}

// Moves the point of `whole`.`fraction` by `exponent` places; false when that grows too long.
bool move_point(std::string& whole, std::string& fraction, int exponent) {
  const auto places = static_cast<size_t>(std::abs(exponent));
  if (places > kNumberDigitsMax) return false;
  std::string& from = exponent > 0 ? fraction : whole;
  if (exponent > 0) {
    if (from.size() < places) from.append(places - from.size(), '0');
    whole += from.substr(0, places);
    from.erase(0, places);
  } else {
    if (from.size() < places) from.insert(0, places - from.size(), '0');
    fraction.insert(0, from.substr(from.size() - places));
    from.erase(from.size() - places);
  }
  return true;
}

}  // namespace

std::optional<std::string> parse_decimal(std::string_view text, Spelling spelling) {
  if (text.size() > kNumberDigitsMax) return std::nullopt;
  std::string_view rest = text;
  const bool is_negative = take_sign(rest, spelling);
  std::string whole(take_digits(rest));
  std::string fraction;
  const bool has_point = !rest.empty() && rest.front() == '.';
  if (has_point) {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
  }
  const bool strict = spelling == Spelling::Strict;
  if (whole.empty() && (strict || fraction.empty())) return std::nullopt;
  if (has_point && fraction.empty() && strict) return std::nullopt;
  if (!rest.empty() && (rest.front() == 'e' || rest.front() == 'E') && !strict) {
    rest.remove_prefix(1);
    if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
    int exponent = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), exponent);
    if (error != std::errc{} || exponent < -100'000 || exponent > 100'000) return std::nullopt;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    if (exponent != 0 && !move_point(whole, fraction, exponent)) return std::nullopt;
  }
  if (!rest.empty()) return std::nullopt;
  return spell_decimal(is_negative, std::move(whole), std::move(fraction));
}

std::optional<std::string> parse_integer(std::string_view text, Spelling spelling) {
  if (text.size() > kNumberDigitsMax) return std::nullopt;
  std::string_view rest = text;
  const bool is_negative = take_sign(rest, spelling);
  const std::string_view digits = take_digits(rest);
  if (digits.empty() || !rest.empty()) return std::nullopt;
  return spell_decimal(is_negative, std::string(digits), {});
}

std::optional<std::string> parse_uuid(std::string_view text, Spelling spelling) {
  const bool lenient = spelling == Spelling::Lenient;
  if (lenient && text.size() == 38 && text.front() == '{' && text.back() == '}') {
    text = text.substr(1, 36);
  }
  const bool has_hyphens = text.size() == 36;
  if (!has_hyphens && !(lenient && text.size() == 32)) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (has_hyphens && (i == 8 || i == 13 || i == 18 || i == 23)) {
      if (c != '-') return std::nullopt;
      continue;
    }
    const bool is_upper = c >= 'A' && c <= 'F';
    if (!is_digit(c) && !(c >= 'a' && c <= 'f') && !is_upper) return std::nullopt;
    out += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  for (const size_t place : {8, 13, 18, 23}) out.insert(place, 1, '-');
  return out;
}

std::strong_ordering compare_decimals(std::string_view left, std::string_view right) {
  const bool left_negative = left.starts_with('-');
  const bool right_negative = right.starts_with('-');
  if (left_negative != right_negative) {
    return left_negative ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  if (left_negative) {
    left.remove_prefix(1);
    right.remove_prefix(1);
    std::swap(left, right);
  }
  const size_t left_whole = std::min(left.find('.'), left.size());
  const size_t right_whole = std::min(right.find('.'), right.size());
  if (left_whole != right_whole) return left_whole <=> right_whole;
  return left.compare(right) <=> 0;  // equal lengths before the point; a longer fraction is greater
}

std::optional<std::string> canonical_decimal(std::string_view text) {
  return parse_decimal(text, Spelling::Lenient);
}
std::optional<std::string> canonical_integer(std::string_view text) {
  return parse_integer(text, Spelling::Lenient);
}
std::optional<std::string> canonical_uuid(std::string_view text) {
  return parse_uuid(text, Spelling::Lenient);
}

std::optional<std::string> encode_bits(std::string_view zeros_and_ones) {
  std::string bytes((zeros_and_ones.size() + 7) / 8, '\0');
  for (size_t i = 0; i < zeros_and_ones.size(); ++i) {
    if (zeros_and_ones[i] != '0' && zeros_and_ones[i] != '1') return std::nullopt;
    if (zeros_and_ones[i] == '1')
      bytes[i / 8] = static_cast<char>(bytes[i / 8] | (0x80 >> (i % 8)));
  }
  return base64url_encode(bytes);
}

}  // namespace lattice::schema
