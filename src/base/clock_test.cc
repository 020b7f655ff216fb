#include "base/clock.h"

#include <doctest/doctest.h>

namespace lattice {
namespace {

using std::chrono::milliseconds;

TEST_CASE("a manual clock stands still until it is moved") {
  Clock::WallTime start{milliseconds(1'700'000'000'123)};
  ManualClock clock(start);
  Clock::SteadyTime steady_start = clock.steady_now();
  CHECK(clock.now() == start);
  clock.advance(std::chrono::seconds(20));
  CHECK(clock.now() - start == milliseconds(20'000));
  CHECK(clock.steady_now() - steady_start == milliseconds(20'000));
}

TEST_CASE("the system clock is one, and its steady time does not go back") {
  Clock& clock = system_clock();
  CHECK(&clock == &system_clock());
  auto before = clock.steady_now();
  CHECK(clock.steady_now() >= before);
  CHECK(clock.now() > Clock::WallTime{milliseconds(1'600'000'000'000)});
}

}  // namespace
}  // namespace lattice
