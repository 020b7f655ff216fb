// Percent-decoding undoes encoding, and a query that was read can be written and reads the same.
#include "base/percent.h"
#include "base/utf8.h"
#include "fuzz/fuzz.h"

namespace lattice {

void fuzz(std::string_view input) {
  auto decoded = percent_decode(input);
  if (decoded) {
    FUZZ_REQUIRE(is_valid_utf8(*decoded));
    FUZZ_REQUIRE(percent_decode(percent_encode(*decoded)).value() == *decoded);
  }
  if (is_valid_utf8(input)) {
    FUZZ_REQUIRE(percent_decode(percent_encode(input)).value() == input);
    std::string key;
    append_key_bytes(key, input);
    FUZZ_REQUIRE(percent_decode(key).value() == input);
    FUZZ_REQUIRE(key.find_first_of(" ,*") == std::string::npos);
  }
  auto members = parse_url_query(input);
  if (!members) return;
  std::string query;
  for (const auto& [name, value] : *members) {
    if (!query.empty()) query += '&';
    query += percent_encode(name) + "=" + percent_encode(value);
  }
  FUZZ_REQUIRE(parse_url_query(query).value() == *members);
}

}  // namespace lattice
