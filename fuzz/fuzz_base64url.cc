// One text for one value: what decodes encodes back to the very same digits.
#include "base/base64url.h"
#include "fuzz/fuzz.h"

namespace lattice {

void fuzz(std::string_view input) {
  FUZZ_REQUIRE(base64url_decode(base64url_encode(input)).value() == input);
  auto decoded = base64url_decode(input);
  if (decoded) FUZZ_REQUIRE(base64url_encode(*decoded) == input);
  auto padded = base64url_decode_padded(input);
  FUZZ_REQUIRE(!decoded || (padded && *padded == *decoded));
  if (padded) {
    std::string_view digits = input.substr(0, input.find('='));
    FUZZ_REQUIRE(base64url_encode(*padded) == digits);
    FUZZ_REQUIRE(digits == input || input.size() % 4 == 0);
  }
}

}  // namespace lattice
