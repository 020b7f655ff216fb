// Windows over a group that is wholly in memory: what a scan means, in one place (spec §3.6;
// decisions, "keysets with ties"). The SQL stores say the same in their statements; the contract
// suite compares.
//
//   rows in (keyset, key) order, and a Window  ──select_window──▶ [begin, end) and its Group flags
#pragma once

#include <cstddef>
#include <functional>

#include "store/store.h"

namespace lattice::store {

// How the rows of a group stand to the window's boundary: [low, high) are its equals (by the
// keyset, and by the key when the boundary has one). Without a boundary both are 0.
struct Place {
  size_t low = 0;
  size_t high = 0;
};

struct WindowRange {
  size_t begin = 0;
  size_t end = 0;
};

// The rows of the window among `count` rows.
WindowRange select_window(const Window& window, size_t count, Place place);

// The flags of a group, without its position. `ties(i)`: rows i and i + 1 have equal keyset values.
Group describe_window(const Window& window, size_t count, WindowRange range,
                      const std::function<bool(size_t)>& ties);

}  // namespace lattice::store
