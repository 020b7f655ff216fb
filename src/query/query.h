// The query language (spec §4, §5): from what developers write to what origins hash.
//
//   text ──lex──▶ ──parse──▶ Document ──validate──▶ ──canonicalize──▶ Query { canonical, hash, ... }
//
//   query { hero { name friends(first:10) { name } } }
//     → canonical  query{hero{friends{name} name}}      hash  s4V38HBMuqZxudioMVI57Q
//
// A Query is a value: its canonical text is a sentence of the same grammar, and canonicalizing it
// again changes nothing. Immutable after compile_query; any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "schema/schema.h"
#include "schema/selection.h"

namespace lattice::query {

using schema::Argument;
using schema::Directive;
using schema::Selection;
using schema::Value;

struct Variable {
  std::string name;
  std::string type;  // a named type or primitive
  bool optional = false;
  std::optional<Value> default_value;
  Span span;       // of `$name`
  Span type_span;  // of the type with its `?`
};

// A canonical query: one anonymous query, local fragments expanded, sorted and merged; the only
// spreads left name schema fragments.
struct Query {
  std::vector<Variable> variables;  // sorted by name
  std::vector<Selection> roots;     // canonical order
  std::string canonical;
  std::string hash;  // 22 characters
  std::string name;  // what the developer called it; documentation only
  std::vector<Diagnostic> warnings;  // spans in the text that was compiled
};

// Text of an imported document by the path as written; nullopt: not found.
using ImportLoader = std::function<std::optional<std::string>(std::string_view path)>;

struct QueryLimits {
  size_t canonical_bytes_max = 64 * 1024;  // maxCanonicalBytes
  uint32_t roots_max = 8;                  // maxRoots
  uint32_t nesting_max = 64;               // of the text, before anything else looks at it
  size_t document_bytes_max = 1 << 20;          // the text and its imports
  uint32_t imports_max = 64;
  uint32_t variables_max = 200;                 // of the query, or parameters of one fragment
  uint32_t fragments_max = 1000;                // local ones, those of the imports included
  uint32_t spread_depth_max = 64;               // fragments that spread fragments
  uint32_t expanded_selections_max = 10'000;    // selections met while fragments are expanded
  size_t expanded_bytes_max = 4 << 20;          // the same in bytes of names and arguments
  uint32_t diagnostics_max = 50;
};

// Parses, checks every static rule of §4.8, canonicalizes and hashes. Goes on after a finding and
// reports several.
// Errors: lattice:compile-rejected or lattice:fragment-shadow, spans in `text` (or in the import
// named by Diagnostic::source).
Result<Query> compile_query(std::string_view text, const schema::Schema& schema,
                            const QueryLimits& limits = {}, const ImportLoader& imports = {});

// A selection set of fields on one entity, as `f=` masks and schema fragments give it (§6.7):
// canonical, sorted, deduplicated. `mask` is comma-separated ("avatarUrl(size:48),name").
Result<std::vector<Selection>> compile_mask(std::string_view mask, const schema::Entity& entity,
                                            const schema::Schema& schema,
                                            const QueryLimits& limits = {});

// The body of a schema fragment, parsed and canonical (local spreads cannot occur), for planning.
// Arguments of the spread (or defaults) replace the parameters; a parameter bound to a query variable
// stays that variable. The schema has been checked, so this fails only on a bug.
std::vector<Selection> expand_fragment(const schema::Fragment& fragment,
                                       const std::vector<Argument>& arguments,
                                       const schema::Schema& schema);

std::string query_hash(std::string_view canonical);

// Every identifier of the schema plus the language's words: the compression dictionary (§5.2).
std::string build_dictionary(const schema::Schema& schema);
std::string dictionary_hash(std::string_view dictionary);

}  // namespace lattice::query
