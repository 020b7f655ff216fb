#include <algorithm>
#include <tuple>

#include "plan/draft.h"

namespace lattice::plan {
namespace {

void add_family(Plan& plan, const schema::Collection& collection, std::string producer) {
  plan.key_families.push_back({collection.name, collection.grouping, std::move(producer)});
}

std::string edge_name(const Draft& draft, const EdgePart& edge) {
  const schema::Entity& owner = draft.entity(edge.owner);
  return owner.name + "." + owner.relationships[edge.relationship].name;
}

}  // namespace

void collect_key_families(Draft& draft) {
  Plan& plan = draft.plan;
  for (const Node& node : plan.nodes) {
    if (node.parent == kNone && node.access.collection != nullptr) {
      add_family(plan, *node.access.collection, node.name + "@root");
    }
  }
  for (const EdgePart& edge : plan.edges) {
    if (edge.collection != nullptr) add_family(plan, *edge.collection, edge_name(draft, edge));
  }
  for (const DerivedPart& derived : plan.derived) {
    const schema::Entity& owner = draft.entity(derived.entity);
    for (const HiddenRead& read : derived.reads) {
      if (read.edge.collection == nullptr) continue;
      add_family(plan, *read.edge.collection, owner.name + "." + owner.fields[derived.field].name);
    }
  }
  const auto order = [](const KeyFamily& family) {
    return std::tie(family.collection, family.grouping, family.producer);
  };
  std::sort(
      plan.key_families.begin(), plan.key_families.end(),
      [&](const KeyFamily& left, const KeyFamily& right) { return order(left) < order(right); });
  const auto last = std::unique(
      plan.key_families.begin(), plan.key_families.end(),
      [&](const KeyFamily& left, const KeyFamily& right) { return order(left) == order(right); });
  plan.key_families.erase(last, plan.key_families.end());
}

}  // namespace lattice::plan
