#include "base/arena.h"

#include <doctest/doctest.h>

#include <string>

namespace lattice {
namespace {

TEST_CASE("allocations are aligned, apart, and stay where they are") {
  Arena arena(64);
  std::vector<std::string_view> texts;
  std::vector<std::span<uint64_t>> arrays;
  for (size_t i = 0; i < 300; ++i) {
    texts.push_back(arena.copy(std::string(i, static_cast<char>('a' + i % 26))));
    arrays.push_back(arena.allocate_array<uint64_t>(i % 7));
    for (uint64_t& word : arrays.back()) {
      CHECK(word == 0);
      word = i;
    }
    if (!arrays.back().empty()) {
      CHECK(reinterpret_cast<uintptr_t>(arrays.back().data()) % alignof(uint64_t) == 0);
    }
  }
  for (size_t i = 0; i < 300; ++i) {
    CHECK(texts[i] == std::string(i, static_cast<char>('a' + i % 26)));
    for (uint64_t word : arrays[i]) CHECK(word == i);
  }
  CHECK(arena.reserved_bytes() >= 300 * 299 / 2);
}

TEST_CASE("one allocation may be larger than a block, and alignment larger than a word") {
  Arena arena(16);
  std::string large(100'000, 'x');
  CHECK(arena.copy(large) == large);
  for (size_t alignment : {1, 2, 16, 64, 256}) {
    arena.allocate(1, 1);
    auto at = reinterpret_cast<uintptr_t>(arena.allocate(3, alignment));
    CHECK(at % alignment == 0);
  }
}

}  // namespace
}  // namespace lattice
