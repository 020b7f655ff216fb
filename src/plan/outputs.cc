#include "plan/outputs.h"

#include <algorithm>

#include "base/check.h"
#include "plan/access.h"
#include "plan/picks.h"

namespace lattice::plan {
namespace {

bool is_enum_type(const schema::Schema& schema, const schema::Type& type) {
  if (!type.arguments.empty() && type.kind != schema::Type::Kind::Named) {
    return type.kind != schema::Type::Kind::Map && is_enum_type(schema, type.arguments.front());
  }
  if (type.kind != schema::Type::Kind::Named) return false;
  const schema::TypeDeclaration* declaration = schema.find_type(type.name);
  if (declaration == nullptr) return false;
  if (declaration->kind == schema::TypeDeclaration::Kind::Newtype) {
    return is_enum_type(schema, declaration->underlying);
  }
  return declaration->kind == schema::TypeDeclaration::Kind::Enum;
}

const schema::Parameter* find_parameter(const std::vector<schema::Parameter>& parameters,
                                        std::string_view name) {
  for (const schema::Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool has_variable(const query::Value& value) {
  return value.kind == query::Value::Kind::Variable ||
         std::any_of(value.list.begin(), value.list.end(), has_variable);
}

// The names of the fields that a dependency's fragment selects on `entity`.
void collect_fields(const schema::Schema& schema, const schema::Entity& entity,
                    const std::vector<query::Selection>& selections,
                    std::vector<FieldIndex>& fields) {
  for (const query::Selection& selection : selections) {
    if (selection.kind == query::Selection::Kind::Field) {
      const FieldIndex field = entity.find_field(selection.name);
      if (field != kNone) fields.push_back(field);
    } else if (selection.kind == query::Selection::Kind::Spread) {
      const schema::Fragment* fragment = schema.find_fragment(selection.name);
      if (fragment) collect_fields(schema, entity, fragment->selections, fields);
    } else if (selection.name == entity.name ||
               std::find(entity.implements.begin(), entity.implements.end(), selection.name) !=
                   entity.implements.end()) {
      collect_fields(schema, entity, selection.selections, fields);
    }
  }
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
}

}  // namespace

const Output& OutputTable::at(EntityIndex entity, uint32_t output) const {
  return types_.at(entity).outputs.outputs[output];
}

uint32_t OutputTable::find_or_add(EntityIndex entity_index, const std::string& key,
                                  const query::Selection& selection) {
  Type& type = types_[entity_index];
  const auto [found, is_new] =
      type.by_key.emplace(key, static_cast<uint32_t>(type.outputs.outputs.size()));
  if (!is_new) return found->second;
  const schema::Entity& entity = draft_.entity(entity_index);
  const FieldIndex field = entity.find_field(selection.name);
  Output output;
  if (field != kNone) {
    output = make_field(entity, field, entity_index, selection);
  } else {
    const schema::EdgeIndex edge = entity.find_relationship(selection.name);
    LATTICE_CHECK(edge != kNone, entity.name, selection.name);
    output = make_edge(entity_index, edge, selection);
  }
  add_key(output, key, selection);
  type.outputs.outputs.push_back(std::move(output));
  return found->second;
}

void OutputTable::add_key(Output& output, const std::string& key,
                          const query::Selection& selection) {
  output.name = selection.name;
  output.has_bound_arguments =
      std::any_of(selection.arguments.begin(), selection.arguments.end(),
                  [](const query::Argument& argument) { return has_variable(argument.value); });
  if (!output.has_bound_arguments) {
    append_json_string(output.wire_key, key);
    output.wire_key += ':';
    output.key_arguments.clear();
  }
}

Output OutputTable::make_field(const schema::Entity& entity, FieldIndex index,
                               EntityIndex entity_index, const query::Selection& selection) {
  const schema::Field& field = entity.fields[index];
  Output output;
  output.field = index;
  output.wire_form = draft_.schema.wire_form(field.type);
  output.is_optional = field.type.is_option();
  output.nonempty_list =
      draft_.schema.resolve(field.type).without_option().kind == schema::Type::Kind::NonEmptyList;
  for (const schema::Parameter& parameter : field.arguments) {
    const query::Value* value = find_argument(selection, parameter.name);
    SlotIndex slot = kNone;
    if (value != nullptr) {
      slot = draft_.slots.value(*value, parameter.type);
    } else if (parameter.default_value) {
      slot = draft_.slots.literal(*parameter.default_value, parameter.type);
    }
    output.argument_slots.push_back(slot);
  }
  for (const query::Argument& argument : selection.arguments) {
    const schema::Parameter* parameter = find_parameter(field.arguments, argument.name);
    LATTICE_CHECK(parameter != nullptr, field.name, argument.name);
    KeyArgument key{argument.name, argument.value, kNone, parameter->default_value, false, false};
    if (argument.value.kind == query::Value::Kind::Variable) {
      key.slot = draft_.slots.variable(argument.value.text);
    }
    key.is_enum = is_enum_type(draft_.schema, parameter->type);
    output.key_arguments.push_back(std::move(key));
  }
  if (field.derivation && field.derivation->maintained) {
    draft_.refuse("derived field `" + entity.name + "." + field.name + "` is maintained",
                  "derived-maintained");
  } else if (field.derivation) {
    output.derived = derived_part(entity_index, index);
  }
  return output;
}

Output OutputTable::make_edge(EntityIndex owner, schema::EdgeIndex index,
                              const query::Selection& selection) {
  const schema::Relationship& edge = draft_.entity(owner).relationships[index];
  Output output;
  output.is_edge = true;
  output.is_optional = edge.kind == schema::Relationship::Kind::OneOptional;
  for (const query::Argument& argument : selection.arguments) {
    KeyArgument key{argument.name, argument.value, kNone, std::nullopt, false, false};
    if (argument.value.kind == query::Value::Kind::Variable) {
      key.slot = draft_.slots.variable(argument.value.text);
    }
    if (argument.name == "first" && edge.collection && edge.collection->default_page) {
      key.erased_value = Json(*edge.collection->default_page);
      key.stays_beside_after = true;
    }
    key.is_enum =
        is_enum_type(draft_.schema, field_type(draft_.schema, edge.target.members, argument.name));
    output.key_arguments.push_back(std::move(key));
  }
  output.edge = static_cast<uint32_t>(draft_.plan.edges.size());
  draft_.plan.edges.push_back(edge_part(draft_, owner, index, &selection));
  return output;
}

uint32_t OutputTable::derived_part(EntityIndex entity, FieldIndex field) {
  for (uint32_t i = 0; i < draft_.plan.derived.size(); ++i) {
    if (draft_.plan.derived[i].entity == entity && draft_.plan.derived[i].field == field) return i;
  }
  DerivedPart part;
  part.entity = entity;
  part.field = field;
  const schema::Field& declaration = draft_.entity(entity).fields[field];
  for (const schema::Dependency& dependency : declaration.derivation->reads) {
    add_dependency(part, dependency);
  }
  // One aggregate is its own value; anything else needs a function that no configuration names yet.
  const bool is_aggregate = part.own_fields.empty() && part.reads.size() == 1 &&
                            part.reads.front().kind == HiddenRead::Kind::Aggregate &&
                            part.reads.front().targets.size() == 1 &&
                            part.reads.front().edge.collection->link_is_declared;
  if (!is_aggregate) {
    draft_.refuse("derived field `" + draft_.entity(entity).name + "." + declaration.name +
                      "` is computed on read by a function",
                  "derived-on-read");
  }
  draft_.plan.derived.push_back(std::move(part));
  return static_cast<uint32_t>(draft_.plan.derived.size() - 1);
}

void OutputTable::add_dependency(DerivedPart& part, const schema::Dependency& dependency) {
  const schema::Entity& entity = draft_.entity(part.entity);
  if (dependency.kind == schema::Dependency::Kind::OwnFields) {
    for (const std::string& name : dependency.own_fields) {
      part.own_fields.push_back(entity.find_field(name));
    }
    return;
  }
  const schema::EdgeIndex edge = entity.find_relationship(dependency.edge);
  LATTICE_CHECK(edge != kNone, entity.name, dependency.edge);
  HiddenRead read;
  read.edge = edge_part(draft_, part.entity, edge, nullptr);
  read.targets = entity.relationships[edge].target.members;
  std::sort(read.targets.begin(), read.targets.end());
  for (const EntityIndex target : read.targets) draft_.touched.entities.insert(target);
  const std::string via = entity.name + "." + dependency.edge;
  if (dependency.kind == schema::Dependency::Kind::Aggregate) {
    read.kind = HiddenRead::Kind::Aggregate;
    read.function = dependency.function;
    read.aggregate_field = dependency.aggregate_field;
    static constexpr std::string_view kNames[] = {"count", "sum", "min", "max"};
    read.loader = std::string(kNames[static_cast<size_t>(dependency.function)]);
    if (!dependency.aggregate_field.empty()) read.loader += "(" + dependency.aggregate_field + ")";
    read.loader += " via " + via;
  } else {
    const schema::Fragment* fragment = draft_.schema.find_fragment(dependency.fragment);
    LATTICE_CHECK(fragment != nullptr, dependency.fragment);
    touch_fragment(draft_, *fragment);
    for (const EntityIndex target : read.targets) {
      collect_fields(draft_.schema, draft_.entity(target), fragment->selections,
                     read.target_fields.emplace_back());
    }
    read.loader = target_name(draft_.schema, entity.relationships[edge].target) + " via " + via;
  }
  part.reads.push_back(std::move(read));
}

void OutputTable::finish() {
  draft_.plan.outputs.clear();
  for (auto& [entity, type] : types_) {
    type.outputs.entity = entity;
    draft_.plan.outputs.push_back(std::move(type.outputs));
  }
  types_.clear();
}

}  // namespace lattice::plan
