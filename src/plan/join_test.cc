#include <doctest/doctest.h>

#include "plan/plan.h"

namespace lattice::plan {
namespace {

Level claims(std::vector<std::string> names) {
  return {Level::Kind::Claims, std::move(names)};
}
const Level kPublic;
const Level kPrivate{Level::Kind::Private, {}};

TEST_CASE("levels join as a semilattice (§8.1)") {
  const std::vector<Level> levels = {
      kPublic,          claims({"org"}), claims({"org", "role"}),
      claims({"role"}), kPrivate,        {Level::Kind::Private, {"org"}}};
  for (const Level& a : levels) {
    CHECK(join_levels(a, a) == a);
    CHECK(join_levels(kPublic, a) == a);
    for (const Level& b : levels) {
      CHECK(join_levels(a, b) == join_levels(b, a));
      for (const Level& c : levels) {
        CHECK(join_levels(a, join_levels(b, c)) == join_levels(join_levels(a, b), c));
      }
    }
  }
}

TEST_CASE("claims unite, and a private path keeps those it crossed (decisions, priv.claims)") {
  CHECK(join_levels(claims({"org"}), claims({"role"})) == claims({"org", "role"}));
  const Level joined = join_levels(claims({"org"}), kPrivate);
  CHECK(joined.kind == Level::Kind::Private);
  CHECK(joined.claims == std::vector<std::string>{"org"});
}

TEST_CASE("levels print as the specification writes them") {
  CHECK(print_level(kPublic) == "Public");
  CHECK(print_level(claims({"org", "role"})) == "Claims{org,role}");
  CHECK(print_level(join_levels(claims({"org"}), kPrivate)) == "Private");
}

TEST_CASE("a level picks its slice") {
  CHECK(slice_of(kPublic) == Slice::Pub);
  CHECK(slice_of(claims({"org"})) == Slice::Ctx);
  CHECK(slice_of(join_levels(claims({"org"}), kPrivate)) == Slice::Priv);
}

}  // namespace
}  // namespace lattice::plan
