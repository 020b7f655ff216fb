#include "base/json.h"

#include <doctest/doctest.h>

#include "tests/support/vectors.h"

namespace lattice {
namespace {

std::string canonical(std::string_view text) {
  auto value = parse_json(text);
  return value ? canonical_json(*value) : "error: " + value.error().message;
}

TEST_CASE("canonical JSON vectors (spec 5.1)") {
  testing::run_vectors("canonical-json.json", [](const Json& vector) {
    auto value = parse_json(testing::text_of(vector, "json"));
    if (vector.find("reject") != nullptr) {
      return value ? testing::failed("was accepted") : testing::passed();
    }
    if (!value) return testing::failed(value.error().message);
    return testing::expect_equal(canonical_json(*value), testing::text_of(vector, "canonical"));
  });
}

TEST_CASE("integers of any size stay integers") {
  CHECK(canonical("-9223372036854775808") == "-9223372036854775808");
  CHECK(canonical("9223372036854775808") == "9223372036854775808");
  CHECK(canonical("-123456789012345678901234567890") == "-123456789012345678901234567890");
  CHECK(canonical("-0") == "0");
  CHECK(canonical("-0.0") == "0");
  CHECK(Json(uint64_t{1} << 63).is_integer());
  CHECK(to_json(Json(uint64_t{1} << 63)) == "9223372036854775808");
}

}  // namespace
}  // namespace lattice
