// Entities, interfaces and extensions: members, keys, co-keys, clauses, implementations (spec §3.4,
// §3.8).
#include "base/diagnostic.h"
#include "schema/elaborate.h"

namespace lattice::schema {

void Elaborator::elaborate_entities() {
  interface_bodies_.resize(document_.interfaces.size());
  for (size_t i = 0; i < document_.interfaces.size(); ++i) {
    check_no_entity_clauses(document_.interfaces[i], "an interface");
    elaborate_members(document_.interfaces[i], interface_bodies_[i]);
    for (const syntax::Field& field : document_.interfaces[i].fields) {
      if (!field.derivation) continue;
      report(field.name.span,
             document_.interfaces[i].name.text + "." + field.name.text +
                 ": a member of an interface cannot be derived; derive it in the "
                 "entities",
             "derived");
    }
  }
  for (size_t i = 0; i < document_.entities.size(); ++i) {
    syntax::Entity& in = document_.entities[i];
    Entity& out = schema_->entities[i];
    check_entity_clauses(in, out);
    elaborate_members(in, out);
    if (in.co_key == Entity::CoKey::None) elaborate_key(in, out);
  }
  for (size_t i = 0; i < document_.entities.size(); ++i) {
    if (document_.entities[i].co_key != Entity::CoKey::None) {
      inherit_key(document_.entities[i], schema_->entities[i]);
    }
  }
  extension_bodies_.resize(document_.extensions.size());
  for (size_t i = 0; i < document_.extensions.size(); ++i) {
    syntax::Entity& in = document_.extensions[i];
    check_no_entity_clauses(in, "an extension");
    elaborate_members(in, extension_bodies_[i]);
    if (schema_->find_interface(in.name.text) != nullptr) {
      report(in.name.span, in.name.text + " is an interface; extend the entities that implement it",
             "extension");
    } else if (schema_->find_entity(in.name.text) != nullptr) {
      report(in.name.span,
             "entity " + in.name.text +
                 " is declared in this document; add the members "
                 "there",
             "extension");
    }
  }
  for (size_t i = 0; i < document_.entities.size(); ++i) {
    elaborate_fetch(document_.entities[i], schema_->entities[i]);
    elaborate_owner(document_.entities[i], schema_->entities[i]);
  }
  sync_bodies();
  collect_members();
}

// Fields of one body; relationships follow when every field of every target is known.
void Elaborator::elaborate_members(syntax::Entity& in, Entity& out) {
  out.name = in.name.text;
  out.span = in.name.span;
  std::set<std::string_view> names;
  const auto is_new = [&](const syntax::Word& name) {
    if (names.insert(name.text).second) return true;
    report(name.span, in.name.text + " has two members `" + name.text + "`", "duplicate");
    return false;
  };
  for (syntax::Field& field : in.fields) {
    if (is_new(field.name)) {
      out.fields.push_back(elaborate_field(field, in.name.text, out.private_by_default));
    }
  }
  for (const syntax::Relationship& edge : in.relationships) is_new(edge.name);
  std::sort(out.fields.begin(), out.fields.end(),
            [](const Field& left, const Field& right) { return left.name < right.name; });
}

Field Elaborator::elaborate_field(syntax::Field& in, const std::string& owner,
                                  bool private_by_default) {
  const std::string label = owner + "." + in.name.text;
  elaborate_type(in.type, label);
  Field out;
  out.name = in.name.text;
  out.span = in.name.span;
  out.type = in.type;
  out.arguments = elaborate_parameters(in.arguments, label);
  out.policy.level = private_by_default ? Policy::Level::Private : Policy::Level::Public;
  if (in.cache) out.cache = in.cache->policy;
  if (in.derivation) {
    out.derivation.emplace();
    out.derivation->maintained = in.derivation->maintained;
    if (!in.arguments.empty()) {
      report(in.name.span, label + ": a derived field takes no arguments", "derived");
    }
  }
  return out;
}

void Elaborator::check_entity_clauses(const syntax::Entity& in, Entity& out) {
  if (in.visibility.empty()) {
    report(in.name.span,
           "entity " + in.name.text +
               " says no default visibility: add `visible to all "
               "by default` or `private by default`",
           "visibility");
  } else {
    out.private_by_default = in.visibility.front().is_private;
  }
  const auto only_once = [&](const auto& clauses, std::string_view what) {
    if (clauses.size() < 2) return;
    report(in.name.span, "entity " + in.name.text + " has " + std::string(what) + " twice",
           "duplicate");
  };
  only_once(in.visibility, "a default visibility");
  only_once(in.elides, "`hidden rows elide`");
  only_once(in.owners, "`owner`");
  only_once(in.fetches, "`fetch by`");
  only_once(in.caches, "`cache`");
  out.elides_hidden_rows = !in.elides.empty();
  if (!in.caches.empty()) out.cache = in.caches.front().policy;
}

// Interfaces and extensions have members and nothing else.
void Elaborator::check_no_entity_clauses(const syntax::Entity& in, std::string_view what) {
  const auto refuse = [&](Span span, std::string_view clause) {
    report(span, std::string(what) + " (" + in.name.text + ") has no " + std::string(clause),
           "clause");
  };
  if (!in.visibility.empty()) refuse(in.visibility.front().span, "default visibility");
  if (!in.elides.empty()) refuse(in.elides.front(), "`hidden rows elide`");
  if (!in.owners.empty()) refuse(in.owners.front().span, "owner clause");
  if (!in.fetches.empty()) refuse(in.fetches.front().span, "`fetch by`");
  if (!in.caches.empty()) refuse(in.caches.front().span, "cache clause of its own");
  if (!in.key.empty()) refuse(in.key.front().span, "key");
  if (in.co_key != Entity::CoKey::None) refuse(in.base.span, "base");
  if (!in.implements.empty()) refuse(in.implements.front().span, "`implements`");
}

// --- Keys ---

void Elaborator::elaborate_key(const syntax::Entity& in, Entity& out) {
  if (in.key.empty()) {
    report(in.name.span, "entity " + in.name.text + " has no key: add `by <field>`", "key");
    return;
  }
  for (const syntax::Word& name : in.key) {
    const FieldIndex index = out.find_field(name.text);
    const std::string label = in.name.text + "." + name.text;
    if (std::find(out.key.begin(), out.key.end(), name.text) != out.key.end()) {
      report(name.span, in.name.text + " names `" + name.text + "` twice in its key", "duplicate");
      continue;
    }
    if (index == kNone) {
      report(name.span,
             "the key field `" + name.text + "` of " + in.name.text + " is not declared" +
                 suggest(name.text, out.fields),
             "key");
      continue;
    }
    const Field& field = out.fields[index];
    if (field.derivation) report(name.span, label + ": a key field cannot be derived", "key");
    if (!field.arguments.empty())
      report(name.span, label + ": a key field takes no arguments", "key");
    if (is_optional(field.type))
      report(name.span, label + ": a key field cannot be optional", "key");
    if (!is_scalar(field.type)) {
      report(name.span,
             label + ": a key field is a scalar or an enum, not " + print_type(field.type), "key");
    }
    out.key.push_back(name.text);
  }
}

void Elaborator::inherit_key(const syntax::Entity& in, Entity& out) {
  out.co_key = in.co_key;
  out.base = in.base.text;
  const std::string label = "entity " + in.name.text;
  if (!in.key.empty()) {
    report(in.key.front().span, label + " takes its key from " + in.base.text + " and has no `by`",
           "key");
  }
  const Entity* base = schema_->find_entity(in.base.text);
  if (base == nullptr) {
    report(in.base.span,
           label + ": there is no entity `" + in.base.text + "` to be its base" +
               suggest(in.base.text, schema_->entities),
           "co-key");
    return;
  }
  const auto base_index = static_cast<size_t>(base - schema_->entities.data());
  if (document_.entities[base_index].co_key != Entity::CoKey::None) {
    report(in.base.span,
           label + ": its base " + in.base.text +
               " has a base itself; name the one base "
               "of all",
           "co-key");
    return;
  }
  out.key = base->key;
  for (const std::string& key : base->key) {
    const FieldIndex own = out.find_field(key);
    const bool is_edge = std::any_of(in.relationships.begin(), in.relationships.end(),
                                     [&](const auto& edge) { return edge.name.text == key; });
    if (own != kNone || is_edge) {
      report(own != kNone ? out.fields[own].span : in.name.span,
             label + " has the key field `" + key + "` from " + in.base.text + " already",
             "co-key");
      continue;
    }
    Field field = base->fields[base->find_field(key)];
    field.declared_policy.reset();
    field.policy = {};
    field.policy.level = out.private_by_default ? Policy::Level::Private : Policy::Level::Public;
    field.metadata = {};
    const auto place = std::lower_bound(
        out.fields.begin(), out.fields.end(), key,
        [](const Field& left, const std::string& name) { return left.name < name; });
    out.fields.insert(place, std::move(field));
    out.inherited_fields.push_back(key);
  }
}

const Field* Elaborator::find_key_field(const Entity& entity, size_t position) const {
  if (position >= entity.key.size()) return nullptr;
  const FieldIndex index = entity.find_field(entity.key[position]);
  return index == kNone ? nullptr : &entity.fields[index];
}

void Elaborator::elaborate_fetch(const syntax::Entity& in, Entity& out) {
  if (in.fetches.empty()) return;
  const syntax::Fetch& fetch = in.fetches.front();
  std::vector<std::string> key;
  for (const syntax::Word& name : fetch.key) key.push_back(name.text);
  if (key != out.key && !out.key.empty()) {
    std::string wanted;
    for (const std::string& name : out.key) wanted += (wanted.empty() ? "" : ", ") + name;
    report(fetch.key.front().span, in.name.text + ": `fetch by` names the key (" + wanted + ")",
           "fetch");
  }
  out.fetch.emplace();  // its predicate is elaborated with the other policies
}

void Elaborator::elaborate_owner(const syntax::Entity& in, Entity& out) {
  if (in.owners.empty()) return;
  const syntax::Owner& owner = in.owners.front();
  const std::string label = in.name.text + ": the owner";
  const FieldIndex index = out.find_field(owner.field.text);
  if (index == kNone || !out.fields[index].is_stored()) {
    report(owner.field.span,
           label + " `" + owner.field.text + "` is no stored field" +
               suggest(owner.field.text, out.fields),
           "owner");
    return;
  }
  const Field& field = out.fields[index];
  if (!is_scalar(field.type)) {
    report(owner.field.span,
           label + " `" + owner.field.text + "` is a scalar, not " + print_type(field.type),
           "owner");
  }
  if (!owner.claim.is_absent()) {
    const Claim* claim = find_claim(owner.claim, in.name.text + " (owner)");
    if (claim != nullptr && !same_resolved(claim->type, field.type)) {
      report(owner.claim.span,
             label + " `" + owner.field.text + "` is " + print_type(field.type) + ", but caller." +
                 owner.claim.text + " is " + print_type(claim->type),
             "owner");
    }
  }
  out.owner = OwnerBinding{owner.field.text, owner.claim.text};
}

// --- Interfaces ---

void Elaborator::sync_bodies() {
  for (size_t i = 0; i < interface_bodies_.size(); ++i) {
    Interface& out = schema_->interfaces[i];
    const Entity& body = interface_bodies_[i];
    out.fields = body.fields;
    out.relationships = body.relationships;
    out.metadata = body.metadata;
  }
  schema_->extensions.resize(extension_bodies_.size());
  for (size_t i = 0; i < extension_bodies_.size(); ++i) {
    Extension& out = schema_->extensions[i];
    const Entity& body = extension_bodies_[i];
    out.entity = body.name;
    out.span = body.span;
    out.fields = body.fields;
    out.relationships = body.relationships;
    out.metadata = body.metadata;
  }
}

void Elaborator::collect_members() {
  for (size_t i = 0; i < document_.entities.size(); ++i) {
    Entity& entity = schema_->entities[i];
    for (const syntax::Word& name : document_.entities[i].implements) {
      const Interface* interface = schema_->find_interface(name.text);
      if (interface == nullptr) {
        report(name.span,
               "entity " + entity.name + " implements `" + name.text + "`, which is no interface" +
                   suggest(name.text, schema_->interfaces),
               "interface");
      } else if (std::find(entity.implements.begin(), entity.implements.end(), name.text) !=
                 entity.implements.end()) {
        report(name.span, "entity " + entity.name + " names " + name.text + " twice", "duplicate");
      } else {
        entity.implements.push_back(name.text);
        const auto index = static_cast<size_t>(interface - schema_->interfaces.data());
        schema_->interfaces[index].members.push_back(static_cast<EntityIndex>(i));
      }
    }
    std::sort(entity.implements.begin(), entity.implements.end());
  }
}

void Elaborator::check_implementations() {
  for (size_t i = 0; i < document_.entities.size(); ++i) {
    for (const syntax::Word& name : document_.entities[i].implements) {
      check_implementation(schema_->entities[i], name);
    }
  }
}

void Elaborator::check_implementation(const Entity& entity, const syntax::Word& name) {
  const Interface* interface = schema_->find_interface(name.text);
  if (interface == nullptr) return;
  for (const Field& wanted : interface->fields) {
    check_interface_field(name, entity, wanted, interface->name);
  }
  for (const Relationship& wanted : interface->relationships) {
    check_interface_edge(name, entity, wanted, interface->name);
  }
}

void Elaborator::check_interface_field(const syntax::Word& at, const Entity& entity,
                                       const Field& wanted, const std::string& interface) {
  const std::string label = entity.name + " implements " + interface;
  const FieldIndex index = entity.find_field(wanted.name);
  if (index == kNone) {
    report(at.span,
           label + " but has no field `" + wanted.name + ": " + print_type(wanted.type) + "`",
           "interface");
    return;
  }
  const Field& field = entity.fields[index];
  if (!same_type(field.type, wanted.type)) {
    report(field.span,
           label + ", where `" + wanted.name + "` is " + print_type(wanted.type) + ", not " +
               print_type(field.type),
           "interface");
  }
  const auto same_parameter = [](const Parameter& left, const Parameter& right) {
    return left.name == right.name && same_type(left.type, right.type) &&
           left.default_spelled == right.default_spelled;
  };
  if (!std::equal(field.arguments.begin(), field.arguments.end(), wanted.arguments.begin(),
                  wanted.arguments.end(), same_parameter)) {
    report(field.span, label + ", where `" + wanted.name + "` has other arguments", "interface");
  }
}

void Elaborator::check_interface_edge(const syntax::Word& at, const Entity& entity,
                                      const Relationship& wanted, const std::string& interface) {
  const std::string label = entity.name + " implements " + interface;
  const EdgeIndex index = entity.find_relationship(wanted.name);
  if (index == kNone) {
    report(at.span, label + " but has no relationship `" + wanted.name + "`", "interface");
    return;
  }
  const Relationship& edge = entity.relationships[index];
  const bool same_target =
      edge.target.name == wanted.target.name && edge.target.members == wanted.target.members;
  if (edge.kind != wanted.kind || !same_target) {
    report(edge.span,
           label + ", where `" + wanted.name + "` leads elsewhere or has another cardinality",
           "interface");
    return;
  }
  if (!edge.collection || !wanted.collection) return;
  const Collection& own = *edge.collection;
  const Collection& declared = *wanted.collection;
  if (own.paginated != declared.paginated || own.keyset != declared.keyset ||
      own.default_page != declared.default_page || own.max != declared.max ||
      own.total != declared.total) {
    report(edge.span, label + ", where `" + wanted.name + "` has another order or other bounds",
           "interface");
  }
}

}  // namespace lattice::schema
