// Origin coalescing: point fetches that arrive as a spray execute as one round (spec §6.9).
//
//   GET /e/User/1?f=name ─┐                           ┌─▶ its own response
//   GET /e/User/2?f=name ─┼─▶ window of User ──load──▶┼─▶ its own response
//   GET /e/User/1?f=bio  ─┘   {1, 2}: bio, name        └─▶ its own response
//
// A window opens with the first fetch of a type, and closes at a deadline counted from that fetch,
// or when it is full. Then every fetch in it executes against one shared snapshot, in step: where
// all of them wait for rows, what they want is loaded in one round, rows of one type by key in one
// load, equal keys once. Loads know nothing of callers: who may see what is decided afterwards, by
// each execution for itself. A fetch that comes when its window has closed opens the next one.
//
// Windows belong to an event loop: fetches on different loops do not meet. Any number of loops.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "base/task.h"
#include "exec/exec.h"
#include "store/store.h"

namespace lattice::origin {

class GatherRound;

inline constexpr size_t kWindowMembersMax = 256;

// One fetch's part in a shared round; `snapshot` is where it executes. Leaving ends its part.
class Membership {
 public:
  explicit Membership(std::shared_ptr<GatherRound> round);
  ~Membership();
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;
  store::Snapshot& snapshot();

 private:
  std::shared_ptr<GatherRound> round_;
};

struct Fetched {
  exec::SliceResult result;
  bool has_versions = false;  // of the snapshot: whether a version can be pinned
};

class Coalescer {
 public:
  // A window of 0 ms: every fetch runs at once, on a snapshot of its own.
  Coalescer(store::Store& store, uint32_t window_ms) : store_(store), window_ms_(window_ms) {}

  // Executes the point fetch of one row. Inside a handler only (it may wait on the event loop).
  // Errors: of Store::open_snapshot and exec::execute_slice.
  Task<Result<Fetched>> fetch(const exec::Program& program, plan::Slice slice,
                              const exec::Caller& caller, const exec::ExecOptions& options,
                              std::vector<std::string> key);

 private:
  struct Window;
  using WindowKey = std::pair<std::thread::id, schema::EntityIndex>;

  std::shared_ptr<Window> join(const WindowKey& key);
  static void start(Task<void> closing, std::shared_ptr<Window> window);
  static void resume_all(Window& window);
  Task<void> close_at_deadline(WindowKey key, std::shared_ptr<Window> window);
  Task<void> close(WindowKey key, std::shared_ptr<Window> window);

  store::Store& store_;
  uint32_t window_ms_;
  std::mutex mutex_;
  std::map<WindowKey, std::shared_ptr<Window>> open_;
};

}  // namespace lattice::origin
