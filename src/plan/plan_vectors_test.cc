// The vector files that plans must agree with: slices, projections, identity, budgets (§3.1, §7.3,
// §8.1, §9.2, §14.1).
#include <map>

#include "plan/budgets.h"
#include "plan/identity.h"
#include "plan/plan.h"
#include "tests/support/schemas.h"
#include "tests/support/vectors.h"

namespace lattice::plan {
namespace {

using testing::text_of;
using testing::Verdict;

// Schemas of the vectors, each loaded once.
schema::SchemaPtr schema_named(const std::string& name) {
  static std::map<std::string, schema::SchemaPtr> loaded;
  auto& schema = loaded[name];
  if (!schema) schema = testing::load_good_schema(*testing::vector_schema_text(name));
  return schema;
}

Result<PlanPtr> plan_text(const std::string& text, const schema::SchemaPtr& schema,
                          const PlanOptions& options = {}) {
  query::QueryLimits limits;
  limits.canonical_bytes_max = options.budgets.canonical_bytes_max;
  limits.roots_max = options.budgets.roots_max;
  LATTICE_TRY(const query::Query query, query::compile_query(text, *schema, limits));
  return plan_query(query, schema, options);
}

Verdict expect_slice(const SliceProgram& program, const Json& wanted, std::string_view name) {
  if (program.is_empty != wanted.is_null()) {
    return testing::failed(std::string(name) + (program.is_empty ? " is empty" : " is not empty"));
  }
  if (program.is_empty) return testing::passed();
  const auto print = [](const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& item : names) out += item + " ";
    return out;
  };
  const auto names = [](const Json& list) {
    std::vector<std::string> out;
    for (const Json& item : list.as_array()) out.push_back(item.as_string());
    return out;
  };
  if (program.claims != names(*wanted.find("claims"))) {
    return testing::failed(std::string(name) + " has claims " + print(program.claims));
  }
  if (program.roots != names(*wanted.find("roots"))) {
    return testing::failed(std::string(name) + " has roots " + print(program.roots));
  }
  return testing::passed();
}

TEST_CASE("plan-slices vectors (§8.1, §9.2)") {
  testing::run_vectors("plan-slices.json", [](const Json& c) -> Verdict {
    auto plan = plan_text(text_of(c, "query"), schema_named(text_of(c, "schema")));
    if (!plan) return testing::failed(plan.error().message);
    if ((*plan)->canonical != text_of(c, "canonical")) return testing::failed((*plan)->canonical);
    for (const Slice slice : {Slice::Pub, Slice::Ctx, Slice::Priv}) {
      Verdict verdict = expect_slice((*plan)->slice(slice),
                                     *c.find("slices")->find(slice_name(slice)), slice_name(slice));
      if (verdict.kind == Verdict::Kind::Failed) return verdict;
    }
    return testing::passed();
  });
}

TEST_CASE("plan-projections vectors (§3.1, §20.2)") {
  testing::run_vectors("plan-projections.json", [](const Json& c) -> Verdict {
    auto plan = plan_text(text_of(c, "query"), schema_named(text_of(c, "schema")));
    if (!plan) return testing::failed(plan.error().message);
    return testing::expect_equal(canonical_json(*explain_json(**plan).find("projections")),
                                 canonical_json(*c.find("projections")));
  });
}

TEST_CASE("plan-identity vectors (§7.3)") {
  testing::run_vectors("plan-identity.json", [](const Json& c) -> Verdict {
    auto before_schema = schema::load_schema(text_of(c, "before"));
    auto after_schema = schema::load_schema(text_of(c, "after"));
    if (!before_schema) return testing::failed("before: " + before_schema.error().message);
    if (!after_schema) return testing::failed("after: " + after_schema.error().message);
    auto before = plan_text(text_of(c, "query"), *before_schema);
    auto after = plan_text(text_of(c, "query"), *after_schema);
    if (!before) return testing::failed("before: " + before.error().message);
    if (!after) return testing::failed("after: " + after.error().message);
    if ((*before)->query_hash != (*after)->query_hash) return testing::failed("query hash moved");
    if (const Json* moves = c.find("schemaHashMoves")) {
      if (((*before_schema)->hash != (*after_schema)->hash) != moves->as_bool()) {
        return testing::failed("schema hash: expected the opposite");
      }
    }
    const Json* moves = c.find("moves");
    if (moves->is_string()) return testing::passed();  // "may"
    if (((*before)->plan_id != (*after)->plan_id) == moves->as_bool()) return testing::passed();
    return testing::failed(moves->as_bool() ? "plan id stands" : "plan id moved");
  });
}

Budgets budgets_of(const Json& object) {
  Budgets budgets;
  const std::map<std::string, uint32_t Budgets::*> names = {
      {"maxCanonicalBytes", &Budgets::canonical_bytes_max},
      {"maxDepth", &Budgets::depth_max},
      {"maxRoots", &Budgets::roots_max},
      {"maxRounds", &Budgets::rounds_max},
      {"maxRoundFanout", &Budgets::round_fanout_max},
  };
  for (const auto& [name, value] : object.as_object()) {
    budgets.*names.at(name) = static_cast<uint32_t>(value.as_int64());
  }
  return budgets;
}

TEST_CASE("query-budgets vectors (§14.1)") {
  testing::run_vectors("query-budgets.json", [](const Json& c) -> Verdict {
    PlanOptions options;
    options.budgets = budgets_of(*c.find("budgets"));
    auto plan = plan_text(text_of(c, "query"), schema_named(text_of(c, "schema")), options);
    const bool accepts = text_of(c, "outcome") == "accept";
    if (accepts != plan.has_value()) {
      return testing::failed(plan ? "accepted" : plan.error().message);
    }
    if (accepts) return testing::passed();
    if (plan.error().code != Code::CompileRejected) return testing::failed("another code");
    for (const Json& word : c.find("mentions")->as_array()) {
      if (plan.error().message.find(word.as_string()) == std::string::npos) {
        return testing::failed("no `" + word.as_string() + "` in: " + plan.error().message);
      }
    }
    return testing::passed();
  });
}

TEST_CASE("plan ids of the hash vectors (§5.1)") {
  testing::run_vectors("hashes.json", [](const Json& c) -> Verdict {
    if (text_of(c, "kind") != "plan") return testing::not_mine();
    return testing::expect_equal(plan_id(text_of(c, "input"), text_of(c, "declarations")),
                                 text_of(c, "hash"));
  });
}

}  // namespace
}  // namespace lattice::plan
