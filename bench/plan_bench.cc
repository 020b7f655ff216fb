// How long planning takes: a query of 200 fields over 10 types, planned again and again.
//
//   plan_bench [ROUNDS]      → median and 99th percentile of one plan_query, in microseconds
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "plan/plan.h"

namespace {

// Ten types of twenty fields, each leading to the next; the first is entered through a gated list.
std::string schema_text() {
  std::string text =
      "schema bench\nnewtype OrgId = Text\nclaims { org: OrgId role: Text }\n"
      "list start of T0 by orgId ordered by f0 asc page 10 max 50\n"
      "  visible when caller.org = orgId\n";
  for (int type = 0; type < 10; ++type) {
    const std::string number = std::to_string(type);
    text += "entity T" + number + " by id {\n visible to all by default\n id: Text\n";
    text += " orgId: OrgId\n";
    if (type < 9) {
      const std::string next = std::to_string(type + 1);
      text += " nextId: Text\n has one next: T" + next + " by nextId\n";
    }
    for (int field = 0; field < 20; ++field) {
      text += " f" + std::to_string(field) + ": Text";
      text += field % 7 == 3 ? " visible when caller.role = Admin\n" : "\n";
    }
    text += " fetch by id: public\n}\n";
  }
  return text;
}

std::string query_text() {
  std::string text = "query { start ";
  for (int type = 0; type < 10; ++type) {
    text += "{ ";
    for (int field = 0; field < 20; ++field) text += "f" + std::to_string(field) + " ";
    if (type < 9) text += "next ";
  }
  return text + std::string(10, '}') + "}";
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lattice;
  using Clock = std::chrono::steady_clock;
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 2000;
  const auto schema = schema::load_schema(schema_text());
  if (!schema) return std::fprintf(stderr, "%s\n", schema.error().message.c_str()), 1;
  const auto query = query::compile_query(query_text(), **schema);
  if (!query) return std::fprintf(stderr, "%s\n", query.error().message.c_str()), 1;
  plan::PlanOptions options;
  options.budgets.rounds_max = 10;
  std::vector<double> times;
  size_t elements = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto begin = Clock::now();
    const auto plan = plan::plan_query(*query, *schema, options);
    const std::chrono::duration<double, std::micro> taken = Clock::now() - begin;
    if (!plan) return std::fprintf(stderr, "%s\n", plan.error().message.c_str()), 1;
    times.push_back(taken.count());
    elements = (*plan)->elements.size();
  }
  std::sort(times.begin(), times.end());
  std::printf("plan_query of %zu elements: median %.0f us, p99 %.0f us over %d rounds\n", elements,
              times[times.size() / 2], times[times.size() * 99 / 100], rounds);
  return 0;
}
