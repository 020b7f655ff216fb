#include "exec/windows.h"

#include "store/window.h"

namespace lattice::exec {

using store::Window;

namespace {

// An `around` over several types looks at the whole collection, up to this many rows a type.
constexpr uint32_t kMergedAroundRowsMax = 10'000;

Value read(const store::Row& row, Source source) {
  if (source.from == Source::From::Key) return row.key[source.index];
  return source.from == Source::From::Values ? row.values[source.index] : Value();
}

// The row against keyset values.
int compare_keyset(const NodeCode& node, const WindowRow& row, const auto& value_at) {
  for (size_t i = 0; i < node.window.descending.size(); ++i) {
    int sign = store::compare_in_order(node.window.orders[i], read(*row.row, row.target->keyset[i]),
                                       value_at(i));
    if (sign != 0) return node.window.descending[i] ? -sign : sign;
  }
  return 0;
}

int compare_keysets(const NodeCode& node, const WindowRow& a, const WindowRow& b) {
  return compare_keyset(node, a, [&](size_t i) { return read(*b.row, b.target->keyset[i]); });
}

// The row against key values, as far as both have some.
int compare_key(const SliceCode& code, const WindowRow& row, std::span<const Value> key) {
  const EntityCode& entity = code.entities[row.target->entity];
  for (uint32_t i = 0; i < entity.key_size && i < key.size(); ++i) {
    if (int sign = store::compare_in_order(entity.key_orders[i], row.row->key[i], key[i])) {
      return sign;
    }
  }
  return 0;
}

int compare_rows(const NodeCode& node, const SliceCode& code, const WindowRow& a,
                 const WindowRow& b) {
  if (int sign = compare_keysets(node, a, b)) return sign;
  std::span<const Value> key(b.row->key, code.entities[b.target->entity].key_size);
  if (int sign = compare_key(code, a, key)) return sign;
  return static_cast<int>(a.type) - static_cast<int>(b.type);
}

// The rows that stand at the cursor's place: by its keyset values alone, or also by its key values.
store::Place rows_at(const NodeCode& node, const SliceCode& code, std::span<const WindowRow> rows,
                     const store::Boundary& place) {
  auto compare = [&](const WindowRow& row) {
    int sign = compare_keyset(node, row, [&](size_t i) { return place.values[i]; });
    if (sign != 0 || !place.has_key) return sign;
    return compare_key(code, row, place.values.subspan(node.window.descending.size()));
  };
  auto low = std::partition_point(rows.begin(), rows.end(),
                                  [&](const WindowRow& row) { return compare(row) < 0; });
  auto high = std::partition_point(low, rows.end(),
                                   [&](const WindowRow& row) { return compare(row) == 0; });
  return {static_cast<size_t>(low - rows.begin()), static_cast<size_t>(high - rows.begin())};
}

WindowView view_of(const NodeCode& node, std::span<const WindowRow> rows, const Window& window,
                   store::WindowRange range) {
  auto ties = [&](size_t i) { return compare_keysets(node, rows[i], rows[i + 1]) == 0; };
  return {range.begin, store::describe_window(window, rows.size(), range, ties)};
}

}  // namespace

void sort_rows(const NodeCode& node, const SliceCode& code, std::vector<WindowRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [&](const WindowRow& a, const WindowRow& b) {
    return compare_rows(node, code, a, b) < 0;
  });
}

WindowView select_window(const NodeCode& node, const SliceCode& code,
                         std::span<const WindowRow> rows, const Window& window) {
  store::Place place;
  if (window.boundary) place = rows_at(node, code, rows, *window.boundary);
  return view_of(node, rows, window, store::select_window(window, rows.size(), place));
}

Window member_window(const Window& window) {
  Window asked = window;
  if (window.kind == Window::Kind::Around) {
    asked.kind = Window::Kind::All;
    asked.boundary.reset();
    asked.limit = kMergedAroundRowsMax;
  } else if (window.boundary && !window.boundary->has_key) {
    asked.boundary->is_inclusive = true;
    asked.limit = window.limit + 1;  // a single row at the boundary is dropped after merging
  }
  return asked;
}

WindowView merge_windows(const NodeCode& node, const SliceCode& code,
                         std::span<const WindowRow> rows, std::span<const MemberGroup> members,
                         const Window& window) {
  if (window.kind == Window::Kind::Around) return select_window(node, code, rows, window);
  bool forward = window.kind != Window::Kind::Backward;
  size_t begin = 0, end = rows.size();
  // A cursor without key values stands behind a single row, and before a whole group of equals.
  if (window.boundary && !window.boundary->has_key) {
    store::Place place = rows_at(node, code, rows, *window.boundary);
    if (place.high - place.low == 1) (forward ? begin : end) = forward ? place.high : place.low;
  }
  if (end - begin > window.limit) {
    (forward ? end : begin) = forward ? begin + window.limit : end - window.limit;
  }
  WindowView view = view_of(node, rows, window, {begin, end});
  for (const MemberGroup& member : members) {
    view.group.has_previous |= member.group.has_previous;
    view.group.has_next |= member.group.has_next;
    view.group.overflows |= member.group.overflows;
    if (begin == end) continue;
    // A type's hidden rows touch the window only where its own last (first) row is the window's.
    view.group.ties_next |= member.group.ties_next && member.last == rows[end - 1].row;
    view.group.ties_previous |= member.group.ties_previous && member.first == rows[begin].row;
  }
  return view;
}

}  // namespace lattice::exec
