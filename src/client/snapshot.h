// Snapshot headers and the cut test (spec §10.2, §13.1, §13.2).
//
//   Lattice-Snapshot: main="0000000001.00000000000000000042"
//   Lattice-Snapshot-Floor: main="0000000001.00000000000000000040"
//     the response's facts were the same at every token in [floor, token]
//
// Values; any thread.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice::client {

using SnapshotVector = std::map<std::string, std::string>;  // domain → token

// Errors: lattice:encoding. (A client ignores a header that it cannot read.)
Result<SnapshotVector> parse_snapshot(std::string_view header);
std::string render_snapshot(const SnapshotVector& snapshot);  // members sorted by domain

// The order of two tokens of one domain: `epoch.count` by its text, which is padded; others by the
// decimal number after the last colon when both have one, else the shorter first, then by text.
std::strong_ordering compare_tokens(std::string_view left, std::string_view right);

// One slice's validity in one domain; without a floor it is the point [token, token].
struct Interval {
  std::optional<std::string> floor;
  std::string token;
};
// Whether one storage state holds all of them: max(floors) <= min(tokens).
bool is_consistent_cut(std::span<const Interval> intervals);

}  // namespace lattice::client
