// Gates: policies as conditions over slots and columns (spec §8.1; decisions, "private").
//
//   visible when caller.org = orgId      on Post ──make_gate──▶ [Post.orgId = claim org]
//   visible when caller.role = Admin     ──▶ [claim role among {Admin}]
//   private, Post owned by authorId      ──▶ [Post.authorId = principal]
//   private, nobody configured an owner  ──▶ denied
#pragma once

#include <vector>

#include "plan/plan.h"
#include "plan/slots.h"

namespace lattice::plan {

// Whose a row of one entity is: the schema's clause, else the deployment's configuration.
struct Owner {
  FieldIndex field = kNone;
  std::string hidden_column;
  std::string claim;  // the claim that the field must equal; empty: the principal
};
std::optional<Owner> owner_of(const schema::Entity& entity, const PlanOptions& options);

// The level of `policy` on `entity`: a private part of an entity that a claim owns crosses that
// claim.
Level level_on(const schema::Policy& policy, const schema::Entity& entity,
               const PlanOptions& options);

// The gate of `policy` on rows of `entity`. With `principal_key`, a private policy without an owner
// binding compares the single key field with the principal (`get me of User private`).
Gate make_gate(const schema::Policy& policy, const schema::Entity& entity,
               const PlanOptions& options, SlotTable& slots, bool principal_key = false);

// The conditions of `gate` that look at the caller alone; a denied gate stays denied.
Gate caller_part(const Gate& gate);

}  // namespace lattice::plan
