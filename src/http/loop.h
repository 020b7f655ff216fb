// The event loop as the rest of the program sees it: the one a handler runs on.
//
//   Loop* loop = Loop::current();                  // in a handler: keep it,
//   other_thread: loop->post([handle] { handle.resume(); });  // come back to it
//   co_await sleep_for(50ms);
//
// A loop lives as long as its server. What a task waits for must be resumed on the task's own loop:
// that is what post is for.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

#include "base/task.h"

namespace lattice::http {

class Loop {
 public:
  virtual ~Loop() = default;

  // The loop of this thread; null on a thread that is none's.
  static Loop* current();

  // Runs `work` on the loop, soon, never inside this call. Any thread. Dropped when the loop has
  // stopped.
  virtual void post(std::function<void()> work) = 0;

  // Runs `work` on the loop after `delay`, unless it is cancelled. When the loop stops, what is
  // pending runs at once and nothing new is accepted. Only from the loop's own thread.
  using Timer = uint64_t;
  virtual Timer call_after(std::chrono::milliseconds delay, std::function<void()> work) = 0;
  virtual void cancel(Timer timer) = 0;
  // Whether the server is stopping: nothing should be begun.
  virtual bool is_stopping() const = 0;
};

// Waits on the current loop; only inside a handler's task. When the server stops, the sleepers wake
// early, once; a task that sleeps again after that is destroyed where it waits.
Task<void> sleep_for(std::chrono::milliseconds duration);

// Waits until `fd` can be read or written, or `timeout` has passed (false); only inside a handler's
// task. For libraries that do their own input and output on a socket (a database driver). `fd` must
// stay open meanwhile.
enum class Readiness : uint8_t { Read, Write };
Task<bool> wait_ready(int fd, Readiness what, std::chrono::milliseconds timeout);

}  // namespace lattice::http
