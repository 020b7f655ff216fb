#include "base/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/check.h"

namespace lattice {
namespace {

constexpr uint64_t kHighBits = 0x8080808080808080;

uint8_t byte_at(std::string_view text, size_t offset) {
  return static_cast<uint8_t>(text[offset]);
}

// The offset of the first byte at or after `offset` that is not ASCII.
size_t skip_ascii(std::string_view text, size_t offset) {
  while (offset + 8 <= text.size()) {
    uint64_t word;
    std::memcpy(&word, text.data() + offset, 8);
    if ((word & kHighBits) != 0) break;
    offset += 8;
  }
  while (offset < text.size() && byte_at(text, offset) < 0x80) ++offset;
  return offset;
}

// The length of the well-formed sequence at `offset` that starts with a byte beyond ASCII; 0 if it
// is not well-formed. The range of the second byte rules out overlong forms, surrogates and what
// lies beyond U+10FFFF (Unicode table 3-7).
size_t sequence_length(std::string_view text, size_t offset) {
  uint8_t lead = byte_at(text, offset);
  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() - offset < length) return 0;
  uint8_t low = 0x80;
  uint8_t high = 0xbf;
  if (lead == 0xe0) low = 0xa0;
  if (lead == 0xed) high = 0x9f;
  if (lead == 0xf0) low = 0x90;
  if (lead == 0xf4) high = 0x8f;
  uint8_t second = byte_at(text, offset + 1);
  if (second < low || second > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((byte_at(text, offset + i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

// Everything below U+0300 is its own NFC form and combines with nothing; U+0300 is CC 80.
bool is_below_combining(std::string_view text) {
  for (size_t i = skip_ascii(text, 0); i < text.size(); ++i) {
    if (byte_at(text, i) >= 0xcc) return false;
  }
  return true;
}

// The canonical decomposition of well-formed text, its marks not yet in order.
std::vector<utf8proc_int32_t> decompose(std::string_view text) {
  constexpr size_t kDecompositionMax = 16;  // of one code point; Unicode has 4
  std::vector<utf8proc_int32_t> out;
  out.reserve(text.size());
  int last_boundclass = UTF8PROC_BOUNDCLASS_START;
  for (size_t offset = 0; offset < text.size();) {
    const auto code_point = static_cast<utf8proc_int32_t>(next_code_point(text, offset));
    const size_t size = out.size();
    out.resize(size + kDecompositionMax);
    utf8proc_ssize_t length = utf8proc_decompose_char(
        code_point, out.data() + size, kDecompositionMax,
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE), &last_boundclass);
    LATTICE_CHECK(length > 0 && length <= static_cast<utf8proc_ssize_t>(kDecompositionMax),
                  static_cast<int64_t>(length), static_cast<int64_t>(code_point));
    out.resize(size + static_cast<size_t>(length));
  }
  return out;
}

// Sorts every run of marks by combining class. The library's own ordering takes time quadratic in
// the length of a run, and a stranger chooses that length.
void order_marks(std::vector<utf8proc_int32_t>& code_points) {
  const auto combining_class = [](utf8proc_int32_t code_point) {
    return utf8proc_get_property(code_point)->combining_class;
  };
  for (auto begin = code_points.begin(); begin != code_points.end();) {
    const auto end = std::find_if(begin, code_points.end(), [&](utf8proc_int32_t code_point) {
      return combining_class(code_point) == 0;
    });
    std::stable_sort(begin, end, [&](utf8proc_int32_t left, utf8proc_int32_t right) {
      return combining_class(left) < combining_class(right);
    });
    begin = end == code_points.end() ? end : end + 1;
  }
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  size_t offset = skip_ascii(text, 0);
  while (offset < text.size()) {
    size_t length = sequence_length(text, offset);
    if (length == 0) return offset;
    offset = skip_ascii(text, offset + length);
  }
  return std::string_view::npos;
}

bool is_valid_utf8(std::string_view text) {
  return find_invalid_utf8(text) == std::string_view::npos;
}

Result<std::string> to_nfc(std::string_view text) {
  size_t invalid = find_invalid_utf8(text);
  if (invalid != std::string_view::npos) {
    return fail(Code::Encoding, "not valid UTF-8 at offset " + std::to_string(invalid));
  }
  if (is_below_combining(text)) return std::string(text);
  std::vector<utf8proc_int32_t> code_points = decompose(text);
  order_marks(code_points);
  utf8proc_ssize_t length = utf8proc_normalize_utf32(
      code_points.data(), static_cast<utf8proc_ssize_t>(code_points.size()),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  LATTICE_CHECK(length >= 0, static_cast<int64_t>(length));
  std::string out;
  out.reserve(text.size());
  for (utf8proc_ssize_t i = 0; i < length; ++i) {
    append_code_point(out, static_cast<char32_t>(code_points[static_cast<size_t>(i)]));
  }
  return out;
}

bool is_nfc(std::string_view text) {
  auto normal = to_nfc(text);
  return normal && *normal == text;
}

size_t count_code_points(std::string_view text) {
  size_t count = 0;
  for (char c : text) count += (static_cast<uint8_t>(c) & 0xc0) != 0x80;
  return count;
}

char32_t next_code_point(std::string_view text, size_t& offset) {
  LATTICE_CHECK(offset < text.size(), offset, text.size());
  uint8_t lead = byte_at(text, offset);
  if (lead < 0x80) {
    ++offset;
    return lead;
  }
  size_t length = sequence_length(text, offset);
  LATTICE_CHECK(length != 0, offset);
  char32_t code_point = lead & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    code_point = code_point << 6 | (byte_at(text, offset + i) & 0x3f);
  }
  offset += length;
  return code_point;
}

void append_code_point(std::string& out, char32_t code_point) {
  LATTICE_CHECK(code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff),
                static_cast<uint32_t>(code_point));
  if (code_point < 0x80) {
    out += static_cast<char>(code_point);
  } else if (code_point < 0x800) {
    out += static_cast<char>(0xc0 | code_point >> 6);
    out += static_cast<char>(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    out += static_cast<char>(0xe0 | code_point >> 12);
    out += static_cast<char>(0x80 | (code_point >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code_point & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code_point >> 18);
    out += static_cast<char>(0x80 | (code_point >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code_point >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code_point & 0x3f));
  }
}

std::strong_ordering compare_utf16(std::string_view left, std::string_view right) {
  size_t common = std::min(left.size(), right.size());
  size_t i = 0;
  while (i < common && left[i] == right[i]) ++i;
  if (i == common) return left.size() <=> right.size();
  // In UTF-16 the code points beyond U+FFFF (lead bytes F0 to F4) start with a surrogate, which
  // sorts below U+E000..U+FFFF (lead bytes EE and EF). All else keeps the order of the bytes.
  auto rank = [](uint8_t byte) {
    if (byte >= 0xf0) return byte - 2;
    return byte >= 0xee ? byte + 5 : byte + 0;
  };
  uint8_t a = byte_at(left, i);
  uint8_t b = byte_at(right, i);
  // A difference inside a sequence is between continuation bytes, which rank as themselves.
  return rank(a) <=> rank(b);
}

}  // namespace lattice
