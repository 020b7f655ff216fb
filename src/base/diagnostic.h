// Diagnostics for people: line, column and a caret under the offender.
//
//   feed.lq:2:10: error: Post has no field `titel`; did you mean `title`?
//     2 |   feed { titel }
//       |          ^^^^^
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice {

// 1-based line and column of a byte offset; the column counts code points.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
};
Position position_of(std::string_view text, uint32_t offset);

// Renders `diagnostic` against the text that its span points into. `name` is the file's name as the
// user gave it. Lines longer than 160 bytes are cut around the span. Ends with a newline.
std::string render_diagnostic(const Diagnostic& diagnostic, std::string_view name,
                              std::string_view text);

// All diagnostics of `error`, in order; the plain message when it has none.
std::string render_error(const Error& error, std::string_view name, std::string_view text);

// The candidate closest to `word` by edit distance, if it is close enough to suggest (at most a
// third of the word's length, at least 1). Ties go to the first in order.
std::optional<std::string_view> closest_match(std::string_view word,
                                              std::span<const std::string_view> candidates);
// "; did you mean `title`?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace lattice
