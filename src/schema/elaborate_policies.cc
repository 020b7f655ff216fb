// Policies: claims are registered, fields exist, and what is compared has one type (spec §3.1,
// §8.1).
#include "base/diagnostic.h"
#include "schema/elaborate.h"
#include "schema/print.h"
#include "schema/value.h"

namespace lattice::schema {

const Claim* Elaborator::find_claim(const syntax::Word& name, const std::string& label) {
  const Claim* claim = schema_->find_claim(name.text);
  if (claim != nullptr) return claim;
  report(name.span,
         label + " mentions caller." + name.text + ", but the claims block has no `" + name.text +
             "`" + suggest(name.text, schema_->claims),
         "unknown-claim");
  return nullptr;
}

Policy Elaborator::elaborate_policy(const syntax::Policy& in, const PolicyScope& scope) {
  Policy out;
  out.level = in.level;
  for (const syntax::Comparison& comparison : in.all_of)
    elaborate_comparison(comparison, scope, out);
  return out;
}

void Elaborator::elaborate_comparison(const syntax::Comparison& in, const PolicyScope& scope,
                                      Policy& out) {
  const Claim* claim = find_claim(in.claim, scope.label);
  if (claim == nullptr) return;
  Comparison& comparison = out.all_of.emplace_back();
  comparison.claim = in.claim.text;
  comparison.op = in.op;
  if (!in.field.is_absent()) {
    comparison.field = in.field.text;
    check_compared_field(in, *claim, scope);
    return;
  }
  for (const Value& literal : in.literals) {
    auto value = check_predicate_literal(literal, claim->type, *schema_,
                                         scope.label + " (caller." + in.claim.text + ")");
    if (!value) {
      report(literal.span, value.error().message, "predicate");
      continue;
    }
    comparison.literals.push_back(std::move(*value));
    comparison.spelled.push_back(spell_predicate_literal(literal));
  }
}

void Elaborator::check_compared_field(const syntax::Comparison& in, const Claim& claim,
                                      const PolicyScope& scope) {
  if (scope.entity == nullptr && scope.target == nullptr) {
    report(in.field.span,
           scope.label + " compares caller." + claim.name + " with `" + in.field.text +
               "`, but there is no entity under inspection; compare with a literal (a "
               "capitalised name, a string or a number)",
           "predicate");
    return;
  }
  const Field* field = nullptr;
  bool is_everywhere = true;
  if (scope.target != nullptr) {
    const MemberField found = find_member_field(*scope.target, in.field.text);
    if (found.member_count == 0) return;  // the target is unknown, and reported
    field = found.field;
    is_everywhere = found.is_everywhere();
  } else {
    const FieldIndex index = scope.entity->find_field(in.field.text);
    if (index != kNone) field = &scope.entity->fields[index];
  }
  if (field == nullptr || !is_everywhere) {
    if (scope.may_be_foreign) return;
    report(in.field.span,
           scope.label + " compares caller." + claim.name + " with `" + in.field.text +
               "`, which is no field of " +
               (scope.target != nullptr
                    ? "its target" + suggest(in.field.text, member_field_names(*scope.target))
                    : scope.entity->name + suggest(in.field.text, scope.entity->fields)),
           "predicate");
    return;
  }
  if (!field->is_stored()) {
    report(in.field.span,
           scope.label + " compares caller." + claim.name + " with `" + in.field.text +
               "`, which is not stored",
           "predicate");
  } else if (!same_resolved(field->type, claim.type)) {
    report(in.field.span,
           scope.label + " compares caller." + claim.name + ": " + print_type(claim.type) +
               " with `" + in.field.text + ": " + print_type(field->type) + "`",
           "predicate");
  }
}

// --- Policies of members ---

void Elaborator::elaborate_member_policies() {
  for (size_t i = 0; i < interface_bodies_.size(); ++i) {
    elaborate_policies_of(document_.interfaces[i], interface_bodies_[i], false);
  }
  for (size_t i = 0; i < schema_->entities.size(); ++i) {
    const syntax::Entity& in = document_.entities[i];
    Entity& out = schema_->entities[i];
    elaborate_policies_of(in, out, false);
    if (in.fetches.empty()) continue;
    out.fetch = elaborate_policy(in.fetches.front().policy,
                                 {.label = in.name.text + " (fetch by)", .entity = &out});
  }
  for (size_t i = 0; i < extension_bodies_.size(); ++i) {
    elaborate_policies_of(document_.extensions[i], extension_bodies_[i], true);
  }
}

void Elaborator::elaborate_policies_of(const syntax::Entity& in, Entity& out, bool is_extension) {
  for (const syntax::Field& field : in.fields) {
    const FieldIndex index = out.find_field(field.name.text);
    if (index == kNone || !field.policy) continue;
    const PolicyScope scope{.label = in.name.text + "." + field.name.text,
                            .entity = &out,
                            .may_be_foreign = is_extension};
    Field& target = out.fields[index];
    target.declared_policy = elaborate_policy(*field.policy, scope);
    target.policy = *target.declared_policy;
  }
  for (const syntax::Relationship& edge : in.relationships) {
    const EdgeIndex index = out.find_relationship(edge.name.text);
    if (index == kNone || !edge.policy) continue;
    const PolicyScope scope{.label = in.name.text + "." + edge.name.text,
                            .entity = &out,
                            .may_be_foreign = is_extension};
    Relationship& target = out.relationships[index];
    target.declared_policy = elaborate_policy(*edge.policy, scope);
    target.policy = *target.declared_policy;
  }
}

}  // namespace lattice::schema
