// UTF-8, NFC, the order of UTF-16, and diagnostics that point anywhere into any text.
#include <algorithm>

#include "base/diagnostic.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"

namespace lattice {
namespace {

void check_diagnostic(std::string_view text) {
  if (text.size() < 4) return;
  auto number = [&](size_t at) {
    return static_cast<uint32_t>(static_cast<uint8_t>(text[at]) << 8 |
                                 static_cast<uint8_t>(text[at + 1]));
  };
  Diagnostic diagnostic{Severity::Error, "message", {number(0), number(2)}, {}, {}};
  std::string rendered = render_diagnostic(diagnostic, "name", text.substr(4));
  FUZZ_REQUIRE(is_valid_utf8(rendered));
  FUZZ_REQUIRE(std::count(rendered.begin(), rendered.end(), '\n') == 3);
  FUZZ_REQUIRE(rendered.ends_with("^\n"));
}

void check_text(std::string_view text) {
  std::string copy;
  for (size_t offset = 0; offset < text.size();) {
    append_code_point(copy, next_code_point(text, offset));
  }
  FUZZ_REQUIRE(copy == text);
  std::string normal = to_nfc(text).value();
  FUZZ_REQUIRE(is_valid_utf8(normal));
  FUZZ_REQUIRE(is_nfc(normal));
  FUZZ_REQUIRE(is_nfc(text) == (normal == text));
  FUZZ_REQUIRE((compare_utf16(text, normal) == 0) == (normal == text));
  FUZZ_REQUIRE((compare_utf16(text, normal) < 0) == (compare_utf16(normal, text) > 0));
}

}  // namespace

void fuzz(std::string_view input) {
  check_diagnostic(input);
  size_t invalid = find_invalid_utf8(input);
  if (invalid == std::string_view::npos) {
    check_text(input);
    return;
  }
  FUZZ_REQUIRE(invalid < input.size());
  FUZZ_REQUIRE(!to_nfc(input).has_value());
  check_text(input.substr(0, invalid));
}

}  // namespace lattice
