// Running a plan's rounds against one snapshot, and emitting the records (spec §8.1 emission, §9).
//
//   Plan + Bindings + Snapshot ──rounds──▶ Facts ──emit──▶ NDJSON records, etag, surrogate keys
//
// Nothing here knows HTTP. One execution belongs to one event loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "base/json.h"
#include "base/result.h"
#include "base/task.h"
#include "plan/plan.h"
#include "store/store.h"

namespace lattice::exec {

// The caller, as verified by the origin.
struct Caller {
  std::optional<Json> claims;            // the object; absent without vc
  std::string vc;                        // the payload as presented, for the etag; "" without
  std::optional<std::string> principal;  // subject of a verified credential
};

// Values of the query's variables, canonical, by position in Plan::variables; absent: not given and
// no default.
struct Bindings {
  std::vector<std::optional<Json>> values;
};

// Binds URL parameters (decoded name, value pairs that are variables) to the plan's variables.
// Errors: lattice:bad-request naming a missing or wrong variable, or an unknown parameter;
// lattice:compile-rejected "malformed cursor"; lattice:cursor-retired.
Result<Bindings> bind_variables(const plan::Plan& plan,
                                const std::vector<std::pair<std::string, std::string>>& parameters);
// The same from JSON values (mutation inputs, tests, the command line).
Result<Bindings> bind_json(const plan::Plan& plan, const Json& object);
// `name=value` pairs of the bound variables in URL form, sorted by name, defaults omitted (§6.1).
std::vector<std::pair<std::string, std::string>> print_bindings(const plan::Plan& plan,
                                                                const Bindings& bindings);

// What the client says it holds (§10.4); consulted on priv and one-shot only.
class HaveSet {
 public:
  virtual ~HaveSet() = default;
  virtual bool holds(std::string_view ref, std::string_view version) const = 0;
};

struct ExecOptions {
  bool refs_only = false;  // project=refs (§6.8)
  // A point fetch without `slice`: also the fields of the levels below (decisions, "mask over
  // several levels").
  bool includes_lower_slices = false;
  uint32_t key_bytes_max = 7000;  // of the surrogate keys, separators included; beyond: coarsen
  const HaveSet* have = nullptr;
  bool is_page_section = false;  // no end record: the origin composes a page (§6.5)
};

// A surrogate key, or a family, as it travels (already escaped): "Post:17", "Post.comments:17".
using SurrogateKey = std::string;

struct SliceResult {
  std::string body;  // NDJSON, manifest to end; without end when is_page_section
  std::string etag;  // "m:..." of a query; "ver" or "w:..." of a point fetch
  std::vector<SurrogateKey>
      keys;  // collection keys, then entity keys; without the plan key; unique
  // Keys could not be bounded (over budget even as families, or a hook that declares no reads):
  // no-store for shared caches, not for the memo.
  bool coarsened_to_uncacheable = false;
  bool degraded = false;     // holds an error record
  bool has_witness = false;  // derived values took part
  store::Token token;
  store::Token floor;
  // Point fetches
  enum class Presence : uint8_t { Found, Absent, Tombstone, Hidden } presence = Presence::Found;
  std::string version;  // of the fetched entity
  uint64_t entity_count = 0;
  uint64_t round_count = 0;
};

// A plan made ready to run: load shapes, row offsets and pre-rendered bytes of every slice. Made
// once a plan, kept beside it, immutable, any thread; keeps the plan alive.
class Program {
 public:
  // Errors: lattice:cursor-retired or lattice:compile-rejected for a literal cursor of the query
  // text; lattice:not-supported for a construct that this version does not run, by name.
  static Result<std::shared_ptr<const Program>> compile(plan::PlanPtr plan);
  ~Program();
  const plan::Plan& plan() const { return *plan_; }

  struct Compiled;
  const Compiled& compiled() const { return *compiled_; }

 private:
  explicit Program(plan::PlanPtr plan);
  plan::PlanPtr plan_;
  std::unique_ptr<Compiled> compiled_;
};
using ProgramPtr = std::shared_ptr<const Program>;

// Executes one slice. `key` is the entity key of a point fetch, else empty: one text a key field,
// as in a ref; a text that is no value of its field's type is an absent row. Errors:
// lattice:upstream-unavailable or lattice:internal when nothing useful could be produced.
Task<Result<SliceResult>> execute_slice(const Program& program, plan::Slice slice,
                                        const Bindings& bindings, const Caller& caller,
                                        store::Snapshot& snapshot, const ExecOptions& options = {},
                                        std::vector<std::string> key = {});

// --- Cursors (§3.2) ---

// "cfE5BA" of [("name", asc)].
std::string keyset_hash(const std::vector<schema::OrderColumn>& keyset);
// `values` are the keyset columns in wire form, and the key values after them on a tie.
std::string encode_cursor(const std::vector<schema::OrderColumn>& keyset,
                          const Json::Array& values);
// The values, keyset columns first; `key_columns` more are allowed (0: pinned form only).
// Errors: lattice:compile-rejected "malformed cursor"; lattice:cursor-retired.
Result<Json::Array> decode_cursor(const std::vector<schema::OrderColumn>& keyset,
                                  uint32_t key_columns, std::string_view cursor);

}  // namespace lattice::exec
