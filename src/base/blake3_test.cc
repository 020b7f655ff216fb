#include "base/blake3.h"

#include <doctest/doctest.h>

#include "tests/support/vectors.h"

namespace lattice {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    out += "0123456789abcdef"[static_cast<uint8_t>(c) >> 4];
    out += "0123456789abcdef"[static_cast<uint8_t>(c) & 15];
  }
  return out;
}

// The filling of the official vectors.
std::string vector_input(size_t length) {
  std::string bytes;
  for (size_t i = 0; i < length; ++i) bytes += static_cast<char>(i % 251);
  return bytes;
}

TEST_CASE("the official BLAKE3 vectors, whole and in pieces") {
  auto text = testing::read_shared("conformance/external/blake3/test_vectors.json");
  if (!text) return;
  auto document = parse_json(*text);
  REQUIRE(document.has_value());
  const Json::Array& cases = document->find("cases")->as_array();
  CHECK(cases.size() == 35);
  for (const Json& vector : cases) {
    auto length = static_cast<size_t>(vector.find("input_len")->as_int64());
    CAPTURE(length);
    const std::string& wanted = testing::text_of(vector, "hash");
    std::string input = vector_input(length);
    CHECK(hex(blake3(input, wanted.size() / 2)) == wanted);
    CHECK(hex(blake3(input)) == wanted.substr(0, 64));
    for (size_t step : {1, 63, 64, 65, 1000, 1024, 5000}) {
      Blake3 hasher;
      for (size_t at = 0; at < input.size(); at += step) {
        hasher.update(std::string_view(input).substr(at, step));
      }
      CHECK(hex(hasher.finish(wanted.size() / 2)) == wanted);
    }
  }
}

TEST_CASE("BLAKE3 hashes of the protocol vectors") {
  testing::run_vectors("hashes.json", [](const Json& vector) {
    if (testing::text_of(vector, "kind") != "blake3-hex") return testing::not_mine();
    return testing::expect_equal(hex(blake3(testing::text_of(vector, "input"))),
                                 testing::text_of(vector, "hash"));
  });
}

TEST_CASE("a hasher stays usable after finish, and a copy goes on alone") {
  Blake3 hasher;
  hasher.update("ab");
  CHECK(hasher.finish(32) == blake3("ab"));
  Blake3 copy = hasher;
  copy.update("x");
  hasher.update("c");
  CHECK(hasher.finish(32) == blake3("abc"));
  CHECK(copy.finish(32) == blake3("abx"));
}

TEST_CASE("identifiers are base64url of the first bytes") {
  CHECK(blake3_base64url("", 16) == "rxNJufX5oaagQE3qNtzJSQ");
}

}  // namespace
}  // namespace lattice
