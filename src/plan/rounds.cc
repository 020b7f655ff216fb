#include <algorithm>

#include "plan/draft.h"

namespace lattice::plan {
namespace {

uint32_t multiply_saturating(uint32_t left, uint32_t right) {
  const uint64_t product = static_cast<uint64_t>(left) * right;
  return static_cast<uint32_t>(std::min<uint64_t>(product, UINT32_MAX));
}

// Which slices must visit each node: those that emit one of its parts, its edge, or its root
// membership, and those that visit one of its children.
std::vector<std::array<bool, kSliceCount>> visits(const Plan& plan) {
  std::vector<std::array<bool, kSliceCount>> visited(plan.nodes.size(), {false, false, false});
  for (uint32_t index = static_cast<uint32_t>(plan.nodes.size()); index-- > 0;) {
    const Node& node = plan.nodes[index];
    for (const TypePart& type : node.types) {
      if (node.parent == kNone) visited[index][static_cast<size_t>(type.slice)] = true;
      for (const FieldPart& part : type.parts) {
        const auto slice = static_cast<size_t>(part.slice);
        visited[index][slice] = true;
        if (part.child == kNone) continue;
        visited[part.child][slice] = true;
        for (size_t other = 0; other < kSliceCount; ++other) {
          if (visited[part.child][other]) visited[index][other] = true;
        }
      }
    }
  }
  return visited;
}

void add_loader(Plan& plan, uint32_t round, Plan::Loader loader) {
  if (plan.loaders.size() <= round) plan.loaders.resize(round + 1);
  plan.loaders[round].push_back(std::move(loader));
}

}  // namespace

void schedule_rounds(Draft& draft) {
  Plan& plan = draft.plan;
  const auto visited = visits(plan);
  for (uint32_t index = 0; index < plan.nodes.size(); ++index) {
    Node& node = plan.nodes[index];
    // Parents stand before their children, so the parent's bound is known.
    const uint32_t parents = node.parent == kNone ? 1 : plan.nodes[node.parent].fanout_max;
    node.fanout_max = multiply_saturating(parents, node.access.page_size_max);
    for (size_t slice = 0; slice < kSliceCount; ++slice) {
      if (!visited[index][slice]) continue;
      auto& rounds = plan.slices[slice].rounds;
      if (rounds.size() <= node.round) rounds.resize(node.round + 1);
      rounds[node.round].push_back(index);
    }
    add_loader(
        plan, node.round,
        {node.loader, node.fanout_max, index, node.access.collection, node.access.collection_tag});
  }
  for (const HiddenLoad& load : draft.hidden_loads) {
    const Node& node = plan.nodes[load.node];
    const HiddenRead& read = plan.derived[load.derived].reads[load.read];
    add_loader(
        plan, node.round + 1,
        {read.loader, node.fanout_max, kNone, read.edge.collection, read.edge.collection_tag});
  }
}

}  // namespace lattice::plan
