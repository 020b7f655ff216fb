// Streams of strangers stay within the limit; our own streams read back, with a dictionary too.
#include "base/deflate.h"
#include "fuzz/fuzz.h"

namespace lattice {

void fuzz(std::string_view input) {
  constexpr size_t kBytesMax = 1 << 16;
  auto text = inflate_raw(input, kBytesMax);
  if (text) {
    FUZZ_REQUIRE(text->size() <= kBytesMax);
    FUZZ_REQUIRE(inflate_raw(deflate_raw(*text), text->size()).value() == *text);
  } else {
    FUZZ_REQUIRE(text.error().code == Code::Encoding);
  }
  // The first half is the dictionary of the second.
  std::string_view dictionary = input.substr(0, input.size() / 2);
  std::string_view rest = input.substr(dictionary.size());
  auto reread = inflate_raw(deflate_raw(rest, dictionary), rest.size(), dictionary);
  FUZZ_REQUIRE(reread.has_value());
  FUZZ_REQUIRE(*reread == rest);
}

}  // namespace lattice
