#include "query/canonicalize.h"

#include "query/expand.h"
#include "query/validate.h"

namespace lattice::query {

namespace {

// What no alternative can fill selects nothing.
void report_empty(const std::vector<Selection>& selections, Findings& findings) {
  for (const Selection& selection : selections) {
    if (selection.has_selections && selection.selections.empty()) {
      findings.report(selection.span,
                      "nothing that is selected below `" + selection.name + "` can occur there",
                      "empty-selection");
    }
    report_empty(selection.selections, findings);
  }
}

// A manifest keys its roots by name (§9.2), so one query can ask each root one question.
void report_repeated_roots(const std::vector<Selection>& roots, Findings& findings) {
  for (size_t i = 1; i < roots.size(); ++i) {
    if (roots[i].name != roots[i - 1].name) continue;
    std::string first;
    std::string second;
    append_arguments(first, roots[i - 1].arguments);
    append_arguments(second, roots[i].arguments);
    findings.report(roots[i].span,
                    "the root `" + roots[i].name + "` is asked twice with different arguments, `" +
                        first + "` and `" + second + "`: write two queries",
                    "repeated-root");
  }
}

// Gives what came from an import the span of its nearest ancestor in the main text.
void localize_spans(std::vector<Selection>& selections, Span parent, uint32_t main_size) {
  for (Selection& selection : selections) {
    if (selection.span.end > main_size) selection.span = parent;
    for (Argument& argument : selection.arguments) {
      if (argument.span.end > main_size) argument.span = selection.span;
      if (argument.value.span.end > main_size) argument.value.span = selection.span;
    }
    localize_spans(selection.selections, selection.span, main_size);
  }
}

// The rules hold for the canonical text as well. What a fragment hid from the first pass shows here: a
// literal that fits its parameter but not the field below, @depth on another type.
void validate_canonical(const Query& query, const Document& document, const schema::Schema& schema,
                        const QueryLimits& limits, Findings& findings) {
  Document canonical;
  canonical.sources = document.sources;
  canonical.query.emplace();
  canonical.query->variables = query.variables;
  canonical.query->selections = query.roots;
  canonical.query->span = document.query->span;
  Findings again(limits.diagnostics_max);
  validate_document(canonical, schema, limits, again);
  findings.add(again.take_errors());
}

}  // namespace

std::string print_query(const std::vector<Variable>& variables,
                        const std::vector<Selection>& roots) {
  std::string out = "query";
  char separator = '(';
  for (const Variable& variable : variables) {
    out += separator;
    separator = ',';
    out += '$';
    out += variable.name;
    out += ':';
    out += variable.type;
    if (variable.optional) out += '?';
    if (!variable.default_value) continue;
    out += '=';
    append_value(out, *variable.default_value);
  }
  if (!variables.empty()) out += ')';
  out += '{';
  out += print_selections(roots);
  out += '}';
  return out;
}

Query canonicalize_document(const Document& document, const schema::Schema& schema,
                            const QueryLimits& limits, Findings& findings) {
  const QueryDefinition& definition = *document.query;
  Query query;
  query.name = definition.name;
  // 1, 2, 2a: expand, erase defaults, merge, sort.
  SelectionSet roots;
  if (!Expander(&document, schema, limits, findings).add_roots(definition.selections, roots)) {
    return query;
  }
  query.roots = std::move(roots).finish();
  query.variables = definition.variables;
  for (Variable& variable : query.variables) {
    if (variable.default_value) variable.default_value = normalize_value(*variable.default_value);
  }
  std::ranges::sort(query.variables, {}, &Variable::name);
  report_empty(query.roots, findings);
  report_repeated_roots(query.roots, findings);
  if (query.roots.size() > limits.roots_max) {
    findings.report(definition.span,
                    "the query has " + std::to_string(query.roots.size()) +
                        " roots, more than maxRoots, " + std::to_string(limits.roots_max),
                    "root-count");
  }
  if (findings.any()) return query;
  validate_canonical(query, document, schema, limits, findings);
  localize_spans(query.roots, definition.span, document.sources.front().size);
  // 3, 4: the name, comments and custom directives are not in the tree; render it.
  query.canonical = print_query(query.variables, query.roots);
  if (query.canonical.size() > limits.canonical_bytes_max) {
    findings.report(definition.span,
                    "the canonical text has " + std::to_string(query.canonical.size()) +
                        " bytes, more than maxCanonicalBytes, " +
                        std::to_string(limits.canonical_bytes_max),
                    "canonical-size");
  }
  query.hash = query_hash(query.canonical);
  return query;
}

}  // namespace lattice::query
