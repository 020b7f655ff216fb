#include "origin/validators.h"

#include <doctest/doctest.h>

namespace lattice::origin {
namespace {

TEST_CASE("If-None-Match: lists, the star, weak comparison (10.2)") {
  CHECK(matches_etag("W/\"m:a\"", "W/\"m:a\""));
  CHECK(matches_etag("\"m:a\"", "W/\"m:a\""));
  CHECK(matches_etag("W/\"e1\"", "\"e1\""));
  CHECK(matches_etag("\"x\", W/\"m:a\" , \"y\"", "W/\"m:a\""));
  CHECK(matches_etag("\"a,b\"", "\"a,b\""));
  CHECK(matches_etag(" * ", "\"e1\""));
  CHECK_FALSE(matches_etag("\"m:b\"", "W/\"m:a\""));
  CHECK_FALSE(matches_etag("", "\"e1\""));
  CHECK_FALSE(matches_etag("e1", "\"e1\""));
  CHECK_FALSE(matches_etag("\"e1", "\"e1\""));
  CHECK_FALSE(matches_etag("W/", "\"e1\""));
}

TEST_CASE("Content-Digest is verified for the algorithms that are known (6.3)") {
  auto check = [](std::string_view field, std::string_view body) {
    http::Headers headers;
    headers.add("Content-Digest", field);
    return check_content_digest(headers, body).has_value();
  };
  CHECK(check_content_digest({}, "abc").has_value());
  std::string sha256 = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:";
  std::string blake3 = "blake3=:ZDezrDhGZTP7tjt0JVqjbMEdaPWvE09mZfoLfbgfeFU=:";
  CHECK(check(sha256, "abc"));
  CHECK_FALSE(check(sha256, "abd"));
  CHECK(
      check("sha-512=:3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4"
            "qmslPpUyknw==:",
            "abc"));
  CHECK_FALSE(check("sha-512=:AAAA:", "abc"));
  CHECK_FALSE(check(blake3, "abd"));
  CHECK(check("md5=:AAAA:", "abc"));
  CHECK_FALSE(check(sha256 + ", blake3=:AAAA:", "abc"));
  CHECK_FALSE(check("sha-256=abc", "abc"));
  CHECK_FALSE(check("sha-256=:", "abc"));
}

}  // namespace
}  // namespace lattice::origin
