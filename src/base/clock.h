// Time as a parameter: the system's, or one that a test moves.
#pragma once

#include <atomic>
#include <chrono>

namespace lattice {

// UTC wall time for what travels (expiry, timestamps); a steady count for what is measured.
class Clock {
 public:
  using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;
  using SteadyTime = std::chrono::time_point<std::chrono::steady_clock>;
  virtual ~Clock() = default;
  virtual WallTime now() const = 0;
  virtual SteadyTime steady_now() const = 0;
};

// The machine's clock; one for the process, any thread.
Clock& system_clock();

// Stands still until moved. Any thread.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(WallTime start = WallTime{}) : ticks_(start.time_since_epoch().count()) {}
  WallTime now() const override { return WallTime{offset()}; }
  SteadyTime steady_now() const override { return SteadyTime{offset()}; }
  void advance(std::chrono::milliseconds by) { ticks_.fetch_add(by.count()); }

 private:
  std::chrono::milliseconds offset() const { return std::chrono::milliseconds(ticks_.load()); }
  std::atomic<std::chrono::milliseconds::rep> ticks_;
};

}  // namespace lattice
