#include "client/snapshot.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/support/vectors.h"

namespace lattice::client {
namespace {

using testing::expect_equal;
using testing::failed;
using testing::text_of;
using testing::Verdict;

SnapshotVector vector_of(const Json& object) {
  SnapshotVector out;
  for (const auto& [domain, token] : object.as_object()) out[domain] = token.as_string();
  return out;
}

std::string_view order_name(std::strong_ordering order) {
  return order < 0 ? "less" : order > 0 ? "greater" : "equal";
}

Json json_of(const SnapshotVector& snapshot) {
  Json out = Json::object();
  for (const auto& [domain, token] : snapshot) out.set(domain, token);
  return out;
}

Verdict check_order(const Json& vector) {
  const std::string& a = text_of(vector, "a");
  const std::string& b = text_of(vector, "b");
  if ((compare_tokens(b, a) < 0) != (compare_tokens(a, b) > 0)) return failed("no order");
  return expect_equal(order_name(compare_tokens(a, b)), text_of(vector, "order"));
}

Verdict check_cut(const Json& vector) {
  std::vector<Interval> intervals;
  for (const Json& item : vector.find("intervals")->as_array()) {
    const Json* floor = item.find("floor");
    intervals.push_back({floor->is_null() ? std::nullopt : std::optional(floor->as_string()),
                         item.find("token")->as_string()});
  }
  bool wanted = vector.find("consistent")->as_bool();
  return expect_equal(is_consistent_cut(intervals) ? "a cut" : "no cut",
                      wanted ? "a cut" : "no cut");
}

TEST_CASE("snapshot vectors (10.2, 13.2)") {
  testing::run_vectors("snapshots.json", [](const Json& vector) -> Verdict {
    const std::string& op = text_of(vector, "op");
    if (op == "compare") return check_order(vector);
    if (op == "cut") return check_cut(vector);
    if (op == "render") {
      return expect_equal(render_snapshot(vector_of(*vector.find("value"))),
                          text_of(vector, "header"));
    }
    if (op != "parse") return failed("no operation " + op);
    auto parsed = parse_snapshot(text_of(vector, "header"));
    if (!parsed) return failed(parsed.error().message);
    return expect_equal(canonical_json(json_of(*parsed)), canonical_json(*vector.find("value")));
  });
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
