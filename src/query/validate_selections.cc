// Fields, edges and spreads on their sites (spec §4.8 rules 4, 5, 8).
#include "base/diagnostic.h"
#include "query/validator.h"

namespace lattice::query {

using schema::EntityIndex;
using schema::kNone;
using schema::Relationship;

namespace {

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string target_name(const schema::Target& target, const schema::Schema& schema) {
  return target_site(target, schema).name();
}

}  // namespace

bool can_overlap(const Site& fragment, const Site& site) {
  const std::vector<EntityIndex> members = fragment.list_members();
  return std::ranges::any_of(members, [&](EntityIndex member) { return site.contains(member); });
}

void Validator::warn_deprecated(const schema::Metadata& metadata, std::string_view what,
                                const Selection& selection) {
  if (!metadata.deprecated) return;
  std::string message = std::string(what) + " is deprecated";
  if (!metadata.deprecated->sunset.empty()) message += " until " + metadata.deprecated->sunset;
  if (!metadata.deprecated->note.empty()) message += ": " + metadata.deprecated->note;
  findings_.warn(selection.span, std::move(message), "deprecated");
}

void Validator::check_roots(const std::vector<Selection>& selections) {
  for (const Selection& selection : selections) {
    if (findings_.is_full()) return;
    if (selection.kind == Selection::Kind::Field) {
      check_root(selection);
    } else {
      findings_.report(selection.span, "the top level of a query holds root fields only",
                       "root-not-field");
    }
  }
}

void Validator::check_root(const Selection& selection) {
  if (selection.deferred) {
    findings_.report(selection.span,
                     "the root " + quoted(selection.name) +
                         " cannot be deferred: put @defer on fields below it",
                     "defer-root");
  }
  if (selection.depth != 0) {
    findings_.report(selection.span,
                     "the root " + quoted(selection.name) + " takes no @depth: it is no edge",
                     "depth");
  }
  check_directives(selection.directives, "SELECTION");
  const schema::Root* root = schema_.find_root(selection.name);
  if (root == nullptr && selection.name == "nodes") return check_nodes_root(selection);
  if (root == nullptr) {
    std::vector<std::string_view> names;
    for (const schema::Root& known : schema_.roots) names.push_back(known.name);
    names.push_back("nodes");
    findings_.report(selection.span,
                     "the schema has no root " + quoted(selection.name) +
                         did_you_mean(selection.name, names),
                     "unknown-root");
    return;
  }
  warn_deprecated(root->metadata, quoted(root->name), selection);
  check_arguments(selection.arguments, root_slots(*root, schema_), quoted(root->name),
                  selection.span);
  if (!selection.has_selections) {
    if (selection.depth != 0) return;
    findings_.report(selection.span,
                     "the root " + quoted(root->name) + " leads to " +
                         target_name(root->target, schema_) + ": select fields with `{ }`",
                     "edge-without-selection");
    return;
  }
  check_selections(selection.selections, target_site(root->target, schema_));
}

// nodes(refs: [EntityRef]) (§14.4)
void Validator::check_nodes_root(const Selection& selection) {
  check_arguments(selection.arguments, nodes_slots(), "`nodes`", selection.span);
  if (selection.has_selections) {
    check_selections(selection.selections, nodes_site(schema_));
  } else if (selection.depth == 0) {
    findings_.report(selection.span, "`nodes` needs a selection: `{ ... on Type { } }`",
                     "edge-without-selection");
  }
}

void Validator::check_selections(const std::vector<Selection>& selections, const Site& site) {
  for (const Selection& selection : selections) {
    if (findings_.is_full()) return;
    switch (selection.kind) {
      case Selection::Kind::Field: check_field(selection, site); break;
      case Selection::Kind::Inline: check_inline(selection, site); break;
      case Selection::Kind::Spread: check_spread(selection, site); break;
    }
  }
}

void Validator::check_field(const Selection& selection, const Site& site) {
  check_directives(selection.directives, "SELECTION");
  const Element element = find_element(site, selection.name);
  if (!element.found()) return report_unknown_field(selection, site);
  check_arguments(selection.arguments, element_slots(element, schema_), quoted(selection.name),
                  selection.span);
  if (element.edge != nullptr) return check_edge(selection, *element.edge, site);
  warn_deprecated(element.field->metadata, site.name() + "." + selection.name, selection);
  if (selection.depth != 0) {
    findings_.report(selection.span,
                     quoted(selection.name) + " is a value: @depth stands on an edge", "depth");
  }
  if (selection.has_selections) {
    findings_.report(selection.span,
                     quoted(selection.name) + " is a value of " + print_type(element.field->type) +
                         " and takes no selection",
                     "scalar-with-selection");
  }
}

void Validator::report_unknown_field(const Selection& selection, const Site& site) {
  const std::string name = quoted(selection.name);
  const auto members = site.is_concrete() ? std::vector<std::string_view>{}
                                          : members_with(site, selection.name);
  const Element element = find_element(site, selection.name);
  std::string message;
  if (site.is_nodes()) {
    message = "`nodes` leads to any type: select " + name + " in `... on Type { }`";
  } else if (element.differs) {
    message = "the members of " + site.name() + " declare " + name +
              " differently: select it in `... on Type { }`";
  } else if (!members.empty()) {
    message = site.name() + " has no common field " + name + ", " + list_names(members) +
              " has it: select it in `... on " + std::string(members.front()) + " { }`";
  } else {
    message = site.name() + " has no field " + name +
              did_you_mean(selection.name, element_names(site));
  }
  findings_.report(selection.span, std::move(message), "unknown-field");
}

void Validator::check_edge(const Selection& selection, const Relationship& edge, const Site& site) {
  warn_deprecated(edge.metadata, site.name() + "." + selection.name, selection);
  if (selection.depth != 0) return check_depth(selection, edge, site);
  if (selection.has_selections) {
    return check_selections(selection.selections, target_site(edge.target, schema_));
  }
  findings_.report(selection.span,
                   quoted(selection.name) + " is an edge to " + target_name(edge.target, schema_) +
                       ": select its fields with `{ }`",
                   "edge-without-selection");
}

// Rule 4: @depth(n) repeats the enclosing selection set, so the edge leads to the type it is on.
void Validator::check_depth(const Selection& selection, const Relationship& edge, const Site& site) {
  if (selection.has_selections) {
    findings_.report(selection.span,
                     quoted(selection.name) +
                         " repeats the enclosing selection by @depth and takes none of its own",
                     "depth");
  }
  const Site target = target_site(edge.target, schema_);
  const bool same = site.is_concrete() || target.is_concrete()
                        ? site.entity == target.entity
                        : site.interface == target.interface && !site.is_nodes() &&
                              *site.members == *target.members;
  if (same) return;
  findings_.report(selection.span,
                   "@depth needs an edge from " + site.name() + " to " + site.name() + ", and " +
                       quoted(selection.name) + " leads to " + target.name(),
                   "depth");
}

void Validator::check_inline(const Selection& selection, const Site& site) {
  const auto inner = named_site(selection.name, schema_);
  if (!inner) {
    std::vector<std::string_view> names;
    for (const EntityIndex member : site.list_members()) {
      names.push_back(schema_.entities[member].name);
    }
    findings_.report(selection.span,
                     "there is no type " + quoted(selection.name) +
                         did_you_mean(selection.name, names),
                     "unknown-type");
    return;
  }
  if (!inner->is_concrete()) {
    findings_.report(selection.span,
                     quoted(selection.name) +
                         " is an interface: an inline fragment names one concrete type",
                     "inline-type");
  } else if (site.is_concrete()) {
    findings_.report(selection.span,
                     "this selection is on " + site.name() + " already: " +
                         (site.entity == inner->entity
                              ? "leave out `... on " + selection.name + "`"
                              : "it is never " + quoted(selection.name)),
                     "inline-type");
  } else if (!site.contains(inner->entity)) {
    std::vector<std::string_view> names;
    for (const EntityIndex member : site.list_members()) {
      names.push_back(schema_.entities[member].name);
    }
    findings_.report(selection.span,
                     quoted(selection.name) + " is not in " + site.name() + ", which is " +
                         list_names(names),
                     "inline-type");
  }
  check_selections(selection.selections, *inner);
}

void Validator::check_spread(const Selection& selection, const Site& site) {
  check_directives(selection.directives, "SPREAD");
  const std::string what = "`..." + selection.name + "`";
  const FragmentDefinition* local = document_.find_fragment(selection.name);
  const schema::Fragment* declared =
      local == nullptr ? schema_.find_fragment(selection.name) : nullptr;
  if (local == nullptr && declared == nullptr) {
    std::vector<std::string_view> names;
    for (const FragmentDefinition& fragment : document_.fragments) names.push_back(fragment.name);
    for (const schema::Fragment& fragment : schema_.fragments) names.push_back(fragment.name);
    findings_.report(selection.span,
                     "there is no fragment " + quoted(selection.name) +
                         " in the document, its imports or the schema" +
                         did_you_mean(selection.name, names),
                     "unknown-fragment");
    return;
  }
  if (local != nullptr) {
    const auto [slots, is_new] = fragment_slots_.try_emplace(local);
    if (is_new) slots->second = fragment_slots(*local, schema_);
    check_arguments(selection.arguments, slots->second.slots, what, selection.span);
  } else {
    warn_deprecated(declared->metadata, what, selection);
    check_arguments(selection.arguments, parameter_slots(declared->parameters), what,
                    selection.span);
  }
  const std::string& on = local != nullptr ? local->on : declared->on;
  const auto fragment_site = named_site(on, schema_);
  if (!fragment_site || can_overlap(*fragment_site, site)) return;
  findings_.report(selection.span, what + " is on " + on + " and never applies to " + site.name(),
                   "spread-type");
}

}  // namespace lattice::query
