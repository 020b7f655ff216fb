#include <algorithm>

#include "plan/draft.h"

namespace lattice::plan {
namespace {

using schema::CachePolicy;

void lower(std::optional<int64_t>& lifetime, const std::optional<int64_t>& other) {
  if (!other) return;
  lifetime = lifetime ? std::min(*lifetime, *other) : *other;
}

// The tightest of what it has seen (§10.9).
class Meet {
 public:
  explicit Meet(const CachePolicy& schema) : schema_(schema) { tighten(schema); }

  // Entering through a root: its lifetime, else the schema's, is where the meet starts from.
  void enter(const CachePolicy& root) {
    tighten(root);
    const std::optional<int64_t>& baseline =
        root.max_age_seconds ? root.max_age_seconds : schema_.max_age_seconds;
    lower(baseline_, baseline);
    every_root_has_baseline_ &= baseline.has_value();
    immutable_ &= root.immutable || schema_.immutable;
    entered_ = true;
  }
  void touch_entity(const CachePolicy& entity) {
    tighten(entity);
    lower(meet_.cap_seconds, entity.max_age_seconds);
  }
  void touch_part(const CachePolicy& part, const CachePolicy& entity) {
    touch_entity(part);
    immutable_ &= part.immutable || entity.immutable || schema_.immutable;
    entered_ = true;
  }
  CacheMeet finish() {
    // A root without a baseline keeps the slice's default; the others can then only lower it.
    if (every_root_has_baseline_) {
      meet_.baseline_seconds = baseline_ ? baseline_ : schema_.max_age_seconds;
    } else {
      lower(meet_.cap_seconds, baseline_);
    }
    meet_.immutable = immutable_ && entered_;
    return meet_;
  }

 private:
  void tighten(const CachePolicy& policy) {
    meet_.store = std::max(meet_.store, policy.store);
    meet_.revalidate |= policy.revalidate;
    meet_.no_tenure |= policy.no_tenure;
  }

  const CachePolicy& schema_;
  CacheMeet meet_;
  std::optional<int64_t> baseline_;
  bool every_root_has_baseline_ = true;
  bool immutable_ = true;
  bool entered_ = false;
};

CacheMeet meet_slice(const Draft& draft, Slice slice) {
  const Plan& plan = draft.plan;
  Meet meet(draft.schema.cache);
  static const CachePolicy kDefault;
  for (const auto& round : plan.slice(slice).rounds) {
    for (const uint32_t index : round) {
      const Node& node = plan.nodes[index];
      if (node.root != kNone) {
        meet.enter(draft.schema.roots[node.root].cache);
      } else if (node.access.kind == Access::Kind::Nodes) {
        meet.enter(kDefault);
      }
      for (const TypePart& type : node.types) {
        const schema::Entity& entity = draft.entity(type.entity);
        meet.touch_entity(entity.cache);
        const TypeOutputs* outputs = plan.outputs_of(type.entity);
        for (const FieldPart& part : type.parts) {
          if (part.slice != slice) continue;
          const Output& output = outputs->outputs[part.output];
          meet.touch_part(output.is_edge
                              ? entity.relationships[plan.edges[output.edge].relationship].cache
                              : entity.fields[output.field].cache,
                          entity.cache);
        }
      }
    }
  }
  return meet.finish();
}

}  // namespace

void meet_cache_policies(Draft& draft) {
  for (size_t slice = 0; slice < kSliceCount; ++slice) {
    SliceProgram& program = draft.plan.slices[slice];
    if (!program.is_empty) program.cache = meet_slice(draft, static_cast<Slice>(slice));
    draft.plan.no_tenure |= program.cache.no_tenure;
  }
}

}  // namespace lattice::plan
