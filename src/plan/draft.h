// A plan in the making: what the steps of planning hand on to each other.
//
//   resolve ──▶ nodes, parts, elements, touched ──▶ slices ──▶ rounds ──▶ projections ──▶ ...
//
// Lives in plan_query's stack frame; one thread.
#pragma once

#include <array>
#include <deque>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "plan/plan.h"
#include "plan/slots.h"

namespace lattice::plan {

// Declarations that planning has read: what plan identity covers (§7.3).
struct Touched {
  std::set<EntityIndex> entities;
  std::set<std::string> roots, fragments, interfaces, claims;  // names
};

// One loader call of a derived field at one place of the tree.
struct HiddenLoad {
  uint32_t node = kNone;  // whose rows hold the field
  uint32_t derived = kNone;
  uint32_t read = kNone;
  Slice slice = Slice::Pub;
};

struct Draft {
  Draft(const query::Query& query, schema::SchemaPtr schema, const PlanOptions& options)
      : schema(*schema), options(options), slots(plan, this->schema, query.variables) {
    plan.schema = std::move(schema);
    plan.budgets = options.budgets;
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const schema::Schema& schema;
  const PlanOptions& options;
  Plan plan;
  SlotTable slots;
  Touched touched;
  // By slice: what its membership and its parts have crossed.
  std::array<std::set<std::string>, kSliceCount> claims;
  std::vector<HiddenLoad> hidden_loads;
  std::set<std::string> warned;  // messages that Plan::warnings and ::unsupported hold already

  const schema::Entity& entity(EntityIndex index) const { return schema.entities[index]; }
  // Notes a finding once, without a span: what it speaks of may stand in the query or in the
  // schema.
  void warn(std::string message, std::string rule);
  void refuse(std::string message, std::string rule);  // Plan::unsupported
};

// --- The steps, in order (each in the file of its name) ---

// Builds nodes, outputs, edges, derived parts and elements from the selections of a query or of a
// point fetch. Errors: lattice:compile-rejected when the tree is deeper than maxDepth or larger
// than kPlanNodesMax nodes or kPlanPartsMax parts.
Result<void> resolve_roots(Draft& draft, const std::vector<query::Selection>& roots);
Result<void> resolve_entity_fetch(Draft& draft, EntityIndex entity,
                                  const std::vector<query::Selection>& selections);
void assign_slices(Draft& draft);    // emptiness, claims, roots
void schedule_rounds(Draft& draft);  // nodes of each slice by round; loaders and fan-out
void compute_projections(Draft& draft);
void meet_cache_policies(Draft& draft);
Result<void> check_budgets(Draft& draft);
void collect_key_families(Draft& draft);
void assign_identity(Draft& draft);

}  // namespace lattice::plan
