// Windows over rows in memory: for roots whose rows a hook hands over whole, and for collections
// whose members are of several types, each scanned by itself (spec §3.6, §4.4).
//
//   Human rows [Han, Leia] + Droid rows [C-3PO]  ──by name──▶  C-3PO, Han, Leia  ──first 2──▶ +
//   next
//
// Rows order by the keyset, then the key, then the type. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "exec/program.h"

namespace lattice::exec {

struct WindowRow {
  const store::Row* row = nullptr;  // borrowed from the load's result
  const TargetCode* target = nullptr;
  uint32_t type = 0;  // position among the node's targets
};

// The rows of a window, and how it stands in its collection (Group::first counts in `rows`).
struct WindowView {
  size_t first = 0;
  store::Group group;
};

// One type's answer, and the ends of its rows (null without rows).
struct MemberGroup {
  store::Group group;
  const store::Row* first = nullptr;
  const store::Row* last = nullptr;
};

// Sorts by the node's order.
void sort_rows(const NodeCode& node, const SliceCode& code, std::vector<WindowRow>& rows);

// The window of sorted rows that are the whole collection.
WindowView select_window(const NodeCode& node, const SliceCode& code,
                         std::span<const WindowRow> rows, const store::Window& window);

// What to ask of each member type so that merging their answers gives `window`.
store::Window member_window(const store::Window& window);

// The window of sorted rows that are the members' answers to member_window.
WindowView merge_windows(const NodeCode& node, const SliceCode& code,
                         std::span<const WindowRow> rows, std::span<const MemberGroup> members,
                         const store::Window& window);

}  // namespace lattice::exec
