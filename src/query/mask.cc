// Masks of point fetches (spec §6.7): fields of one entity, canonical like any selection.
#include "base/diagnostic.h"
#include "base/utf8.h"
#include "query/expand.h"
#include "query/validator.h"
#include "schema/selection_parser.h"

namespace lattice::query {

namespace {

// What a selection may hold and a mask may not.
void check_mask_item(const Selection& item, const Site& site, Findings& findings) {
  if (item.kind != Selection::Kind::Field) {
    findings.report(item.span, "a mask names fields: fetch a fragment with `fragment=`", "mask");
  } else if (find_element(site, item.name).edge != nullptr) {
    findings.report(item.span,
                    "`" + item.name + "` is an edge: a mask names the fields of one entity", "mask");
  } else if (item.depth != 0 || item.deferred || !item.directives.empty()) {
    findings.report(item.span, "a mask takes no directives", "mask");
  }
}

}  // namespace

Result<std::vector<Selection>> compile_mask(std::string_view mask, const schema::Entity& entity,
                                            const schema::Schema& schema,
                                            const QueryLimits& limits) {
  const std::vector<Source> sources = {{"", 0, static_cast<uint32_t>(mask.size())}};
  Findings findings(limits.diagnostics_max);
  if (mask.size() > limits.canonical_bytes_max || !is_valid_utf8(mask)) {
    findings.report({0, 0},
                    "a mask is UTF-8 text of at most " +
                        std::to_string(limits.canonical_bytes_max) + " bytes",
                    "mask");
    return fail(findings.take_error(sources));
  }
  schema::SelectionParser parser(
      mask, 0, {.nesting_max = limits.nesting_max, .diagnostics_max = limits.diagnostics_max});
  std::vector<Selection> items;
  parser.parse_selections_to_end(items);
  findings.add(std::move(parser.diagnostics()));
  if (!findings.any() && items.empty()) {
    findings.report({0, 0}, "this mask names no field", "mask");
  }
  if (findings.any()) return fail(findings.take_error(sources));

  const Site site = entity_site(schema.entity_index(entity.name), schema);
  for (const Selection& item : items) check_mask_item(item, site, findings);
  if (findings.any()) return fail(findings.take_error(sources));
  const Document no_document;
  Validator(no_document, schema, limits, findings).check_selections(items, site);
  if (findings.any()) return fail(findings.take_error(sources));

  SelectionSet set;
  Expander(nullptr, schema, limits, findings).add(items, site, {}, 1, set);
  if (findings.any()) return fail(findings.take_error(sources));
  return std::move(set).finish();
}

}  // namespace lattice::query
