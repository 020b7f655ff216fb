#include "client/snapshot.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/support/shared.h"

namespace lattice::client {
namespace {

SnapshotVector vector_of(const Json& object) {
  SnapshotVector out;
  for (const auto& [domain, token] : object.as_object()) out[domain] = token.as_string();
  return out;
}

std::string_view order_name(std::strong_ordering order) {
  return order < 0 ? "less" : order > 0 ? "greater" : "equal";
}

void check_vector(const Json& vector) {
  const std::string& op = vector.find("op")->as_string();
  if (op == "parse") {
    auto parsed = parse_snapshot(vector.find("header")->as_string());
    REQUIRE(parsed.has_value());
    CHECK(*parsed == vector_of(*vector.find("value")));
  } else if (op == "render") {
    CHECK(render_snapshot(vector_of(*vector.find("value"))) == vector.find("header")->as_string());
  } else if (op == "compare") {
    const std::string& a = vector.find("a")->as_string();
    const std::string& b = vector.find("b")->as_string();
    CHECK(order_name(compare_tokens(a, b)) == vector.find("order")->as_string());
    CHECK((compare_tokens(b, a) < 0) == (compare_tokens(a, b) > 0));
  } else {
    REQUIRE(op == "cut");
    std::vector<Interval> intervals;
    for (const Json& item : vector.find("intervals")->as_array()) {
      const Json* floor = item.find("floor");
      intervals.push_back({floor->is_null() ? std::nullopt : std::optional(floor->as_string()),
                           item.find("token")->as_string()});
    }
    CHECK(is_consistent_cut(intervals) == vector.find("consistent")->as_bool());
  }
}

TEST_CASE("snapshot vectors (10.2, 13.2)") {
  auto text = testing::read_shared("conformance/protocol/vectors/snapshots.json");
  if (!text) return;
  auto cases = parse_json(*text);
  REQUIRE(cases.has_value());
  for (const Json& vector : cases->as_array()) {
    CAPTURE(vector.find("name")->as_string());
    check_vector(vector);
  }
}

TEST_CASE("headers that are no dictionaries of strings are refused (13.1)") {
  for (std::string_view wrong : {"main=1", "main", "Main=\"1\"", "main=\"1", "=\"1\""}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_snapshot(wrong).has_value());
  }
  CHECK(parse_snapshot("")->empty());
}

}  // namespace
}  // namespace lattice::client
