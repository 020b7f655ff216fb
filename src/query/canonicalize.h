// From a checked document to the one text that is its identity (spec §5.1).
//   Document ──canonicalize_document──▶ Query (variables, roots, canonical, hash)
#pragma once

#include "query/document.h"
#include "query/findings.h"

namespace lattice::query {

// Expands, merges, sorts, renders and hashes a document that validate_document accepted. Findings:
// what only shows in the expanded text (limits, a root with two sets of arguments). Spans of what came
// from an import are those of the place in the main text that brought it in.
Query canonicalize_document(const Document& document, const schema::Schema& schema,
                            const QueryLimits& limits, Findings& findings);

// "query($a:Cursor,$b:I32=20){...}"
std::string print_query(const std::vector<Variable>& variables, const std::vector<Selection>& roots);

}  // namespace lattice::query
