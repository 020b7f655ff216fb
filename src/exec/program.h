// What compiling a Program produces: a plan's slices with every name resolved to an index, every
// field to its place in a row, every load to a LoadShape, so that executing only follows indexes.
//
//   Plan ──for each slice──▶ SliceCode { entities, nodes, gates, shapes }
//   Post.title → values[2]        Post.id → key[0]        gate of User.email → row term values[1] =
//   org
//
// Private to src/exec. Immutable after Program::compile; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/exec.h"
#include "exec/scalar.h"
#include "store/order.h"

namespace lattice::exec {

using plan::Slice;
using plan::SlotIndex;
using schema::EntityIndex;
using schema::FieldIndex;
using schema::kNone;
using store::Value;

// Where a field of a loaded row stands.
struct Source {
  enum class From : uint8_t { None, Key, Values } from = From::None;
  uint16_t index = 0;
};

struct GateTerm {
  Source column;  // row terms only
  SlotIndex slot = kNone;
  std::vector<SlotIndex> any_of;
};
// One policy on rows of one entity. What looks at the caller alone is decided once a request.
struct GateCode {
  bool is_denied = false;
  std::vector<GateTerm> caller;
  std::vector<GateTerm> rows;
};
using GateIndex = uint32_t;  // kNone: open

struct OutputCode {
  const plan::Output* output = nullptr;  // borrowed from the plan
  Source source;                         // stored and computed fields
  uint32_t bound_key = kNone;            // index among the keys that are rendered once a request
  uint32_t derived = kNone;              // index in SliceCode::derived
};

struct EntityCode {
  EntityIndex entity = kNone;
  const schema::Entity* declaration = nullptr;  // borrowed from the schema
  std::string ref_prefix;                       // "Post:"
  uint32_t key_size = 0;
  std::vector<ScalarForm> key_forms;
  std::vector<store::ColumnOrder> key_orders;
  std::vector<FieldIndex> fields;  // the projection, ascending, without key fields
  std::vector<store::Computed> computed;
  std::string hidden_owner_column;
  std::vector<OutputCode> outputs;  // parallel to the plan's TypeOutputs
  bool has_bound_keys = false;
};

// One FieldPart that this slice emits or has to pass through.
struct PartCode {
  uint32_t output = kNone;
  GateIndex gate = kNone;
  uint32_t child = kNone;  // node of the slice that the edge leads to
  bool is_emitted = false;
};

struct TargetCode {
  uint32_t entity = kNone;  // index in SliceCode::entities
  GateIndex gate = kNone;   // on the target's row
  bool has_row_gate = false;
  bool emits_membership = false;  // roots: the manifest of this slice lists rows of this type
  bool is_bare = false;           // nothing is selected: only refs
  bool is_wanted = true;          // nodes roots: this slice has to do with the type
  uint32_t shape = kNone;         // the Keys shape
  std::vector<PartCode> parts;    // ascending by output
  std::vector<Source> keyset;     // of the node's collection, for cursors and merging
  // Root scans: one a set of absent optional matches.
  std::vector<uint32_t> scan_shapes;
};

// A grouping value of a surrogate key.
struct GroupingCode {
  Source column;  // of the owner
  SlotIndex slot = kNone;
  bool is_known() const { return column.from != Source::From::None || slot != kNone; }
};

// How a child node is reached from one parent type.
struct EdgeCode {
  uint32_t owner = kNone;  // index in SliceCode::entities
  uint32_t output = kNone;
  GateIndex gate = kNone;  // on the owner's row
  bool is_emitted = false;
  std::vector<Source> link;  // to-one: where the owner holds the target's key, one a key field
  std::string tag;           // to-many: "Post.comments"
  std::vector<GroupingCode> grouping;
  // To-many: one a target and set of absent optional matches, the sets of one target together.
  std::vector<uint32_t> shapes;
  bool is_hidden_link = false;  // the store resolves the join: no member row tells of it
};

struct WindowCode {
  plan::PageArguments page;
  bool paginated = false;
  bool truncates = false;
  bool wants_total = false;
  uint32_t min = 0;
  uint32_t max = 0;
  uint32_t default_size = 0;  // of a page without arguments, and of `around`
  std::string keyset_hash;
  std::vector<ScalarForm> keyset_forms;
  std::vector<bool> descending;
  std::vector<store::ColumnOrder> orders;  // of the keyset's columns
};

struct NodeCode {
  const plan::Node* node = nullptr;  // borrowed from the plan
  uint32_t parent = kNone;           // index in SliceCode::nodes
  std::vector<TargetCode> targets;
  std::vector<uint32_t> target_of;  // by entity of the slice: index in targets
  std::vector<EdgeCode> edges;
  std::vector<uint32_t> edge_of;  // by entity of the slice: index in edges
  WindowCode window;
  uint32_t root_shape = kNone;       // hook roots
  std::vector<SlotIndex> key_slots;  // RootKeys, Principal by key: one a key field
  std::string tag;                   // root scans and parameter-backed hooks: "feed"
  std::vector<GroupingCode> grouping;
  std::vector<SlotIndex> optional_matches;  // scans: match slots that may be absent
  GateIndex gate = kNone;         // of the caller; closed: the root is left out of the manifest
  bool emits_membership = false;  // a root of this slice's manifest
};

struct DerivedCode {
  uint32_t entity = kNone;
  uint32_t output = kNone;
  uint32_t shape = kNone;                  // Aggregate
  const plan::HiddenRead* read = nullptr;  // borrowed from the plan
  std::vector<GroupingCode> grouping;
  ScalarForm form;
};

struct SliceCode {
  Slice slice = Slice::Pub;
  bool is_empty = true;
  std::vector<EntityCode> entities;
  std::vector<uint32_t> entity_of;  // by EntityIndex of the schema
  std::vector<NodeCode> nodes;
  std::vector<std::vector<uint32_t>> rounds;
  std::vector<uint32_t> roots;  // nodes without a parent, by name
  std::vector<GateCode> gates;
  std::deque<store::LoadShape> shapes;
  std::vector<DerivedCode> derived;
  uint32_t bound_key_count = 0;
  uint32_t outputs_max = 0;  // the most outputs of one entity
};

struct Program::Compiled {
  std::array<SliceCode, plan::kSliceCount> slices;
  std::array<SliceCode, plan::kSliceCount> covering;  // point fetches: with the levels below
  Arena arena;                                        // holds what literals become
  std::vector<Value> frame;                           // literals in place, the rest Null
  std::vector<ScalarForm> slot_forms;
  std::vector<uint32_t> slot_variables;  // index of the variable, or kNone
};

// Compiles one slice; `covers` adds the fields of the levels below (point fetches).
Result<void> compile_slice(const plan::Plan& plan, Slice slice, bool covers, SliceCode& code);

// shapes.cc: the load shapes of a slice whose entities' projections are final.
Result<void> make_shapes(const plan::Plan& plan, SliceCode& code);

// The place of `field` in rows of `entity`; a field that was never asked for is a failed check.
Source source_of(const EntityCode& entity, FieldIndex field);

}  // namespace lattice::exec
