#include "base/percent.h"

#include <doctest/doctest.h>

namespace lattice {
namespace {

std::string key_bytes(std::string_view value) {
  std::string out;
  append_key_bytes(out, value);
  return out;
}

TEST_CASE("everything but unreserved characters is encoded, in upper case") {
  CHECK(percent_encode("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encode("a b+c/d?e%\xc3\xa9") == "a%20b%2Bc%2Fd%3Fe%25%C3%A9");
  CHECK(percent_encode(std::string_view("\0", 1)) == "%00");
}

TEST_CASE("decoding keeps a plus and takes both cases of digits") {
  CHECK(percent_decode("a+b%2B%c3%A9").value() == "a+b+\xc3\xa9");
  CHECK(percent_decode("").value() == "");
  CHECK(percent_decode("\xc3\xa9").value() == "\xc3\xa9");
  for (const char* broken :
       {"%", "%4", "a%zz", "%g0", "%0g", "%%41", "%c3", "%ff", "%ed%a0%80", "\xff"}) {
    CAPTURE(broken);
    auto decoded = percent_decode(broken);
    REQUIRE(!decoded.has_value());
    CHECK(decoded.error().code == Code::Encoding);
  }
  std::string all;
  for (int byte = 0; byte < 0x80; ++byte) all += static_cast<char>(byte);
  CHECK(percent_decode(percent_encode(all)).value() == all);
}

TEST_CASE("the query of a URL, in order") {
  using Members = std::vector<std::pair<std::string, std::string>>;
  CHECK(parse_url_query("").value() == Members{});
  CHECK(parse_url_query("a=1&b=x%26y&a=2").value() ==
        Members{{"a", "1"}, {"b", "x&y"}, {"a", "2"}});
  CHECK(parse_url_query("a&b=&=c&&d=e=f&").value() ==
        Members{{"a", ""}, {"b", ""}, {"", "c"}, {"d", "e=f"}});
  CHECK(parse_url_query("a%3Db=c+d").value() == Members{{"a=b", "c+d"}});
  CHECK(!parse_url_query("a=1&b=%").has_value());
  CHECK(!parse_url_query("%=1").has_value());
}

TEST_CASE("key bytes: only what caches would split or misread is encoded") {
  CHECK(key_bytes("7,9") == "7%2C9");
  CHECK(key_bytes("a b%*\t\x7f\xc3\xa9") == "a%20b%25%2A%09%7F%C3%A9");
  CHECK(key_bytes("!\"#$&'()+-./0:;<=>?@A[\\]^_`a{|}~") == "!\"#$&'()+-./0:;<=>?@A[\\]^_`a{|}~");
}

}  // namespace
}  // namespace lattice
