#include "query/query.h"

#include "base/blake3.h"
#include "base/check.h"
#include "query/canonicalize.h"
#include "query/expand.h"
#include "query/literal.h"
#include "query/validate.h"

namespace lattice::query {

namespace {

constexpr size_t kHashBytes = 16;

}  // namespace

Result<Query> compile_query(std::string_view text, const schema::Schema& schema,
                            const QueryLimits& limits, const ImportLoader& imports) {
  Findings findings(limits.diagnostics_max);
  const Document document = parse_document(text, limits, imports, findings);
  // The rules assume a document that was read to its end.
  if (findings.any()) return fail(findings.take_error(document.sources));
  validate_document(document, schema, limits, findings);
  if (findings.any()) return fail(findings.take_error(document.sources));
  Query query = canonicalize_document(document, schema, limits, findings);
  if (findings.any()) return fail(findings.take_error(document.sources));
  query.warnings = findings.take_warnings(document.sources);
  return query;
}

std::vector<Selection> expand_fragment(const schema::Fragment& fragment,
                                       const std::vector<Argument>& arguments,
                                       const schema::Schema& schema) {
  Bindings bindings;
  for (const schema::Parameter& parameter : fragment.parameters) {
    std::optional<Value>& value = bindings[parameter.name];
    if (parameter.default_value) value = literal_of(*parameter.default_value, parameter.type, schema);
  }
  for (const Argument& argument : arguments) bindings[argument.name] = argument.value;
  // The schema's own limits hold for its fragments.
  const QueryLimits limits{.nesting_max = UINT32_MAX,
                           .expanded_selections_max = UINT32_MAX,
                           .expanded_bytes_max = SIZE_MAX};
  Findings findings(limits.diagnostics_max);
  const auto site = named_site(fragment.on, schema);
  LATTICE_CHECK(site.has_value(), fragment.name, fragment.on);
  SelectionSet set;
  const bool complete =
      Expander(nullptr, schema, limits, findings).add(fragment.selections, *site, bindings, 1, set);
  LATTICE_CHECK(complete && !findings.any(), fragment.name);
  return std::move(set).finish();
}

std::string query_hash(std::string_view canonical) {
  return blake3_base64url(canonical, kHashBytes);
}

}  // namespace lattice::query
