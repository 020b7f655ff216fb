#include "origin/memo.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

namespace lattice::origin {
namespace {

using IntMemo = Memo<const int>;
std::shared_ptr<const int> box(int value) {
  return std::make_shared<const int>(value);
}

TEST_CASE("the first entry of a key stays (6.1)") {
  IntMemo memo({});
  CHECK(memo.find("a") == nullptr);
  CHECK(*memo.insert("a", box(1), 1) == 1);
  CHECK(*memo.insert("a", box(2), 1) == 1);
  CHECK(*memo.find("a") == 1);
  memo.clear();
  CHECK(memo.find("a") == nullptr);
  CHECK(memo.size() == 0);
}

TEST_CASE("a full memo drops what was not used for longest, and stays within its limits (14.1)") {
  IntMemo memo({.entries_max = 160, .bytes_max = 1 << 20});
  memo.insert("kept", box(0), 1);
  for (int i = 0; i < 10'000; ++i) {
    memo.insert(std::to_string(i), box(i), 1);
    CHECK(memo.find("kept") != nullptr);
  }
  CHECK(memo.size() <= 160);
  CHECK(memo.find("9999") != nullptr);

  IntMemo heavy({.entries_max = 1'000'000, .bytes_max = 16 * 100});
  for (int i = 0; i < 1000; ++i) heavy.insert(std::to_string(i), box(i), 40);
  CHECK(heavy.size() <= 32);
  CHECK(*heavy.insert("huge", box(7), 101) == 7);
  CHECK(heavy.find("huge") == nullptr);
}

TEST_CASE("threads share a memo") {
  IntMemo memo({.entries_max = 64});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memo, t] {
      for (int i = 0; i < 5000; ++i) {
        std::string key = std::to_string((i * 7 + t) % 200);
        auto entry = memo.insert(key, box((i * 7 + t) % 200), 8);
        if (std::to_string(*entry) != key) std::abort();
        if (auto found = memo.find(key); found && std::to_string(*found) != key) std::abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(memo.size() <= 64);
}

}  // namespace
}  // namespace lattice::origin
