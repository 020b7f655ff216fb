#include "origin/digest.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/random.h"
#include "tests/support/vectors.h"

namespace lattice::origin {
namespace {

using testing::expect_equal;
using testing::failed;
using testing::text_of;
using testing::Verdict;

std::pair<std::string, std::string> split_member(std::string_view member) {
  size_t at = member.rfind('@');
  return {std::string(member.substr(0, at)), std::string(member.substr(at + 1))};
}

Verdict check_encoding(const Json& vector) {
  std::vector<std::string> members;
  for (const Json& member : vector.find("members")->as_array()) {
    members.push_back(member.as_string());
  }
  auto exponent = static_cast<uint32_t>(vector.find("fp")->as_int64());
  std::string header = encode_digest(members, exponent);
  if (header != text_of(vector, "header")) return expect_equal(header, text_of(vector, "header"));
  auto digest = Digest::parse(header);
  if (!digest) return failed("our own digest does not parse");
  for (const std::string& member : members) {
    auto [ref, version] = split_member(member);
    if (!digest->holds(ref, version)) return failed("the digest misses " + member);
  }
  return testing::passed();
}

Verdict check_match(const Json& vector) {
  auto digest = Digest::parse(text_of(vector, "header"));
  if (!digest) return failed("the digest does not parse");
  auto [ref, version] = split_member(text_of(vector, "candidate"));
  bool wanted = vector.find("elide")->as_bool();
  return expect_equal(digest->holds(ref, version) ? "elide" : "send", wanted ? "elide" : "send");
}

Verdict check_have(const Json& vector) {
  auto have = parse_have(text_of(vector, "header"));
  Json got;
  if (have) {
    got = Json::array();
    for (const auto& [ref, version] : *have) got.push_back(Json::array({ref, version}));
  }
  return expect_equal(to_json(got), to_json(*vector.find("items")));
}

TEST_CASE("digest vectors (10.4)") {
  testing::run_vectors("digests.json", [](const Json& vector) -> Verdict {
    const std::string& op = text_of(vector, "op");
    if (op == "encode") return check_encoding(vector);
    if (op == "match") return check_match(vector);
    if (op == "parse-have") return check_have(vector);
    if (op != "accept") return failed("no operation " + op);
    bool got = Digest::parse(text_of(vector, "header")).has_value();
    bool wanted = vector.find("honored")->as_bool();
    return expect_equal(got ? "honored" : "ignored", wanted ? "honored" : "ignored");
  });
}

TEST_CASE("a digest never misses a member, and seldom claims another (10.4)") {
  SeededRandom random(20260101);
  std::vector<std::string> members;
  for (int i = 0; i < 2000; ++i) {
    members.push_back("Post:" + std::to_string(i) + "@e" + std::to_string(random.below(50)));
  }
  auto digest = Digest::parse(encode_digest(members, 8));
  REQUIRE(digest.has_value());
  for (const std::string& member : members) {
    auto [ref, version] = split_member(member);
    CHECK(digest->holds(ref, version));
  }
  int claimed = 0;
  for (int i = 0; i < 20'000; ++i) claimed += digest->holds("User:" + std::to_string(i), "e1");
  CHECK(claimed < 20'000 / 128);  // the declared rate is 1/256
}

TEST_CASE("X-Have wins over X-Have-Digest; a malformed one counts as absent (10.4)") {
  http::Headers both{{"X-Have", "Post:1@e1"}, {"X-Have-Digest", encode_digest({"Post:2@e1"}, 10)}};
  auto have = read_have(both);
  REQUIRE(have);
  CHECK(have->holds("Post:1", "e1"));
  CHECK_FALSE(have->holds("Post:1", "e2"));
  CHECK_FALSE(have->holds("Post:2", "e1"));
  CHECK(read_have({{"X-Have", "Post"}, {"X-Have-Digest", encode_digest({"Post:2@e1"}, 10)}})
            ->holds("Post:2", "e1"));
  CHECK_FALSE(read_have({{"X-Have", "Post:1@"}}));
  CHECK_FALSE(read_have({}));
}

TEST_CASE("a digest that lost its tail is ignored (10.4)") {
  std::string header = encode_digest({"Post:1@e1", "Post:2@e1", "Post:3@e1", "Post:4@e1"}, 8);
  REQUIRE(Digest::parse(header).has_value());
  CHECK_FALSE(Digest::parse(header.substr(0, header.size() - 3)).has_value());
  CHECK_FALSE(Digest::parse("v1;fp=8;count=99999999999;AAAA").has_value());
  CHECK_FALSE(Digest::parse("v1;fp=8;count=1;AAAA;x").has_value());
}

}  // namespace
}  // namespace lattice::origin
