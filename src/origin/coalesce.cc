#include "origin/coalesce.h"

#include <coroutine>

#include "http/server.h"
#include "origin/gather.h"

namespace lattice::origin {

struct Coalescer::Window {
  size_t member_count = 0;
  bool is_closed = false;
  std::vector<std::coroutine_handle<>> waiting;
  // Once closed: the shared round, or why there is none.
  std::shared_ptr<GatherRound> round;
  std::optional<Error> failure;
};

Membership::Membership(std::shared_ptr<GatherRound> round) : round_(std::move(round)) {}
Membership::~Membership() {
  round_->leave();
}
store::Snapshot& Membership::snapshot() {
  return *round_;
}

namespace {

struct WaitInList {
  std::vector<std::coroutine_handle<>>& list;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) { list.push_back(handle); }
  void await_resume() const noexcept {}
};

}  // namespace

Task<Result<Fetched>> Coalescer::fetch(const exec::Program& program, plan::Slice slice,
                                       const exec::Caller& caller, const exec::ExecOptions& options,
                                       std::vector<std::string> key) {
  static const exec::Bindings kNoVariables;
  if (window_ms_ == 0) {
    LATTICE_CO_TRY(auto snapshot, co_await store_.open_snapshot());
    LATTICE_CO_TRY(auto result, co_await exec::execute_slice(program, slice, kNoVariables, caller,
                                                             *snapshot, options, std::move(key)));
    co_return Fetched{std::move(result), snapshot->has_versions()};
  }
  WindowKey window_key{std::this_thread::get_id(), program.plan().nodes.front().targets.front()};
  std::shared_ptr<Window> window = join(window_key);
  if (window->member_count == 1) start(close_at_deadline(window_key, window), window);
  if (window->member_count == kWindowMembersMax) start(close(window_key, window), window);
  if (!window->round && !window->failure) co_await WaitInList{window->waiting};
  if (window->failure) co_return fail(*window->failure);
  Membership membership(window->round);
  LATTICE_CO_TRY(auto result,
                 co_await exec::execute_slice(program, slice, kNoVariables, caller,
                                              membership.snapshot(), options, std::move(key)));
  co_return Fetched{std::move(result), membership.snapshot().has_versions()};
}

std::shared_ptr<Coalescer::Window> Coalescer::join(const WindowKey& key) {
  std::lock_guard lock(mutex_);
  std::shared_ptr<Window>& window = open_[key];
  if (!window) window = std::make_shared<Window>();
  ++window->member_count;
  return window;
}

// Closing belongs to no request. If it fails, every member is told.
void Coalescer::start(Task<void> closing, std::shared_ptr<Window> window) {
  detach(std::move(closing), [window](std::exception_ptr failure) {
    if (!failure) return;
    window->failure = fail(Code::Internal, "the window of point fetches failed").error();
    resume_all(*window);
  });
}

void Coalescer::resume_all(Window& window) {
  for (std::coroutine_handle<> waiting : std::exchange(window.waiting, {})) waiting.resume();
}

// The deadline counts from the first fetch, so that steady arrival cannot put it off.
Task<void> Coalescer::close_at_deadline(WindowKey key, std::shared_ptr<Window> window) {
  co_await http::sleep_for(std::chrono::milliseconds(window_ms_));
  co_await close(key, window);
}

Task<void> Coalescer::close(WindowKey key, std::shared_ptr<Window> window) {
  if (std::exchange(window->is_closed, true)) co_return;
  {
    std::lock_guard lock(mutex_);
    open_.erase(key);
  }
  auto snapshot = co_await store_.open_snapshot();
  if (snapshot) {
    window->round = std::make_shared<GatherRound>(std::move(*snapshot), window->member_count);
  } else {
    window->failure = std::move(snapshot.error());
  }
  resume_all(*window);
}

}  // namespace lattice::origin
