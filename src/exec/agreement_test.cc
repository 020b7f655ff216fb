// Planned execution against the naive walker, and the sentence that everything cached rests on:
// what could change a response's facts emits a key that the response carries.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support/exec_fixture.h"
#include "tests/support/random_world.h"

namespace lattice::exec {

using plan::Slice;
using testing::ExecFixture;
using testing::RandomWorld;
using testing::RunOptions;

namespace {

constexpr std::array<Slice, 3> kSlices = {Slice::Pub, Slice::Ctx, Slice::Priv};

uint64_t first_seed() {
  const char* given = std::getenv("LATTICE_SEED");
  return given ? std::strtoull(given, nullptr, 10) : 1;
}

struct Case {
  std::string query;
  Json variables;
  RunOptions how;
  std::array<SliceResult, 3> results;
};

class Agreement {
 public:
  explicit Agreement(uint64_t seed) : seed_(seed), random_(seed) {
    auto schema = schema::load_schema(random_.idl());
    std::string why = schema ? "" : schema.error().message;
    for (size_t i = 0; !schema && i < schema.error().diagnostics.size(); ++i) {
      why += "\n" + schema.error().diagnostics[i].message;
    }
    REQUIRE_MESSAGE(schema.has_value(), "seed " << seed << ": " << why << "\n" << random_.idl());
    world_.schema = *schema;
    world_.dataset = random_.dataset();
    plan::PlanOptions options;
    for (const std::string& entity : random_.entities()) {
      world_.owners[entity] = "owner";
      options.owners.push_back({entity, "owner", {}});
    }
    fixture_ = std::make_unique<ExecFixture>(*schema, world_.dataset, options);
  }

  void run() {
    for (int i = 0; i < 6; ++i) add_case();
    for (int i = 0; i < 8; ++i) write_and_check();
  }

  size_t compared = 0, refused = 0, changed = 0;

 private:
  void add_case() {
    Case made;
    made.query = random_.query(*world_.schema, world_.dataset, made.variables);
    auto query = query::compile_query(made.query, *world_.schema);
    if (!query) {
      ++refused;
      refusal = made.query + ": " + query.error().message;
      return;
    }
    made.how.variables = made.variables;
    made.how.claims = Json::object({{"org", random_.chance(70) ? "o1" : "o2"},
                                    {"role", random_.chance(60) ? "Boss" : "Reader"}});
    if (random_.chance(80)) made.how.principal = random_.chance(60) ? "p1" : "p2";
    if (random_.chance(30))
      made.how.exec.key_bytes_max = static_cast<uint32_t>(40 + random_.below(300));
    compare(made);
    cases_.push_back(std::move(made));
  }

  void compare(Case& made) {
    auto query = query::compile_query(made.query, *world_.schema);
    std::map<std::string, Json> variables;
    for (const auto& [name, value] : made.variables.as_object()) variables[name] = value;
    auto wanted = testing::walk(world_, *query, variables, {made.how.claims, made.how.principal});
    for (size_t s = 0; s < kSlices.size(); ++s) {
      made.results[s] = fixture_->run(made.query, kSlices[s], made.how);
      std::string got = testing::print_walked(testing::read_records(made.results[s].body));
      std::string want = testing::print_walked(wanted[s]);
      ++compared;
      REQUIRE_MESSAGE(got == want, "seed "
                                       << seed_ << " slice " << plan::slice_name(kSlices[s]) << "\n"
                                       << made.query << " " << to_json(made.variables) << " claims "
                                       << to_json(*made.how.claims) << " principal "
                                       << made.how.principal.value_or("-") << "\n"
                                       << random_.idl() << to_json(world_.dataset) << "\n--- got\n"
                                       << got << "--- wanted\n"
                                       << want);
    }
  }

  void write_and_check() {
    store::Token before = fixture_->store->token();
    std::string ref = random_.write(world_.dataset);
    size_t colon = ref.find(':');
    const Json* row =
        world_.dataset.find("rows")->find(ref.substr(0, colon))->find(ref.substr(colon + 1));
    if (row == nullptr) {
      REQUIRE(fixture_->store->remove(ref).has_value());
    } else {
      Json fields = *row->find("fields");
      fields.set("id", ref.substr(colon + 1));
      REQUIRE(fixture_->store->put(ref.substr(0, colon), fields, row->find("ver")->as_string())
                  .has_value());
    }
    std::vector<std::string> emitted = fixture_->store->invalidated_since(before);
    for (Case& made : cases_) {
      auto old = std::move(made.results);
      compare(made);
      for (size_t s = 0; s < kSlices.size(); ++s)
        check_dependency(ref, made, old[s], made.results[s], emitted);
    }
  }

  void check_dependency(const std::string& ref, const Case& made, const SliceResult& old,
                        const SliceResult& now, const std::vector<std::string>& emitted) {
    std::string old_facts = testing::print_walked(testing::read_records(old.body));
    std::string new_facts = testing::print_walked(testing::read_records(now.body));
    if (old_facts == new_facts) return;
    ++changed;
    bool carried = old.coarsened_to_uncacheable;
    for (const std::string& key : emitted) carried |= testing::has_key(old, key);
    std::string keys;
    for (const std::string& key : old.keys) keys += key + " ";
    std::string out;
    for (const std::string& key : emitted) out += key + " ";
    CHECK_MESSAGE(carried, "seed " << seed_ << " write of " << ref << "\n"
                                   << made.query << "\ncarried " << keys << "\nemitted " << out
                                   << "\n--- before\n"
                                   << old_facts << "--- after\n"
                                   << new_facts);
    CHECK_MESSAGE(old.etag != now.etag, "seed " << seed_ << " write of " << ref << "\n"
                                                << made.query << "\n--- before\n"
                                                << old_facts << "--- after\n"
                                                << new_facts);
  }

 public:
  std::string refusal;

 private:
  uint64_t seed_;
  RandomWorld random_;
  testing::World world_;
  std::unique_ptr<ExecFixture> fixture_;
  std::vector<Case> cases_;
};

}  // namespace

TEST_CASE("agreement: planned execution says what the naive walk says, before and after writes") {
  const char* rounds = std::getenv("LATTICE_ROUNDS");
  uint64_t count = rounds ? std::strtoull(rounds, nullptr, 10) : 12;
  uint64_t seed = first_seed();
  size_t compared = 0, refused = 0, changed = 0;
  std::string refusal;
  for (uint64_t i = 0; i < count; ++i) {
    Agreement agreement(seed + i);
    agreement.run();
    compared += agreement.compared;
    refused += agreement.refused;
    changed += agreement.changed;
    if (!agreement.refusal.empty()) refusal = agreement.refusal;
  }
  MESSAGE("seeds " << seed << ".." << seed + count - 1 << ": " << compared
                   << " responses compared, " << changed << " changed by a write, " << refused
                   << " queries refused; last: " << refusal);
  CHECK(compared > count * 30);
  CHECK(changed > count);
}

}  // namespace lattice::exec
