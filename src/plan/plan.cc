#include "plan/plan.h"

#include "plan/budgets.h"
#include "plan/draft.h"
#include "schema/selection.h"

namespace lattice::plan {

const TypePart* Node::type_of(EntityIndex entity) const {
  for (const TypePart& type : types) {
    if (type.entity == entity) return &type;
  }
  return nullptr;
}

const TypeOutputs* Plan::outputs_of(EntityIndex entity) const {
  const auto found = std::lower_bound(
      outputs.begin(), outputs.end(), entity,
      [](const TypeOutputs& type, EntityIndex index) { return type.entity < index; });
  return found != outputs.end() && found->entity == entity ? &*found : nullptr;
}

void Draft::warn(std::string message, std::string rule) {
  if (!warned.insert(message).second) return;
  plan.warnings.push_back({Severity::Warning, std::move(message), {}, {}, std::move(rule)});
}

void Draft::refuse(std::string message, std::string rule) {
  if (!warned.insert(message).second) return;
  plan.unsupported.push_back({Severity::Error, std::move(message), {}, {}, std::move(rule)});
}

namespace {

// A page can be resumed from any of its rows only when the query selects the keyset (§3.2).
void warn_of_missing_keysets(Draft& draft) {
  for (const Node& node : draft.plan.nodes) {
    const schema::Collection* collection = node.access.collection;
    if (collection == nullptr || !collection->paginated) continue;
    for (const schema::OrderColumn& column : collection->keyset) {
      for (const TypePart& type : node.types) {
        const bool is_selected =
            std::any_of(type.parts.begin(), type.parts.end(), [&](const FieldPart& part) {
              const Output& output = draft.plan.outputs_of(type.entity)->outputs[part.output];
              return output.name == column.field;
            });
        const schema::Entity& entity = draft.entity(type.entity);
        if (is_selected || type.parts.empty() || entity.find_field(column.field) == kNone) continue;
        draft.warn("`" + node.path + "` is paginated by `" + column.field +
                       "`, which is not selected on " + entity.name +
                       ": its rows cannot serve as cursors",
                   "keyset-not-selected");
      }
    }
  }
}

// Before anything else looks at the text (§14.1).
Result<void> check_text_size(const Draft& draft) {
  const uint32_t bytes_max = draft.plan.budgets.canonical_bytes_max;
  const size_t bytes = draft.plan.canonical.size();
  if (bytes <= bytes_max) return {};
  return fail(budget_error("maxCanonicalBytes", bytes_max, bytes,
                           "the canonical text has " + std::to_string(bytes) + " bytes, at most " +
                               std::to_string(bytes_max) + " are allowed"));
}

// Everything after the tree is known.
Result<PlanPtr> complete(Draft& draft) {
  assign_slices(draft);
  schedule_rounds(draft);
  compute_projections(draft);
  meet_cache_policies(draft);
  LATTICE_TRY_VOID(check_budgets(draft));
  collect_key_families(draft);
  assign_identity(draft);
  warn_of_missing_keysets(draft);
  return std::make_shared<const Plan>(std::move(draft.plan));
}

}  // namespace

Result<PlanPtr> plan_query(const query::Query& query, schema::SchemaPtr schema,
                           const PlanOptions& options) {
  Draft draft(query, std::move(schema), options);
  draft.plan.canonical = query.canonical;
  draft.plan.query_hash = query.hash;
  LATTICE_TRY_VOID(check_text_size(draft));
  LATTICE_TRY_VOID(resolve_roots(draft, query.roots));
  return complete(draft);
}

Result<PlanPtr> plan_entity_fetch(const std::vector<query::Selection>& selections,
                                  EntityIndex entity, schema::SchemaPtr schema,
                                  const PlanOptions& options) {
  const schema::Entity& declaration = schema->entities.at(entity);
  if (!declaration.fetch) {
    return fail(Code::NotFound,
                "`" + declaration.name + "` has no `fetch by`: it is not fetched by key");
  }
  Draft draft({}, schema, options);
  draft.plan.is_entity_fetch = true;
  draft.plan.canonical = declaration.name + "{" + schema::print_selections(selections) + "}";
  LATTICE_TRY_VOID(check_text_size(draft));
  LATTICE_TRY_VOID(resolve_entity_fetch(draft, entity, selections));
  return complete(draft);
}

}  // namespace lattice::plan
