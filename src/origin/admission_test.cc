#include "origin/admission.h"

#include <doctest/doctest.h>

#include "base/base64url.h"
#include "base/json.h"
#include "query/query.h"
#include "schema/schema.h"
#include "tests/support/vectors.h"

namespace lattice::origin {
namespace {

std::string canonical_text(const Json& vector) {
  if (const Json* canonical = vector.find("canonical")) return canonical->as_string();
  auto idl = testing::read_shared("conformance/protocol/fixtures/" +
                                  vector.find("schema")->as_string() + ".lattice");
  auto schema = schema::load_schema(*idl);
  REQUIRE(schema.has_value());
  auto query = query::compile_query(vector.find("body")->as_string(), **schema);
  REQUIRE(query.has_value());
  return query->canonical;
}

TEST_CASE("admission vectors (14.3)") {
  testing::run_vectors("admission.json", [](const Json& vector) -> testing::Verdict {
    std::vector<std::string> keys;
    for (const Json& key : vector.find("publicKeys")->as_array()) {
      keys.push_back(*base64url_decode(key.as_string()));
    }
    const Json* signature = vector.find("X-Lattice-Query-Sig");
    bool got = is_admitted(keys, canonical_text(vector), signature ? signature->as_string() : "");
    bool wanted = vector.find("admitted")->as_bool();
    return testing::expect_equal(got ? "admitted" : "denied", wanted ? "admitted" : "denied");
  });
}

TEST_CASE("cold compiles are limited per client and come back with time (14.2)") {
  ManualClock clock;
  ColdCompileLimit limit(2, clock);
  CHECK(limit.spend("a").has_value());
  CHECK(limit.spend("a").has_value());
  auto refused = limit.spend("a");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Code::RateLimited);
  REQUIRE(refused.error().details.size() == 1);
  CHECK(refused.error().details[0] == std::pair<std::string, std::string>("retry-after", "30"));
  CHECK(limit.spend("b").has_value());
  clock.advance(std::chrono::seconds(30));
  CHECK(limit.spend("a").has_value());
  CHECK_FALSE(limit.spend("a").has_value());
}

TEST_CASE("no limit is configured as zero") {
  ManualClock clock;
  ColdCompileLimit limit(0, clock);
  for (int i = 0; i < 1000; ++i) CHECK(limit.spend("a").has_value());
}

}  // namespace
}  // namespace lattice::origin
