#include "query/inline.h"

#include <doctest/doctest.h>

#include "base/base64url.h"
#include "base/deflate.h"
#include "tests/support/vectors.h"

namespace lattice::query {
namespace {

constexpr std::string_view kText = "query{hero{friends{name} name}}";

TEST_CASE("an inline value round-trips, with and without a dictionary") {
  for (const std::string_view dictionary : {"", "friends hero name query"}) {
    const std::string d = encode_inline(kText, dictionary);
    CHECK(d.find('=') == std::string::npos);
    auto text = decode_inline(d, dictionary);
    REQUIRE(text.has_value());
    CHECK(*text == kText);
  }
  CHECK(encode_inline(kText, "query{hero{friends{name} name}}").size() <
        encode_inline(kText).size());
}

TEST_CASE("padding is accepted") {
  std::string d = encode_inline("query{me{name}}");
  while (d.size() % 4 != 0) d += '=';
  CHECK(decode_inline(d).has_value());
}

TEST_CASE("a stream that grows past the limit is refused") {
  const std::string bomb = encode_inline(std::string(10'000'000, ' '));
  CHECK(bomb.size() < 20'000);
  auto text = decode_inline(bomb);
  REQUIRE_FALSE(text.has_value());
  CHECK(text.error().code == Code::CompileRejected);
  CHECK(decode_inline(encode_inline(std::string(65'536, ' '))).has_value());
  CHECK_FALSE(decode_inline(encode_inline(std::string(65'537, ' '))).has_value());
}

TEST_CASE("compression vectors: the text in d") {
  testing::run_vectors("compression.json", [](const Json& vector) -> testing::Verdict {
    if (vector.find("dv") != nullptr) return testing::not_mine();  // the origin knows dictionaries
    const Json* dictionary = vector.find("dictionary");
    auto text = decode_inline(testing::text_of(vector, "d"),
                              dictionary == nullptr ? "" : dictionary->as_string());
    if (const Json* wanted = vector.find("text")) {
      if (!text) return testing::failed(text.error().message);
      return testing::expect_equal(*text, wanted->as_string());
    }
    if (text) return testing::failed("decoded to " + *text);
    return testing::expect_equal(text.error().wire_code(), testing::text_of(vector, "code"));
  });
}

}  // namespace
}  // namespace lattice::query
