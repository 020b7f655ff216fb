// A field that was read can be printed, and what is printed reads as the same value.
#include "base/sfv.h"
#include "fuzz/fuzz.h"

namespace lattice {
namespace {

template <class T>
void check(const Result<T>& parsed, Result<T> (*parse)(std::string_view)) {
  if (!parsed) {
    FUZZ_REQUIRE(parsed.error().code == Code::Encoding);
    return;
  }
  auto text = serialize_sfv(*parsed);
  FUZZ_REQUIRE(text.has_value());
  auto reread = parse(*text);
  FUZZ_REQUIRE(reread.has_value());
  FUZZ_REQUIRE(*reread == *parsed);
  FUZZ_REQUIRE(serialize_sfv(*reread).value() == *text);
}

}  // namespace

void fuzz(std::string_view input) {
  check(parse_sfv_item(input), &parse_sfv_item);
  check(parse_sfv_list(input), &parse_sfv_list);
  check(parse_sfv_dictionary(input), &parse_sfv_dictionary);
}

}  // namespace lattice
