// Where a selection set stands in the schema, and what may be selected there with which arguments.
//
//   feed { comments(first: 3) { body } }
//     the set after `feed`: Site of Post;  comments: Element (an edge);  first: Slot (a page size)
//
// Borrow the schema. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace lattice::query {

// The type of a selection set: one entity, an interface, a union, or whatever `nodes` may return.
struct Site {
  const schema::Schema* schema = nullptr;
  schema::EntityIndex entity = schema::kNone;              // of a concrete site
  const schema::Interface* interface = nullptr;            // of an interface site
  const std::vector<schema::EntityIndex>* members = nullptr;  // of an interface or a union

  bool is_concrete() const { return entity != schema::kNone; }
  bool is_nodes() const { return !is_concrete() && members == nullptr; }
  bool contains(schema::EntityIndex index) const;
  // Of nodes: every entity of the schema.
  std::vector<schema::EntityIndex> list_members() const;
  std::string name() const;  // "Post", "Character", "(Human | Droid)"
};

Site entity_site(schema::EntityIndex entity, const schema::Schema& schema);
Site target_site(const schema::Target& target, const schema::Schema& schema);
Site nodes_site(const schema::Schema& schema);
// By the name of an entity or interface; nullopt when there is none.
std::optional<Site> named_site(std::string_view name, const schema::Schema& schema);

// A field or an edge. Both null: nothing of that name can be selected on the site.
struct Element {
  const schema::Field* field = nullptr;
  const schema::Relationship* edge = nullptr;
  bool differs = false;  // the members of a union declare the name, but not all of them alike

  bool found() const { return field != nullptr || edge != nullptr; }
};
Element find_element(const Site& site, std::string_view name);
// What can be selected on the site, for suggestions.
std::vector<std::string_view> element_names(const Site& site);
// The members of the site that declare `name`.
std::vector<std::string_view> members_with(const Site& site, std::string_view name);

// One argument that may be given.
struct Slot {
  enum class Role : uint8_t {
    Declared,  // by a field, root, fragment or directive
    Grouping,  // the link or grouping key of a collection; may always be left out
    Page,      // first, last
    Cursor,    // after, before, around
    Refs,      // of the nodes root: a list of entity references
  };
  std::string_view name;
  const schema::Type* type = nullptr;
  Role role = Role::Declared;
  bool is_required = false;
  const Json* default_value = nullptr;  // wire value
};

struct Slots {
  std::vector<Slot> list;
  const schema::Collection* collection = nullptr;  // of an edge or a list root

  const Slot* find(std::string_view name) const;
  bool is_paginated() const { return collection != nullptr && collection->paginated; }
  // `limit` is a second name of `first` (§4.2).
  bool limit_is_first() const { return is_paginated() && find("limit") == nullptr; }
  std::vector<std::string_view> names() const;
};
Slots parameter_slots(const std::vector<schema::Parameter>& parameters);
Slots element_slots(const Element& element, const schema::Schema& schema);
Slots root_slots(const schema::Root& root, const schema::Schema& schema);
Slots nodes_slots();  // refs: EntityRef

}  // namespace lattice::query
