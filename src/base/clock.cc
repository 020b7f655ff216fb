#include "base/clock.h"

namespace lattice {
namespace {

class SystemClock final : public Clock {
 public:
  WallTime now() const override {
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
  }
  SteadyTime steady_now() const override { return std::chrono::steady_clock::now(); }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace lattice
