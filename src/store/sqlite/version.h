// Versions of rows that keep none: a hash of the whole row (dependencies §3). Internal to sqlite/.
//
// It returns to an old value when the row does, which is why snapshots that use it say has_versions() =
// false.
#pragma once

#include <string>
#include <string_view>

#include "base/arena.h"
#include "store/sqlite/codec.h"

namespace lattice::store {

// Appends a cell so that different rows give different bytes.
void append_version_cell(std::string& bytes, const Cell& cell);
// 16 characters in `arena`.
std::string_view version_of(std::string_view bytes, Arena& arena);

}  // namespace lattice::store
