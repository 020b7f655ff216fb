#include "base/blake3.h"

#include <doctest/doctest.h>

#include "base/blake3_compress.h"
#include "base/random.h"
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

TEST_CASE("the vector kernel agrees with the portable one") {
  const internal::Blake3Kernel& portable = internal::blake3_portable_kernel();
  const internal::Blake3Kernel* fast = internal::blake3_sse41_kernel();
  if (fast == nullptr) {
    MESSAGE("left out: no SSE4.1 on this machine");
    return;
  }
  CHECK(&internal::blake3_kernel() == fast);
  constexpr uint64_t kSeed = 11;
  CAPTURE(kSeed);
  SeededRandom random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    internal::Blake3Words chaining;
    for (uint32_t& word : chaining) word = static_cast<uint32_t>(random.next());
    internal::Blake3Block block;
    for (uint8_t& byte : block) byte = static_cast<uint8_t>(random.next());
    uint64_t counter = random.next() >> random.below(64);
    auto length = static_cast<uint32_t>(random.below(65));
    auto flags = static_cast<uint32_t>(random.below(16));
    internal::Blake3Block wide;
    internal::Blake3Block fast_wide;
    portable.compress_wide(chaining, block.data(), counter, length, flags, wide.data());
    fast->compress_wide(chaining, block.data(), counter, length, flags, fast_wide.data());
    REQUIRE(wide == fast_wide);
    internal::Blake3Words fast_chaining = chaining;
    portable.compress(chaining, block.data(), counter, length, flags);
    fast->compress(fast_chaining, block.data(), counter, length, flags);
    REQUIRE(chaining == fast_chaining);
    REQUIRE(std::memcmp(chaining.data(), wide.data(), sizeof(chaining)) == 0);
  }
  std::string chunks = vector_input(4096);
  for (uint64_t counter : {uint64_t{0}, uint64_t{5}, uint64_t{0xfffffffe}, ~uint64_t{0} - 3}) {
    std::array<internal::Blake3Words, 4> four;
    std::array<internal::Blake3Words, 4> fast_four;
    auto bytes = reinterpret_cast<const uint8_t*>(chunks.data());
    portable.hash_four(bytes, counter, four);
    fast->hash_four(bytes, counter, fast_four);
    CHECK(four == fast_four);
  }
}

TEST_CASE("BLAKE3 hashes of the protocol vectors") {
  testing::run_vectors("hashes.json", [](const Json& vector) {
    if (testing::text_of(vector, "kind") != "blake3-hex") return testing::not_mine();
    return testing::expect_equal(hex(blake3(testing::text_of(vector, "input"))),
                                 testing::text_of(vector, "hash"));
  });
}

TEST_CASE("lengths around the four chunks that are hashed at once, whole and in two pieces") {
  for (size_t chunk_count : {4, 5, 7, 8, 9, 12, 16, 20}) {
    for (size_t more : {0, 1, 63, 64, 65, 1023}) {
      std::string input = vector_input(chunk_count * 1024 + more);
      // Pieces of 1 KiB and less never meet the four lanes.
      Blake3 plain;
      for (size_t at = 0; at < input.size(); at += 1000) {
        plain.update(std::string_view(input).substr(at, 1000));
      }
      std::string wanted = plain.finish(32);
      CAPTURE(input.size());
      CHECK(blake3(input) == wanted);
      for (size_t first : {size_t{1}, size_t{1024}, size_t{4096}, input.size() - 1}) {
        Blake3 hasher;
        hasher.update(std::string_view(input).substr(0, first));
        hasher.finish(32);
        hasher.update(std::string_view(input).substr(first));
        CHECK(hasher.finish(32) == wanted);
      }
    }
  }
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
