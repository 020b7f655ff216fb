#include "client/records.h"

#include <doctest/doctest.h>

#include "tests/support/vectors.h"

namespace lattice::client {
namespace {

using testing::expect_equal;
using testing::failed;
using testing::text_of;
using testing::Verdict;

Verdict check_ref(const Json& vector, std::string_view ref) {
  Json got;
  if (auto parts = split_ref(ref)) got = Json::array({parts->first, parts->second});
  return expect_equal(to_json(got), to_json(*vector.find("ref")));
}

Json json_of(const Scope& scope) {
  Json out = Json::object({{"tag", scope.tag}});
  for (const auto& [name, value] :
       {std::pair("entity", scope.entity), std::pair("field", scope.field),
        std::pair("root", scope.root), std::pair("item", scope.item)}) {
    if (!value.empty()) out.set(name, value);
  }
  return out;
}

Verdict check_line(const Json& vector) {
  auto record = parse_record(text_of(vector, "line"));
  if (!record) return failed(record.error().message);
  if (record->kind != text_of(vector, "kind")) return failed("kind " + record->kind);
  for (std::string_view name : {"item", "src", "root"}) {
    const Json* wanted = vector.find(name);
    const Json* got = record->json.find(name);
    if (wanted && !(got && *got == *wanted)) return failed("`" + std::string(name) + "` differs");
  }
  if (const Json* scope = vector.find("scope")) {
    if (!record->scope) return failed("no scope");
    return expect_equal(canonical_json(json_of(*record->scope)), canonical_json(*scope));
  }
  return vector.find("ref") ? check_ref(vector, record->id) : testing::passed();
}

Verdict check_stream(const Json& vector) {
  auto records = parse_stream(text_of(vector, "stream"));
  if (!records) return failed(records.error().message);
  Json kinds = Json::array();
  for (const Record& record : *records) kinds.push_back(record.kind);
  return expect_equal(to_json(kinds), to_json(*vector.find("kinds")));
}

TEST_CASE("wire record vectors (9)") {
  testing::run_vectors("wire-records.json", [](const Json& vector) -> Verdict {
    if (vector.find("refText")) return check_ref(vector, text_of(vector, "refText"));
    if (vector.find("stream")) return check_stream(vector);
    return check_line(vector);
  });
}

TEST_CASE("records that cannot be used are errors naming the line (9.1)") {
  for (std::string_view wrong : {
           "[]",
           "{}",
           R"({"kind":7})",
           "{",
           R"({"kind":"entity","id":"Post:1"})",
           R"({"kind":"entity","id":"Post","fields":{}})",
           R"({"kind":"tombstone"})",
           R"({"kind":"manifest","root":[]})",
       }) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_record(wrong).has_value());
  }
  auto stream = parse_stream("{\"kind\":\"checkpoint\"}\n\nnonsense\n");
  REQUIRE_FALSE(stream.has_value());
  CHECK(stream.error().message.starts_with("line 3: "));
}

TEST_CASE("refs in fields: bare, tagged, arrays and pages (9.1)") {
  auto value = [](std::string_view text) { return *parse_json(text); };
  CHECK(ref_of(value(R"("User:9")")) == "User:9");
  CHECK(ref_of(value(R"({"$ref":"User:9"})")) == "User:9");
  CHECK_FALSE(ref_of(value(R"("nine")")).has_value());
  Json page = value(R"({"$page":{"items":[{"$ref":"A:1"},{"$ref":"B:2"}],"next":null}})");
  CHECK(*refs_of(page) == std::vector<std::string_view>{"A:1", "B:2"});
  Json array = value(R"(["A:1","B:2"])");
  CHECK(*refs_of(array) == std::vector<std::string_view>{"A:1", "B:2"});
  CHECK_FALSE(refs_of(value("7")).has_value());
  CHECK_FALSE(refs_of(value("[7]")).has_value());
}

}  // namespace
}  // namespace lattice::client
