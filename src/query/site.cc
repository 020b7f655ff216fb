#include "query/site.h"

#include "query/findings.h"

namespace lattice::query {

using schema::Collection;
using schema::Entity;
using schema::EntityIndex;
using schema::Field;
using schema::kNone;
using schema::Parameter;
using schema::Relationship;
using schema::Schema;
using schema::Type;

namespace {

const Type& primitive_type(schema::Primitive primitive) {
  static const auto make = [](schema::Primitive value) {
    Type type;
    type.primitive = value;
    return type;
  };
  static const Type kPage = make(schema::Primitive::I32);
  static const Type kCursor = make(schema::Primitive::Cursor);
  static const Type kEntityRef = make(schema::Primitive::EntityRef);
  if (primitive == schema::Primitive::I32) return kPage;
  if (primitive == schema::Primitive::Cursor) return kCursor;
  return kEntityRef;
}

template <class Item>
const Item* find_by_name(const std::vector<Item>& items, std::string_view name) {
  for (const Item& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

bool same_parameters(const std::vector<Parameter>& left, const std::vector<Parameter>& right) {
  if (left.size() != right.size()) return false;
  for (const Parameter& parameter : left) {
    const Parameter* other = find_by_name(right, parameter.name);
    if (other == nullptr || !same_type(parameter.type, other->type) ||
        parameter.default_value != other->default_value) {
      return false;
    }
  }
  return true;
}

bool same_edge(const Relationship& left, const Relationship& right) {
  if (left.kind != right.kind || left.target.name != right.target.name ||
      left.target.members != right.target.members) {
    return false;
  }
  if (!left.collection || !right.collection) return !left.collection && !right.collection;
  const Collection& a = *left.collection;
  const Collection& b = *right.collection;
  return a.paginated == b.paginated && a.max == b.max && a.default_page == b.default_page &&
         a.link == b.link && a.grouping == b.grouping;
}

bool same_element(const Element& left, const Element& right) {
  if (left.field != nullptr && right.field != nullptr) {
    return same_type(left.field->type, right.field->type) &&
           same_parameters(left.field->arguments, right.field->arguments);
  }
  return left.edge != nullptr && right.edge != nullptr && same_edge(*left.edge, *right.edge);
}

Element find_on_entity(const Entity& entity, std::string_view name) {
  Element element;
  if (const auto field = entity.find_field(name); field != kNone) {
    element.field = &entity.fields[field];
  } else if (const auto edge = entity.find_relationship(name); edge != kNone) {
    element.edge = &entity.relationships[edge];
  }
  return element;
}

template <class Owner>
void append_names(const Owner& owner, std::vector<std::string_view>& out) {
  for (const Field& field : owner.fields) out.push_back(field.name);
  for (const Relationship& edge : owner.relationships) out.push_back(edge.name);
}

// The declared type of the column `name` of what `target` leads to; null when no one declares it.
const Type* column_type(const schema::Target& target, std::string_view name, const Schema& schema) {
  if (const schema::Interface* interface = schema.find_interface(target.name)) {
    if (const Field* field = find_by_name(interface->fields, name)) return &field->type;
  }
  for (const EntityIndex member : target.members) {
    const Entity& entity = schema.entities[member];
    if (const auto field = entity.find_field(name); field != kNone) return &entity.fields[field].type;
  }
  return nullptr;
}

void add_grouping(Slots& slots, std::string_view column, const schema::Target& target,
                  const Schema& schema) {
  if (column.empty() || slots.find(column) != nullptr) return;
  const Type* type = column_type(target, column, schema);
  if (type != nullptr) slots.list.push_back({.name = column, .type = type, .role = Slot::Role::Grouping});
}

void add_window(Slots& slots) {
  if (!slots.is_paginated()) return;
  const bool needs_page = !slots.collection->default_page.has_value();
  const auto add = [&](std::string_view name, Slot::Role role, schema::Primitive primitive) {
    if (slots.find(name) != nullptr) return;
    slots.list.push_back({.name = name,
                          .type = &primitive_type(primitive),
                          .role = role,
                          .is_required = needs_page && role == Slot::Role::Page});
  };
  add("first", Slot::Role::Page, schema::Primitive::I32);
  add("after", Slot::Role::Cursor, schema::Primitive::Cursor);
  add("last", Slot::Role::Page, schema::Primitive::I32);
  add("before", Slot::Role::Cursor, schema::Primitive::Cursor);
  add("around", Slot::Role::Cursor, schema::Primitive::Cursor);
}

}  // namespace

bool Site::contains(EntityIndex index) const {
  if (is_concrete()) return entity == index;
  return members == nullptr || std::find(members->begin(), members->end(), index) != members->end();
}

std::vector<EntityIndex> Site::list_members() const {
  if (is_concrete()) return {entity};
  if (members != nullptr) return *members;
  std::vector<EntityIndex> all(schema->entities.size());
  for (EntityIndex index = 0; index < all.size(); ++index) all[index] = index;
  return all;
}

std::string Site::name() const {
  if (is_concrete()) return schema->entities[entity].name;
  if (interface != nullptr) return interface->name;
  if (members == nullptr) return "nodes";
  std::string out;
  for (const EntityIndex member : *members) {
    out += out.empty() ? "(" : " | ";
    out += schema->entities[member].name;
  }
  return out + ")";
}

Site entity_site(EntityIndex entity, const Schema& schema) {
  return {.schema = &schema, .entity = entity};
}

Site target_site(const schema::Target& target, const Schema& schema) {
  if (!target.is_abstract()) return entity_site(target.members.front(), schema);
  return {.schema = &schema,
          .interface = target.name.empty() ? nullptr : schema.find_interface(target.name),
          .members = &target.members};
}

Site nodes_site(const Schema& schema) { return {.schema = &schema}; }

std::optional<Site> named_site(std::string_view name, const Schema& schema) {
  if (const EntityIndex index = schema.entity_index(name); index != kNone) {
    return entity_site(index, schema);
  }
  if (const schema::Interface* interface = schema.find_interface(name)) {
    return Site{.schema = &schema, .interface = interface, .members = &interface->members};
  }
  return std::nullopt;
}

Element find_element(const Site& site, std::string_view name) {
  if (site.is_concrete()) return find_on_entity(site.schema->entities[site.entity], name);
  Element element;
  if (site.interface != nullptr) {
    element.field = find_by_name(site.interface->fields, name);
    if (element.field == nullptr) element.edge = find_by_name(site.interface->relationships, name);
    return element;
  }
  if (site.is_nodes()) return element;
  // A union: every member declares it alike (decisions: bare fields on unions).
  size_t found_count = 0;
  bool alike = true;
  for (const EntityIndex member : *site.members) {
    const Element found = find_on_entity(site.schema->entities[member], name);
    if (!found.found()) continue;
    if (found_count++ == 0) {
      element = found;
    } else {
      alike = alike && same_element(element, found);
    }
  }
  if (found_count == site.members->size() && alike) return element;
  return {.differs = found_count == site.members->size() && found_count != 0};
}

std::vector<std::string_view> element_names(const Site& site) {
  std::vector<std::string_view> names;
  if (site.is_concrete()) {
    append_names(site.schema->entities[site.entity], names);
  } else if (site.interface != nullptr) {
    append_names(*site.interface, names);
  } else if (site.members != nullptr && !site.members->empty()) {
    append_names(site.schema->entities[site.members->front()], names);
    std::erase_if(names, [&](std::string_view name) { return !find_element(site, name).found(); });
  }
  return names;
}

std::vector<std::string_view> members_with(const Site& site, std::string_view name) {
  std::vector<std::string_view> out;
  for (const EntityIndex member : site.list_members()) {
    const Entity& entity = site.schema->entities[member];
    if (find_on_entity(entity, name).found()) out.push_back(entity.name);
  }
  return out;
}

const Slot* Slots::find(std::string_view name) const {
  for (const Slot& slot : list) {
    if (slot.name == name) return &slot;
  }
  return nullptr;
}

std::vector<std::string_view> Slots::names() const {
  std::vector<std::string_view> out;
  out.reserve(list.size());
  for (const Slot& slot : list) out.push_back(slot.name);
  return out;
}

Slots parameter_slots(const std::vector<Parameter>& parameters) {
  Slots slots;
  for (const Parameter& parameter : parameters) {
    slots.list.push_back(
        {.name = parameter.name,
         .type = &parameter.type,
         .is_required = !parameter.type.is_option() && !parameter.default_value,
         .default_value = parameter.default_value ? &*parameter.default_value : nullptr});
  }
  return slots;
}

Slots element_slots(const Element& element, const Schema& schema) {
  if (element.field != nullptr) return parameter_slots(element.field->arguments);
  Slots slots;
  if (!element.edge->collection) return slots;
  slots.collection = &*element.edge->collection;
  // The link is the owner's key, so only the other grouping columns are arguments.
  for (const std::string& column : slots.collection->grouping) {
    if (column != slots.collection->link) add_grouping(slots, column, element.edge->target, schema);
  }
  add_window(slots);
  return slots;
}

Slots root_slots(const schema::Root& root, const Schema& schema) {
  Slots slots = parameter_slots(root.parameters);
  if (!root.collection) return slots;
  slots.collection = &*root.collection;
  add_grouping(slots, slots.collection->link, root.target, schema);
  for (const std::string& column : slots.collection->grouping) {
    add_grouping(slots, column, root.target, schema);
  }
  add_window(slots);
  return slots;
}

Slots nodes_slots() {
  Slots slots;
  slots.list.push_back({.name = "refs",
                        .type = &primitive_type(schema::Primitive::EntityRef),
                        .role = Slot::Role::Refs,
                        .is_required = true});
  return slots;
}

}  // namespace lattice::query
