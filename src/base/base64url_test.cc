#include "base/base64url.h"

#include <doctest/doctest.h>

namespace lattice {
namespace {

TEST_CASE("base64url of the RFC 4648 samples, without padding") {
  CHECK(base64url_encode("") == "");
  CHECK(base64url_encode("f") == "Zg");
  CHECK(base64url_encode("fo") == "Zm8");
  CHECK(base64url_encode("foo") == "Zm9v");
  CHECK(base64url_encode("foobar") == "Zm9vYmFy");
  CHECK(base64url_encode("\xfb\xff\xbf") == "-_-_");
}

TEST_CASE("every length reads back") {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    auto decoded = base64url_decode(base64url_encode(bytes));
    REQUIRE(decoded.has_value());
    CHECK(*decoded == bytes);
    bytes += static_cast<char>(i * 37 + 11);
  }
}

TEST_CASE("decoding is strict") {
  for (const char* text : {"Z", "Zm9vY", "Zg==", "Zh", "Zm9", "Zm8=", "Z+==", "Zm9v\n", " Zm9",
                           "+/+/", "Zm\xc3\xa9"}) {
    CAPTURE(text);
    auto decoded = base64url_decode(text);
    REQUIRE(!decoded.has_value());
    CHECK(decoded.error().code == Code::Encoding);
  }
  CHECK(!base64url_decode(std::string_view("Zm\0v", 4)).has_value());
}

TEST_CASE("the padded reader takes right padding or none") {
  CHECK(base64url_decode_padded("Zg==").value() == "f");
  CHECK(base64url_decode_padded("Zm8=").value() == "fo");
  CHECK(base64url_decode_padded("Zm8").value() == "fo");
  CHECK(base64url_decode_padded("Zm9v").value() == "foo");
  CHECK(base64url_decode_padded("").value() == "");
  for (const char* text : {"=", "==", "Zg=", "Zm8==", "Zm9v=", "Zm9v==", "Z===", "Zg===", "====",
                           "Zh==", "Zg==Zg=="}) {
    CAPTURE(text);
    CHECK(!base64url_decode_padded(text).has_value());
  }
}

}  // namespace
}  // namespace lattice
