// Plans: one query compiled against one schema (spec §7.3, §8.1, §14.1, §3.1 projection).
//
//   Query + Schema ──join──▶ levels ──slices──▶ ──rounds──▶ ──projections──▶ ──budgets──▶ ──keys──▶
//     ──identity──▶ Plan
//
//   feed(first:20){ author{ name } title }
//     node 0  root feed      round 0  ctx   Post via feed          scan, keyset rank desc
//     node 1  Post.author    round 1  ctx   User via Post.author   keys
//
// A Plan is plain data, immutable, shared by pointer; any thread. Everything about a request that
// does not depend on its variable values and claims is in it: executing a plan looks up no names.
//
// How a slice is executed: its program lists, round by round, the nodes it must visit. A node finds
// rows (Access) from the rows of its parent; every row of type T passes `TypePart::gate` of T or is
// no member. Each FieldPart of T in the slice is then emitted if its own gate passes on that row.
// An edge is a FieldPart of its owner whose `child` node finds the members. One projection a type
// and slice covers every node, so a row loaded once serves all.
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

// Public < Claims(S) < Private, with the claims crossed on the way kept for Private too, since a
// private path that crosses a claims gate needs both credentials (decisions).
struct Level {
  enum class Kind : uint8_t { Public, Claims, Private } kind = Kind::Public;
  std::vector<std::string> claims;  // sorted, unique; empty at Public
  bool operator==(const Level&) const = default;
};
Level join_levels(const Level& left, const Level& right);
// Of a policy by itself. (A private part of an entity whose owner is a claim crosses that claim
// too; the planner adds it.)
Level level_of(const schema::Policy& policy);
std::string print_level(const Level& level);  // "Public", "Claims{org,role}", "Private"

enum class Slice : uint8_t { Pub, Ctx, Priv };
inline constexpr size_t kSliceCount = 3;
std::string_view slice_name(Slice slice);  // "pub"
Slice slice_of(const Level& level);

// --- Slots: every scalar that a request brings, resolved once into an array ("the frame") ---
//
// slots[i] is variable i for i < variables.size(); claims, principal and literals follow. Equal
// claims and equal literals of one type share a slot.

// Bounds of one plan beyond the published budgets; over them: lattice:compile-rejected.
inline constexpr uint32_t kPlanNodesMax = 2048;
inline constexpr uint32_t kPlanPartsMax = 10'000;  // fields and edges, over all nodes and types

inline constexpr size_t kLabelBytesMax = 64;  // of a field with arguments, in paths and derivations

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
  schema::Type type;  // of the value; options kept. A slot may be absent (Null in the frame). A
                      // literal list (the refs of `nodes`) has the type of one item
};

// --- Gates: the row-level and caller-level conditions of policies (§8.1; dependencies §7) ---

// One conjunct. With `field` or `hidden_column` it is a row condition, else a condition on the
// caller alone. An absent operand makes it false.
struct GateTerm {
  FieldIndex field = kNone;       // of the gated entity; may be a key field
  std::string hidden_column;      // an owner column that the schema does not declare
  SlotIndex claim = kNone;        // Claim or Principal slot
  std::vector<SlotIndex> any_of;  // literals it must be among; empty: equality of claim and column
  bool is_on_row() const { return field != kNone || !hidden_column.empty(); }
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
  std::optional<Json> erased_value;  // a bound value equal to this default is left out of the key,
  bool stays_beside_after = false;  // except when the key also has a bound `after` (rule 6 of §4.8)
  bool is_enum = false;             // a string value (or each item of a list) prints bare
};

// A field or an edge as it appears under "fields". Two occurrences of one wire key on one type
// (through different paths, or as a plain and a fragment selection) share one Output, so that an
// entity is emitted once with the union of its fields. Two outputs of one type may meet in one wire
// key only when a variable is bound to what the other one has as a literal.
struct Output {
  std::string wire_key;  // canonical key with literal arguments, JSON-quoted: "\"title\":"
  // With bound arguments wire_key is empty and the key is `name` + key_arguments, rendered per
  // request; an absent variable leaves its argument out.
  bool has_bound_arguments = false;
  std::string name;
  std::vector<KeyArgument> key_arguments;  // sorted by name; filled only with bound arguments
  bool is_edge = false;
  // A field
  FieldIndex field = kNone;
  schema::WireForm wire_form = schema::WireForm::Text;
  bool is_optional = false;
  bool nonempty_list = false;  // [T]+: an empty array is lattice:integrity, still written
  std::vector<SlotIndex> argument_slots;  // a field with arguments, in declaration order; defaults
                                          // are literal slots, kNone: not given and no default
  uint32_t derived = kNone;               // index in Plan::derived; an on-read field
  bool is_computed() const { return !argument_slots.empty(); }
  // An edge
  uint32_t edge = kNone;  // index in Plan::edges
};

// --- Nodes: the traversal tree ---

// Of a paginated collection; all kNone on a bounded one. None given (or bound): the first
// `Collection::default_page` rows, or, declaring no default, `max`. `around`: a window of that
// size.
struct PageArguments {
  SlotIndex first = kNone, last = kNone, after = kNone, before = kNone, around = kNone;
};

// How a node's rows are found from its parent's. What differs by the parent's concrete type (link,
// collection, tag) stands in the EdgePart of the parent's output.
struct Access {
  enum class Kind : uint8_t {
    Keys,         // to-one edge: EdgePart::link_fields of the parent hold the key
    Scan,         // to-many edge or list root: rows of a collection
    RootKeys,     // `get x(id: ..)`: match_slots are the key of the target, in key order
    RootHook,     // a get or parameter-backed list without stored access path: the store's hook
    Principal,    // `get me of User private`: match_fields (owner field, or the key) equal
                  // match_slots
    Nodes,        // the nodes root: refs in a list (§14.4)
    EntityFetch,  // a point fetch: one key given by the caller (§6.7)
  };
  Kind kind = Kind::Scan;
  // Scan and parameter-backed RootHook: a representative (of the first owner type, for an edge);
  // the keyset, page bounds and count policy are those of all. Borrowed from the schema.
  const schema::Collection* collection = nullptr;
  std::string collection_tag;      // roots: "feed"; edges: see EdgePart::collection_tag
  bool tag_by_owner_type = false;  // an edge of an interface or union
  PageArguments page;
  uint32_t page_size_max = 0;  // rows per group: the literal page, the default, or the cap

  // Scans, RootKeys, Principal. match_fields[i] = match_slots[i], for link, grouping and key fields
  // that the query binds, or that the root's gate equates with a claim or the principal (`feed`
  // visible when caller.org = orgId, no argument); an edge's own link is not among them. A slot
  // that is absent at run time is no condition on a Scan (its variable is optional, the argument
  // was not given), and finds nothing on RootKeys and Principal.
  std::vector<SlotIndex> match_slots;
  std::vector<std::string> match_fields;
  // Root scans and parameter-backed hooks: the values of the tag, in the order of
  // Collection::grouping. kNone or absent: an empty value stands in the tag, and the family
  // (`feed:*`) travels too, because no write emits the empty value.
  std::vector<SlotIndex> grouping_slots;
  std::vector<std::string> grouping_fields;  // their names, parallel
  // Every root with declared parameters, in declaration order, so that a configured hook can
  // replace any access; kNone: not given and no default.
  std::vector<SlotIndex> argument_slots;
  // Nodes: one slot a literal ref, or the one variable that holds the list.
  std::vector<SlotIndex> ref_slots;
};

// What a node selects on one concrete type.
struct FieldPart {
  uint32_t output = kNone;   // index in TypeOutputs::outputs of that type
  Slice slice = Slice::Pub;  // where it is emitted
  Gate gate;              // its own policy (of the field, or of the edge), on the row that holds it
  bool deferred = false;  // @defer: the later phase (§9.5)
  uint32_t child = kNone;  // an edge: the node that it leads to
};
struct TypePart {
  EntityIndex entity = kNone;
  Level level;               // of membership of rows of this type: the node's, except under `nodes`
  Slice slice = Slice::Pub;  // of `level`: where a root lists rows of this type
  Gate gate;  // the root's policy, the type's `fetch by`, or the owner binding of a private
              // root or edge, on the row that was found: it fails, no member
  std::vector<FieldPart> parts;  // canonical order: fields and edges by wire key
};

struct Node {
  uint32_t parent = kNone;  // kNone: a root
  uint32_t root = kNone;    // index of the schema root; kNone for nodes and entity fetches
  std::string name;         // root or edge name
  std::string loader;       // "Post via feed", "User via Post.author": spans and explain
  std::string path;         // "feed.author", "feed.comments(first:3)"; arguments longer than
                            // kLabelBytesMax show as "(..)"
  uint32_t round = 0;
  uint32_t depth = 1;        // levels from the root, which is 1
  Level level;               // of membership: what reaching this node has crossed (nodes: the join)
  Slice slice = Slice::Pub;  // of `level`
  Gate gate;  // roots: the conditions on the caller alone; when it fails, the root is
              // missing from the manifest. Row conditions are in TypePart::gate
  Access access;
  schema::Relationship::Kind kind = schema::Relationship::Kind::Many;  // edges
  bool is_root_list = false;
  // One a target member, by entity index; a member that the query does not list has no parts (refs
  // only). `nodes`: only the listed types that have a `fetch by`.
  std::vector<TypePart> types;
  std::vector<EntityIndex> targets;  // all concrete members of the target, ascending
  bool is_abstract = false;
  bool deferred = false;    // reached through a @defer: loaded in the later phase
  uint32_t fanout_max = 0;  // bound of the rows that it finds (§14.1)

  const TypePart* type_of(EntityIndex entity) const;
};

// An edge on one concrete owner type: what its outputs refer to.
struct EdgePart {
  EntityIndex owner = kNone;
  schema::EdgeIndex relationship = kNone;
  // To-one: the fields of the owner that hold the target's key, in the target's key order. Several
  // possible targets: a value of type EntityRef names its type, any other is looked up in each
  // target in turn, the first row found counts.
  std::vector<FieldIndex> link_fields;
  // To-many. Members: rows of the target whose link equals the owner's (first) key field.
  const schema::Collection* collection = nullptr;  // of this owner; borrowed from the schema
  std::string collection_tag;                      // "Droid.friends", or the `as` name
  // Values of the tag, in the order of Collection::grouping: the owner's key (the link), an
  // argument, an owner field of the same name (the schema's promise that members agree with their
  // owner), or nothing: an empty value, and the family travels too.
  struct GroupingSource {
    enum class Kind : uint8_t { OwnerKey, OwnerField, Argument, Unknown } kind = Kind::OwnerKey;
    FieldIndex field = kNone;  // OwnerField; may be a key field
    SlotIndex slot = kNone;    // Argument, `comments(orgId: $org)`; absent: as Unknown
  };
  std::vector<GroupingSource> grouping;
};

// A derived field's hidden reads (§3.7), on-read fields only: each is one loader call in the round
// after the rows that hold the field.
struct HiddenRead {
  enum class Kind : uint8_t { Edge, Aggregate } kind = Kind::Edge;
  std::string loader;  // "Author via Post.author (authorLine)"
  EdgePart edge;       // the edge followed, or the collection counted
  std::vector<EntityIndex> targets;
  // Edge: what the fragment selects of each target, parallel to `targets`.
  std::vector<std::vector<FieldIndex>> target_fields;
  schema::Dependency::Function function = schema::Dependency::Function::Count;
  std::string aggregate_field;  // of the members; empty for Count
};
struct DerivedPart {
  EntityIndex entity = kNone;
  FieldIndex field = kNone;
  std::vector<FieldIndex> own_fields;  // stored fields of the entity, in declaration order of `own`
  std::vector<HiddenRead> reads;       // declaration order, without the own fields
};

// Per concrete type: its outputs, each once.
struct TypeOutputs {
  EntityIndex entity = kNone;
  std::vector<Output> outputs;
};

// What one slice reads of one type: stored fields in ascending index order. Key fields are never
// listed: every load delivers the key and the version. `whole_rows`: a computed field may look at
// anything ("*" in explain).
struct Projection {
  EntityIndex entity = kNone;
  std::vector<FieldIndex> fields;
  std::vector<uint32_t> computed_outputs;  // outputs with arguments that the store computes
  std::string hidden_owner_column;         // an owner column that gates of this type compare
  bool whole_rows = false;
};

// The tightest cache policy over everything that a slice touches (§10.9). Without a declared clause
// it is the default: nothing set.
struct CacheMeet {
  schema::CachePolicy::Storability store = schema::CachePolicy::Storability::Shared;
  std::optional<int64_t> baseline_seconds;  // of root or schema: replaces the slice's default
  std::optional<int64_t> cap_seconds;       // of entities, fields, edges: lowers whatever holds
  bool revalidate = false;
  bool immutable = false;  // everything touched is
  bool no_tenure = false;
};

// What one slice needs done: nodes in execution order with what they read.
struct SliceProgram {
  bool is_empty = true;
  std::vector<std::string> claims;            // sorted
  std::vector<std::string> roots;             // root names, sorted (membership of this slice)
  std::vector<std::vector<uint32_t>> rounds;  // nodes by round; only nodes this slice must visit
  std::vector<Projection> projections;        // one a type, by entity index
  CacheMeet cache;
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
struct BudgetUse {
  uint32_t roots = 0, depth = 0, rounds = 0, round_fanout = 0;
};

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
  std::string type;  // set inside an inline fragment
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
  std::vector<Node> nodes;           // parents before children
  std::vector<TypeOutputs> outputs;  // by entity index, only touched types
  std::vector<EdgePart> edges;
  std::vector<DerivedPart> derived;
  std::array<SliceProgram, kSliceCount> slices;

  std::vector<Element> elements;
  std::vector<KeyFamily> key_families;
  // The loaders of each round with their fan-out bound, hidden reads included (§20.2).
  struct Loader {
    std::string name;
    uint32_t fanout_max = 0;
    uint32_t node = kNone;                           // kNone: a hidden read
    const schema::Collection* collection = nullptr;  // scans and aggregates; borrowed
    std::string collection_tag;
  };
  std::vector<std::vector<Loader>> loaders;
  Budgets budgets;
  BudgetUse used;
  // With a variable list of refs: the longest that keeps every round within maxRoundFanout; checked
  // when variables are bound (§14.4). `used` counts one ref.
  uint32_t nodes_refs_max = 0;
  bool no_tenure = false;
  std::vector<Diagnostic> warnings;  // keysets not selected, private parts without an owner, ...
  // What the executor must refuse, one diagnostic a feature by name; empty: it runs. The plan
  // document and explain are complete all the same.
  std::vector<Diagnostic> unsupported;

  const SliceProgram& slice(Slice slice) const { return slices[static_cast<size_t>(slice)]; }
  const TypeOutputs* outputs_of(EntityIndex entity) const;  // nullptr: not touched
};
using PlanPtr = std::shared_ptr<const Plan>;

// Owner bindings of the deployment (decisions, "owner binding"): by entity name, a schema field or
// a storage column that the schema does not declare.
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
// Errors: lattice:compile-rejected, naming the budget ("maxDepth") or the construct, with the limit
// and the use. What this version cannot execute is listed in Plan::unsupported.
Result<PlanPtr> plan_query(const query::Query& query, schema::SchemaPtr schema,
                           const PlanOptions& options = {});

// The degenerate query of a point fetch (§6.7): `selections` is canonical on `entity`;
// Plan::canonical is `Type{mask}`. An edge without a selection set gives its refs. Errors: as
// above; lattice:not-found when the entity has no `fetch by`.
Result<PlanPtr> plan_entity_fetch(const std::vector<query::Selection>& selections,
                                  EntityIndex entity, schema::SchemaPtr schema,
                                  const PlanOptions& options = {});

// The single record of slice=plan (§9.2), one line without newline.
std::string print_plan_document(const Plan& plan);
// explain as data (§20.2), and as text for a person.
Json explain_json(const Plan& plan);
std::string explain_text(const Plan& plan);
// The tree as it is executed, round by round: how each node finds its rows, what it emits of each
// type in which slice, and under which gates.
std::string print_rounds(const Plan& plan);
// Surrogate key families with what produces each, one a line.
std::string print_keys(const Plan& plan);

}  // namespace lattice::plan
