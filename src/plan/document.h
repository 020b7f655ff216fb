// The slice structure of a plan as JSON (§9.2), shared by the plan document and explain.
//   {"pub":false,"ctx":{"claims":["org"],"roots":["feed"]},"priv":false}
#pragma once

#include "base/json.h"
#include "plan/plan.h"

namespace lattice::plan {

Json slices_json(const Plan& plan);

}  // namespace lattice::plan
