#include "base/task.h"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/result.h"

namespace lattice {
namespace {

// Waits until `open`; remembers who waits.
struct Gate {
  bool is_open = false;
  std::coroutine_handle<> waiting;

  bool await_ready() const noexcept { return is_open; }
  void await_suspend(std::coroutine_handle<> handle) noexcept { waiting = handle; }
  void await_resume() const noexcept {}
  void open() {
    is_open = true;
    if (waiting) std::exchange(waiting, {}).resume();
  }
};

Task<int> ready(int value) {
  co_return value;
}

Task<int> after(Gate& gate, int value) {
  co_await gate;
  co_return value;
}

Task<Result<int>> positive(int value) {
  if (value <= 0) co_return fail(Code::BadRequest, "not positive");
  co_return value;
}

Task<Result<int>> doubled(int value) {
  LATTICE_CO_TRY(int checked, co_await positive(value));
  co_return checked * 2;
}

TEST_CASE("a task that never waits runs to its end at once") {
  CHECK(ready(7).run_ready() == 7);
  CHECK(doubled(4).run_ready().value() == 8);
  CHECK(doubled(-4).run_ready().error().message == "not positive");
}

TEST_CASE("a task starts only when it is awaited") {
  bool has_run = false;
  {
    auto task = [](bool& flag) -> Task<void> {
      flag = true;
      co_return;
    }(has_run);
    CHECK(!has_run);
  }
  CHECK(!has_run);
}

TEST_CASE("a suspended child resumes its parents, outermost last") {
  Gate gate;
  std::string log;
  auto inner = [](Gate& g, std::string& l) -> Task<std::string> {
    l += "a";
    co_await g;
    l += "c";
    co_return "x";
  };
  auto outer = [&inner](Gate& g, std::string& l) -> Task<void> {
    std::string got = co_await inner(g, l);
    l += got;
  };
  bool is_done = false;
  detach(outer(gate, log), [&](std::exception_ptr failure) {
    CHECK(!failure);
    is_done = true;
  });
  log += "b";
  CHECK(!is_done);
  gate.open();
  CHECK(is_done);
  CHECK(log == "abcx");
}

TEST_CASE("a task that suspends is no ready task") {
  Gate gate;
  CHECK_THROWS_AS(after(gate, 1).run_ready(), BugError);
}

TEST_CASE("exceptions travel through awaits, before and after a suspension") {
  auto thrower = [](Gate* gate) -> Task<int> {
    if (gate != nullptr) co_await *gate;
    throw std::runtime_error("broken");
  };
  auto parent = [&thrower](Gate* gate) -> Task<std::string> {
    try {
      co_await thrower(gate);
    } catch (const std::runtime_error& error) {
      co_return error.what();
    }
    co_return "no exception";
  };
  CHECK(parent(nullptr).run_ready() == "broken");
  CHECK_THROWS_AS(thrower(nullptr).run_ready(), std::runtime_error);

  Gate gate;
  std::string got;
  detach([](Task<std::string> task,
            std::string& to) -> Task<void> { to = co_await std::move(task); }(parent(&gate), got),
         [](std::exception_ptr failure) { CHECK(!failure); });
  gate.open();
  CHECK(got == "broken");

  Gate second;
  bool has_failed = false;
  detach([](Task<int> task) -> Task<void> { co_await std::move(task); }(thrower(&second)),
         [&](std::exception_ptr failure) { has_failed = failure != nullptr; });
  second.open();
  CHECK(has_failed);
}

TEST_CASE("a loop over ready tasks does not grow the stack") {
  auto loop = []() -> Task<int64_t> {
    int64_t sum = 0;
    for (int i = 0; i < 1'000'000; ++i) sum += co_await ready(i % 3);
    co_return sum;
  };
  CHECK(loop().run_ready() == 999'999);
}

TEST_CASE("a loop over tasks that wait does not grow the stack") {
  constexpr int kCount = 200'000;
  Gate gate;
  int64_t sum = 0;
  detach(
      [](Gate& g, int64_t& total) -> Task<void> {
        for (int i = 0; i < kCount; ++i) {
          g.is_open = false;
          total += co_await after(g, 1);
          total += co_await ready(1);
        }
      }(gate, sum),
      [](std::exception_ptr failure) { CHECK(!failure); });
  for (int i = 0; i < kCount; ++i) gate.open();
  CHECK(sum == 2 * kCount);
}

TEST_CASE("results may be moved only, and tasks destroyed while they wait") {
  auto maker = []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(5); };
  CHECK(*maker().run_ready() == 5);
  Gate gate;
  auto owned = std::make_shared<int>(1);
  {
    auto waiter = [](Gate& g, std::shared_ptr<int> held) -> Task<void> {
      co_await g;
      CHECK(held != nullptr);
    };
    Task<void> task = waiter(gate, owned);
    CHECK(owned.use_count() == 2);
    Task<void> other = std::move(task);
  }
  CHECK(owned.use_count() == 1);
}

}  // namespace
}  // namespace lattice
