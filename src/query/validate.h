// The static rules of the query language (spec §4.8, rules 1–8).
//   Document + Schema ──validate_document──▶ findings
// Every rule goes on after a finding. A document without findings can be expanded.
#pragma once

#include "query/document.h"
#include "query/findings.h"

namespace lattice::query {

void validate_document(const Document& document, const schema::Schema& schema,
                       const QueryLimits& limits, Findings& findings);

}  // namespace lattice::query
