#include "base/json.h"

#include <doctest/doctest.h>

#include <bit>

#include "base/random.h"
#include "base/utf8.h"
#include "tests/support/vectors.h"

namespace lattice {
namespace {

std::string canonical(std::string_view text) {
  auto value = parse_json(text);
  return value ? canonical_json(*value) : "error: " + value.error().message;
}

std::string number_text(double value) {
  std::string out;
  append_json_number(out, value);
  return out;
}

std::string string_text(std::string_view value) {
  std::string out;
  append_json_string(out, value);
  return out;
}

TEST_CASE("canonical JSON vectors (spec 5.1)") {
  testing::run_vectors("canonical-json.json", [](const Json& vector) {
    auto value = parse_json(testing::text_of(vector, "json"));
    if (vector.find("reject") != nullptr) {
      return value ? testing::failed("was accepted") : testing::passed();
    }
    if (!value) return testing::failed(value.error().message);
    return testing::expect_equal(canonical_json(*value), testing::text_of(vector, "canonical"));
  });
}

TEST_CASE("the input and output pairs of RFC 8785") {
  auto folder = testing::find_shared("conformance/external/jcs");
  if (!folder) return;
  int pair_count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(*folder / "input")) {
    std::string name = entry.path().filename().string();
    CAPTURE(name);
    auto value = parse_json(testing::read_file(entry.path()));
    REQUIRE(value.has_value());
    std::string wanted = testing::read_file(*folder / "output" / name);
    CHECK(jcs(*value) == wanted);
    CHECK(jcs(parse_json(wanted).value()) == wanted);
    ++pair_count;
  }
  CHECK(pair_count == 6);
}

TEST_CASE("doubles print as ECMAScript prints them: ten thousand of them") {
  auto text = testing::read_shared("conformance/external/jcs/es6testfile-10000.txt");
  if (!text) return;
  int line_count = 0;
  for (size_t begin = 0; begin < text->size(); ++line_count) {
    size_t end = std::min(text->find('\n', begin), text->size());
    std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    size_t comma = line.find(',');
    REQUIRE(comma != std::string_view::npos);
    uint64_t bits = 0;
    std::from_chars(line.data(), line.data() + comma, bits, 16);
    auto value = std::bit_cast<double>(bits);
    std::string_view wanted = line.substr(comma + 1);
    if (number_text(value) != wanted) FAIL_CHECK(line << " printed " << number_text(value));
    auto reread = parse_json(wanted);
    REQUIRE(reread.has_value());
    if (reread->as_double() != value) FAIL_CHECK(line << " reads back as another double");
  }
  CHECK(line_count == 10000);
}

TEST_CASE("the borders of plain and exponent notation") {
  CHECK(number_text(1e21) == "1e+21");
  CHECK(number_text(999999999999999900000.0) == "999999999999999900000");
  CHECK(number_text(1e-6) == "0.000001");
  CHECK(number_text(1e-7) == "1e-7");
  CHECK(number_text(1.5e-7) == "1.5e-7");
  CHECK(number_text(-0.0) == "0");
  CHECK(number_text(9007199254740991.0) == "9007199254740991");
  CHECK(number_text(9007199254740992.0) == "9007199254740992");
  CHECK(number_text(-9007199254740994.0) == "-9007199254740994");
  CHECK(number_text(5e-324) == "5e-324");
  CHECK(number_text(1.7976931348623157e308) == "1.7976931348623157e+308");
  CHECK(number_text(123456.789) == "123456.789");
  CHECK_THROWS_AS(number_text(std::numeric_limits<double>::infinity()), BugError);
  CHECK_THROWS_AS(number_text(std::numeric_limits<double>::quiet_NaN()), BugError);
}

TEST_CASE("integers of any size stay integers") {
  CHECK(canonical("-9223372036854775808") == "-9223372036854775808");
  CHECK(canonical("9223372036854775807") == "9223372036854775807");
  CHECK(canonical("9223372036854775808") == "9223372036854775808");
  CHECK(canonical("-123456789012345678901234567890") == "-123456789012345678901234567890");
  CHECK(canonical("-0") == "0");
  CHECK(parse_json("-0").value().is_int64());
  CHECK(Json(uint64_t{1} << 63).is_integer());
  CHECK(to_json(Json(uint64_t{1} << 63)) == "9223372036854775808");
  CHECK(Json(uint64_t{7}).as_int64() == 7);
}

TEST_CASE("in jcs every number is a double") {
  CHECK(jcs(Json(int64_t{9007199254740993})) == "9007199254740992");
  CHECK(jcs(parse_json("123456789012345678901234567890").value()) == "1.2345678901234568e+29");
  std::string longest(308, '9');
  CHECK(jcs(parse_json(longest).value()) == "1e+308");
  CHECK(canonical(longest) == longest);
  CHECK(parse_json("-" + longest).has_value());
  auto refused = parse_json(longest + "9");
  REQUIRE(!refused.has_value());
  CHECK(refused.error().message == "JSON: an integer of more than 308 digits at offset 0");
}

TEST_CASE("doubles beyond the range are errors, and those below it are zero") {
  for (const char* text :
       {"1e309", "-1e309", "1e99999999999999999999", "12345e400", "9221e9223372036854775807",
        "0.1e310", "1.8e308"}) {
    CAPTURE(text);
    auto value = parse_json(text);
    REQUIRE(!value.has_value());
    CHECK(value.error().message == "JSON: a number beyond the range of a double at offset 0");
  }
  for (const char* text : {"1e-400", "-1e-400", "0.0001e-330", "123e-99999999999999999999", "0e999",
                           "0.0e99999999999999999999", "1000e-330"}) {
    CAPTURE(text);
    CHECK(canonical(text) == "0");
  }
  CHECK(canonical("1" + std::string(400, '0') + "e-400") == "1");
  CHECK(canonical("0." + std::string(400, '0') + "1e401") == "1");
}

TEST_CASE("texts that are not JSON") {
  struct Case {
    std::string_view text;
    std::string_view message;
  };
  const Case cases[] = {
      {"", "expected a JSON value, the text ends at offset 0"},
      {"  ", "expected a JSON value, the text ends at offset 2"},
      {"nul", "expected a JSON value, found `n` at offset 0"},
      {"True", "expected a JSON value, found `T` at offset 0"},
      {"1 2", "expected the end of the text, found `2` at offset 2"},
      {"[1,]", "expected a JSON value, found `]` at offset 3"},
      {"[1 2]", "expected `,` or `]`, found `2` at offset 3"},
      {"[", "expected a JSON value, the text ends at offset 1"},
      {"{\"a\":1,}", "expected a member name in quotes, found `}` at offset 7"},
      {"{a:1}", "expected a member name in quotes, found `a` at offset 1"},
      {"{\"a\" 1}", "expected `:`, found `1` at offset 5"},
      {"{\"a\":1 \"b\":2}", "expected `,` or `}`, found `\"` at offset 7"},
      {"{\"a\":1,\"\\u0061\":2}", "the member `a` is there twice at offset 7"},
      {"01", "a number with a leading zero at offset 0"},
      {"-01", "a number with a leading zero at offset 0"},
      {"-", "expected a digit after `-`, the text ends at offset 1"},
      {"+1", "expected a JSON value, found `+` at offset 0"},
      {".5", "expected a JSON value, found `.` at offset 0"},
      {"1.", "expected a digit after the decimal point, the text ends at offset 2"},
      {"1e", "expected a digit in the exponent, the text ends at offset 2"},
      {"1e+-1", "expected a digit in the exponent, found `-` at offset 3"},
      {"NaN", "expected a JSON value, found `N` at offset 0"},
      {"0x10", "expected the end of the text, found `x` at offset 1"},
      {"\"a", "expected `\"` at the end of a string, the text ends at offset 2"},
      {"\"a\nb\"", "a raw control character in a string at offset 2"},
      {"\"\\x\"", "unknown escape in a string at offset 1"},
      {"\"\\", "unknown escape in a string at offset 1"},
      {"\"\\u12g4\"", "`\\u` without four hexadecimal digits at offset 1"},
      {"\"\\u12", "`\\u` without four hexadecimal digits at offset 1"},
      {"\"\\ud800\"", "a lone surrogate at offset 1"},
      {"\"\\udc00\"", "a lone surrogate at offset 1"},
      {"\"\\ud800\\u0041\"", "a lone surrogate at offset 1"},
      {"\"\\ud800\\ud800\"", "a lone surrogate at offset 1"},
      {"\"\xff\"", "not valid UTF-8 at offset 1"},
      {"\"\xed\xa0\x80\"", "not valid UTF-8 at offset 1"},
      {"\xef\xbb\xbf{}", "expected a JSON value, found `\xef\xbb\xbf` at offset 0"},
      {"\xc2\xa0{}", "expected a JSON value, found `\xc2\xa0` at offset 0"},
      {"{}\x01", "expected the end of the text, found a control character at offset 2"},
      {"// c\n1", "expected a JSON value, found `/` at offset 0"},
      {"'a'", "expected a JSON value, found `'` at offset 0"},
  };
  for (const Case& c : cases) {
    CAPTURE(std::string(c.text));
    auto value = parse_json(c.text);
    REQUIRE(!value.has_value());
    CHECK(value.error().code == Code::Encoding);
    CHECK(value.error().message == "JSON: " + std::string(c.message));
    REQUIRE(value.error().diagnostics.size() == 1);
    CHECK(value.error().diagnostics[0].span.end <= c.text.size());
  }
  CHECK(!parse_json(std::string_view("1\0", 2)).has_value());
  CHECK(!parse_json(std::string_view("\0", 1)).has_value());
}

TEST_CASE("equal keys are found in large objects too, at the second one") {
  std::string text = "{\"k0\":0";
  for (int i = 1; i < 200; ++i) text += ",\"k" + std::to_string(i) + "\":0";
  CHECK(parse_json(text + "}").has_value());
  auto second = static_cast<uint32_t>(text.size() + 5);  // behind `[{},` and the comma
  auto value = parse_json("[{},{" + text.substr(1) + ",\"k7\":{\"a\":1}}]");
  REQUIRE(!value.has_value());
  CHECK(value.error().message ==
        "JSON: the member `k7` is there twice at offset " + std::to_string(second));
  CHECK(value.error().diagnostics.at(0).span == Span{second, second + 4});
}

TEST_CASE("depth and size have limits") {
  auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(parse_json(nested(128)).has_value());
  auto deep = parse_json(nested(129));
  REQUIRE(!deep.has_value());
  CHECK(deep.error().message == "JSON: nested deeper than the limit of 128 at offset 128");
  CHECK(parse_json(nested(1000), {.depth_max = 1000}).has_value());
  CHECK(parse_json("[[1],[2],[3]]", {.depth_max = 2}).has_value());
  CHECK(!parse_json(R"({"a":{"b":{}}})", {.depth_max = 2}).has_value());
  CHECK(parse_json("12345", {.bytes_max = 5}).has_value());
  CHECK(!parse_json("123456", {.bytes_max = 5}).has_value());
}

TEST_CASE("strings escape what JSON demands, and nothing else, wherever it stands") {
  CHECK(string_text("\"\\\n\t\r\b\f\x01\x1f\x7f/") == R"("\"\\\n\t\r\b\f\u0001\u001f)"
                                                      "\x7f/\"");
  // Every byte at every place of texts that straddle the steps of the scan.
  for (size_t length : {1, 7, 8, 15, 16, 17, 31, 32, 33, 50}) {
    for (size_t at = 0; at < length; ++at) {
      for (int byte = 0; byte < 0x80; ++byte) {
        std::string text(length, 'x');
        text[at] = static_cast<char>(byte);
        std::string printed = "{\"k\":" + string_text(text) + "}";
        auto reread = parse_json(printed);
        REQUIRE(reread.has_value());
        REQUIRE(reread->find("k")->as_string() == text);
        bool is_escaped = byte < 0x20 || byte == '"' || byte == '\\';
        REQUIRE((printed.size() > length + 8) == is_escaped);
      }
    }
  }
  CHECK(string_text("") == "\"\"");
  CHECK(string_text("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80") ==
        "\"gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80\"");
}

TEST_CASE("keys sort by code point in canonical JSON and by UTF-16 unit in jcs") {
  // U+FB33 and U+1F600: the second is a surrogate pair, D83D DE00.
  Json value = Json::object({{"\xef\xac\xb3", 1}, {"\xf0\x9f\x98\x80", 2}, {"a", 3}});
  CHECK(canonical_json(value) == "{\"a\":3,\"\xef\xac\xb3\":1,\"\xf0\x9f\x98\x80\":2}");
  CHECK(jcs(value) == "{\"a\":3,\"\xf0\x9f\x98\x80\":2,\"\xef\xac\xb3\":1}");
  CHECK(to_json(value) == "{\"\xef\xac\xb3\":1,\"\xf0\x9f\x98\x80\":2,\"a\":3}");
}

TEST_CASE("members are found, set, replaced and erased") {
  Json value;
  value.set("a", 1);
  value.set("b", "x");
  value.set("a", Json::array({1, nullptr, true}));
  CHECK(to_json(value) == R"({"a":[1,null,true],"b":"x"})");
  CHECK(value.find("c") == nullptr);
  CHECK(value.find("b")->as_string() == "x");
  CHECK(Json(3).find("a") == nullptr);
  CHECK(value.erase("a"));
  CHECK(!value.erase("a"));
  CHECK(value == Json::object({{"b", "x"}}));
  Json list;
  list.push_back(1.5);
  CHECK(to_json(list) == "[1.5]");
  CHECK_THROWS_AS(list.as_string(), BugError);
  CHECK_THROWS_AS(list.set("a", 1), BugError);
}

TEST_CASE("pretty JSON, for people") {
  CHECK(to_pretty_json(parse_json(R"({"a":[1,{"b":[]}],"c":{},"d":"["})").value()) ==
        "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": {},\n  \"d\": "
        "\"[\"\n}");
}

// A value of any shape, with strings and numbers that are awkward to write.
Json random_json(SeededRandom& random, int depth) {
  switch (random.below(depth > 4 ? 6 : 8)) {
    case 0:
      return {};
    case 1:
      return random.below(2) == 1;
    case 2:
      return static_cast<int64_t>(random.next() >> random.below(64));
    case 3: {
      auto value = std::bit_cast<double>(random.next());
      return std::isfinite(value) ? Json(value) : Json(0.5);
    }
    case 4:
      return BigInteger{"-9" + std::to_string(random.next()) + "1234567890"};
    case 5: {
      std::string text;
      for (uint64_t count = random.below(20); count > 0; --count) {
        uint64_t code_point = random.below(uint64_t{1} << (4 + random.below(17)));
        if (code_point >= 0xd800 && code_point <= 0xdfff) continue;
        append_code_point(text, static_cast<char32_t>(code_point));
      }
      return text;
    }
    case 6: {
      Json::Array items;
      for (uint64_t count = random.below(5); count > 0; --count) {
        items.push_back(random_json(random, depth + 1));
      }
      return items;
    }
    default: {
      Json value = Json::object();
      for (uint64_t count = random.below(30); count > 0; --count) {
        value.set(std::to_string(random.below(100)), random_json(random, depth + 1));
      }
      return value;
    }
  }
}

TEST_CASE("random values: text reads back, and canonical text is its own canonical text") {
  constexpr uint64_t kSeed = 20260101;
  CAPTURE(kSeed);
  SeededRandom random(kSeed);
  for (int i = 0; i < 500; ++i) {
    Json value = random_json(random, 0);
    std::string text = to_json(value);
    Json reread = parse_json(text).value();
    REQUIRE(to_json(reread) == text);
    REQUIRE(parse_json(to_pretty_json(value)).value() == reread);
    std::string canonical_text = canonical_json(value);
    REQUIRE(canonical_json(reread) == canonical_text);
    REQUIRE(canonical(canonical_text) == canonical_text);
    std::string jcs_text = jcs(value);
    REQUIRE(jcs(parse_json(jcs_text).value()) == jcs_text);
  }
}

}  // namespace
}  // namespace lattice
