// Mutations: guards, write sets, effects, bindings, batches, errors (spec §11, §9.4.2).
#include "base/diagnostic.h"
#include "schema/elaborate.h"

namespace lattice::schema {

namespace {

std::string label_of(const Mutation& mutation) {
  return "mutation " + mutation.name;
}

const Parameter* find_parameter(const Mutation& mutation, std::string_view name) {
  for (const Parameter& parameter : mutation.parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool same_scope(const WriteScope& left, const WriteScope& right) {
  return left.is_collection == right.is_collection && left.name == right.name &&
         left.arguments == right.arguments && left.is_new == right.is_new;
}

constexpr std::string_view kVerbNames[] = {"PUT", "PATCH", "DELETE", "POST"};

std::string_view verb_name(Binding::Verb verb) {
  return kVerbNames[static_cast<size_t>(verb)];
}

std::optional<Binding::Verb> find_verb(std::string_view name) {
  const auto found = std::find(std::begin(kVerbNames), std::end(kVerbNames), name);
  if (found == std::end(kVerbNames)) return std::nullopt;
  return static_cast<Binding::Verb>(found - std::begin(kVerbNames));
}

}  // namespace

void Elaborator::elaborate_mutations() {
  for (syntax::Mutation& in : document_.mutations) {
    elaborate_mutation(in, schema_->mutations.emplace_back());
  }
  check_shapes();
}

void Elaborator::elaborate_mutation(syntax::Mutation& in, Mutation& out) {
  out.name = in.name.text;
  out.span = in.name.span;
  out.parameters = elaborate_parameters(in.parameters, "mutation " + in.name.text);
  out.returns = in.returns.text;
  if (schema_->find_entity(in.returns.text) == nullptr) {
    report(in.returns.span,
           label_of(out) + " returns `" + in.returns.text + "`, which is no entity" +
               suggest(in.returns.text, schema_->entities),
           "mutation");
  }
  const auto only_once = [&](const auto& clauses, std::string_view word) {
    if (clauses.size() < 2) return;
    report(in.name.span, label_of(out) + " has `" + std::string(word) + "` twice", "duplicate");
  };
  only_once(in.guards, "allow");
  only_once(in.writes, "writes");
  only_once(in.invalidations, "invalidates");
  only_once(in.effects, "effect");
  only_once(in.bindings, "as");
  only_once(in.errors, "errors");
  only_once(in.batches, "batch");
  elaborate_guard(in, out);
  elaborate_scopes(in, out);
  elaborate_effect(in, out);
  elaborate_errors(in, out);
  elaborate_binding(in, out);
  elaborate_batch(in, out);
}

void Elaborator::elaborate_guard(const syntax::Mutation& in, Mutation& out) {
  if (in.guards.empty()) {
    report(in.name.span, label_of(out) + " lacks `allow`: say public, private or `when ..`",
           "mutation");
    return;
  }
  out.guard = elaborate_policy(in.guards.front(), {.label = label_of(out)});
}

void Elaborator::elaborate_effect(const syntax::Mutation& in, Mutation& out) {
  if (in.effects.empty()) {
    report(in.name.span, label_of(out) + " lacks `effect`: say transactional, natural or workflow",
           "mutation");
    return;
  }
  const syntax::Effect& effect = in.effects.front();
  out.effect = effect.effect;
  out.justification = effect.justification.text;
  if (out.effect == Mutation::Effect::Natural && out.justification.empty()) {
    warn(effect.span, label_of(out) + " is natural without a written reason: effect natural \"..\"",
         "justification");
  }
}

// --- Write sets ---

void Elaborator::elaborate_scopes(const syntax::Mutation& in, Mutation& out) {
  if (in.writes.empty()) {
    report(in.name.span, label_of(out) + " lacks `writes`: say what it may change", "mutation");
  } else {
    for (const syntax::WriteScope& scope : in.writes.front()) {
      out.writes.push_back(elaborate_scope(scope, out));
    }
  }
  if (in.invalidations.empty()) {
    report(in.name.span, label_of(out) + " lacks `invalidates`: say `invalidates writes`",
           "mutation");
    return;
  }
  const syntax::Invalidation& invalidation = in.invalidations.front();
  out.invalidates_writes = invalidation.writes;
  for (const syntax::WriteScope& scope : invalidation.scopes) {
    out.invalidates.push_back(elaborate_scope(scope, out));
  }
  if (out.invalidates_writes) return;
  for (const WriteScope& written : out.writes) {
    const bool is_covered =
        std::any_of(out.invalidates.begin(), out.invalidates.end(),
                    [&](const WriteScope& scope) { return same_scope(scope, written); });
    if (is_covered) continue;
    report(invalidation.span,
           label_of(out) + " writes " + written.name +
               " but does not invalidate it; "
               "say `invalidates writes`",
           "mutation");
  }
}

WriteScope Elaborator::elaborate_scope(const syntax::WriteScope& in, const Mutation& mutation) {
  WriteScope out;
  out.name = in.name.text;
  const Entity* entity = in.is_dotted ? nullptr : schema_->find_entity(in.name.text);
  const auto family = collections_.find(in.name.text);
  out.is_collection = entity == nullptr;
  for (const syntax::ScopeArgument& argument : in.arguments) {
    const bool is_new = argument.field.is_absent() && argument.head.text == "new";
    if (is_new && find_parameter(mutation, "new") == nullptr) {
      out.is_new = true;
    } else {
      out.arguments.push_back(argument.field.is_absent()
                                  ? argument.head.text
                                  : argument.head.text + "." + argument.field.text);
    }
  }
  if (entity != nullptr) {
    check_entity_scope(in, *entity, mutation);
  } else if (family != collections_.end()) {
    check_collection_scope(in, *family->second.first, *family->second.second, mutation);
  } else {
    Names families;
    for (const auto& [name, collection] : collections_) {
      if (!is_full()) families.push_back(name);
    }
    report(in.name.span,
           label_of(mutation) + " writes `" + in.name.text +
               "`, which is no entity and no "
               "collection" +
               suggest(in.name.text, schema_->entities, families),
           "write-scope");
  }
  return out;
}

// T(new), or T(arg, ..) with an argument for each key field.
void Elaborator::check_entity_scope(const syntax::WriteScope& in, const Entity& entity,
                                    const Mutation& mutation) {
  const bool is_new = in.arguments.size() == 1 && in.arguments.front().field.is_absent() &&
                      in.arguments.front().head.text == "new";
  if (is_new && find_parameter(mutation, "new") == nullptr) return;
  const std::string label = label_of(mutation) + " writes " + entity.name;
  if (in.arguments.size() != entity.key.size() && !entity.key.empty()) {
    report(in.span,
           label + " with " + std::to_string(in.arguments.size()) + " arguments; its key has " +
               std::to_string(entity.key.size()) + " fields",
           "write-scope");
    return;
  }
  for (size_t i = 0; i < in.arguments.size(); ++i) {
    const syntax::ScopeArgument& argument = in.arguments[i];
    const Parameter* parameter =
        argument.field.is_absent() ? find_parameter(mutation, argument.head.text) : nullptr;
    if (parameter == nullptr) {
      report(argument.head.span,
             label + "(" + argument.head.text + "), but has no argument `" + argument.head.text +
                 "`" + suggest(argument.head.text, mutation.parameters),
             "write-scope");
      continue;
    }
    const Field* key_field = find_key_field(entity, i);
    if (key_field == nullptr || same_resolved(key_field->type, parameter->type)) continue;
    const Type& key = key_field->type;
    report(argument.head.span,
           label + "(" + parameter->name + "), but `" + parameter->name + "` is " +
               print_type(parameter->type) + " and the key is " + print_type(key),
           "write-scope");
  }
}

void Elaborator::check_collection_scope(const syntax::WriteScope& in, const Collection& collection,
                                        const Target& target, const Mutation& mutation) {
  if (in.arguments.size() != collection.grouping.size()) {
    std::string grouping;
    for (const std::string& name : collection.grouping)
      grouping += (grouping.empty() ? "" : ", ") + name;
    report(in.span,
           label_of(mutation) + " writes " + collection.name + " with " +
               std::to_string(in.arguments.size()) + " arguments; it is grouped by (" + grouping +
               ")",
           "write-scope");
    return;
  }
  for (size_t i = 0; i < in.arguments.size(); ++i) {
    check_scope_argument(in.arguments[i], collection, i, target, mutation);
  }
}

void Elaborator::check_scope_argument(const syntax::ScopeArgument& in, const Collection& collection,
                                      size_t position, const Target& target,
                                      const Mutation& mutation) {
  const std::string label = label_of(mutation) + " writes " + collection.name;
  const std::string& grouping = collection.grouping[position];
  const Field* grouping_field = find_member_field(target, grouping).field;
  if (in.field.is_absent()) {
    const Parameter* parameter = find_parameter(mutation, in.head.text);
    if (parameter == nullptr) {
      report(in.head.span,
             label + "(" + in.head.text + "), but has no argument `" + in.head.text + "`" +
                 suggest(in.head.text, mutation.parameters),
             "write-scope");
    } else if (grouping_field != nullptr && !collection.link.empty() &&
               !same_resolved(grouping_field->type, parameter->type)) {
      report(in.head.span,
             label + "(" + in.head.text + "), but `" + in.head.text + "` is " +
                 print_type(parameter->type) + " and `" + grouping + "` is " +
                 print_type(grouping_field->type),
             "write-scope");
    }
    return;
  }
  const EntityIndex entity = schema_->entity_index(in.head.text);
  if (std::find(target.members.begin(), target.members.end(), entity) == target.members.end()) {
    report(in.head.span,
           label + " by a field of `" + in.head.text + "`, which is not what it holds" +
               suggest(in.head.text, member_names(target)),
           "write-scope");
    return;
  }
  if (in.field.text == grouping) return;
  const bool is_declared = schema_->entities[entity].find_field(in.field.text) != kNone;
  const bool by_parameters = collection.link.empty();
  if (is_declared && by_parameters) return;  // a parameter has no field; the value says which group
  report(in.field.span,
         label + " at " + in.head.text + "." + in.field.text + ", but it is grouped by `" +
             grouping + "`",
         "write-scope");
}

// --- Errors ---

void Elaborator::elaborate_errors(syntax::Mutation& in, Mutation& out) {
  if (in.errors.empty()) return;
  const syntax::ErrorsClause& errors = in.errors.front();
  out.errors = errors.name.text;
  out.errors_inline = errors.inline_type.has_value();
  const TypeDeclaration* type = schema_->find_type(errors.name.text);
  if (type != nullptr && type->kind == TypeDeclaration::Kind::Data && !type->is_product &&
      type->parameters.empty()) {
    return;
  }
  Names names;
  for (const TypeDeclaration& candidate : schema_->types) {
    const bool is_sum = candidate.kind == TypeDeclaration::Kind::Data && !candidate.is_product;
    if (is_sum && !is_full()) names.push_back(candidate.name);
  }
  report(errors.name.span,
         label_of(out) + ": its errors are a sum type (data " + errors.name.text +
             " open = A | B), and `" + errors.name.text + "` is none" +
             suggest(errors.name.text, names),
         "mutation");
}

// --- Bindings (§11.7) ---

const TypeDeclaration* Elaborator::record_of(const Type& type) const {
  const Type resolved = schema_->resolve(type);
  if (resolved.kind != Type::Kind::Named) return nullptr;
  const TypeDeclaration* declaration = schema_->find_type(resolved.name);
  return declaration != nullptr && declaration->is_product ? declaration : nullptr;
}

void Elaborator::elaborate_binding(const syntax::Mutation& in, Mutation& out) {
  if (in.bindings.empty()) return;
  out.binding = elaborate_one_binding(in.bindings.front(), out);
  const bool is_known = find_verb(in.bindings.front().verb.text).has_value();
  if (is_known) check_binding(in.bindings.front(), *out.binding, out);
}

Binding Elaborator::elaborate_one_binding(const syntax::Binding& in, const Mutation& mutation) {
  Binding out;
  const auto verb = find_verb(in.verb.text);
  out.verb = verb.value_or(Binding::Verb::Put);
  if (!verb) {
    report(in.verb.span,
           label_of(mutation) + " binds to `" + in.verb.text +
               "`; the verbs are PUT, PATCH, "
               "DELETE and POST",
           "binding");
  }
  out.entity = in.entity.text;
  out.last_writer_wins = in.last_writer_wins;
  for (const syntax::Word& argument : in.key_arguments) out.key_arguments.push_back(argument.text);
  if (out.entity != mutation.returns) {
    report(in.entity.span,
           label_of(mutation) + " returns " + mutation.returns + " but binds to /e/" + out.entity,
           "binding");
  }
  return out;
}

void Elaborator::check_binding(const syntax::Binding& in, const Binding& binding,
                               const Mutation& mutation) {
  using Verb = Binding::Verb;
  const std::string label = label_of(mutation) + " as " + std::string(verb_name(binding.verb));
  if ((binding.verb == Verb::Put || binding.verb == Verb::Delete) &&
      mutation.effect != Mutation::Effect::Natural) {
    report(in.span, label + ": whoever repeats it must change nothing, so the effect is `natural`",
           "binding");
  }
  if (binding.last_writer_wins && binding.verb == Verb::Post) {
    report(in.span,
           label + ": a creation overwrites nothing; last-writer-wins does not belong here",
           "binding");
  }
  const Entity* entity = schema_->find_entity(binding.entity);
  if (entity == nullptr) return;
  if (binding.verb == Verb::Post && !in.key_arguments.empty()) {
    report(in.span, label + " creates in a collection: the path is /e/" + binding.entity,
           "binding");
    return;
  }
  if (binding.verb != Verb::Post && in.key_arguments.size() != entity->key.size()) {
    report(in.span,
           label + " names one row: the path is /e/" + binding.entity + "/{argument} with " +
               std::to_string(entity->key.size()) + " arguments",
           "binding");
    return;
  }
  for (size_t i = 0; i < in.key_arguments.size(); ++i) {
    const syntax::Word& name = in.key_arguments[i];
    const Parameter* parameter = find_parameter(mutation, name.text);
    const Field* key = find_key_field(*entity, i);
    if (parameter == nullptr) {
      report(name.span,
             label + ": the path names `" + name.text + "`, which is no argument" +
                 suggest(name.text, mutation.parameters),
             "binding");
    } else if (key != nullptr && !same_resolved(parameter->type, key->type)) {
      report(name.span,
             label + ": the path names `" + name.text + ": " + print_type(parameter->type) +
                 "`, but the key is " + print_type(key->type),
             "binding");
    }
  }
  check_binding_body(in, binding, mutation);
}

// What is not in the path comes in the body: a record (PUT, POST), a patch (PATCH), nothing
// (DELETE).
void Elaborator::check_binding_body(const syntax::Binding& in, const Binding& binding,
                                    const Mutation& mutation) {
  using Verb = Binding::Verb;
  const std::string label = label_of(mutation) + " as " + std::string(verb_name(binding.verb));
  std::vector<const Parameter*> body;
  for (const Parameter& parameter : mutation.parameters) {
    if (std::find(binding.key_arguments.begin(), binding.key_arguments.end(), parameter.name) ==
        binding.key_arguments.end()) {
      body.push_back(&parameter);
    }
  }
  switch (binding.verb) {
    case Verb::Delete:
      if (body.empty()) return;
      report(body.front()->span,
             label + " has no body, so `" + body.front()->name + "` has no place", "binding");
      return;
    case Verb::Put:
    case Verb::Post:
      if (body.size() == 1 && record_of(body.front()->type) != nullptr) return;
      report(in.span, label + " takes one record (data) beside the key as its body", "binding");
      return;
    case Verb::Patch:
      return check_patch_body(in, body, mutation);
  }
}

// One record whose members may all be absent, or the members as arguments themselves.
void Elaborator::check_patch_body(const syntax::Binding& in,
                                  const std::vector<const Parameter*>& body,
                                  const Mutation& mutation) {
  const std::string label = label_of(mutation) + " as PATCH";
  if (body.empty()) {
    report(in.span, label + " takes a record (data) beside the key as its patch", "binding");
    return;
  }
  for (const Parameter* parameter : body) {
    const TypeDeclaration* record = record_of(parameter->type);
    if (record == nullptr) continue;
    if (body.size() > 1) {
      report(parameter->span,
             label + ": the record `" + parameter->name +
                 "` is the whole patch and "
                 "stands alone",
             "binding");
      return;
    }
    for (const DataField& field : record->constructors.front().fields) {
      if (is_optional(field.type)) continue;
      report(parameter->span,
             label + ": a patch may leave out each member, but " + record->name + "." + field.name +
                 " is required",
             "binding");
    }
  }
}

void Elaborator::elaborate_batch(const syntax::Mutation& in, Mutation& out) {
  if (in.batches.empty()) return;
  const syntax::Batch& batch = in.batches.front();
  out.batch.emplace();
  out.batch->all_or_nothing = batch.all_or_nothing;
  out.batch->items_max = batch.items_max.value;
  const std::string label = label_of(out) + " (batch)";
  if (batch.items_max.value == 0) {
    report(batch.items_max.span, label + ": max is at least 1", "batch");
  }
  if (batch.all_or_nothing && out.effect == Mutation::Effect::Workflow) {
    report(batch.span,
           label +
               ": only the start of a workflow is transactional, so its batch is "
               "best-effort",
           "batch");
  }
  if (out.binding && out.binding->verb == Binding::Verb::Put) {
    report(batch.span, label + ": PUT has no batch form", "batch");
    return;
  }
  if (!batch.binding) return;
  out.batch->binding = elaborate_one_binding(*batch.binding, out);
  if (!out.binding) {
    report(batch.binding->span, label + " is bound, but the mutation itself is not: add `as ..`",
           "batch");
  } else if (out.binding->verb != out.batch->binding->verb) {
    report(batch.binding->span,
           label + " binds to " + std::string(verb_name(out.batch->binding->verb)) +
               ", but the mutation to " + std::string(verb_name(out.binding->verb)),
           "batch");
  }
  if (!batch.binding->key_arguments.empty()) {
    report(batch.binding->span,
           label + ": its path is the collection /e/" + out.batch->binding->entity, "batch");
  }
  if (batch.binding->last_writer_wins) {
    report(batch.binding->span, label + ": last-writer-wins belongs to the binding of one row",
           "batch");
  }
}

// No two mutations answer one verb of one path.
void Elaborator::check_shapes() {
  std::map<std::string, const Mutation*> shapes;
  for (const Mutation& mutation : schema_->mutations) {
    if (!mutation.binding) continue;
    const std::string shape =
        std::string(verb_name(mutation.binding->verb)) + " /e/" + mutation.binding->entity;
    const auto [before, is_new] = shapes.emplace(shape, &mutation);
    if (is_new) continue;
    report(mutation.span,
           "mutations " + before->second->name + " and " + mutation.name + " both bind to " + shape,
           "binding");
  }
}

}  // namespace lattice::schema
