// Snapshots under threads: readers beside a writer (spec §13.2; dependencies §3). Run under tsan too.
#include <doctest/doctest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "contract/harness.h"

namespace lattice::testing {

namespace {

struct Seen {
  store::Token token;
  std::string facts;
};

}  // namespace

// The writer sets every row to one number, row by row and commit by commit. A snapshot sees a prefix of a
// pass: numbers n+1 .. n+1, n .. n.
TEST_CASE("equal tokens see equal facts, and later tokens later ones") {
  for (const Factory& factory : factories()) {
    if (factory.name != "memory" && factory.name != "sqlite") continue;
    INFO("store: ", factory.name);
    auto world = factory.make();
    constexpr int kRows = 4, kPasses = 40;
    for (int i = 0; i < kRows; ++i) world->put("Item", item("r" + std::to_string(i), 1, 0));
    world->store();
    std::atomic<bool> done{false};
    std::mutex mutex;
    std::vector<Seen> seen;
    std::vector<std::string> problems;
    store::LoadShape shape = items_by({"id asc"}, {"rank"});

    auto read = [&] {
      while (!done.load()) {
        auto opened = world->store().open_snapshot().run_ready();
        if (!opened) {
          std::lock_guard lock(mutex);
          problems.push_back(opened.error().message);
          return;
        }
        Arena arena;
        store::Value group = store::Value::of_int(1);
        store::LoadRequest request{
            .shape = &shape, .frame = {}, .keys = {&group, 1}, .count = 1, .window = Open::whole()};
        std::string facts, again;
        for (std::string* out : {&facts, &again}) {
          auto loaded = (*opened)->load({&request, 1}, arena).run_ready();
          if (!loaded || loaded->front().error) continue;
          for (const store::Row& row : loaded->front().rows) {
            *out += std::to_string(row.values[0].integer) + " ";
          }
        }
        std::lock_guard lock(mutex);
        if (facts != again) problems.push_back("one snapshot, two answers: " + facts + "/ " + again);
        seen.push_back({(*opened)->token(), facts});
      }
    };
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) readers.emplace_back(read);
    for (int pass = 1; pass <= kPasses; ++pass) {
      for (int i = 0; i < kRows; ++i) world->put("Item", item("r" + std::to_string(i), 1, pass));
    }
    done = true;
    for (std::thread& reader : readers) reader.join();

    for (const std::string& problem : problems) FAIL_CHECK(problem);
    std::map<store::Token, std::string> by_token;
    for (const Seen& one : seen) {
      auto [at, is_new] = by_token.emplace(one.token, one.facts);
      CHECK(at->second == one.facts);
    }
    // Facts never go back as tokens go forward: the sum of the numbers grows.
    int64_t last = -1;
    for (const auto& [token, facts] : by_token) {
      int64_t sum = 0, number = 0;
      for (char c : facts) {
        if (c == ' ') {
          sum += number;
          number = 0;
        } else {
          number = number * 10 + (c - '0');
        }
      }
      CHECK(sum > last);
      last = sum;
    }
    CHECK(!by_token.empty());
  }
}

}  // namespace lattice::testing
