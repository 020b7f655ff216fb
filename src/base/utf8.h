// UTF-8 and NFC (spec §3.5.3 Text, §5.1).
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice {

// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
bool is_valid_utf8(std::string_view text);
// The offset of the first byte that is not well-formed, or npos.
size_t find_invalid_utf8(std::string_view text);

// The NFC form of well-formed `text`. ASCII costs one pass and no allocation beyond the result.
// Errors: lattice:encoding when `text` is not well-formed.
Result<std::string> to_nfc(std::string_view text);
bool is_nfc(std::string_view text);

// Code points of well-formed text.
size_t count_code_points(std::string_view text);

// Decodes the code point at `offset` and moves past it; well-formed text.
char32_t next_code_point(std::string_view text, size_t& offset);
void append_code_point(std::string& out, char32_t code_point);

// Compares by UTF-16 code unit (RFC 8785's key order); plain `<` of UTF-8 is code point order.
std::strong_ordering compare_utf16(std::string_view left, std::string_view right);

}  // namespace lattice
