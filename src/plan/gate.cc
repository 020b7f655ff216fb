#include "plan/gate.h"

#include <algorithm>

namespace lattice::plan {

std::optional<Owner> owner_of(const schema::Entity& entity, const PlanOptions& options) {
  if (entity.owner) {
    return Owner{entity.find_field(entity.owner->field), "", entity.owner->claim};
  }
  for (const OwnerColumn& column : options.owners) {
    if (column.entity != entity.name) continue;
    if (!column.hidden_column.empty()) return Owner{kNone, column.hidden_column, ""};
    const FieldIndex field = entity.find_field(column.field);
    if (field != kNone) return Owner{field, "", ""};
  }
  return std::nullopt;
}

Level level_on(const schema::Policy& policy, const schema::Entity& entity,
               const PlanOptions& options) {
  Level level = level_of(policy);
  if (policy.level != schema::Policy::Level::Private) return level;
  const std::optional<Owner> owner = owner_of(entity, options);
  if (owner && !owner->claim.empty()) level.claims.push_back(owner->claim);
  return level;
}

namespace {

// A private part: the row's owner is the caller.
Gate owner_gate(const schema::Entity& entity, const PlanOptions& options, SlotTable& slots,
                bool principal_key) {
  Gate gate;
  GateTerm term;
  if (const std::optional<Owner> owner = owner_of(entity, options)) {
    term.field = owner->field;
    term.hidden_column = owner->hidden_column;
    term.claim = owner->claim.empty() ? slots.principal() : slots.claim(owner->claim);
  } else if (principal_key && entity.key.size() == 1) {
    term.field = entity.find_field(entity.key.front());
    term.claim = slots.principal();
  }
  gate.denied = !term.is_on_row();
  if (!gate.denied) gate.all_of.push_back(std::move(term));
  return gate;
}

}  // namespace

Gate make_gate(const schema::Policy& policy, const schema::Entity& entity,
               const PlanOptions& options, SlotTable& slots, bool principal_key) {
  if (policy.level == schema::Policy::Level::Private) {
    return owner_gate(entity, options, slots, principal_key);
  }
  Gate gate;
  for (const schema::Comparison& comparison : policy.all_of) {
    GateTerm term;
    term.claim = slots.claim(comparison.claim);
    if (comparison.field.empty()) {
      for (const Json& literal : comparison.literals) {
        term.any_of.push_back(slots.literal(literal, slots.type_of(term.claim)));
      }
      gate.denied |= term.any_of.empty();  // among nothing: nobody
    } else {
      term.field = entity.find_field(comparison.field);
      gate.denied |= term.field == kNone;  // a column that this type does not have equals nothing
    }
    gate.all_of.push_back(std::move(term));
  }
  return gate;
}

Gate caller_part(const Gate& gate) {
  Gate caller;
  caller.denied = gate.denied;
  std::copy_if(gate.all_of.begin(), gate.all_of.end(), std::back_inserter(caller.all_of),
               [](const GateTerm& term) { return !term.is_on_row(); });
  return caller;
}

}  // namespace lattice::plan
