// feed_bench DATABASE SCHEMA QUERY: cold execution of the feed page against the hand-written floor, and the
// compile time of a wide query. One process, candidates interleaved, the median of three windows each.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/random.h"
#include "bench/floor.h"
#include "exec/exec.h"
#include "plan/plan.h"
#include "query/query.h"
#include "schema/schema.h"
#include "store/store.h"

namespace {

using namespace lattice;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kWindow{2000};
constexpr int kOrgCount = 100;

template <class T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double cpu_us() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  auto us = [](const timeval& time) { return time.tv_sec * 1e6 + time.tv_usec; };
  return us(usage.ru_utime) + us(usage.ru_stime);
}

struct Window {
  double per_second = 0, cpu_us_each = 0;
};
// Runs `work` for one window.
template <class Work>
Window measure(Work work) {
  uint64_t count = 0;
  auto begin = Steady::now();
  double cpu = cpu_us();
  while (Steady::now() - begin < kWindow) {
    work();
    ++count;
  }
  double seconds = std::chrono::duration<double>(Steady::now() - begin).count();
  return {count / seconds, (cpu_us() - cpu) / count};
}
Window median(std::vector<Window> windows) {
  std::sort(windows.begin(), windows.end(),
            [](const Window& a, const Window& b) { return a.per_second < b.per_second; });
  return windows[windows.size() / 2];
}

// A query with 200 fields: twenty roots would break the budget, so one feed with the widest nesting and
// many differing pages.
std::string wide_query() {
  std::string text = "query($org: I32) { feed(orgId: $org, first: 20) { id orgId authorId title body rank "
                     "author { id orgId name email } tags { id postId name }";
  for (int page = 1; page <= 27; ++page) {
    text += " comments(first: " + std::to_string(page) +
            ") { id postId body createdAt author { name email } }";
  }
  return text + " } }";
}

void bench_feed(const char* database, const schema::SchemaPtr& schema, const std::string& text) {
  auto query = need(query::compile_query(text, *schema));
  auto program = need(exec::Program::compile(need(plan::plan_query(query, schema))));
  auto store = need(store::open_store(std::string("sqlite:") + database, schema));
  bench::Floor floor(database);
  SeededRandom pick(1);
  std::string out;
  size_t bytes = 0;
  auto ours = [&] {
    int org = static_cast<int>(pick.below(kOrgCount)) + 1;
    auto bindings =
        need(exec::bind_variables(program->plan(), {{"org", std::to_string(org)}}));
    auto snapshot = need(store->open_snapshot().run_ready());
    auto result =
        need(exec::execute_slice(*program, plan::Slice::Pub, bindings, {}, *snapshot).run_ready());
    bytes = result.body.size();
  };
  auto theirs = [&] {
    out.clear();
    floor.page(static_cast<int>(pick.below(kOrgCount)) + 1, out);
  };
  measure(ours);
  measure(theirs);
  std::vector<Window> our_windows, their_windows;
  for (int round = 0; round < 3; ++round) {
    our_windows.push_back(measure(ours));
    their_windows.push_back(measure(theirs));
  }
  Window a = median(our_windows), b = median(their_windows);
  std::printf("| feed page, cold, SQLite, 1 thread | %.0f/s, %.0f us CPU, %zu bytes | "
              "%.0f/s, %.0f us CPU, %zu bytes | %.2f |\n",
              a.per_second, a.cpu_us_each, bytes, b.per_second, b.cpu_us_each, out.size(),
              a.per_second / b.per_second);
}

void bench_compile(const schema::SchemaPtr& schema) {
  std::string text = wide_query();
  auto windows = std::vector<Window>();
  auto compile = [&] {
    auto query = need(query::compile_query(text, *schema));
    need(plan::plan_query(query, schema, {.budgets = {.round_fanout_max = 1'000'000}, .owners = {}}));
  };
  measure(compile);
  for (int round = 0; round < 3; ++round) windows.push_back(measure(compile));
  std::printf("| compile and plan, 200 fields | %.0f us each | | |\n",
              1e6 / median(windows).per_second);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: feed_bench DATABASE SCHEMA QUERY\n");
    return 2;
  }
  try {
    auto schema = need(schema::load_schema(read_file(argv[2])));
    bench_feed(argv[1], schema, read_file(argv[3]));
    bench_compile(schema);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "feed_bench: %s\n", failure.what());
    return 1;
  }
}
