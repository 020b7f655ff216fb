// Access: how the rows of a root or an edge are found (plan.h, "Access").
//
//   feed by orgId, visible when caller.org = orgId   ──▶ Scan, orgId = claim org, tag feed:<org>
//   post(id: $id)                                    ──▶ RootKeys, id = $id
//   Post.comments(first:3)                           ──▶ Scan of at most 3 rows a post
#pragma once

#include "plan/draft.h"

namespace lattice::plan {

Access root_access(Draft& draft, const schema::Root& root, const query::Selection& selection);

// The part of an edge's access that all owner types share.
Access edge_access(Draft& draft, const schema::Relationship& relationship,
                   const query::Selection& selection);

// What an edge means on one owner type. `selection` gives grouping arguments; null for a hidden
// read.
EdgePart edge_part(Draft& draft, EntityIndex owner, schema::EdgeIndex relationship,
                   const query::Selection* selection);

// The type of a field by name on the first of `targets` that declares it; Text when none does.
schema::Type field_type(const schema::Schema& schema, const std::vector<EntityIndex>& targets,
                        std::string_view field);

// "Character", or "Human|Droid" for a union.
std::string target_name(const schema::Schema& schema, const schema::Target& target);

const query::Value* find_argument(const query::Selection& selection, std::string_view name);

}  // namespace lattice::plan
