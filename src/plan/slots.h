// The frame of a plan: which scalars a request brings, each once (plan.h, "Slots").
//
//   variables $limit  ──▶ slot 0      claim org ──▶ slot 1      literal 48 of I32 ──▶ slot 2
//
// Filled while a plan is made, by one thread.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "plan/plan.h"

namespace lattice::plan {

class SlotTable {
 public:
  // Fills `plan.variables`, `plan.variable_types` and the first slots. `plan` is borrowed.
  SlotTable(Plan& plan, const schema::Schema& schema, std::vector<query::Variable> variables);

  // The slot of the variable `name`; a canonical query declares every variable that it uses.
  SlotIndex variable(std::string_view name) const;
  SlotIndex claim(std::string_view name);
  SlotIndex principal();
  SlotIndex literal(Json value, const schema::Type& type);
  const schema::Type& type_of(SlotIndex slot) const { return plan_.slots[slot].type; }
  // A variable's slot, or a literal of `type`.
  SlotIndex value(const query::Value& value, const schema::Type& type);

 private:
  SlotIndex add(std::string key, Slot slot);

  Plan& plan_;
  const schema::Schema& schema_;
  std::unordered_map<std::string, SlotIndex> index_;  // by kind and contents
};

// The type that a variable declaration names ("PostId", "I32").
schema::Type variable_type(const query::Variable& variable);

}  // namespace lattice::plan
