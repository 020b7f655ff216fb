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
  explicit ManualClock(WallTime start = WallTime{}) : offset_(start.time_since_epoch()) {}
  WallTime now() const override { return WallTime{offset_.load()}; }
  SteadyTime steady_now() const override { return SteadyTime{offset_.load()}; }
  void advance(std::chrono::milliseconds by) { offset_.store(offset_.load() + by); }

 private:
  std::atomic<std::chrono::milliseconds> offset_;
};

}  // namespace lattice
