// The result as a tree that follows the query: what a person wants to look at (`lattice query
// --tree`).
//
//   query{feed{author{name} title}}  +  entities
//     ──build_tree──▶ {"feed":[{"author":{"name":"Ada"},"title":"First"}]}
//
// A field that no record carries is left out; an edge to an entity that no record describes shows
// its ref. Of an abstract target every object names its type in `$type`. Values; any thread.
#pragma once

#include "base/json.h"
#include "client/entity_store.h"
#include "exec/exec.h"
#include "plan/plan.h"

namespace lattice::client {

inline constexpr size_t kTreeValuesMax = 1'000'000;  // a tree repeats what a stream says once

// `plan` is the query's, with the variables that were sent bound.
// Errors: lattice:payload-too-large when the tree would hold more than kTreeValuesMax values.
Result<Json> build_tree(const plan::Plan& plan, const exec::Bindings& bindings,
                        const EntityStore& store);

}  // namespace lattice::client
