// Facts: the entities that an execution has met, each once, and how nodes reached them.
//
//   find_or_add(Post, [17]) ──▶ fact 3 {Post, key, row, version, "Post:17"}      reach: node 0,
//   visit 2
//
// Rows and keys are views into the request's arena. References to a Fact hold until the next
// find_or_add. One request, one thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/arena.h"
#include "exec/program.h"

namespace lattice::exec {

using FactIndex = uint32_t;

struct Fact {
  enum class State : uint8_t {
    Named,    // identity only
    Pending,  // asked for in the round under way
    Loaded,
    Missing,  // looked for and not found
    Failed,   // the load that asked for it failed
  };
  uint32_t entity = kNone;  // index in SliceCode::entities
  State state = State::Named;
  bool is_noted = false;      // its surrogate key travels
  bool is_plain = true;       // the ref needs no escape, neither in JSON nor as a key
  bool is_from_scan = false;  // some scan of a declared link found it: that range covers it
  bool is_listed = false;     // a ref to it is written
  bool has_record = false;    // an entity, unchanged, elided or tombstone record is written
  const Value* key = nullptr;
  const Value* values = nullptr;
  std::string_view version;
  std::string_view ref;  // "Post:17", raw
  uint64_t hash = 0;
  uint32_t first_reach = kNone;  // index in FactTable::reaches
  uint32_t last_reach = kNone;
  uint32_t first_derived = kNone;
};

// A node's row: which visit of the node it is decides where the results of its edges stand.
struct Reach {
  uint32_t node = kNone;
  uint32_t visit = 0;
  uint32_t next = kNone;
};

class FactTable {
 public:
  FactTable(const SliceCode& code, Arena& arena);

  // `key` has the entity's key size; it is borrowed for the table's life (copied when
  // `copies_key`).
  FactIndex find_or_add(uint32_t entity, const Value* key, bool copies_key);

  Fact& operator[](FactIndex index) { return facts_[index]; }
  const Fact& operator[](FactIndex index) const { return facts_[index]; }
  size_t size() const { return facts_.size(); }

  // Records that `node` reached the fact, once a node. False when it had already.
  bool reach(FactIndex fact, uint32_t node, uint32_t visit);
  const Reach& reach_at(uint32_t index) const { return reaches_[index]; }

  Value read(FactIndex fact, Source source) const {
    const Fact& f = facts_[fact];
    switch (source.from) {
      case Source::From::Key:
        return f.key[source.index];
      case Source::From::Values:
        return f.values[source.index];
      case Source::From::None:
        break;
    }
    return {};
  }

 private:
  void grow();
  void name(Fact& fact);

  const SliceCode& code_;
  Arena& arena_;
  std::vector<Fact> facts_;
  std::vector<uint32_t> slots_;  // open addressing; kNone: free
  std::vector<Reach> reaches_;
  std::string scratch_;
};

}  // namespace lattice::exec
