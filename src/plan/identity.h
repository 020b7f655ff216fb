// Plan identity: a hash over the canonical text and the declarations that its compilation read
// (§7.3).
//
//   "query{me{name}}" NUL "entity User by id {..}\nroot me ..."  ──▶ "pl_erStyrgnx1AeTdNf"
//
// Declarations are whole ones (the coarsening that the protocol allows), each printed canonically
// without descriptions, directives and overrides, sorted by "entity X", "fragment X", "interface
// X", "root x", "type X", and joined by newlines. Pure functions.
#pragma once

#include <string>
#include <string_view>

#include "plan/draft.h"

namespace lattice::plan {

std::string plan_id(std::string_view canonical, std::string_view declarations);
std::string pertinent_declarations(const Draft& draft);

}  // namespace lattice::plan
