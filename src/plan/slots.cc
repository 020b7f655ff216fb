#include "plan/slots.h"

#include "base/check.h"
#include "schema/selection.h"

namespace lattice::plan {

schema::Type variable_type(const query::Variable& variable) {
  schema::Type type;
  if (const auto primitive = schema::find_primitive(variable.type)) {
    type.kind = schema::Type::Kind::Primitive;
    type.primitive = *primitive;
  } else {
    type.kind = schema::Type::Kind::Named;
    type.name = variable.type;
  }
  if (!variable.optional) return type;
  schema::Type option;
  option.kind = schema::Type::Kind::Option;
  option.arguments.push_back(std::move(type));
  return option;
}

SlotTable::SlotTable(Plan& plan, const schema::Schema& schema,
                     std::vector<query::Variable> variables)
    : plan_(plan), schema_(schema) {
  plan_.variables = std::move(variables);
  for (const query::Variable& variable : plan_.variables) {
    plan_.variable_types.push_back(variable_type(variable));
    add("$" + variable.name,
        {Slot::Kind::Variable, variable.name, Json(), plan_.variable_types.back()});
  }
}

SlotIndex SlotTable::add(std::string key, Slot slot) {
  const auto [found, is_new] =
      index_.emplace(std::move(key), static_cast<SlotIndex>(plan_.slots.size()));
  if (is_new) plan_.slots.push_back(std::move(slot));
  return found->second;
}

SlotIndex SlotTable::variable(std::string_view name) const {
  const auto found = index_.find("$" + std::string(name));
  LATTICE_CHECK(found != index_.end(), name);  // a canonical query declares its variables
  return found->second;
}

SlotIndex SlotTable::claim(std::string_view name) {
  const schema::Claim* claim = schema_.find_claim(name);
  LATTICE_CHECK(claim != nullptr, name);
  return add("@" + claim->name, {Slot::Kind::Claim, claim->name, Json(), claim->type});
}

SlotIndex SlotTable::principal() {
  return add("@", {Slot::Kind::Principal, "", Json(), schema::Type{}});
}

SlotIndex SlotTable::literal(Json value, const schema::Type& type) {
  std::string key = schema::print_type(type) + '=' + canonical_json(value);
  return add(std::move(key), {Slot::Kind::Literal, "", std::move(value), type});
}

SlotIndex SlotTable::value(const query::Value& value, const schema::Type& type) {
  if (value.kind == query::Value::Kind::Variable) return variable(value.text);
  return literal(schema::literal_to_json(value), type);
}

}  // namespace lattice::plan
