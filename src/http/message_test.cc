#include "http/message.h"

#include <doctest/doctest.h>

using namespace lattice::http;

TEST_CASE("header names compare without case and keep their order") {
  Headers headers{{"Accept", "a"}, {"X", "1"}, {"ACCEPT", "b"}};
  CHECK(headers.find("accept") == "a");
  CHECK(headers.combined("accept") == "a, b");
  CHECK_FALSE(headers.find("Accep"));
  CHECK_FALSE(headers.combined("y"));
  headers.set("aCCept", "c");
  REQUIRE(headers.size() == 2);
  CHECK(headers.fields()[0].value == "c");
  CHECK(headers.fields()[1].name == "X");
  headers.remove("x");
  CHECK(headers.size() == 1);
  headers.set("New", "n");
  CHECK(headers.find("new") == "n");
}

TEST_CASE("a field value list is searched by whole tokens") {
  CHECK(has_list_token("keep-alive, Close", "close"));
  CHECK(has_list_token("close", "close"));
  CHECK_FALSE(has_list_token("closed, x", "close"));
  CHECK_FALSE(has_list_token("", "close"));
}

TEST_CASE("tokens and values") {
  CHECK(is_token("X-a_b~!"));
  CHECK_FALSE(is_token(""));
  CHECK_FALSE(is_token("a b"));
  CHECK_FALSE(is_token("a:"));
  CHECK(is_field_value("a\tb \x80"));
  CHECK_FALSE(is_field_value(std::string_view("a\0b", 3)));
  CHECK_FALSE(is_field_value("a\r\nb"));
  CHECK_FALSE(is_field_value("\x7f"));
}

TEST_CASE("a target splits at its first question mark") {
  Request request;
  request.target = "/a/b?c=d?e";
  split_target(request);
  CHECK(request.path == "/a/b");
  CHECK(request.query == "c=d?e");
  request.target = "/a";
  split_target(request);
  CHECK(request.path == "/a");
  CHECK(request.query.empty());
}

TEST_CASE("reason phrases") {
  CHECK(reason_phrase(100) == "Continue");
  CHECK(reason_phrase(207) == "Multi-Status");
  CHECK(reason_phrase(508) == "Loop Detected");
  CHECK(reason_phrase(99).empty());
  CHECK(reason_phrase(299).empty());
  CHECK(reason_phrase(599).empty());
}
