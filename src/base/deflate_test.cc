#include "base/deflate.h"

#include <doctest/doctest.h>

#include "base/random.h"

namespace lattice {
namespace {

constexpr size_t kPlenty = 1 << 20;

std::string random_text(SeededRandom& random, size_t length) {
  std::string text;
  while (text.size() < length) {
    text += std::string(random.below(9), static_cast<char>('a' + random.below(4)));
    text += static_cast<char>(random.next());
  }
  text.resize(length);
  return text;
}

TEST_CASE("streams read back, with and without a dictionary") {
  constexpr uint64_t kSeed = 3;
  CAPTURE(kSeed);
  SeededRandom random(kSeed);
  for (size_t length : {0, 1, 2, 100, 16383, 16384, 16385, 70000, 200000}) {
    std::string text = random_text(random, length);
    std::string dictionary = random_text(random, 40000);
    CAPTURE(length);
    CHECK(inflate_raw(deflate_raw(text), kPlenty).value() == text);
    CHECK(inflate_raw(deflate_raw(text), length).value() == text);
    CHECK(inflate_raw(deflate_raw(text, dictionary), kPlenty, dictionary).value() == text);
  }
}

TEST_CASE("a dictionary that holds the text makes the stream short") {
  std::string text = "query{feed{title body author{name}}}";
  CHECK(deflate_raw(text, "xx" + text).size() < deflate_raw(text).size() / 2);
}

TEST_CASE("streams that are broken") {
  std::string stream = deflate_raw(std::string(1000, 'a') + "bcd");
  struct Case {
    std::string stream;
    std::string_view message;
  };
  const Case cases[] = {
      {"", "the compressed text ends before its stream does"},
      {stream.substr(0, stream.size() - 1), "the compressed text ends before its stream does"},
      {stream + "x", "1 bytes follow the end of the compressed text"},
      {"\xff\xff\xff", "the compressed text is broken: invalid block type"},
      // A zlib header in front is not raw.
      {"\x78\x9c\x4b\x04\x01", "the compressed text is broken: invalid stored block lengths"},
  };
  for (const Case& c : cases) {
    auto text = inflate_raw(c.stream, kPlenty);
    REQUIRE(!text.has_value());
    CHECK(text.error().code == Code::Encoding);
    CHECK(text.error().message == c.message);
  }
  std::string needs = deflate_raw("dictionary text here", "some dictionary text here");
  CHECK(!inflate_raw(needs, kPlenty).has_value());
}

TEST_CASE("output has a limit: a small stream that grows is refused early") {
  std::string bomb = deflate_raw(std::string(10 << 20, '\0'));
  CHECK(bomb.size() < 20000);
  auto text = inflate_raw(bomb, 1000);
  REQUIRE(!text.has_value());
  CHECK(text.error().message == "the compressed text grows past the limit of 1000 bytes");
  std::string thousand = deflate_raw(std::string(1000, 'x'));
  CHECK(inflate_raw(thousand, 1000).has_value());
  CHECK(!inflate_raw(thousand, 999).has_value());
  CHECK(inflate_raw(deflate_raw(""), 0).value() == "");
  CHECK(!inflate_raw(deflate_raw("a"), 0).has_value());
  CHECK(inflate_raw(thousand, std::numeric_limits<size_t>::max()).has_value());
}

}  // namespace
}  // namespace lattice
