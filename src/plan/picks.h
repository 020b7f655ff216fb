// Picks: what a selection set asks of each concrete type (spec §4.2, §4.4, §4.5).
//
//   {name ...CharacterName ... on Human{homePlanet}}  on (Human | Droid)
//     Human  homePlanet  name(×2)
//     Droid  name(×2)
//
// Spreads of schema fragments are replaced by the fragment's body, `@depth` edges carry the set
// that they repeat, inline fragments narrow the types. Nothing is copied: items point into the
// query and into fragment bodies that the expander owns. One planning; one thread.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/draft.h"

namespace lattice::plan {

// A selection as it stands at one level of the tree; `depth` counts the levels that an @depth edge
// still unrolls, this one included (0: no recursion).
struct Item {
  const query::Selection* selection = nullptr;
  uint32_t depth = 0;
  auto operator<=>(const Item&) const = default;
};
struct ItemSet {
  std::vector<Item> items;
};

// The types that a selection speaks of: all of the target, or those of an inline fragment.
struct Scope {
  std::vector<EntityIndex> members;  // ascending
  std::string type;                  // the fragment's type; empty: the whole target
  // When the types are spoken of as an interface: its declarations hold beside the members' own.
  const schema::Interface* interface = nullptr;
};

struct Occurrence {
  Item item;
  const ItemSet* enclosing = nullptr;
  uint32_t scope = 0;  // index in Picks::scopes
};
// One field or edge of one type: every occurrence of its canonical key.
struct Pick {
  std::vector<Occurrence> occurrences;
  // The narrowest scope of the occurrences; its level holds.
  uint32_t scope = 0;
};

struct Picks {
  std::vector<Scope> scopes;  // 0: the whole target
  // By type, then canonical key ("comments(first:3)").
  std::map<EntityIndex, std::map<std::string, Pick, std::less<>>> by_type;
};

class SelectionExpander {
 public:
  explicit SelectionExpander(Draft& draft) : draft_(draft) {}

  const ItemSet* set_of(const std::vector<query::Selection>& selections);
  // The picks of `set` on the concrete types `members` of a target, `interface` when it is one.
  // Notes fragments and interfaces as touched.
  Picks expand(const ItemSet& set, const std::vector<EntityIndex>& members,
               const schema::Interface* interface);
  // What an edge with these occurrences selects of its target.
  const ItemSet* child_set(const std::vector<Occurrence>& occurrences);
  // The entities that a selection set of the nodes root names, ascending.
  std::vector<EntityIndex> named_types(const ItemSet& set);

 private:
  void expand_into(Picks& picks, const ItemSet& set, uint32_t scope);
  uint32_t narrow(Picks& picks, uint32_t scope, const std::string& type);
  const ItemSet* fragment_body(const query::Selection& spread);
  std::vector<EntityIndex> members_of(const std::string& type);

  Draft& draft_;
  std::deque<ItemSet> sets_;
  std::deque<std::vector<query::Selection>> bodies_;
  std::unordered_map<const query::Selection*, const ItemSet*> fragments_;
};

// The canonical key of a field: its name, with arguments when it has some.
std::string canonical_key(const query::Selection& selection);
// Notes a schema fragment, and those that it spreads, as pertinent.
void touch_fragment(Draft& draft, const schema::Fragment& fragment);

}  // namespace lattice::plan
