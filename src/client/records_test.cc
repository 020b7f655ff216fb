#include "client/records.h"

#include <doctest/doctest.h>

#include "tests/support/shared.h"

namespace lattice::client {
namespace {

void check_ref(const Json& vector, std::string_view ref) {
  auto parts = split_ref(ref);
  const Json* expected = vector.find("ref");
  REQUIRE(parts.has_value() == !expected->is_null());
  if (!parts) return;
  CHECK(parts->first == expected->as_array()[0].as_string());
  CHECK(parts->second == expected->as_array()[1].as_string());
}

void check_line(const Json& vector) {
  auto record = parse_record(vector.find("line")->as_string());
  REQUIRE(record.has_value());
  CHECK(record->kind == vector.find("kind")->as_string());
  if (vector.find("ref")) check_ref(vector, record->id);
  if (const Json* root = vector.find("root")) CHECK(*record->root() == *root);
  for (std::string_view name : {"item", "src"}) {
    if (const Json* value = vector.find(name)) CHECK(*record->json.find(name) == *value);
  }
  if (const Json* scope = vector.find("scope")) {
    REQUIRE(record->scope.has_value());
    auto expected = [&](std::string_view name) {
      const Json* value = scope->find(name);
      return value ? value->as_string() : std::string();
    };
    CHECK(record->scope->tag == expected("tag"));
    CHECK(record->scope->entity == expected("entity"));
    CHECK(record->scope->field == expected("field"));
    CHECK(record->scope->root == expected("root"));
    CHECK(record->scope->item == expected("item"));
  }
}

TEST_CASE("wire record vectors (9)") {
  auto text = testing::read_shared("conformance/protocol/vectors/wire-records.json");
  if (!text) return;
  auto cases = parse_json(*text);
  REQUIRE(cases.has_value());
  for (const Json& vector : cases->as_array()) {
    CAPTURE(vector.find("name")->as_string());
    if (const Json* ref = vector.find("refText")) {
      check_ref(vector, ref->as_string());
    } else if (const Json* stream = vector.find("stream")) {
      auto records = parse_stream(stream->as_string());
      REQUIRE(records.has_value());
      const Json::Array& kinds = vector.find("kinds")->as_array();
      REQUIRE(records->size() == kinds.size());
      for (size_t i = 0; i < kinds.size(); ++i) {
        CHECK((*records)[i].kind == kinds[i].as_string());
      }
    } else {
      check_line(vector);
    }
  }
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
