// The renderings of JSON: as held, pretty, and the two canonical ones. They share strings and
// numbers and differ in the order of keys and in how integers print.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/check.h"
#include "base/json.h"
#include "base/utf8.h"

namespace lattice {
namespace {

bool needs_escape(char c) {
  return static_cast<uint8_t>(c) < 0x20 || c == '"' || c == '\\';
}

// The offset of the first byte at or after `from` that a JSON string must escape, or the size.
size_t find_escape(std::string_view text, size_t from) {
  size_t i = from;
#ifdef __SSE2__
  const __m128i quotes = _mm_set1_epi8('"');
  const __m128i backslashes = _mm_set1_epi8('\\');
  const __m128i last_control = _mm_set1_epi8(0x1f);
  for (; i + 16 <= text.size(); i += 16) {
    __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + i));
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
    __m128i found = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), controls),
                                 _mm_cmpeq_epi8(bytes, backslashes));
    auto mask = static_cast<uint32_t>(_mm_movemask_epi8(found));
    if (mask != 0) return i + static_cast<size_t>(std::countr_zero(mask));
  }
#endif
  while (i < text.size() && !needs_escape(text[i])) ++i;
  return i;
}

void append_escaped(std::string& out, char c) {
  static constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    default: {
      auto byte = static_cast<uint8_t>(c);
      const char escape[] = {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
      out.append(escape, sizeof(escape));
    }
  }
}

// The shortest digits that read back as the double, and the place of the decimal point: the value
// is 0.DIGITS × 10^point.
struct Digits {
  std::array<char, 20> text;
  int count = 0;
  int point = 0;
};

Digits shortest_digits(double positive) {
  std::array<char, 32> buffer;
  auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), positive,
                               std::chars_format::scientific);
  std::string_view number(buffer.data(), static_cast<size_t>(written.ptr - buffer.data()));
  size_t mark = number.find('e');
  Digits digits;
  for (char c : number.substr(0, mark)) {
    if (c != '.') digits.text[static_cast<size_t>(digits.count++)] = c;
  }
  std::string_view exponent = number.substr(mark + 1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), digits.point);
  ++digits.point;
  return digits;
}

// Number::toString of ECMAScript: plain digits from 1e-6 up to 1e21, else an exponent.
void append_digits(std::string& out, const Digits& digits) {
  std::string_view text(digits.text.data(), static_cast<size_t>(digits.count));
  int point = digits.point;
  if (digits.count <= point && point <= 21) {
    out += text;
    out.append(static_cast<size_t>(point - digits.count), '0');
  } else if (0 < point && point <= 21) {
    out += text.substr(0, static_cast<size_t>(point));
    out += '.';
    out += text.substr(static_cast<size_t>(point));
  } else if (-6 < point && point <= 0) {
    out += "0.";
    out.append(static_cast<size_t>(-point), '0');
    out += text;
  } else {
    out += text[0];
    if (digits.count > 1) {
      out += '.';
      out += text.substr(1);
    }
    out += point > 0 ? "e+" : "e";
    append_json_number(out, static_cast<int64_t>(point - 1));
  }
}

// The three orders of keys.
enum class Style { AsHeld, Canonical, Jcs };

template <Style style>
bool key_less(const std::string& left, const std::string& right) {
  if constexpr (style == Style::Jcs) return compare_utf16(left, right) < 0;
  return left < right;
}

template <Style style>
void append_value(std::string& out, const Json& value);

template <Style style>
void append_member(std::string& out, const Json::Member& member) {
  append_json_string(out, member.first);
  out += ':';
  append_value<style>(out, member.second);
}

template <Style style>
void append_object(std::string& out, const Json::Object& object) {
  auto less = [](const Json::Member& a, const Json::Member& b) {
    return key_less<style>(a.first, b.first);
  };
  bool is_first = true;
  auto append = [&](const Json::Member& member) {
    if (!is_first) out += ',';
    is_first = false;
    append_member<style>(out, member);
  };
  out += '{';
  if (style == Style::AsHeld || std::is_sorted(object.begin(), object.end(), less)) {
    for (const Json::Member& member : object) append(member);
  } else {
    std::vector<const Json::Member*> order;
    order.reserve(object.size());
    for (const Json::Member& member : object) order.push_back(&member);
    std::sort(order.begin(), order.end(), [&](auto* a, auto* b) { return less(*a, *b); });
    for (const Json::Member* member : order) append(*member);
  }
  out += '}';
}

template <Style style>
void append_number(std::string& out, const Json& value) {
  if (value.is_double() || style == Style::Jcs) {
    append_json_number(out, value.as_double());
  } else if (value.is_int64()) {
    append_json_number(out, value.as_int64());
  } else {
    out += value.as_big_integer().digits;
  }
}

template <Style style>
void append_value(std::string& out, const Json& value) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_number()) {
    append_number<style>(out, value);
  } else if (value.is_string()) {
    append_json_string(out, value.as_string());
  } else if (value.is_array()) {
    out += '[';
    bool is_first = true;
    for (const Json& item : value.as_array()) {
      if (!is_first) out += ',';
      is_first = false;
      append_value<style>(out, item);
    }
    out += ']';
  } else {
    append_object<style>(out, value.as_object());
  }
}

void append_pretty(std::string& out, const Json& value, size_t indent) {
  auto new_line = [&](size_t depth) {
    out += '\n';
    out.append(2 * depth, ' ');
  };
  if (value.is_array() && !value.as_array().empty()) {
    out += '[';
    for (const Json& item : value.as_array()) {
      if (&item != &value.as_array().front()) out += ',';
      new_line(indent + 1);
      append_pretty(out, item, indent + 1);
    }
    new_line(indent);
    out += ']';
  } else if (value.is_object() && !value.as_object().empty()) {
    out += '{';
    for (const Json::Member& member : value.as_object()) {
      if (&member != &value.as_object().front()) out += ',';
      new_line(indent + 1);
      append_json_string(out, member.first);
      out += ": ";
      append_pretty(out, member.second, indent + 1);
    }
    new_line(indent);
    out += '}';
  } else {
    append_value<Style::AsHeld>(out, value);
  }
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  size_t dirty = find_escape(text, 0);
  if (dirty == text.size()) {
    // The usual case: one resize and one copy. (The library of gcc 12 hands the operation the new
    // capacity for the size, so the size comes from here.)
    size_t start = out.size();
    size_t end = start + text.size() + 2;
    out.resize_and_overwrite(end, [&](char* data, size_t) {
      data[start] = '"';
      if (!text.empty()) std::memcpy(data + start + 1, text.data(), text.size());
      data[end - 1] = '"';
      return end;
    });
    return;
  }
  out.reserve(out.size() + text.size() + 8);
  out += '"';
  size_t clean = 0;
  while (dirty < text.size()) {
    out.append(text, clean, dirty - clean);
    append_escaped(out, text[dirty]);
    clean = dirty + 1;
    dirty = find_escape(text, clean);
  }
  out.append(text, clean);
  out += '"';
}

void append_json_number(std::string& out, int64_t value) {
  std::array<char, 20> buffer;
  auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), written.ptr);
}

void append_json_number(std::string& out, double value) {
  LATTICE_CHECK(std::isfinite(value));
  // Integers that a double holds exactly print as integers; so does minus zero, as 0.
  if (std::abs(value) < 0x1p53 && value == std::trunc(value)) {
    append_json_number(out, static_cast<int64_t>(value));
    return;
  }
  if (value < 0) out += '-';
  append_digits(out, shortest_digits(std::abs(value)));
}

void append_json(std::string& out, const Json& value) {
  append_value<Style::AsHeld>(out, value);
}
std::string to_json(const Json& value) {
  std::string out;
  append_json(out, value);
  return out;
}

std::string to_pretty_json(const Json& value) {
  std::string out;
  append_pretty(out, value, 0);
  return out;
}

void append_canonical_json(std::string& out, const Json& value) {
  append_value<Style::Canonical>(out, value);
}
std::string canonical_json(const Json& value) {
  std::string out;
  append_canonical_json(out, value);
  return out;
}

void append_jcs(std::string& out, const Json& value) {
  append_value<Style::Jcs>(out, value);
}
std::string jcs(const Json& value) {
  std::string out;
  append_jcs(out, value);
  return out;
}

}  // namespace lattice
