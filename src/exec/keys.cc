// The surrogate keys of a response (spec §10.5; decisions, "key bytes" and "key budget").
//
//   collection keys, then entity keys, each sorted:  Post.comments:17 feed:3 Post:17 User:9
//
// Over budget they coarsen upward: an entity that a scan found is covered by the range of that
// scan; then types, then collections, become families; what is still too much makes the response
// uncacheable.
#include <fmt/format.h>

#include "base/percent.h"
#include "exec/execution.h"

namespace lattice::exec {

namespace {

// The origin adds the plan key: "plan:pl_" and 16 characters, and its separator.
constexpr size_t kPlanKeyBytes = 25;

bool is_absent(const Execution& run, const GroupingCode& grouping) {
  return !grouping.is_known() || (grouping.slot != kNone && run.frame[grouping.slot].is_null());
}

void append_grouping(const Execution& run, std::string& out,
                     const std::vector<GroupingCode>& grouping, FactIndex owner) {
  bool first = true;
  for (const GroupingCode& part : grouping) {
    if (!std::exchange(first, false)) out += ',';
    if (part.slot != kNone) {
      store::append_key_text(out, run.frame[part.slot]);
    } else if (part.column.from != Source::From::None) {
      store::append_key_text(out, run.facts.read(owner, part.column));
    }
  }
}

std::string entity_key(const Execution& run, const Fact& fact) {
  if (fact.is_plain) return std::string(fact.ref);
  const std::string& prefix = run.code.entities[fact.entity].ref_prefix;
  std::string key = prefix;
  append_key_bytes(key, fact.ref.substr(prefix.size()));
  return key;
}

void sort_unique(std::vector<std::string>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

std::string family_of(std::string_view key) {
  return std::string(key.substr(0, key.find(':'))) + ":*";
}

class KeyBudget {
 public:
  KeyBudget(const Execution& run, const std::vector<std::string>& families)
      : count_max_(run.plan.budgets.surrogate_keys_max),
        bytes_max_(run.options.key_bytes_max),
        families_(families) {}

  bool fits(const std::vector<std::string>& collections,
            const std::vector<std::string>& entities) const {
    size_t count = 1 + families_.size() + collections.size() + entities.size();
    size_t bytes = kPlanKeyBytes;
    for (const auto* keys : {&families_, &collections, &entities}) {
      for (const std::string& key : *keys) bytes += key.size() + 1;
    }
    return count <= count_max_ && bytes <= bytes_max_;
  }

 private:
  size_t count_max_;
  size_t bytes_max_;
  const std::vector<std::string>& families_;
};

// Turns the most numerous prefix of sorted `keys` into its family. False when nothing is left to
// turn.
bool coarsen_largest(std::vector<std::string>& keys) {
  size_t best = 0, best_count = 0;
  for (size_t i = 0; i < keys.size();) {
    std::string family = family_of(keys[i]);
    size_t end = i;
    while (end < keys.size() && family_of(keys[end]) == family) ++end;
    bool is_family = end - i == 1 && keys[i] == family;
    if (!is_family && end - i > best_count) {
      best = i;
      best_count = end - i;
    }
    i = end;
  }
  if (best_count == 0) return false;
  std::string family = family_of(keys[best]);
  keys.erase(keys.begin() + static_cast<ptrdiff_t>(best),
             keys.begin() + static_cast<ptrdiff_t>(best + best_count));
  keys.push_back(std::move(family));
  sort_unique(keys);
  return true;
}

}  // namespace

std::string raw_collection_key(const Execution& run, std::string_view tag,
                               const std::vector<GroupingCode>& grouping, FactIndex owner) {
  std::string key(tag);
  key += ':';
  append_grouping(run, key, grouping, owner);
  return key;
}

void note_collection(Execution& run, std::string_view tag,
                     const std::vector<GroupingCode>& grouping, FactIndex owner) {
  run.scratch.clear();
  append_grouping(run, run.scratch, grouping, owner);
  std::string& key = run.scratch_key;
  key.assign(tag);
  key += ':';
  append_key_bytes(key, run.scratch);
  run.collection_keys.push_back(run.arena.copy(key));
  bool open = std::any_of(grouping.begin(), grouping.end(),
                          [&](const GroupingCode& part) { return is_absent(run, part); });
  // No write emits an empty grouping value, so a scan over all groups depends on the family.
  if (open) run.families.push_back(std::string(tag) + ":*");
}

void note_reads(Execution& run, const std::vector<std::string>* reads) {
  if (reads == nullptr) {
    run.is_unbounded = true;
    return;
  }
  for (const std::string& name : *reads) run.families.push_back(name + ":*");
}

void make_keys(Execution& run, SliceResult& result) {
  std::vector<std::string> collections(run.collection_keys.begin(), run.collection_keys.end());
  std::vector<std::string> families = std::move(run.families);
  sort_unique(collections);
  sort_unique(families);
  std::vector<std::string> entities = std::move(run.named_keys);
  entities.reserve(run.facts.size());
  for (FactIndex i = 0; i < run.facts.size(); ++i) {
    if (run.facts[i].is_noted) entities.push_back(entity_key(run, run.facts[i]));
  }
  sort_unique(entities);

  KeyBudget budget(run, families);
  bool fits = budget.fits(collections, entities);
  if (!fits) {
    // 1. What a scanned range covers. (A named or linked entity may be in one too.)
    std::vector<std::string> covered;
    for (FactIndex i = 0; i < run.facts.size(); ++i) {
      if (run.facts[i].is_from_scan) covered.push_back(entity_key(run, run.facts[i]));
    }
    std::sort(covered.begin(), covered.end());
    std::erase_if(entities, [&](const std::string& key) {
      return std::binary_search(covered.begin(), covered.end(), key);
    });
    fits = budget.fits(collections, entities);
  }
  // 2. Types, then collections, become families, the most numerous first.
  while (!fits && coarsen_largest(entities)) fits = budget.fits(collections, entities);
  while (!fits && coarsen_largest(collections)) fits = budget.fits(collections, entities);
  // 3. Nothing coarser is left.
  result.coarsened_to_uncacheable = !fits || run.is_unbounded;

  result.keys.reserve(families.size() + collections.size() + entities.size());
  for (auto* keys : {&collections, &families, &entities}) {
    for (std::string& key : *keys) result.keys.push_back(std::move(key));
  }
}

}  // namespace lattice::exec
