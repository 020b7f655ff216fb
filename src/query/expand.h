// Expansion and merging of selection sets (spec §5.1 steps 1, 2, 2a).
//
//   { friends(first: 10) { name } ...Names friends { id } }   fragment Names on Character { name }
//     ──Expander──▶ friends{id name} name
//
// A SelectionSet is a tree under construction: adding selections merges them with what is there, so
// the order in which they come does not matter; finish() lists it in canonical order.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "query/document.h"
#include "query/site.h"

namespace lattice::query {

// What a fragment's parameters stand for at one spread; nullopt: left out, which leaves out the
// arguments that name it.
using Bindings = std::map<std::string, std::optional<Value>, std::less<>>;

// Canonical arguments (§5.1 step 1): parameters replaced, `limit` as `first`, strings in NFC, what
// equals its default erased, sorted by name.
std::vector<Argument> normalize_arguments(const std::vector<Argument>& arguments, const Slots& slots,
                                          const Bindings& bindings, const schema::Schema& schema);

// NFC of every string inside; `value` is well-formed UTF-8.
Value normalize_value(Value value);

struct SelectionSet;

struct SelectionNode {
  Selection selection;  // without its children
  std::unique_ptr<SelectionSet> set;
};

struct SelectionSet {
  // Fields, then spreads, then inline fragments; each by name, then by canonical arguments (§5.1 2a).
  using Key = std::tuple<Selection::Kind, std::string, std::string>;
  std::map<Key, SelectionNode> nodes;
  std::set<std::string> expanded;  // local spreads already merged in, by name and arguments

  std::vector<Selection> finish() &&;
};

class Expander {
 public:
  // `document` may be null: then every spread names a schema fragment.
  Expander(const Document* document, const schema::Schema& schema, const QueryLimits& limits,
           Findings& findings)
      : document_(document), schema_(schema), limits_(limits), findings_(findings) {}

  // Merges `selections`, which stand on `site` inside `depth` braces, into `out`. False: a limit has
  // been reported.
  bool add(const std::vector<Selection>& selections, const Site& site, const Bindings& bindings,
           uint32_t depth, SelectionSet& out);
  // The same for the top level of a query.
  bool add_roots(const std::vector<Selection>& selections, SelectionSet& out);

 private:
  bool count(const Selection& selection, const std::vector<Argument>& arguments, uint32_t depth);
  bool add_field(const Selection& selection, const Site& inner, const Slots& slots,
                 const Bindings& bindings, uint32_t depth, SelectionSet& out);
  bool add_element(const Selection& selection, const Site& site, const Bindings& bindings,
                   uint32_t depth, SelectionSet& out);
  bool add_inline(const Selection& selection, const Site& site, const Bindings& bindings,
                  uint32_t depth, SelectionSet& out);
  bool add_spread(const Selection& selection, const Site& site, const Bindings& bindings,
                  uint32_t depth, SelectionSet& out);
  bool add_local_spread(const Selection& selection, const FragmentDefinition& fragment,
                        const Site& site, const Bindings& bindings, uint32_t depth,
                        SelectionSet& out);
  bool add_schema_spread(const Selection& selection, const schema::Fragment& fragment,
                         const Bindings& bindings, uint32_t depth, SelectionSet& out);
  void merge(SelectionNode& node, const Selection& selection);

  const Document* document_;
  const schema::Schema& schema_;
  const QueryLimits& limits_;
  Findings& findings_;
  uint32_t selections_ = 0;  // met so far
  size_t bytes_ = 0;
};

}  // namespace lattice::query
