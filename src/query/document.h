// A query document as parsed: what the developer wrote, with its imports beside it (spec §4.8).
//   text + imports ──parse_document──▶ Document
// Values, immutable after parsing. Spans are in the common space of findings.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "query/findings.h"
#include "query/query.h"

namespace lattice::query {

struct QueryDefinition {
  std::string name;
  std::vector<Variable> variables;  // in the order written
  std::vector<Directive> directives;
  std::vector<Selection> selections;
  Span span;  // of the word `query`
};

struct FragmentDefinition {
  std::string name;
  std::vector<Variable> parameters;  // in the order written
  std::string on;
  std::vector<Selection> selections;
  Span name_span;
  Span on_span;
};

struct Document {
  std::optional<QueryDefinition> query;
  std::vector<FragmentDefinition> fragments;  // in the order met, the main text's first
  std::map<std::string, uint32_t, std::less<>> fragment_index;  // the first one of each name
  std::vector<Source> sources;                                  // the main text first

  // The first fragment of that name, or null.
  const FragmentDefinition* find_fragment(std::string_view name) const;
};

// Parses `text` and what it imports, depth first, each path once. Findings go to `findings`; the
// document holds what could be read.
Document parse_document(std::string_view text, const QueryLimits& limits,
                        const ImportLoader& imports, Findings& findings);

}  // namespace lattice::query
