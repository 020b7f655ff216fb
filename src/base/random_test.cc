#include "base/random.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

namespace lattice {
namespace {

TEST_CASE("equal seeds give equal streams; the numbers of SplitMix64") {
  SeededRandom random(1234567);
  CHECK(random.next() == 6457827717110365317u);
  CHECK(random.next() == 3203168211198807973u);
  CHECK(random.next() == 9817491932198370423u);
}

TEST_CASE("below reaches every value under its bound, and unit stays in its range") {
  SeededRandom random(1);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) ++counts.at(random.below(6));
  for (int count : counts) CHECK(count > 850);
  CHECK(random.below(1) == 0);
  for (int i = 0; i < 1000; ++i) {
    double value = random.unit();
    CHECK(value >= 0);
    CHECK(value < 1);
  }
}

TEST_CASE("bytes from the system have the length asked for and do not repeat") {
  CHECK(random_bytes(0).empty());
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    std::string bytes = random_bytes(16);
    CHECK(bytes.size() == 16);
    CHECK(seen.insert(bytes).second);
  }
  CHECK(random_bytes(100'000).size() == 100'000);
}

}  // namespace
}  // namespace lattice
