#include "store/window.h"

#include <algorithm>

namespace lattice::store {

namespace {

// A boundary without key values names a place between groups of equals. Asked for inclusively, or
// when several rows stand there, the window takes them all in: repeats are harmless, skips are not.
bool takes_equals(const Boundary& boundary, Place place) {
  if (boundary.has_key) return false;
  return boundary.is_inclusive || place.high - place.low > 1;
}

}  // namespace

WindowRange select_window(const Window& window, size_t count, Place place) {
  size_t limit = window.limit;
  switch (window.kind) {
    case Window::Kind::All:
      return {0, std::min(count, limit)};
    case Window::Kind::Forward: {
      size_t begin = 0;
      if (window.boundary) begin = takes_equals(*window.boundary, place) ? place.low : place.high;
      return {begin, std::min(count, begin + limit)};
    }
    case Window::Kind::Backward: {
      size_t end = count;
      if (window.boundary) end = takes_equals(*window.boundary, place) ? place.high : place.low;
      return {end - std::min(end, limit), end};
    }
    case Window::Kind::Around: {
      // Half of the window precedes the anchor; at either end the window shifts and stays full.
      size_t begin = place.low - std::min(place.low, limit / 2);
      begin = std::min(begin, count - std::min(count, limit));
      return {begin, std::min(count, begin + limit)};
    }
  }
  return {};
}

Group describe_window(const Window& window, size_t count, WindowRange range,
                      const std::function<bool(size_t)>& ties) {
  Group group;
  group.count = static_cast<uint32_t>(range.end - range.begin);
  group.has_previous = range.begin > 0;
  group.has_next = range.end < count;
  group.overflows = window.kind == Window::Kind::All && group.has_next;
  // Ties matter where a cursor may stand; a whole set has none.
  if (group.count == 0 || window.kind == Window::Kind::All) return group;
  group.ties_previous = group.has_previous && ties(range.begin - 1);
  group.ties_next = group.has_next && ties(range.end - 1);
  return group;
}

}  // namespace lattice::store
