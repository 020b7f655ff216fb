#include "plan/picks.h"

#include <algorithm>

#include "base/check.h"
#include "schema/selection.h"

namespace lattice::plan {
namespace {

void touch_spreads(Draft& draft, const std::vector<query::Selection>& selections) {
  for (const query::Selection& selection : selections) {
    if (selection.kind == query::Selection::Kind::Spread) {
      if (const auto* fragment = draft.schema.find_fragment(selection.name)) {
        touch_fragment(draft, *fragment);
      }
    }
    touch_spreads(draft, selection.selections);
  }
}

}  // namespace

void touch_fragment(Draft& draft, const schema::Fragment& fragment) {
  if (!draft.touched.fragments.insert(fragment.name).second) return;
  touch_spreads(draft, fragment.selections);
}

std::string canonical_key(const query::Selection& selection) {
  std::string key = selection.name;
  if (!selection.arguments.empty()) schema::append_arguments(key, selection.arguments);
  return key;
}

const ItemSet* SelectionExpander::set_of(const std::vector<query::Selection>& selections) {
  ItemSet& set = sets_.emplace_back();
  set.items.reserve(selections.size());
  for (const query::Selection& selection : selections) {
    set.items.push_back({&selection, selection.depth});
  }
  return &set;
}

const ItemSet* SelectionExpander::fragment_body(const query::Selection& spread) {
  const auto [found, is_new] = fragments_.emplace(&spread, nullptr);
  if (!is_new) return found->second;
  const schema::Fragment* fragment = draft_.schema.find_fragment(spread.name);
  LATTICE_CHECK(fragment != nullptr, spread.name);
  touch_fragment(draft_, *fragment);
  bodies_.push_back(query::expand_fragment(*fragment, spread.arguments, draft_.schema));
  const ItemSet* body = set_of(bodies_.back());
  fragments_[&spread] = body;
  return body;
}

std::vector<EntityIndex> SelectionExpander::members_of(const std::string& type) {
  if (const schema::Interface* interface = draft_.schema.find_interface(type)) {
    draft_.touched.interfaces.insert(type);
    return interface->members;
  }
  const EntityIndex entity = draft_.schema.entity_index(type);
  LATTICE_CHECK(entity != kNone, type);
  return {entity};
}

uint32_t SelectionExpander::narrow(Picks& picks, uint32_t scope, const std::string& type) {
  std::vector<EntityIndex> members;
  std::vector<EntityIndex> named = members_of(type);
  std::sort(named.begin(), named.end());
  const Scope& outer = picks.scopes[scope];
  std::set_intersection(outer.members.begin(), outer.members.end(), named.begin(), named.end(),
                        std::back_inserter(members));
  if (members == outer.members) return scope;
  for (uint32_t i = 0; i < picks.scopes.size(); ++i) {
    if (picks.scopes[i].type == type && picks.scopes[i].members == members) return i;
  }
  picks.scopes.push_back({std::move(members), type, draft_.schema.find_interface(type)});
  return static_cast<uint32_t>(picks.scopes.size() - 1);
}

void SelectionExpander::expand_into(Picks& picks, const ItemSet& set, uint32_t scope) {
  for (const Item& item : set.items) {
    const query::Selection& selection = *item.selection;
    if (selection.kind == query::Selection::Kind::Inline) {
      const ItemSet* inner = set_of(selection.selections);
      expand_into(picks, *inner, narrow(picks, scope, selection.name));
      continue;
    }
    if (selection.kind == query::Selection::Kind::Spread) {
      const ItemSet* body = fragment_body(selection);
      const std::string& on = draft_.schema.find_fragment(selection.name)->on;
      expand_into(picks, *body, narrow(picks, scope, on));
      continue;
    }
    const std::string key = canonical_key(selection);
    for (const EntityIndex member : picks.scopes[scope].members) {
      Pick& pick = picks.by_type[member][key];
      const bool narrower = pick.occurrences.empty() || picks.scopes[scope].members.size() <
                                                            picks.scopes[pick.scope].members.size();
      if (narrower) pick.scope = scope;
      pick.occurrences.push_back({item, &set, scope});
    }
  }
}

Picks SelectionExpander::expand(const ItemSet& set, const std::vector<EntityIndex>& members,
                                const schema::Interface* interface) {
  Picks picks;
  picks.scopes.push_back({members, "", interface});
  expand_into(picks, set, 0);
  return picks;
}

const ItemSet* SelectionExpander::child_set(const std::vector<Occurrence>& occurrences) {
  ItemSet child;
  std::set<Item> seen;  // by address; the order of the items is that of the texts
  const auto add = [&](Item item) {
    if (occurrences.size() == 1 || seen.insert(item).second) child.items.push_back(item);
  };
  for (const Occurrence& occurrence : occurrences) {
    for (const query::Selection& selection : occurrence.item.selection->selections) {
      add({&selection, selection.depth});
    }
    if (occurrence.item.depth == 0) continue;
    // @depth(n): the enclosing set again, n levels, the innermost without the recursive edge
    // (§4.2).
    for (Item item : occurrence.enclosing->items) {
      if (item.selection == occurrence.item.selection) {
        if (occurrence.item.depth == 1) continue;
        item.depth = occurrence.item.depth - 1;
      }
      add(item);
    }
  }
  return &sets_.emplace_back(std::move(child));
}

std::vector<EntityIndex> SelectionExpander::named_types(const ItemSet& set) {
  std::vector<EntityIndex> types;
  for (const Item& item : set.items) {
    if (item.selection->kind == query::Selection::Kind::Inline) {
      const std::vector<EntityIndex> members = members_of(item.selection->name);
      types.insert(types.end(), members.begin(), members.end());
    } else if (item.selection->kind == query::Selection::Kind::Spread) {
      const auto* fragment = draft_.schema.find_fragment(item.selection->name);
      LATTICE_CHECK(fragment != nullptr, item.selection->name);
      const std::vector<EntityIndex> members = members_of(fragment->on);
      types.insert(types.end(), members.begin(), members.end());
    }
  }
  std::sort(types.begin(), types.end());
  types.erase(std::unique(types.begin(), types.end()), types.end());
  return types;
}

}  // namespace lattice::plan
