// Targets, relationships, collections and roots (spec §3.3, §3.4, §3.6).
#include "base/diagnostic.h"
#include "schema/elaborate.h"

namespace lattice::schema {

namespace {

// Arguments that every paginated collection takes (§3.6); nothing else may be called so there.
constexpr std::string_view kPagingArguments[] = {"first", "last", "after", "before", "around"};

bool is_paging_argument(std::string_view name) {
  return std::find(std::begin(kPagingArguments), std::end(kPagingArguments), name) !=
         std::end(kPagingArguments);
}

// A field whose value is on the row: stored, or derived and maintained.
bool is_on_row(const Field& field) {
  return field.arguments.empty() && (!field.derivation || field.derivation->maintained);
}

}  // namespace

// --- Targets ---

Target Elaborator::elaborate_target(const syntax::Target& in, const std::string& label) {
  Target out;
  if (!in.is_union) {
    const syntax::Word& name = in.names.front();
    out.name = name.text;
    if (const EntityIndex index = schema_->entity_index(name.text); index != kNone) {
      out.members.push_back(index);
    } else if (const Interface* interface = schema_->find_interface(name.text)) {
      out.is_interface = true;
      out.members = interface->members;
    } else {
      report(name.span,
             label + " leads to `" + name.text + "`, which is no entity and no interface" +
                 suggest(name.text, schema_->entities, schema_->interfaces),
             "target");
    }
    return out;
  }
  for (const syntax::Word& name : in.names) {
    const EntityIndex index = schema_->entity_index(name.text);
    if (index == kNone) {
      report(name.span,
             label + ": the union member `" + name.text + "` is no entity" +
                 suggest(name.text, schema_->entities),
             "target");
    } else if (std::find(out.members.begin(), out.members.end(), index) != out.members.end()) {
      report(name.span, label + ": the union names " + name.text + " twice", "duplicate");
    } else {
      out.members.push_back(index);
    }
    out.union_.push_back(name.text);
  }
  std::sort(out.members.begin(), out.members.end());
  return out;
}

// Who among the target's entities declares a field `name`. An interface without entities counts as
// the one that declares its own fields.
Elaborator::MemberField Elaborator::find_member_field(const Target& target,
                                                      std::string_view name) const {
  // Interfaces may have thousands of entities, and be asked for one field thousands of times.
  const bool is_cached = target.is_interface && !target.members.empty();
  std::string cache_key;
  if (is_cached) {
    cache_key = target.name + "." + std::string(name);
    const auto known = member_fields_.find(cache_key);
    if (known != member_fields_.end()) return known->second;
  }
  MemberField out;
  const auto consider = [&](const auto& declarer) {
    ++out.member_count;
    const FieldIndex index = declarer.find_field(name);
    if (index == kNone) return;
    ++out.declaring_count;
    if (out.field == nullptr) out.field = &declarer.fields[index];
  };
  for (const EntityIndex member : target.members) consider(schema_->entities[member]);
  if (target.members.empty() && target.is_interface)
    consider(*schema_->find_interface(target.name));
  if (is_cached) member_fields_.emplace(std::move(cache_key), out);
  return out;
}

Elaborator::Names Elaborator::member_field_names(const Target& target) const {
  Names names;
  if (is_full()) return names;
  for (const EntityIndex member : target.members) {
    add_names(names, schema_->entities[member].fields);
  }
  return names;
}

Elaborator::Names Elaborator::member_names(const Target& target) const {
  Names names;
  for (const EntityIndex member : target.members) names.push_back(schema_->entities[member].name);
  return names;
}

// --- Relationships ---

void Elaborator::elaborate_relationships() {
  for (size_t i = 0; i < interface_bodies_.size(); ++i) {
    elaborate_relationships_of(document_.interfaces[i], interface_bodies_[i],
                               {.label = {}, .entity = nullptr, .is_interface = true});
  }
  for (size_t i = 0; i < document_.entities.size(); ++i) {
    elaborate_relationships_of(document_.entities[i], schema_->entities[i], {});
  }
  for (size_t i = 0; i < extension_bodies_.size(); ++i) {
    elaborate_relationships_of(document_.extensions[i], extension_bodies_[i],
                               {.label = {}, .entity = nullptr, .is_extension = true});
  }
}

void Elaborator::elaborate_relationships_of(syntax::Entity& in, Entity& out, Declarer declarer) {
  declarer.entity = &out;
  std::set<std::string_view> names;
  for (syntax::Relationship& edge : in.relationships) {
    if (!names.insert(edge.name.text).second) continue;  // reported with the members
    declarer.label = in.name.text + "." + edge.name.text;
    out.relationships.push_back(elaborate_relationship(edge, out, declarer));
  }
  std::sort(
      out.relationships.begin(), out.relationships.end(),
      [](const Relationship& left, const Relationship& right) { return left.name < right.name; });
}

Relationship Elaborator::elaborate_relationship(syntax::Relationship& in, const Entity& owner,
                                                const Declarer& declarer) {
  Relationship out;
  out.name = in.name.text;
  out.span = in.name.span;
  out.kind = in.kind;
  out.target = elaborate_target(in.target, declarer.label);
  out.policy.level = owner.private_by_default ? Policy::Level::Private : Policy::Level::Public;
  if (in.cache) out.cache = in.cache->policy;
  if (in.kind == Relationship::Kind::Many) {
    out.collection =
        elaborate_collection(in.collection, in.link, out.target, declarer, in.name.span);
    out.collection->name =
        in.collection.shared_name.is_absent() ? declarer.label : in.collection.shared_name.text;
  } else {
    out.link = in.link.text;
    check_to_one_link(in, out, declarer);
  }
  return out;
}

// `has one author: User by authorId`: the field is on this entity and holds the target's key.
void Elaborator::check_to_one_link(const syntax::Relationship& in, const Relationship& edge,
                                   const Declarer& declarer) {
  const FieldIndex index = declarer.entity->find_field(in.link.text);
  if (index == kNone) {
    // An extension links by a field of the owner, an interface by fields of its entities.
    if (declarer.is_extension || declarer.is_interface) return;
    report(in.link.span,
           declarer.label + " links by `" + in.link.text + "`, which " + declarer.entity->name +
               " does not declare" + suggest(in.link.text, declarer.entity->fields),
           "link");
    return;
  }
  const Field& link = declarer.entity->fields[index];
  if (!link.is_stored()) {
    report(in.link.span, declarer.label + " links by `" + in.link.text + "`, which is not stored",
           "link");
    return;
  }
  if (edge.kind == Relationship::Kind::One && is_optional(link.type)) {
    report(in.name.span,
           declarer.label + " promises a target, but `" + in.link.text +
               "` is optional: declare `has one?`",
           "link");
  }
  for (const EntityIndex member : edge.target.members) {
    const Entity& target = schema_->entities[member];
    if (target.key.size() > 1) {
      report(in.target.span,
             declarer.label + " leads to " + target.name +
                 ", whose key has several "
                 "fields; a relationship links by one",
             "link");
      continue;
    }
    const Field* key_field = find_key_field(target, 0);
    if (key_field == nullptr) continue;
    const Type& key = key_field->type;
    if (!same_resolved(key, link.type)) {
      report(in.link.span,
             declarer.label + " links by `" + in.link.text + ": " + print_type(link.type) +
                 "`, but the key of " + target.name + " is " + print_type(key),
             "link");
    }
  }
}

// `has many comments: Comment by postId`: the field is on the target and points back.
void Elaborator::check_to_many_link(const syntax::Word& link, const Target& target, Collection& out,
                                    const Declarer& declarer) {
  out.link = link.text;
  const MemberField found = find_member_field(target, link.text);
  if (target.members.empty() && found.field == nullptr) {
    out.link_is_declared = false;
    return;
  }
  if (found.declaring_count == 0 && target.is_abstract()) {
    out.link_is_declared = false;  // a storage-level join column
  } else if (found.declaring_count == 0) {
    report(link.span,
           declarer.label + " links by `" + link.text + "`, which " + target.name +
               " does not declare" + suggest(link.text, member_field_names(target)),
           "link");
    return;
  } else if (!found.is_everywhere()) {
    report(link.span,
           declarer.label + " links by `" + link.text +
               "`, which some of its targets declare "
               "and some do not",
           "link");
  } else if (!found.field->is_stored()) {
    report(link.span, declarer.label + " links by `" + link.text + "`, which is not stored",
           "link");
    return;
  }
  if (declarer.parameters != nullptr || declarer.is_interface || declarer.is_extension) return;
  const Entity& owner = *declarer.entity;
  if (owner.key.size() > 1) {
    report(link.span,
           declarer.label + ": " + owner.name +
               " has a key of several fields; a "
               "relationship links by one",
           "link");
    return;
  }
  const Field* key_field = find_key_field(owner, 0);
  if (key_field == nullptr || found.field == nullptr) return;
  const Type& key = key_field->type;
  if (same_resolved(key, found.field->type)) return;
  report(link.span,
         declarer.label + " links by `" + link.text + ": " + print_type(found.field->type) +
             "`, but the key of " + owner.name + " is " + print_type(key),
         "link");
}

// --- Collections ---

Collection Elaborator::elaborate_collection(const syntax::CollectionClauses& in,
                                            const syntax::Word& link, const Target& target,
                                            const Declarer& declarer, Span span) {
  Collection out;
  out.named_with_as = !in.shared_name.is_absent();
  if (!link.is_absent()) check_to_many_link(link, target, out, declarer);
  elaborate_window(in, out, declarer, span);
  elaborate_keyset(in, target, out, declarer);
  elaborate_grouping(in, target, out, declarer);
  return out;
}

void Elaborator::elaborate_window(const syntax::CollectionClauses& in, Collection& out,
                                  const Declarer& declarer, Span span) {
  const std::string& label = declarer.label;
  out.paginated = !in.order.empty();
  out.truncate = in.truncate;
  out.total = in.total.value_or(CountPolicy::None);
  out.max = in.max ? in.max->value : options_.page_default_max;
  out.min = in.min ? in.min->value : 0;
  if (in.page) out.default_page = in.page->value;

  if (in.max && in.max->value == 0) report(in.max->span, label + ": max is at least 1", "bounds");
  if (in.page && in.page->value == 0)
    report(in.page->span, label + ": page is at least 1", "bounds");
  if (in.page && out.max != 0 && in.page->value > out.max) {
    report(in.page->span,
           label + ": page " + std::to_string(in.page->value) + " exceeds max " +
               std::to_string(out.max),
           "bounds");
  }
  if (in.page && !out.paginated) {
    report(in.page->span, label + " has a page size but no order: add `ordered by <field> asc`",
           "bounds");
  }
  if (in.min && declarer.parameters != nullptr) {
    report(in.min->span, label + ": a root promises no least number of members", "bounds");
  } else if (in.min && out.paginated) {
    report(in.min->span, label + ": a paginated collection has no `min`", "bounds");
  } else if (out.min > out.max) {
    report(in.min->span,
           label + ": min " + std::to_string(out.min) + " exceeds max " + std::to_string(out.max),
           "bounds");
  }
  if (out.truncate && out.paginated) {
    report(in.truncate_span, label + ": a paginated collection has no `truncate`", "bounds");
  }
  if (in.total && !out.paginated) {
    report(in.total_span, label + ": only a paginated collection has a total", "bounds");
  }
  if (out.named_with_as && in.shared_name.text == declarer.label) {
    warn(span, label + " is called so already; `as` says nothing", "shared-name");
  }
}

void Elaborator::elaborate_keyset(const syntax::CollectionClauses& in, const Target& target,
                                  Collection& out, const Declarer& declarer) {
  for (const syntax::OrderColumn& column : in.order) {
    const bool again = std::any_of(out.keyset.begin(), out.keyset.end(), [&](const auto& before) {
      return before.field == column.field.text;
    });
    if (again) {
      report(column.field.span, declarer.label + " orders by `" + column.field.text + "` twice",
             "keyset");
      continue;
    }
    check_keyset_column(column, target, declarer.label);
    out.keyset.push_back({column.field.text, column.descending});
  }
  if (out.paginated) note_ties(in, target, out, declarer.label);
}

void Elaborator::check_keyset_column(const syntax::OrderColumn& column, const Target& target,
                                     const std::string& label) {
  const syntax::Word& name = column.field;
  const MemberField found = find_member_field(target, name.text);
  if (target.members.empty() && !target.is_interface) return;  // the target is unknown
  if (!found.is_everywhere()) {
    report(name.span,
           label + " orders by `" + name.text + "`, which " +
               (target.name.empty() || target.is_interface ? "not every target" : target.name) +
               (target.name.empty() || target.is_interface ? " declares" : " does not declare") +
               suggest(name.text, member_field_names(target)),
           "keyset");
    return;
  }
  for (const EntityIndex member : target.members) {
    const Entity& entity = schema_->entities[member];
    const Field& field = entity.fields[entity.find_field(name.text)];
    if (!is_on_row(field)) {
      report(name.span, label + " orders by `" + name.text + "`, which is not stored", "keyset");
      return;
    }
    if (!same_resolved(field.type, found.field->type)) {
      report(name.span,
             label + " orders by `" + name.text +
                 "`, which its targets declare with "
                 "different types",
             "keyset");
      return;
    }
  }
  if (!is_orderable(found.field->type)) {
    report(name.span,
           label + " orders by `" + name.text + "`, whose type " + print_type(found.field->type) +
               " has no order",
           "keyset");
  } else if (is_optional(found.field->type)) {
    warn(name.span, label + " orders by `" + name.text + "`, which may be absent", "keyset");
  }
}

// Rows with equal keyset values are told apart by their keys; a keyset that ends with the key is
// better.
void Elaborator::note_ties(const syntax::CollectionClauses& in, const Target& target,
                           const Collection& out, const std::string& label) {
  for (const EntityIndex member : target.members) {
    for (const std::string& key : schema_->entities[member].key) {
      const bool is_named = std::any_of(out.keyset.begin(), out.keyset.end(),
                                        [&](const auto& column) { return column.field == key; });
      if (is_named) continue;
      warn(in.order_span,
           label + ": the order does not name the key `" + key + "`, so rows may tie",
           "keyset-ties");
      return;
    }
  }
}

void Elaborator::elaborate_grouping(const syntax::CollectionClauses& in, const Target& target,
                                    Collection& out, const Declarer& declarer) {
  std::vector<std::string> default_grouping;
  const bool by_parameters = declarer.parameters != nullptr && out.link.empty();
  if (by_parameters) {
    for (const Parameter& parameter : *declarer.parameters)
      default_grouping.push_back(parameter.name);
  } else {
    default_grouping.push_back(out.link);
  }
  for (const syntax::Word& name : in.grouping) {
    if (std::find(out.grouping.begin(), out.grouping.end(), name.text) != out.grouping.end()) {
      report(name.span, declarer.label + " groups by `" + name.text + "` twice", "grouping");
      continue;
    }
    out.grouping.push_back(name.text);
    if (by_parameters) {
      if (std::find(default_grouping.begin(), default_grouping.end(), name.text) !=
          default_grouping.end()) {
        continue;
      }
      report(name.span,
             declarer.label + " groups by `" + name.text + "`, which is none of its parameters" +
                 suggest(name.text, default_grouping),
             "grouping");
      continue;
    }
    const MemberField found = find_member_field(target, name.text);
    if (target.members.empty() || (name.text == out.link && !out.link_is_declared)) continue;
    if (!found.is_everywhere() || !found.field->is_stored()) {
      report(name.span,
             declarer.label + " groups by `" + name.text +
                 "`, which is no stored field of its "
                 "targets" +
                 suggest(name.text, member_field_names(target)),
             "grouping");
    } else if (!is_scalar(found.field->type)) {
      report(name.span,
             declarer.label + " groups by `" + name.text + "`, whose type " +
                 print_type(found.field->type) + " is no scalar",
             "grouping");
    }
  }
  if (in.grouping.empty()) out.grouping = default_grouping;
  out.grouping_is_default = out.grouping == default_grouping;
  if (!out.paginated || by_parameters) return;  // a root's parameters are checked with the root
  for (const std::string& name : out.grouping) {
    if (!is_paging_argument(name)) continue;
    report(in.order_span,
           declarer.label + " groups by `" + name +
               "`, which is the name of a paging "
               "argument",
           "grouping");
  }
}

// --- Roots ---

void Elaborator::elaborate_roots() {
  for (syntax::Root& in : document_.roots) elaborate_root(in, schema_->roots.emplace_back());
}

void Elaborator::elaborate_root(syntax::Root& in, Root& out) {
  const std::string label = "root " + in.name.text;
  out.name = in.name.text;
  out.span = in.name.span;
  out.is_list = in.is_list;
  out.parameters = elaborate_parameters(in.parameters, label);
  out.target = elaborate_target(in.target, label);
  if (in.cache) out.cache = in.cache->policy;
  if (in.name.text == "nodes") {
    report(in.name.span, "`nodes` is the protocol's own root and cannot be declared", "root");
  }
  if (in.policies.empty()) {
    report(in.name.span, label + " says no policy: add public, private or `visible when ..`",
           "policy");
  } else {
    if (in.policies.size() > 1) report(in.policies[1].span, label + " has two policies", "policy");
    out.policy = elaborate_policy(in.policies.front(), {.label = label, .target = &out.target});
  }
  if (!in.is_list) return;
  const Declarer declarer{.label = label, .parameters = &out.parameters};
  out.collection = elaborate_collection(in.collection, in.link, out.target, declarer, in.name.span);
  out.collection->name =
      in.collection.shared_name.is_absent() ? in.name.text : in.collection.shared_name.text;
  for (const Parameter& parameter : out.parameters) {
    if (!out.collection->paginated || !is_paging_argument(parameter.name)) continue;
    report(parameter.span,
           label + ": `" + parameter.name +
               "` is a paging argument of every paginated "
               "collection",
           "root");
  }
}

// --- Names of collections ---

// A name is one tag family: those who share it must group alike, and no entity may be called so.
void Elaborator::check_collection_names() {
  const auto add = [&](const Collection& collection, const Target& target, Span span) {
    if (schema_->find_entity(collection.name) != nullptr) {
      report(span,
             "the collection `" + collection.name +
                 "` has the name of an entity, so their cache "
                 "tags would meet",
             "collection-name");
    }
    const auto [family, is_new] =
        collections_.emplace(collection.name, std::pair(&collection, &target));
    if (is_new) return;
    const auto& [first, first_target] = family->second;
    if (first->grouping.size() == collection.grouping.size() &&
        first_target->members == target.members) {
      return;
    }
    report(span,
           "the collections called `" + collection.name +
               "` share one tag family, but have "
               "different targets or groupings",
           "collection-name");
  };
  const auto add_edges = [&](const std::vector<Relationship>& edges) {
    for (const Relationship& edge : edges) {
      if (edge.collection) add(*edge.collection, edge.target, edge.span);
    }
  };
  for (const Entity& entity : schema_->entities) add_edges(entity.relationships);
  for (const Extension& extension : schema_->extensions) add_edges(extension.relationships);
  for (const Root& root : schema_->roots) {
    if (root.collection) add(*root.collection, root.target, root.span);
  }
}

}  // namespace lattice::schema
