#include "exec/windows.h"

namespace lattice::exec {

using store::Window;

namespace {

// An `around` over several types looks at the whole collection, up to this many rows a type.
constexpr uint32_t kMergedAroundRowsMax = 10'000;

Value read(const store::Row& row, Source source) {
  if (source.from == Source::From::Key) return row.key[source.index];
  return source.from == Source::From::Values ? row.values[source.index] : Value();
}

int position_of(const std::vector<std::string>& order, const Value& value) {
  if (value.kind != Value::Kind::Text) return -1;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] == value.text()) return static_cast<int>(i);
  }
  return static_cast<int>(order.size());  // a constructor that this schema does not know: last
}

int compare_column(const WindowCode& window, size_t column, const Value& a, const Value& b) {
  const std::vector<std::string>& order = window.enum_orders[column];
  int sign =
      order.empty() ? store::compare_values(a, b) : position_of(order, a) - position_of(order, b);
  return window.descending[column] ? -sign : sign;
}

int compare_keysets(const NodeCode& node, const WindowRow& a, const WindowRow& b) {
  for (size_t i = 0; i < node.window.descending.size(); ++i) {
    int sign = compare_column(node.window, i, read(*a.row, a.target->keyset[i]),
                              read(*b.row, b.target->keyset[i]));
    if (sign != 0) return sign;
  }
  return 0;
}

int compare_rows(const NodeCode& node, const SliceCode& code, const WindowRow& a,
                 const WindowRow& b) {
  if (int sign = compare_keysets(node, a, b)) return sign;
  uint32_t size =
      std::min(code.entities[a.target->entity].key_size, code.entities[b.target->entity].key_size);
  for (uint32_t i = 0; i < size; ++i) {
    if (int sign = store::compare_values(a.row->key[i], b.row->key[i])) return sign;
  }
  return static_cast<int>(a.type) - static_cast<int>(b.type);
}

// The row against a cursor's place: its keyset values alone, then also its key values.
int compare_keyset(const NodeCode& node, const WindowRow& row, std::span<const Value> values) {
  for (size_t i = 0; i < node.window.descending.size(); ++i) {
    int sign = compare_column(node.window, i, read(*row.row, row.target->keyset[i]), values[i]);
    if (sign != 0) return sign;
  }
  return 0;
}

int compare_place(const NodeCode& node, const SliceCode& code, const WindowRow& row,
                  const store::Boundary& place) {
  if (int sign = compare_keyset(node, row, place.values)) return sign;
  if (!place.has_key) return 0;
  size_t keyset_size = node.window.descending.size();
  uint32_t size = code.entities[row.target->entity].key_size;
  for (uint32_t i = 0; i < size && keyset_size + i < place.values.size(); ++i) {
    if (int sign = store::compare_values(row.row->key[i], place.values[keyset_size + i])) {
      return sign;
    }
  }
  return 0;
}

// [first row at the place, first row behind it).
std::pair<size_t, size_t> rows_at(const NodeCode& node, const SliceCode& code,
                                  std::span<const WindowRow> rows, const store::Boundary& place) {
  auto low = std::partition_point(rows.begin(), rows.end(), [&](const WindowRow& row) {
    return compare_place(node, code, row, place) < 0;
  });
  auto high = std::partition_point(low, rows.end(), [&](const WindowRow& row) {
    return compare_place(node, code, row, place) == 0;
  });
  return {static_cast<size_t>(low - rows.begin()), static_cast<size_t>(high - rows.begin())};
}

// Where a window begins (Forward) or ends (Backward). Without key values a cursor inside a group of
// equals stands before the whole group: repeats are harmless, skips are not (decisions).
size_t forward_begin(const std::pair<size_t, size_t>& at, const store::Boundary& place) {
  bool repeats = !place.has_key && at.second - at.first > 1;
  return repeats ? at.first : at.second;
}
size_t backward_end(const std::pair<size_t, size_t>& at, const store::Boundary& place) {
  bool repeats = !place.has_key && at.second - at.first > 1;
  return repeats ? at.second : at.first;
}

WindowView view_of(const NodeCode& node, std::span<const WindowRow> rows, size_t begin,
                   size_t end) {
  WindowView view;
  view.first = begin;
  view.count = end - begin;
  view.has_previous = begin > 0;
  view.has_next = end < rows.size();
  if (begin == end) return view;
  view.ties_previous = begin > 0 && compare_keysets(node, rows[begin - 1], rows[begin]) == 0;
  view.ties_next = end < rows.size() && compare_keysets(node, rows[end - 1], rows[end]) == 0;
  return view;
}

}  // namespace

void sort_rows(const NodeCode& node, const SliceCode& code, std::vector<WindowRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [&](const WindowRow& a, const WindowRow& b) {
    return compare_rows(node, code, a, b) < 0;
  });
}

WindowView select_window(const NodeCode& node, const SliceCode& code,
                         std::span<const WindowRow> rows, const Window& window) {
  size_t count = rows.size();
  size_t limit = window.limit;
  std::pair<size_t, size_t> at{0, 0};
  if (window.boundary) at = rows_at(node, code, rows, *window.boundary);
  switch (window.kind) {
    case Window::Kind::All:
      return view_of(node, rows, 0, std::min(count, limit));
    case Window::Kind::Forward: {
      size_t begin = window.boundary ? forward_begin(at, *window.boundary) : 0;
      return view_of(node, rows, begin, std::min(count, begin + limit));
    }
    case Window::Kind::Backward: {
      size_t end = window.boundary ? backward_end(at, *window.boundary) : count;
      return view_of(node, rows, end - std::min(end, limit), end);
    }
    case Window::Kind::Around: {
      // Half of the window precedes the anchor; at either end the window shifts and stays full.
      size_t start = at.first - std::min(at.first, limit / 2);
      if (start + limit > count) start = count - std::min(count, limit);
      return view_of(node, rows, start, std::min(count, start + limit));
    }
  }
  return {};
}

Window member_window(const Window& window) {
  Window asked = window;
  if (window.kind == Window::Kind::Around) {
    asked.kind = Window::Kind::All;
    asked.boundary.reset();
    asked.limit = kMergedAroundRowsMax;
    return asked;
  }
  if (window.boundary && !window.boundary->has_key) {
    asked.boundary->is_inclusive = true;
    asked.limit = window.limit + 1;  // a single row at the boundary is dropped after merging
  }
  return asked;
}

WindowView merge_windows(const NodeCode& node, const SliceCode& code,
                         std::span<const WindowRow> rows, std::span<const store::Group> groups,
                         const Window& window) {
  if (window.kind == Window::Kind::Around) return select_window(node, code, rows, window);
  size_t begin = 0, end = rows.size();
  bool dropped = false;
  if (window.boundary && !window.boundary->has_key) {
    auto [low, high] = rows_at(node, code, rows, *window.boundary);
    dropped = high - low == 1;
    if (dropped && window.kind == Window::Kind::Forward) begin = high;
    if (dropped && window.kind == Window::Kind::Backward) end = low;
  }
  bool forward = window.kind != Window::Kind::Backward;
  if (end - begin > window.limit) {
    if (forward) end = begin + window.limit;
    if (!forward) begin = end - window.limit;
  }
  WindowView view = view_of(node, rows, begin, end);
  for (const store::Group& group : groups) {
    view.has_previous |= group.has_previous;
    view.has_next |= group.has_next || group.overflows;
    // A type that was cut may hide an equal behind its last row; claiming one costs a longer
    // cursor.
    view.ties_previous |= group.ties_previous;
    view.ties_next |= group.ties_next;
  }
  return view;
}

}  // namespace lattice::exec
