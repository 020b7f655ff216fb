// The errors of a plan that is too large, by the budget's name (§14.1).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice::plan {

// "maxDepth: feed.comments.author is 3 levels deep, 2 are allowed", with budget, limit and used as
// details.
Error budget_error(std::string_view budget, uint64_t limit, uint64_t used, std::string sentence);

}  // namespace lattice::plan
