// The plainest reading of a query: one recursive walk over rows in a JSON data set, without plans,
// rounds or slices' programs. Slow, and meant to be obviously right; planned execution is compared
// with it.
//
//   World{schema, dataset} + Query + variables + caller  ──walk──▶ what pub, ctx and priv must say
//
// It knows: roots by key, list roots by columns, to-one and to-many edges (bounded, paged, of
// abstract targets), policies of every kind, owners, elision. It does not know hooks, computed and
// derived fields, `nodes`, schema fragments: a query with one of these is a failed check.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"
#include "query/query.h"
#include "schema/schema.h"

namespace lattice::testing {

struct World {
  schema::SchemaPtr schema;
  Json dataset;  // {"rows":{Type:{key:{"ver","fields"}}},"links":{edge:{ref:[refs]}}}
  std::map<std::string, std::string> owners;  // Type → the field that holds its owner
};

struct WalkCaller {
  std::optional<Json> claims;
  std::optional<std::string> principal;
};

// What one slice must say.
struct Walked {
  std::map<std::string, std::vector<std::string>> roots;
  std::map<std::string, std::map<std::string, Json>> entities;  // ref → wire key → value
  std::map<std::string, std::string> versions;
  std::set<std::string> elided;
  std::set<std::string> errors;  // "code scope ref field"
};
using WalkedSlices = std::array<Walked, 3>;  // pub, ctx, priv

WalkedSlices walk(const World& world, const query::Query& query,
                  const std::map<std::string, Json>& variables, const WalkCaller& caller);

// The same form from the records of a response.
Walked read_records(std::string_view body);

// One line a fact, sorted; for comparing and for printing what differs.
std::string print_walked(const Walked& walked);

}  // namespace lattice::testing
