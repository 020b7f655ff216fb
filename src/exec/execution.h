// One execution of one slice: its state, and the steps that run over it in this order.
//
//   frame.cc    slots, gates and windows of the request
//   rounds.cc   every round: prepare requests, one load, absorb rows (windows.cc merges types)
//   emit.cc     records into one buffer
//   etag.cc     the validator        keys.cc  the surrogate keys
//
// Everything lives in one arena and a few vectors; an execution belongs to one event loop.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "exec/exec.h"
#include "exec/facts.h"
#include "exec/program.h"

namespace lattice::exec {

enum class Verdict : uint8_t { Closed, Open, AskRow };

// What an edge (on one owner) or a root led to.
struct EdgeResult {
  enum class State : uint8_t {
    Unvisited,
    Hidden,    // a gate said no: nothing is shown
    Absent,    // no link value
    One,       // links[first] is the target
    Dangling,  // looked for and not found; links[first] is what was looked for when count is 1
    Many,      // links[first, first + count)
    Failed,    // the load failed
  };
  State state = State::Unvisited;
  bool has_previous = false, has_next = false;
  bool ties_previous = false, ties_next = false;
  bool overflows = false;
  uint32_t first = 0, count = 0;
  std::optional<uint64_t> total;
};

struct NodeState {
  std::vector<FactIndex> visits;    // what the node reached, each once, in order
  std::vector<EdgeResult> results;  // edges: one a visit of the parent
  EdgeResult root;                  // roots
  bool is_closed = false;           // the caller does not pass: the root is left out
  store::Window window;             // of this request
};

struct ScopedError {
  enum class Scope : uint8_t { Entity, Field, Edge, Root };
  Scope scope = Scope::Root;
  FactIndex fact = kNone;
  std::string_view name;  // of the field, edge or root; borrowed from the plan
  Code code = Code::Internal;
  bool retryable = false;
};

struct DerivedValue {
  uint32_t derived = kNone;
  Value value;
  bool failed = false;
  uint32_t next = kNone;  // of the same fact
};

// What entity versions do not tell (§3.7, §10.2): ["a", "Post.comments:17", hash of an aggregate],
// ["e", "User:9", version], ["m", "Post.comments:17", hash of a membership], ["p", .., of a page's
// ends].
using Witness = std::array<std::string, 3>;

struct Execution {
  Execution(const Program& program, const SliceCode& code, const Bindings& bindings,
            const Caller& caller, store::Snapshot& snapshot, const ExecOptions& options);

  const Program& program;
  const plan::Plan& plan;
  const SliceCode& code;
  const Bindings& bindings;
  const Caller& caller;
  store::Snapshot& snapshot;
  const ExecOptions& options;

  Arena arena;
  std::span<Value> frame;                    // by slot
  std::vector<Verdict> verdicts;             // by gate
  std::vector<std::string_view> keys_bound;  // by bound key: rendered, JSON-quoted, with colon
  FactTable facts;
  std::vector<NodeState> nodes;  // parallel to code.nodes
  std::vector<FactIndex> links;  // members of edges and roots
  std::vector<FactIndex> order;  // facts by first reach
  std::vector<ScopedError> errors;
  std::vector<DerivedValue> derived;
  std::vector<std::pair<FactIndex, std::string>> tombstones;  // with versions
  uint32_t round_count = 0;

  // Dependencies (keys.cc)
  std::vector<std::string_view> collection_keys;  // as they travel; may repeat
  std::vector<std::string> families;              // as they travel
  std::vector<std::string> named_keys;            // refs the caller named that are no fact here
  bool is_unbounded = false;                      // something reads what nobody declared

  std::vector<Witness> witness;

  // Scratch of the round under way.
  std::string scratch, scratch_key;

  void note(FactIndex fact) { facts[fact].is_noted = true; }
  bool passes(GateIndex gate, FactIndex fact) const;
  void report(ScopedError error);
};

// frame.cc
Result<void> bind_frame(Execution& run);
// gates.cc
void decide_gates(Execution& run);
// rounds.cc
Task<Result<void>> run_rounds(Execution& run, const std::vector<std::string>& key);
// entity_fetch.cc: the refs that the caller names (`nodes`, point fetches)
void name_refs(Execution& run, uint32_t node, const std::vector<std::string_view>& refs,
               std::vector<FactIndex>& named);
std::vector<std::string_view> refs_of(const Execution& run, uint32_t node);
Task<Result<void>> find_tombstones(Execution& run, uint32_t node,
                                   const std::vector<FactIndex>& named);
// emit.cc
struct Emitted {
  std::string body;
  size_t etag_at = 0;               // where the manifest's etag goes
  std::vector<FactIndex> entities;  // with a record (entity, unchanged)
  std::vector<FactIndex> elided;
};
Emitted emit_records(Execution& run);
// etag.cc
std::string make_etag(const Execution& run, const Emitted& emitted);
std::string make_entity_etag(const Execution& run, std::string_view version);
// keys.cc
void note_collection(Execution& run, std::string_view tag,
                     const std::vector<GroupingCode>& grouping, FactIndex owner);
// What a hook or a computed field reads, as families; null: nobody declared it.
void note_reads(Execution& run, const std::vector<std::string>* reads);
std::string raw_collection_key(const Execution& run, std::string_view tag,
                               const std::vector<GroupingCode>& grouping, FactIndex owner);
void make_keys(Execution& run, SliceResult& result);
// A value as JSON in its wire form; false when it is no value.
bool append_wire(std::string& out, const Value& value, schema::WireForm form);

}  // namespace lattice::exec
