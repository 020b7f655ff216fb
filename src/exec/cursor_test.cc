#include <doctest/doctest.h>

#include "exec/exec.h"
#include "tests/support/vectors.h"

namespace lattice::exec {

namespace {

std::vector<schema::OrderColumn> keyset_of(const Json& vector) {
  std::vector<schema::OrderColumn> keyset;
  for (const Json& column : vector.find("keyset")->as_array()) {
    std::string_view text = column.as_string();
    size_t space = text.find(' ');
    keyset.push_back({std::string(text.substr(0, space)), text.substr(space + 1) == "desc"});
  }
  return keyset;
}

testing::Verdict check_encode(const Json& vector) {
  auto keyset = keyset_of(vector);
  if (keyset_hash(keyset) != testing::text_of(vector, "specHash")) {
    return testing::failed("keyset hash " + keyset_hash(keyset));
  }
  Json::Array values = vector.find("values")->as_array();
  if (const Json* key = vector.find("key")) {
    values.insert(values.end(), key->as_array().begin(), key->as_array().end());
  }
  return testing::expect_equal(encode_cursor(keyset, values), testing::text_of(vector, "cursor"));
}

testing::Verdict check_decode(const Json& vector) {
  const Json* key_columns = vector.find("keyColumns");
  auto decoded = decode_cursor(keyset_of(vector),
                               key_columns ? static_cast<uint32_t>(key_columns->as_int64()) : 0,
                               testing::text_of(vector, "cursor"));
  const std::string& result = testing::text_of(vector, "result");
  if (!decoded) {
    bool retired = decoded.error().code == Code::CursorRetired;
    bool malformed = decoded.error().code == Code::CompileRejected &&
                     decoded.error().message.starts_with("malformed cursor");
    return testing::expect_equal(retired ? "retired" : malformed ? "malformed" : "error", result);
  }
  if (result != "ok") return testing::failed("decoded, wanted " + result);
  Json::Array wanted = vector.find("values")->as_array();
  if (const Json* key = vector.find("key")) {
    wanted.insert(wanted.end(), key->as_array().begin(), key->as_array().end());
  }
  return testing::expect_equal(canonical_json(Json(*decoded)), canonical_json(Json(wanted)));
}

}  // namespace

TEST_CASE("3.2 cursor vectors") {
  testing::run_vectors("cursors.json", [](const Json& vector) {
    return testing::text_of(vector, "op") == "encode" ? check_encode(vector) : check_decode(vector);
  });
}

TEST_CASE("3.2 a cursor holds the keyset, or the keyset and the whole key") {
  std::vector<schema::OrderColumn> keyset{{"rank", true}, {"id", false}};
  auto cursor = [&](Json::Array values) { return encode_cursor(keyset, values); };
  CHECK(decode_cursor(keyset, 2, cursor({1, "a"})).has_value());
  CHECK(decode_cursor(keyset, 2, cursor({1, "a", "k1", "k2"})).has_value());
  CHECK_FALSE(decode_cursor(keyset, 2, cursor({1, "a", "k1"})).has_value());
  CHECK_FALSE(decode_cursor(keyset, 2, cursor({1})).has_value());
  CHECK_FALSE(decode_cursor(keyset, 0, cursor({1, "a", "k1", "k2"})).has_value());
}

TEST_CASE("3.2 cursors round-trip, and no cut or changed byte decodes to other values") {
  std::vector<schema::OrderColumn> keyset{{"name", false}};
  std::string cursor = encode_cursor(keyset, {"Zoë \"Z\""});
  auto back = decode_cursor(keyset, 0, cursor);
  REQUIRE(back.has_value());
  CHECK(back->front().as_string() == "Zoë \"Z\"");
  for (size_t size = 0; size < cursor.size(); ++size) {
    CHECK_FALSE(decode_cursor(keyset, 0, cursor.substr(0, size)).has_value());
  }
}

}  // namespace lattice::exec
