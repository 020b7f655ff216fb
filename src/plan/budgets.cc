#include "plan/budgets.h"

#include <algorithm>

#include "plan/draft.h"

namespace lattice::plan {

Error budget_error(std::string_view budget, uint64_t limit, uint64_t used, std::string sentence) {
  Error error;
  error.code = Code::CompileRejected;
  error.message = std::string(budget) + ": " + std::move(sentence);
  error.diagnostics.push_back({Severity::Error, error.message, {}, {}, "budget"});
  error.details = {{"budget", std::string(budget)},
                   {"limit", std::to_string(limit)},
                   {"used", std::to_string(used)}};
  return error;
}

namespace {

Error over(std::string_view budget, uint64_t limit, uint64_t used, std::string_view what) {
  return budget_error(budget, limit, used,
                      std::string(what) + " " + std::to_string(used) + ", at most " +
                          std::to_string(limit) + " are allowed");
}

// The root above each node.
std::vector<uint32_t> root_of(const Plan& plan) {
  std::vector<uint32_t> roots(plan.nodes.size());
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    const uint32_t parent = plan.nodes[i].parent;
    roots[i] = parent == kNone ? i : roots[parent];
  }
  return roots;
}

bool has_variable_refs(const Plan& plan, const Node& node) {
  return node.access.kind == Access::Kind::Nodes && !node.access.ref_slots.empty() &&
         plan.slots[node.access.ref_slots.front()].kind == Slot::Kind::Variable;
}

// A round's bound as a line over the number of refs that the nodes root will get.
struct RoundLoad {
  uint64_t fixed = 0;
  uint64_t per_ref = 0;
};

std::vector<RoundLoad> round_loads(const Draft& draft) {
  const Plan& plan = draft.plan;
  const std::vector<uint32_t> roots = root_of(plan);
  std::vector<RoundLoad> loads(plan.loaders.size());
  const auto add = [&](uint32_t round, uint32_t node, uint64_t rows) {
    const bool is_variable = has_variable_refs(plan, plan.nodes[roots[node]]);
    (is_variable ? loads[round].per_ref : loads[round].fixed) += rows;
  };
  for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
    add(plan.nodes[i].round, i, plan.nodes[i].fanout_max);
  }
  for (const HiddenLoad& load : draft.hidden_loads) {
    const Node& node = plan.nodes[load.node];
    add(node.round + 1, load.node, node.fanout_max);
  }
  return loads;
}

}  // namespace

Result<void> check_budgets(Draft& draft) {
  Plan& plan = draft.plan;
  const Budgets& budgets = plan.budgets;
  for (const Node& node : plan.nodes) {
    plan.used.roots += node.parent == kNone;
    plan.used.depth = std::max(plan.used.depth, node.depth);
  }
  for (const HiddenLoad& load : draft.hidden_loads) {
    plan.used.depth = std::max(plan.used.depth, plan.nodes[load.node].depth + 1);
  }
  plan.used.rounds = static_cast<uint32_t>(plan.loaders.size());
  if (plan.used.rounds > budgets.rounds_max) {
    return fail(over("maxRounds", budgets.rounds_max, plan.used.rounds, "the plan needs rounds:"));
  }
  uint64_t refs_max = budgets.round_fanout_max;
  const std::vector<RoundLoad> loads = round_loads(draft);
  for (size_t round = 0; round < loads.size(); ++round) {
    const uint64_t rows = loads[round].fixed + loads[round].per_ref;
    plan.used.round_fanout = static_cast<uint32_t>(
        std::min<uint64_t>(std::max<uint64_t>(plan.used.round_fanout, rows), UINT32_MAX));
    if (rows > budgets.round_fanout_max) {
      return fail(over("maxRoundFanout", budgets.round_fanout_max, rows,
                       "round " + std::to_string(round) + " may load rows:"));
    }
    if (loads[round].per_ref > 0) {
      refs_max = std::min(refs_max,
                          (budgets.round_fanout_max - loads[round].fixed) / loads[round].per_ref);
    }
  }
  plan.nodes_refs_max = static_cast<uint32_t>(refs_max);
  return {};
}

}  // namespace lattice::plan
