// Every rendering of a value that was read reads back, and canonical text is its own canonical
// text.
#include "base/json.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"

namespace lattice {

void fuzz(std::string_view input) {
  auto value = parse_json(input);
  if (!value) {
    FUZZ_REQUIRE(value.error().code == Code::Encoding);
    return;
  }
  std::string text = to_json(*value);
  FUZZ_REQUIRE(is_valid_utf8(text));
  auto reread = parse_json(text);
  FUZZ_REQUIRE(reread.has_value());
  // Doubles that are integers come back as integers, so texts are compared in place of values.
  FUZZ_REQUIRE(to_json(*reread) == text);
  FUZZ_REQUIRE(to_json(parse_json(to_pretty_json(*value)).value()) == text);

  std::string canonical = canonical_json(*value);
  FUZZ_REQUIRE(canonical.size() == text.size());
  FUZZ_REQUIRE(canonical_json(parse_json(canonical).value()) == canonical);
  std::string standard = jcs(*value);
  FUZZ_REQUIRE(jcs(parse_json(standard).value()) == standard);
}

}  // namespace lattice
