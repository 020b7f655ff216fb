#include "plan/access.h"

#include <algorithm>

#include "base/check.h"
#include "plan/gate.h"

namespace lattice::plan {
namespace {

schema::Type primitive_type(schema::Primitive primitive) {
  schema::Type type;
  type.primitive = primitive;
  return type;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

PageArguments page_arguments(Draft& draft, const query::Selection& selection) {
  PageArguments page;
  const auto slot = [&](std::string_view name, schema::Primitive primitive) {
    const query::Value* value = find_argument(selection, name);
    return value ? draft.slots.value(*value, primitive_type(primitive)) : kNone;
  };
  page.first = slot("first", schema::Primitive::I32);
  page.last = slot("last", schema::Primitive::I32);
  page.after = slot("after", schema::Primitive::Cursor);
  page.before = slot("before", schema::Primitive::Cursor);
  page.around = slot("around", schema::Primitive::Cursor);
  return page;
}

// The most rows that one group can give: a literal page size, the default page, or the cap.
uint32_t page_bound(const Draft& draft, const schema::Collection& collection,
                    const PageArguments& page) {
  if (!collection.paginated) return collection.max;
  const SlotIndex size = page.first != kNone ? page.first : page.last;
  if (size == kNone) return collection.default_page.value_or(collection.max);
  const Slot& slot = draft.plan.slots[size];
  if (slot.kind != Slot::Kind::Literal || !slot.literal.is_int64()) return collection.max;
  return static_cast<uint32_t>(std::clamp<int64_t>(slot.literal.as_int64(), 0, collection.max));
}

void set_collection(Draft& draft, Access& access, const schema::Collection& collection,
                    const query::Selection& selection) {
  access.collection = &collection;
  access.collection_tag = collection.name;
  if (collection.paginated) access.page = page_arguments(draft, selection);
  access.page_size_max = page_bound(draft, collection, access.page);
}

// Arguments of the root in declaration order, with defaults; kNone when absent.
SlotIndex parameter_slot(Draft& draft, const schema::Parameter& parameter,
                         const query::Selection& selection) {
  if (const query::Value* value = find_argument(selection, parameter.name)) {
    return draft.slots.value(*value, parameter.type);
  }
  if (parameter.default_value) return draft.slots.literal(*parameter.default_value, parameter.type);
  return kNone;
}

// The slot that the root's own policy demands `field` of the target to equal: a claim, or for a
// private root the principal (or claim) that owns the row.
SlotIndex policy_binding(Draft& draft, const schema::Root& root, std::string_view field) {
  if (root.policy.level == schema::Policy::Level::Private) {
    if (root.target.members.size() != 1) return kNone;
    const schema::Entity& entity = draft.entity(root.target.members.front());
    const std::optional<Owner> owner = owner_of(entity, draft.options);
    if (!owner || owner->field == kNone || entity.fields[owner->field].name != field) return kNone;
    return owner->claim.empty() ? draft.slots.principal() : draft.slots.claim(owner->claim);
  }
  for (const schema::Comparison& comparison : root.policy.all_of) {
    if (comparison.op == schema::Comparison::Op::Equal && comparison.field == field) {
      return draft.slots.claim(comparison.claim);
    }
  }
  return kNone;
}

// A list root `by` a field: the conditions are the arguments given and what the policy equates.
void bind_scan(Draft& draft, const schema::Root& root, const query::Selection& selection,
               Access& access) {
  access.kind = Access::Kind::Scan;
  const schema::Collection& collection = *root.collection;
  std::vector<std::string> fields = {collection.link};
  for (const std::string& name : collection.grouping) {
    if (!contains(fields, name)) fields.push_back(name);
  }
  const auto slot_of = [&](const std::string& field) {
    const query::Value* value = find_argument(selection, field);
    if (value == nullptr) return policy_binding(draft, root, field);
    return draft.slots.value(*value, field_type(draft.schema, root.target.members, field));
  };
  for (const std::string& field : fields) {
    const SlotIndex slot = slot_of(field);
    if (slot == kNone) continue;
    access.match_fields.push_back(field);
    access.match_slots.push_back(slot);
  }
  for (const std::string& name : collection.grouping) {
    access.grouping_fields.push_back(name);
    access.grouping_slots.push_back(slot_of(name));
  }
  if (!collection.link_is_declared) {
    draft.refuse("list root `" + root.name + "` scans by `" + collection.link +
                     "`, which no target declares as a field",
                 "undeclared-link");
  }
}

// A parameter-backed list: the parameters are the grouping.
void bind_hook_list(Draft& draft, const schema::Root& root, const query::Selection& selection,
                    Access& access) {
  access.kind = Access::Kind::RootHook;
  for (const std::string& name : root.collection->grouping) {
    access.grouping_fields.push_back(name);
    const auto parameter = std::find_if(root.parameters.begin(), root.parameters.end(),
                                        [&](const auto& p) { return p.name == name; });
    access.grouping_slots.push_back(
        parameter == root.parameters.end() ? kNone : parameter_slot(draft, *parameter, selection));
  }
}

// `get`: by the whole key from arguments or claims, by the owner of a private row, or by hook.
void bind_get(Draft& draft, const schema::Root& root, const query::Selection& selection,
              Access& access) {
  access.kind = Access::Kind::RootHook;
  access.page_size_max = 1;
  if (root.target.is_abstract()) return;
  const schema::Entity& entity = draft.entity(root.target.members.front());
  if (!root.parameters.empty()) {
    if (root.parameters.size() != entity.key.size()) return;
    for (const schema::Parameter& parameter : root.parameters) {
      if (!contains(entity.key, parameter.name)) return;
    }
    access.kind = Access::Kind::RootKeys;
    for (const std::string& key : entity.key) {
      const auto parameter = std::find_if(root.parameters.begin(), root.parameters.end(),
                                          [&](const auto& p) { return p.name == key; });
      access.match_fields.push_back(key);
      access.match_slots.push_back(parameter_slot(draft, *parameter, selection));
    }
    return;
  }
  if (root.policy.level == schema::Policy::Level::Private) {
    access.kind = Access::Kind::Principal;
    const std::optional<Owner> owner = owner_of(entity, draft.options);
    if (owner && owner->field != kNone) {
      access.match_fields = {entity.fields[owner->field].name};
      access.match_slots = {owner->claim.empty() ? draft.slots.principal()
                                                 : draft.slots.claim(owner->claim)};
    } else if (!owner && entity.key.size() == 1) {
      access.match_fields = {entity.key.front()};
      access.match_slots = {draft.slots.principal()};
    } else {
      draft.refuse("root `" + root.name + "` finds the caller's " + entity.name +
                       ", whose owner is no declared field",
                   "principal-without-field");
    }
    return;
  }
  std::vector<SlotIndex> bound;
  for (const std::string& key : entity.key) {
    const SlotIndex slot = policy_binding(draft, root, key);
    if (slot == kNone) return;
    bound.push_back(slot);
  }
  access.kind = Access::Kind::RootKeys;
  access.match_fields = entity.key;
  access.match_slots = std::move(bound);
}

}  // namespace

const query::Value* find_argument(const query::Selection& selection, std::string_view name) {
  for (const query::Argument& argument : selection.arguments) {
    if (argument.name == name) return &argument.value;
  }
  return nullptr;
}

std::string target_name(const schema::Schema& schema, const schema::Target& target) {
  if (!target.name.empty()) return target.name;
  std::string name;
  for (const EntityIndex member : target.members) {
    if (!name.empty()) name += '|';
    name += schema.entities[member].name;
  }
  return name;
}

schema::Type field_type(const schema::Schema& schema, const std::vector<EntityIndex>& targets,
                        std::string_view field) {
  for (const EntityIndex target : targets) {
    const schema::Entity& entity = schema.entities[target];
    const FieldIndex index = entity.find_field(field);
    if (index != kNone) return entity.fields[index].type;
  }
  return schema::Type{};
}

Access root_access(Draft& draft, const schema::Root& root, const query::Selection& selection) {
  Access access;
  if (root.collection) set_collection(draft, access, *root.collection, selection);
  for (const schema::Parameter& parameter : root.parameters) {
    access.argument_slots.push_back(parameter_slot(draft, parameter, selection));
  }
  if (!root.is_list) {
    bind_get(draft, root, selection, access);
  } else if (root.collection->link.empty()) {
    bind_hook_list(draft, root, selection, access);
  } else {
    bind_scan(draft, root, selection, access);
  }
  return access;
}

Access edge_access(Draft& draft, const schema::Relationship& relationship,
                   const query::Selection& selection) {
  Access access;
  if (!relationship.collection) {
    access.kind = Access::Kind::Keys;
    access.page_size_max = 1;
    return access;
  }
  const schema::Collection& collection = *relationship.collection;
  access.kind = Access::Kind::Scan;
  set_collection(draft, access, collection, selection);
  for (const std::string& name : collection.grouping) {
    const query::Value* value = name == collection.link ? nullptr : find_argument(selection, name);
    if (value == nullptr) continue;
    access.match_fields.push_back(name);
    access.match_slots.push_back(
        draft.slots.value(*value, field_type(draft.schema, relationship.target.members, name)));
  }
  return access;
}

namespace {

// The fields of `owner` that hold the key of the edge's target.
std::vector<FieldIndex> link_fields(Draft& draft, const schema::Entity& owner,
                                    const schema::Relationship& edge) {
  const schema::Entity& target = draft.entity(edge.target.members.front());
  // An identity edge over a composite key (§3.8): the whole key is the link.
  if (target.key.size() > 1 && contains(owner.key, edge.link) && owner.key == target.key) {
    std::vector<FieldIndex> fields;
    for (const std::string& key : owner.key) fields.push_back(owner.find_field(key));
    return fields;
  }
  if (target.key.size() > 1) {
    draft.refuse("`" + owner.name + "." + edge.name + "` links by one field to " + target.name +
                     ", whose key has " + std::to_string(target.key.size()),
                 "composite-link");
  }
  return {owner.find_field(edge.link)};
}

}  // namespace

EdgePart edge_part(Draft& draft, EntityIndex owner_index, schema::EdgeIndex relationship,
                   const query::Selection* selection) {
  using Source = EdgePart::GroupingSource;
  const schema::Entity& owner = draft.entity(owner_index);
  const schema::Relationship& edge = owner.relationships[relationship];
  EdgePart part;
  part.owner = owner_index;
  part.relationship = relationship;
  if (!edge.collection) {
    part.link_fields = link_fields(draft, owner, edge);
    return part;
  }
  const schema::Collection& collection = *edge.collection;
  part.collection = &collection;
  part.collection_tag = collection.name;
  for (const std::string& name : collection.grouping) {
    const query::Value* argument = selection ? find_argument(*selection, name) : nullptr;
    const FieldIndex field = owner.find_field(name);
    Source source;
    if (name == collection.link) {
      source.kind = Source::Kind::OwnerKey;
    } else if (argument != nullptr) {
      source.kind = Source::Kind::Argument;
      source.slot =
          draft.slots.value(*argument, field_type(draft.schema, edge.target.members, name));
    } else if (field != kNone && owner.fields[field].is_stored()) {
      source.kind = Source::Kind::OwnerField;
      source.field = field;
    } else {
      source.kind = Source::Kind::Unknown;
    }
    part.grouping.push_back(source);
  }
  return part;
}

}  // namespace lattice::plan
