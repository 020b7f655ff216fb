#include <doctest/doctest.h>

#include "query/inline.h"
#include "query/query.h"
#include "query/test_schema.h"

namespace lattice::query {
namespace {

TEST_CASE("the dictionary holds every name once, sorted, then the language's words") {
  const std::string dictionary = build_dictionary(test_support::test_schema());
  CHECK(dictionary.starts_with("Avatar Bot Byline Money Mood Named Post "));
  CHECK(dictionary.ends_with(
      " views query fragment on true false first after last before around @depth($:){}"));
  CHECK(dictionary.find(" name ") == dictionary.rfind(" name "));
  CHECK(dictionary_hash(dictionary).size() == 22);
  CHECK(dictionary_hash("dictionary bytes") == "FXR0MzLtuijNkLoNfJmYeg");
}

TEST_CASE("the dictionary makes queries shorter") {
  const std::string dictionary = build_dictionary(test_support::test_schema());
  const std::string_view text = "query{feed{author{email name} replies{title} title}}";
  CHECK(encode_inline(text, dictionary).size() < encode_inline(text).size());
  CHECK(decode_inline(encode_inline(text, dictionary), dictionary).value() == text);
}

}  // namespace
}  // namespace lattice::query
