// Task<T>: a coroutine that may wait. A function that can wait says so in its return type.
//
//   Task<Result<int>> load() { LATTICE_CO_TRY(auto rows, co_await snapshot.load(...)); ... }
//
// A Task starts when it is awaited (or detached, or run_ready) and runs on the thread that resumes
// it; it is awaited at most once. A child that finishes without waiting costs no suspension: the
// awaiting coroutine continues in place, so a loop over ready tasks does not grow the stack.
// References taken as parameters are borrowed until the task completes. Not thread-safe: a task and
// everything that it awaits belong to one event loop.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "base/check.h"

namespace lattice {

template <class T = void>
class Task;

namespace internal {

struct PromiseBase {
  std::coroutine_handle<> continuation;
  std::exception_ptr exception;
  bool waited = false;  // somebody suspended on us; resume them at the end

  std::suspend_always initial_suspend() noexcept { return {}; }
  struct Final {
    bool await_ready() noexcept { return false; }
    template <class P>
    void await_suspend(std::coroutine_handle<P> self) noexcept {
      PromiseBase& promise = self.promise();
      if (promise.waited) promise.continuation.resume();
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }
  void unhandled_exception() { exception = std::current_exception(); }
};

template <class T>
struct Promise : PromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() {
    if (exception) std::rethrow_exception(exception);
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  Task<void> get_return_object();
  void return_void() {}
  void take() {
    if (exception) std::rethrow_exception(exception);
  }
};

}  // namespace internal

template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  struct Awaiter {
    Handle handle;
    bool await_ready() const noexcept { return false; }
    // Runs the child here and now; suspends only when the child itself waits for something.
    bool await_suspend(std::coroutine_handle<> awaiting) {
      handle.promise().continuation = awaiting;
      handle.resume();
      if (handle.done()) return false;
      handle.promise().waited = true;
      return true;
    }
    T await_resume() { return handle.promise().take(); }
  };
  Awaiter operator co_await() && { return Awaiter{handle_}; }

  // Runs a task that never waits and returns its value; a task that suspends is a failed check. For
  // command-line code and tests over in-process stores.
  T run_ready() && {
    handle_.resume();
    LATTICE_CHECK(handle_.done());
    return handle_.promise().take();
  }

  Handle release() { return std::exchange(handle_, {}); }

 private:
  Handle handle_;
};

namespace internal {
template <class T>
Task<T> Promise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

struct Detached {
  struct promise_type {
    Detached get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
};
}  // namespace internal

// Starts `task` and lets it run to its end on its own; `done` gets the exception it ended with, or
// null. `done` must not throw.
inline void detach(Task<void> task, std::function<void(std::exception_ptr)> done) {
  [](Task<void> owned, std::function<void(std::exception_ptr)> finish) -> internal::Detached {
    std::exception_ptr failure;
    try {
      co_await std::move(owned);
    } catch (...) {
      failure = std::current_exception();
    }
    finish(failure);
  }(std::move(task), std::move(done));
}

}  // namespace lattice
