// Wire keys: what a field or an edge is called under "fields" (spec §9.1).
//
//   friends(first:$n, after:$c)  with n = 2, c absent  ──▶ friends(first:2)
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "plan/plan.h"

namespace lattice::exec {

// The canonical key of `output`, not quoted; `value_of` gives the value bound to a slot, or null
// when it is absent. Literal arguments are in the plan already.
std::string print_wire_key(const plan::Output& output,
                           const std::function<const Json*(plan::SlotIndex)>& value_of);

}  // namespace lattice::exec
