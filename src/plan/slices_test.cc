// The partition of random queries against a walk that knows nothing of plans (§8.1).
#include <random>
#include <set>

#include "plan/plan.h"
#include "tests/support/schemas.h"

namespace lattice::plan {
namespace {

// Writes a random query over concrete types and, beside it, what §8.1 says of every element: the
// level is the greatest policy on the path, its claims are all that the path crosses.
class Walk {
 public:
  Walk(const schema::Schema& schema, uint32_t seed) : schema_(schema), random_(seed) {}

  std::string query() {
    std::string text = "query {";
    std::set<std::string> used;
    for (int i = 0; i < 2; ++i) {
      const schema::Root& root = schema_.roots[random_() % schema_.roots.size()];
      if (root.target.is_abstract() || !used.insert(root.name).second) continue;
      const schema::Entity& entity = schema_.entities[root.target.members.front()];
      text += " " + root.name + arguments(root) + " ";
      const Path path = cross({}, root.policy, entity);
      expect(path).roots.insert(root.name);
      select(text, entity, path, 0);
    }
    return text + " }";
  }

  struct Expected {
    bool is_empty = true;
    std::set<std::string> claims, roots;
  };
  std::array<Expected, kSliceCount> slices;

 private:
  struct Path {
    size_t slice = 0;
    std::set<std::string> claims;
  };
  Path cross(Path path, const schema::Policy& policy, const schema::Entity& owner) const {
    path.slice = std::max(path.slice, static_cast<size_t>(policy.level));
    for (const schema::Comparison& comparison : policy.all_of) path.claims.insert(comparison.claim);
    if (policy.level == schema::Policy::Level::Private && owner.owner &&
        !owner.owner->claim.empty()) {
      path.claims.insert(owner.owner->claim);
    }
    return path;
  }
  Expected& expect(const Path& path) {
    Expected& slice = slices[path.slice];
    slice.is_empty = false;
    slice.claims.insert(path.claims.begin(), path.claims.end());
    return slice;
  }
  std::string arguments(const schema::Root& root) const {
    std::string text;
    for (const schema::Parameter& parameter : root.parameters) {
      text += (text.empty() ? "(" : ",") + parameter.name + ": \"" + kUuid + "\"";
    }
    return text.empty() ? text : text + ")";
  }
  void select(std::string& text, const schema::Entity& entity, const Path& path, int depth) {
    text += "{ id ";  // so that no selection is empty; keys have the default policy
    expect(cross(path, entity.fields[entity.find_field("id")].policy, entity));
    for (const schema::Field& field : entity.fields) {
      if (field.name == "id" || random_() % 3 != 0) continue;
      text += field.name + " ";
      expect(cross(path, field.policy, entity));
    }
    for (const schema::Relationship& edge : entity.relationships) {
      if (depth >= 2 || random_() % 2 != 0) continue;
      const schema::Entity& target = schema_.entities[edge.target.members.front()];
      const Path inner = cross(path, edge.policy, target);
      expect(inner);
      text += edge.name + " ";
      select(text, target, inner, depth + 1);
    }
    text += "} ";
  }

  static constexpr const char* kUuid = "00000000-0000-4000-8000-000000000001";
  const schema::Schema& schema_;
  std::mt19937 random_;
};

TEST_CASE("random queries fall into slices as a naive walk says (§8.1)") {
  const char* given = std::getenv("LATTICE_SEED");
  const auto seed = given ? static_cast<uint32_t>(std::atoll(given)) : std::random_device{}();
  MESSAGE("LATTICE_SEED=" << seed);
  int checked_count = 0;
  for (const char* name : {"journal", "doors", "shop"}) {
    const auto schema = testing::load_corpus_schema(name);
    for (uint32_t i = 0; i < 60; ++i) {
      Walk walk(*schema, seed + i);
      const std::string text = walk.query();
      const auto query = query::compile_query(text, *schema);
      REQUIRE_MESSAGE(query.has_value(), text << ": " << query.error().message);
      PlanOptions options;
      options.budgets.round_fanout_max = UINT32_MAX;
      const auto plan = plan_query(*query, schema, options);
      REQUIRE_MESSAGE(plan.has_value(), text << ": " << plan.error().message);
      INFO(text);
      for (size_t slice = 0; slice < kSliceCount; ++slice) {
        const SliceProgram& program = (*plan)->slices[slice];
        const auto& wanted = walk.slices[slice];
        CHECK(program.is_empty == wanted.is_empty);
        CHECK(program.claims ==
              std::vector<std::string>(wanted.claims.begin(), wanted.claims.end()));
        CHECK(program.roots == std::vector<std::string>(wanted.roots.begin(), wanted.roots.end()));
        ++checked_count;
      }
    }
  }
  CHECK(checked_count == 3 * 60 * 3);
}

}  // namespace
}  // namespace lattice::plan
