#include "origin/digest.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/random.h"
#include "tests/support/shared.h"

namespace lattice::origin {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::pair<std::string, std::string> split_member(std::string_view member) {
  size_t at = member.rfind('@');
  return {std::string(member.substr(0, at)), std::string(member.substr(at + 1))};
}

void check_vector(const Json& vector) {
  const std::string& op = vector.find("op")->as_string();
  const std::string& header = vector.find("header")->as_string();
  if (op == "encode") {
    std::vector<std::string> members;
    for (const Json& member : vector.find("members")->as_array()) {
      members.push_back(member.as_string());
    }
    CHECK(encode_digest(members, static_cast<uint32_t>(vector.find("fp")->as_int64())) == header);
    auto digest = Digest::parse(header);
    REQUIRE(digest.has_value());
    for (const std::string& member : members) {
      auto [ref, version] = split_member(member);
      CHECK(digest->holds(ref, version));
    }
  } else if (op == "match") {
    auto digest = Digest::parse(header);
    REQUIRE(digest.has_value());
    auto [ref, version] = split_member(vector.find("candidate")->as_string());
    CHECK(digest->holds(ref, version) == vector.find("elide")->as_bool());
  } else if (op == "accept") {
    CHECK(Digest::parse(header).has_value() == vector.find("honored")->as_bool());
  } else {
    REQUIRE(op == "parse-have");
    auto have = parse_have(header);
    const Json* items = vector.find("items");
    REQUIRE(have.has_value() == !items->is_null());
    if (!have) return;
    Pairs expected;
    for (const Json& item : items->as_array()) {
      expected.emplace_back(item.as_array()[0].as_string(), item.as_array()[1].as_string());
    }
    CHECK(*have == expected);
  }
}

TEST_CASE("digest vectors (10.4)") {
  auto text = testing::read_shared("conformance/protocol/vectors/digests.json");
  if (!text) return;
  auto cases = parse_json(*text);
  REQUIRE(cases.has_value());
  for (const Json& vector : cases->as_array()) {
    CAPTURE(vector.find("name")->as_string());
    check_vector(vector);
  }
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
