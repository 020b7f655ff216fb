// What an origin needs to start, and what whoever starts it should know (spec §8.2; decisions:
// owner binding, development mode).
#include "origin/service.h"

namespace lattice::origin {

namespace {

using schema::Entity;
using schema::Policy;
using schema::Schema;

std::unexpected<Error> usage(std::string message) {
  return fail(Code::Usage, std::move(message));
}

// The first readable element whose policy looks at claims, by its path.
std::optional<std::string> first_claims_gate(const Schema& schema) {
  auto is_gated = [](const Policy& policy) { return policy.level == Policy::Level::Claims; };
  for (const schema::Root& root : schema.roots) {
    if (is_gated(root.policy)) return "the root `" + root.name + "`";
  }
  for (const Entity& entity : schema.entities) {
    if (entity.fetch && is_gated(*entity.fetch)) return "`fetch by` of " + entity.name;
    for (const schema::Field& field : entity.fields) {
      if (is_gated(field.policy)) return "`" + entity.name + "." + field.name + "`";
    }
    for (const schema::Relationship& edge : entity.relationships) {
      if (is_gated(edge.policy)) return "`" + entity.name + "." + edge.name + "`";
    }
  }
  return std::nullopt;
}

const plan::OwnerColumn* find_owner(const OriginOptions& options, std::string_view entity) {
  for (const plan::OwnerColumn& owner : options.plan.owners) {
    if (owner.entity == entity) return &owner;
  }
  return nullptr;
}

Result<void> check_owner(const plan::OwnerColumn& owner, const Schema& schema) {
  const Entity* entity = schema.find_entity(owner.entity);
  if (!entity) return usage("owners: the schema declares no entity `" + owner.entity + "`");
  if (!owner.field.empty() && entity->find_field(owner.field) == schema::kNone) {
    return usage("owners: " + owner.entity + " has no field `" + owner.field + "`");
  }
  if (!entity->owner) return {};
  bool agrees = entity->owner->claim.empty() && owner.field == entity->owner->field;
  if (agrees) return {};
  return usage("owners: the schema binds the owner of " + owner.entity + " to `" +
               entity->owner->field + "`, the configuration to `" +
               (owner.field.empty() ? owner.hidden_column : owner.field) + "`");
}

bool has_private_part(const Entity& entity) {
  auto is_private = [](const auto& part) { return part.policy.level == Policy::Level::Private; };
  return (entity.fetch && entity.fetch->level == Policy::Level::Private) ||
         std::any_of(entity.fields.begin(), entity.fields.end(), is_private);
}

// Entities that a private root or edge leads to.
void collect_private_targets(const Schema& schema, std::set<std::string>& entities) {
  auto add = [&](const schema::Target& target) {
    for (schema::EntityIndex member : target.members) entities.insert(schema.entities[member].name);
  };
  for (const schema::Root& root : schema.roots) {
    bool needs_none = !root.is_list && root.parameters.empty();
    if (root.policy.level == Policy::Level::Private && !needs_none) add(root.target);
  }
  for (const Entity& entity : schema.entities) {
    for (const schema::Relationship& edge : entity.relationships) {
      if (edge.policy.level == Policy::Level::Private) add(edge.target);
    }
  }
}

}  // namespace

Result<void> check_options(const OriginOptions& options, const Schema& schema) {
  for (const plan::OwnerColumn& owner : options.plan.owners) {
    LATTICE_TRY_VOID(check_owner(owner, schema));
  }
  if (options.tenure_threshold == 0) return usage("the tenure threshold must be at least 1");
  if (!options.proof_keys.empty() || options.insecure_dev) return {};
  if (auto gate = first_claims_gate(schema)) {
    return usage(*gate +
                 " is visible by claims, and no key to verify their proofs is configured "
                 "([proofs] in the configuration; --insecure-dev believes any claims)");
  }
  return {};
}

std::vector<std::string> describe_start(const OriginOptions& options, const Schema& schema) {
  std::vector<std::string> notes;
  if (options.insecure_dev) {
    notes.push_back(
        "INSECURE DEVELOPMENT MODE: any bearer text is the principal and any claims are "
        "believed; only callers on this machine are answered");
  }
  std::set<std::string> entities;
  for (const Entity& entity : schema.entities) {
    if (has_private_part(entity)) entities.insert(entity.name);
  }
  collect_private_targets(schema, entities);
  for (const std::string& name : entities) {
    if (schema.find_entity(name)->owner || find_owner(options, name)) continue;
    notes.push_back(
        "the private parts of " + name +
        " are visible to nobody: neither its schema (`owner <field> is caller`) nor the "
        "configuration ([owners]) says whose its rows are");
  }
  if (!options.insecure_dev && options.principals.empty() && !entities.empty()) {
    notes.push_back("no principals are configured, so no request is admitted to a priv slice");
  }
  return notes;
}

}  // namespace lattice::origin
