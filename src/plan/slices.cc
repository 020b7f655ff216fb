#include <algorithm>

#include "plan/draft.h"

namespace lattice::plan {

void assign_slices(Draft& draft) {
  Plan& plan = draft.plan;
  std::array<std::set<std::string>, kSliceCount> roots;
  for (const Node& node : plan.nodes) {
    for (const TypePart& type : node.types) {
      if (node.parent == kNone) {
        const auto slice = static_cast<size_t>(type.slice);
        plan.slices[slice].is_empty = false;
        roots[slice].insert(node.name);
      }
      for (const FieldPart& part : type.parts) {
        plan.slices[static_cast<size_t>(part.slice)].is_empty = false;
      }
    }
  }
  for (size_t slice = 0; slice < kSliceCount; ++slice) {
    const auto& claims = draft.claims[slice];
    plan.slices[slice].claims.assign(claims.begin(), claims.end());
    plan.slices[slice].roots.assign(roots[slice].begin(), roots[slice].end());
  }
}

}  // namespace lattice::plan
