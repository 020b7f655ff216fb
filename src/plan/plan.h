// Plans: one query compiled against one schema (spec §7.3, §8.1, §14.1, §3.1 projection).
//
//   Query + Schema ──join──▶ levels ──slices──▶ ──rounds──▶ ──projections──▶ ──budgets──▶ ──keys──▶
//     ──identity──▶ Plan
//
//   feed(first:20){ author{ name } title }
//     node 0  root feed      round 0  ctx   Post via feed          scan, keyset rank desc
//     node 1  Post.author    round 1  ctx   User via Post.author   keys
//
// A Plan is plain data, immutable, shared by pointer; any thread. Everything about a request that does
// not depend on its variable values and claims is in it: executing a plan looks up no names.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "query/query.h"
#include "schema/schema.h"

namespace lattice::plan {

using schema::EntityIndex;
using schema::FieldIndex;
using schema::kNone;

// Public < Claims(S) < Private, with the claims crossed on the way kept for Private too, since a private
// path that crosses a claims gate needs both credentials (decisions).
struct Level {
  enum class Kind : uint8_t { Public, Claims, Private } kind = Kind::Public;
  std::vector<std::string> claims;  // sorted, unique
  bool operator==(const Level&) const = default;
};
Level join_levels(const Level& left, const Level& right);
Level level_of(const schema::Policy& policy);
std::string print_level(const Level& level);  // "Public", "Claims{org,role}", "Private"

enum class Slice : uint8_t { Pub, Ctx, Priv };
inline constexpr size_t kSliceCount = 3;
std::string_view slice_name(Slice slice);  // "pub"
Slice slice_of(const Level& level);

// --- Slots: every scalar that a request brings, resolved once into an array ("the frame") ---

using SlotIndex = uint32_t;
struct Slot {
  enum class Kind : uint8_t {
    Literal,    // `literal`, from the query text or a schema default
    Variable,   // the query variable `name`
    Claim,      // the claim `name` of the caller
    Principal,  // the subject of the verified credential
  };
  Kind kind = Kind::Literal;
  std::string name;
  Json literal;
  schema::Type type;  // of the value; options kept. A slot may be absent (Null in the frame)
};

// --- Gates: the row-level and caller-level conditions of policies (§8.1; dependencies §7) ---

// One conjunct. With `field` or `hidden_column` it is a row condition, else a condition on the caller
// alone. An absent operand makes it false.
struct GateTerm {
  FieldIndex field = kNone;   // of the gated entity
  std::string hidden_column;  // an owner column that the schema does not declare
  SlotIndex claim = kNone;    // Claim or Principal slot
  std::vector<SlotIndex> any_of;  // literals it must be among; empty: equality of claim and column
};
struct Gate {
  bool denied = false;  // `private` without an owner binding: nobody passes (decisions)
  std::vector<GateTerm> all_of;
  bool is_open() const { return !denied && all_of.empty(); }
};

// --- Output: what an entity record says ---

// One argument of an output's wire key whose value is known only when variables are bound.
struct KeyArgument {
  std::string name;
  query::Value value;                // literal or variable
  SlotIndex slot = kNone;            // of a variable
  std::optional<Json> erased_value;  // a bound value equal to this default is left out of the key
  bool is_enum = false;              // a string value prints bare
};

// A field or an edge as it appears under "fields". Two occurrences of one wire key on one type (through
// different paths, or as a plain and a fragment selection) share one Output, so that an entity is
// emitted once with the union of its fields.
struct Output {
  std::string wire_key;              // canonical key with literal arguments, JSON-quoted: "\"title\":"
  bool has_bound_arguments = false;  // then the key is `name` + key_arguments, rendered per request
  std::string name;
  std::vector<KeyArgument> key_arguments;
  bool is_edge = false;
  // A field
  FieldIndex field = kNone;
  schema::WireForm wire_form = schema::WireForm::Text;
  bool is_optional = false;
  bool nonempty_list = false;            // [T]+: an empty array is lattice:integrity, still written
  std::vector<SlotIndex> argument_slots; // a field with arguments, in declaration order
  uint32_t derived = kNone;              // index in Plan::derived
  // An edge
  uint32_t edge = kNone;  // index in Plan::edges
};

// --- Nodes: the traversal tree ---

struct PageArguments {
  SlotIndex first = kNone, last = kNone, after = kNone, before = kNone, around = kNone;
};

// How a node's rows are found from its parent's.
struct Access {
  enum class Kind : uint8_t {
    Keys,        // to-one: the link field of the parent holds the key
    Scan,        // to-many or list root: rows of a collection
    RootKeys,    // `get x(id: ..)`: the key of the target from arguments
    RootHook,    // a get or parameter-backed list without stored access path: the store's hook
    Principal,   // `get me of User private`: the key bound to the principal by owner binding
    Nodes,       // the nodes root: refs in a list (§14.4)
    EntityFetch, // a point fetch: one key given by the caller (§6.7)
  };
  Kind kind = Kind::Scan;
  // Keys: the link of the parent type's own relationship (Plan::edges) holds the target's key.
  // Scan by edge: the target's link equals the parent's key (first key field).
  // Scan by root: the arguments that bind link and grouping.
  const schema::Collection* collection = nullptr;  // borrowed from the schema; Scan
  std::string collection_tag;  // "Post.comments"; for interface edges the owner type replaces the prefix
  bool tag_by_owner_type = false;
  PageArguments page;
  uint32_t page_size_max = 0;    // of the literal, else the cap: the fan-out bound
  std::vector<SlotIndex> match_slots;         // roots: values for match_fields, in order
  std::vector<std::string> match_fields;      // target fields equated with match_slots (link, grouping)
  std::vector<SlotIndex> grouping_slots;      // roots: grouping values of the tag, in order; kNone: ""
  std::vector<std::string> grouping_fields;   // edges: fields of the *owner or link* giving the tag:
                                              // "" stands for the owner's key (the link), else an
                                              // owner field of that name
  std::vector<SlotIndex> argument_slots;      // hook roots: every declared parameter in order
  std::vector<SlotIndex> ref_slots;           // Nodes: literal refs, or one variable holding a list
};

// What a node selects on one concrete type.
struct FieldPart {
  uint32_t output = kNone;  // index in TypeOutputs::outputs of that type
  Slice slice = Slice::Pub; // where it is emitted
  Gate gate;                // its own policy, on the row of this type: a field's at emission, an edge's
                            // before its target is loaded
  bool deferred = false;    // @defer: the later phase (§9.5)
  uint32_t child = kNone;   // an edge: the node that it leads to
};
struct TypePart {
  EntityIndex entity = kNone;
  std::vector<FieldPart> parts;  // canonical order; empty: rows of this type are bare refs
  // What a row of this type must pass to be a member: the policy of a root, `fetch by`, the owner
  // binding of a private root or edge. (An edge's own policy looks at the parent's row: FieldPart.)
  Gate gate;
  // The nodes root alone, where every type enters through its own `fetch by` (§14.4); a type without
  // one has no TypePart.
  Slice slice = Slice::Pub;  // where the membership of this type is emitted
};

struct Node {
  uint32_t parent = kNone;  // kNone: a root
  uint32_t root = kNone;    // index of the schema root; kNone for nodes and entity fetches
  std::string name;         // root or edge name
  std::string loader;       // "Post via feed", "User via Post.author": spans and explain
  std::string path;         // "feed.author"
  uint32_t round = 0;
  Level level;              // of membership: what reaching this node has crossed
  Slice slice = Slice::Pub; // of `level`
  Access access;
  schema::Relationship::Kind kind = schema::Relationship::Kind::Many;
  bool is_root_list = false;
  std::vector<TypePart> types;  // by entity index; a target member that is not selected has no parts
  std::vector<EntityIndex> targets;  // all concrete members of the target
  bool is_abstract = false;
  bool deferred = false;  // reached through a @defer: loaded in the later phase
};

// An edge's static facts that its outputs refer to.
struct EdgePart {
  EntityIndex owner = kNone;
  schema::EdgeIndex relationship = kNone;
};

// A derived field's hidden reads (§3.7).
struct DerivedPart {
  EntityIndex entity = kNone;
  FieldIndex field = kNone;
};

// Per concrete type: its outputs, each once.
struct TypeOutputs {
  EntityIndex entity = kNone;
  std::vector<Output> outputs;
};

// What one slice (and phase) reads of one type: stored fields in ascending index order, plus the key
// and the version, which every load delivers. `whole_rows`: a computed field forces "*".
struct Projection {
  EntityIndex entity = kNone;
  std::vector<FieldIndex> fields;
  std::vector<uint32_t> computed_outputs;  // outputs with arguments that the store computes
  bool whole_rows = false;
};

// What one slice needs done: nodes in execution order with what they read.
struct SliceProgram {
  bool is_empty = true;
  std::vector<std::string> claims;  // sorted
  std::vector<std::string> roots;   // root names, sorted (membership of this slice)
  std::vector<std::vector<uint32_t>> rounds;  // nodes by round; only nodes this slice must visit
  std::vector<Projection> projections;        // one a type, by entity index
};

struct Budgets {
  uint32_t canonical_bytes_max = 65536;
  uint32_t depth_max = 12;
  uint32_t roots_max = 8;
  uint32_t rounds_max = 8;
  uint32_t round_fanout_max = 10'000;
  uint32_t surrogate_keys_max = 256;
  uint32_t batch_items_max = 500;
  uint32_t page_default_max = 100;
  uint32_t coalesce_window_ms = 5;
  uint32_t value_bytes_max = 1 << 20;
};
struct BudgetUse { uint32_t roots = 0, depth = 0, rounds = 0, round_fanout = 0; };

struct KeyFamily {  // a surrogate key family of the plan and what produces it (§20.2)
  std::string collection;
  std::vector<std::string> grouping;
  std::string producer;  // "feed@root", "Post.comments"
};

// The join derivation of one element: the answer to "why is this not public" (§20.2).
struct Element {
  std::string path;
  std::string derivation;  // "feed@root:Claims{org} ⊔ title:Public = Claims{org}"
  Slice slice = Slice::Pub;
  std::string type;        // set inside an inline fragment
};

struct Plan {
  schema::SchemaPtr schema;  // keeps the borrowed declarations alive
  std::string canonical;
  std::string query_hash;  // "" for a point fetch
  std::string plan_id;     // "pl_" + 16
  bool is_entity_fetch = false;

  std::vector<query::Variable> variables;
  std::vector<schema::Type> variable_types;  // parallel
  std::vector<Slot> slots;
  std::vector<Node> nodes;  // parents before children
  std::vector<TypeOutputs> outputs;   // by entity index, only touched types
  std::vector<EdgePart> edges;
  std::vector<DerivedPart> derived;
  std::array<SliceProgram, kSliceCount> slices;

  std::vector<Element> elements;
  std::vector<KeyFamily> key_families;
  std::vector<std::vector<uint32_t>> round_fanout;  // [round] → fan-out bound of each loader
  Budgets budgets;
  BudgetUse used;
  bool no_tenure = false;
  std::vector<Diagnostic> warnings;  // keysets not selected, keyset not unique, ...

  const SliceProgram& slice(Slice slice) const { return slices[static_cast<size_t>(slice)]; }
  const TypeOutputs* outputs_of(EntityIndex entity) const;
};
using PlanPtr = std::shared_ptr<const Plan>;

// Owner bindings of the deployment (decisions, "owner binding"): by entity name, a schema field or a
// storage column that the schema does not declare.
struct OwnerColumn {
  std::string entity;
  std::string field;          // declared field, or
  std::string hidden_column;  // storage column
};
struct PlanOptions {
  Budgets budgets;
  std::vector<OwnerColumn> owners;
};

// Plans a canonical query. `schema` is shared by the plan.
// Errors: lattice:compile-rejected, naming the budget ("maxDepth") or the construct, with the limit and
// the use; lattice:not-supported for what this version refuses, by name.
Result<PlanPtr> plan_query(const query::Query& query, schema::SchemaPtr schema,
                           const PlanOptions& options = {});

// The degenerate query of a point fetch (§6.7): `selections` is canonical on `entity`.
Result<PlanPtr> plan_entity_fetch(const std::vector<query::Selection>& selections,
                                  EntityIndex entity, schema::SchemaPtr schema,
                                  const PlanOptions& options = {});

// The single record of slice=plan (§9.2), one line without newline.
std::string print_plan_document(const Plan& plan);
// explain as data (§20.2), and as text for a person.
Json explain_json(const Plan& plan);
std::string explain_text(const Plan& plan);

}  // namespace lattice::plan
