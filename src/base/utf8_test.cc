#include "base/utf8.h"

#include <doctest/doctest.h>

#include <cstdio>

#include "base/check.h"
#include "base/random.h"
#include "tests/support/shared.h"

namespace lattice {
namespace {

std::string utf8_of(char32_t code_point) {
  std::string out;
  append_code_point(out, code_point);
  return out;
}

TEST_CASE("every code point is well-formed, counts one and reads back") {
  for (char32_t code_point = 0; code_point <= 0x10ffff; ++code_point) {
    if (code_point == 0xd800) code_point = 0xe000;
    std::string text = utf8_of(code_point);
    size_t offset = 0;
    bool good = is_valid_utf8(text) && count_code_points(text) == 1 &&
                next_code_point(text, offset) == code_point && offset == text.size();
    if (!good) FAIL_CHECK("U+" << static_cast<uint32_t>(code_point));
  }
  CHECK_THROWS_AS(utf8_of(0xd800), BugError);
  CHECK_THROWS_AS(utf8_of(0x110000), BugError);
}

TEST_CASE("what is not well-formed is found at its first byte") {
  for (std::string_view broken :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x80\x80", "\xe0\x9f\xbf",
        "\xe2\x82", "\xe2\x28\xa1", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80",
        "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
        "\xfe"}) {
    for (size_t before : {0, 1, 7, 8, 9, 16}) {
      std::string text = std::string(before, 'a') + std::string(broken);
      CAPTURE(text);
      CHECK(find_invalid_utf8(text) == before);
      CHECK(find_invalid_utf8(text + "aaaaaaaaa") == before);
      CHECK(!is_nfc(text));
      auto normal = to_nfc(text);
      REQUIRE(!normal.has_value());
      CHECK(normal.error().message == "not valid UTF-8 at offset " + std::to_string(before));
    }
  }
  CHECK(is_valid_utf8(""));
  CHECK(is_valid_utf8(std::string_view("\0", 1)));
  CHECK(find_invalid_utf8("\xc3\xa4\xc3\xa4\xc3") == 4);
}

// All texts of up to three bytes, and four with a lead of F0 or F4, against the plain definition:
// the bytes are what encoding a code point gives.
TEST_CASE("well-formedness agrees with encoding, for all short sequences") {
  std::set<std::string> encodings;
  for (char32_t code_point = 0x80; code_point <= 0x10ffff; ++code_point) {
    if (code_point == 0xd800) code_point = 0xe000;
    if (code_point < 0x11000 || code_point >= 0x10f000) encodings.insert(utf8_of(code_point));
  }
  int wrong = 0;
  for (uint32_t lead = 0x80; lead <= 0xff; ++lead) {
    for (uint32_t second = 0x7f; second <= 0xc0; ++second) {
      std::string two = {static_cast<char>(lead), static_cast<char>(second)};
      wrong += is_valid_utf8(two) != (encodings.contains(two) || (lead < 0x80 && second < 0x80));
      for (uint32_t third : {0x7f, 0x80, 0xa5, 0xbf, 0xc0}) {
        std::string three = two + static_cast<char>(third);
        bool wanted = encodings.contains(three) || (encodings.contains(two) && third < 0x80);
        wrong += is_valid_utf8(three) != wanted;
      }
    }
  }
  CHECK(wrong == 0);
}

std::string code_points_of(std::string_view field) {
  std::string text;
  for (size_t begin = 0; begin < field.size();) {
    size_t end = std::min(field.find(' ', begin), field.size());
    uint32_t code_point = 0;
    std::from_chars(field.data() + begin, field.data() + end, code_point, 16);
    append_code_point(text, code_point);
    begin = end + 1;
  }
  return text;
}

std::string read_bzip2(const std::filesystem::path& path) {
  FILE* pipe = popen(("bzip2 -dc " + path.string()).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 65536> buffer;
  while (size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), got);
  }
  REQUIRE(pclose(pipe) == 0);
  return text;
}

TEST_CASE("Unicode's normalization test: NFC of every column") {
  const std::filesystem::path path = "/usr/share/unicode/NormalizationTest.txt.bz2";
  if (!std::filesystem::exists(path)) {
    MESSAGE("left out: no " << path.string() << " (Debian's unicode-data)");
    return;
  }
  std::string text = read_bzip2(path);
  int line_count = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.empty() || line[0] == '#' || line[0] == '@') continue;
    ++line_count;
    // Columns: source; NFC; NFD; NFKC; NFKD. NFC of the first three is the second, of the others
    // the fourth.
    std::array<std::string, 5> columns;
    for (std::string& column : columns) {
      size_t semicolon = line.find(';');
      column = code_points_of(line.substr(0, semicolon));
      line.remove_prefix(semicolon + 1);
    }
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::string& wanted = columns[i < 3 ? 1 : 3];
      if (to_nfc(columns[i]).value() != wanted) FAIL_CHECK("line " << line << " column " << i);
      if (is_nfc(columns[i]) != (columns[i] == wanted)) FAIL_CHECK("is_nfc: line " << line);
    }
  }
  CHECK(line_count > 18000);
  MESSAGE("normalization: " << line_count << " lines");
}

TEST_CASE("text below U+0300 is its own NFC") {
  std::string text;
  for (char32_t code_point = 0; code_point < 0x300; ++code_point)
    append_code_point(text, code_point);
  CHECK(is_nfc(text));
  CHECK(to_nfc("e\xcc\x81").value() == "\xc3\xa9");
  CHECK(to_nfc(std::string_view("a\0b\xcc\x88", 5)).value() == std::string("a\0b\xcc\x88", 5));
}

std::u16string utf16_of(std::string_view text) {
  std::u16string units;
  for (size_t offset = 0; offset < text.size();) {
    char32_t code_point = next_code_point(text, offset);
    if (code_point < 0x10000) {
      units += static_cast<char16_t>(code_point);
    } else {
      units += static_cast<char16_t>(0xd800 + ((code_point - 0x10000) >> 10));
      units += static_cast<char16_t>(0xdc00 + ((code_point - 0x10000) & 0x3ff));
    }
  }
  return units;
}

TEST_CASE("compare_utf16 orders as the UTF-16 units do") {
  constexpr uint64_t kSeed = 7;
  CAPTURE(kSeed);
  SeededRandom random(kSeed);
  const char32_t borders[] = {0,       0x7f,    0x80,    0x7ff,    0x800,    0xfff,  0x1000,
                              0xcfff,  0xd7ff,  0xe000,  0xefff,   0xf000,   0xffff, 0x10000,
                              0x3ffff, 0x40000, 0xfffff, 0x100000, 0x10ffff, 'a'};
  auto random_text = [&] {
    std::string text;
    for (uint64_t count = random.below(4); count > 0; --count) {
      append_code_point(text, borders[random.below(std::size(borders))]);
    }
    return text;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string left = random_text();
    std::string right = random_text();
    auto wanted = utf16_of(left) <=> utf16_of(right);
    if (compare_utf16(left, right) != wanted) FAIL_CHECK(left << " and " << right);
  }
}

// The order of marks is found by sorting: a run as long as the text takes no longer than the text.
TEST_CASE("long runs of marks are put in order") {
  constexpr size_t kMarks = 100'000;
  std::string text = "e";
  std::string wanted = "\u1eb9";  // e with dot below, which takes the first U+0323
  for (size_t i = 0; i < kMarks; ++i) text += "\u0301\u0323";
  for (size_t i = 1; i < kMarks; ++i) wanted += "\u0323";
  for (size_t i = 0; i < kMarks; ++i) wanted += "\u0301";
  auto normal = to_nfc(text);
  REQUIRE(normal.has_value());
  CHECK(*normal == wanted);
}

}  // namespace
}  // namespace lattice
