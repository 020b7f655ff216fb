#include "query/expand.h"

#include "query/validator.h"

namespace lattice::query {

using schema::EntityIndex;

namespace {

std::string spell_arguments(const std::vector<Argument>& arguments) {
  std::string out;
  append_arguments(out, arguments);
  return out;
}

size_t count_bytes(const Value& value) {
  size_t out = value.text.size() + 1;
  for (const Value& item : value.list) out += count_bytes(item);
  return out;
}

uint32_t list_depth(const Value& value) {
  if (value.kind != Value::Kind::List) return 0;
  uint32_t deepest = 0;
  for (const Value& item : value.list) deepest = std::max(deepest, list_depth(item));
  return deepest + 1;
}

SelectionSet& set_of(SelectionNode& node) {
  if (!node.set) node.set = std::make_unique<SelectionSet>();
  return *node.set;
}

}  // namespace

std::vector<Selection> SelectionSet::finish() && {
  std::vector<Selection> out;
  out.reserve(nodes.size());
  for (auto& [key, node] : nodes) {
    if (node.set) node.selection.selections = std::move(*node.set).finish();
    // An alternative of which nothing can occur says nothing.
    if (node.selection.kind == Selection::Kind::Inline && node.selection.selections.empty()) continue;
    out.push_back(std::move(node.selection));
  }
  return out;
}

// Counts what expansion meets, so that fragments which multiply are refused early, and what is left
// can be read back: braces and brackets nest no deeper than a text may.
bool Expander::count(const Selection& selection, const std::vector<Argument>& arguments,
                     uint32_t depth) {
  uint32_t deepest = 0;
  bytes_ += selection.name.size();
  for (const Argument& argument : arguments) {
    bytes_ += argument.name.size() + count_bytes(argument.value);
    deepest = std::max(deepest, list_depth(argument.value));
  }
  if (depth + deepest > limits_.nesting_max) {
    findings_.report(selection.span,
                     "with its fragments expanded, the query nests more than " +
                         std::to_string(limits_.nesting_max) + " levels deep",
                     "nesting");
    return false;
  }
  if (++selections_ <= limits_.expanded_selections_max && bytes_ <= limits_.expanded_bytes_max) {
    return true;
  }
  findings_.report(selection.span,
                   "with its fragments expanded, the query has more than " +
                       (selections_ > limits_.expanded_selections_max
                            ? std::to_string(limits_.expanded_selections_max) + " selections"
                            : std::to_string(limits_.expanded_bytes_max) + " bytes"),
                   "expanded-size");
  return false;
}

bool Expander::add(const std::vector<Selection>& selections, const Site& site,
                   const Bindings& bindings, uint32_t depth, SelectionSet& out) {
  for (const Selection& selection : selections) {
    bool complete = true;
    switch (selection.kind) {
      case Selection::Kind::Field:
        complete = add_element(selection, site, bindings, depth, out);
        break;
      case Selection::Kind::Inline:
        complete = add_inline(selection, site, bindings, depth, out);
        break;
      case Selection::Kind::Spread:
        complete = add_spread(selection, site, bindings, depth, out);
        break;
    }
    if (!complete) return false;
  }
  return true;
}

bool Expander::add_roots(const std::vector<Selection>& selections, SelectionSet& out) {
  for (const Selection& selection : selections) {
    const schema::Root* root = schema_.find_root(selection.name);
    const Site inner = root != nullptr ? target_site(root->target, schema_) : nodes_site(schema_);
    const Slots slots = root != nullptr ? root_slots(*root, schema_) : nodes_slots();
    if (!add_field(selection, inner, slots, {}, 1, out)) return false;
  }
  return true;
}

bool Expander::add_element(const Selection& selection, const Site& site, const Bindings& bindings,
                           uint32_t depth, SelectionSet& out) {
  const Element element = find_element(site, selection.name);
  if (!element.found()) {
    // A fragment was checked on its own type; where it is spread, the field may be ambiguous.
    findings_.report(selection.span, site.name() + " has no field `" + selection.name + "`",
                     "unknown-field");
    return false;
  }
  const Site inner = element.edge != nullptr ? target_site(element.edge->target, schema_) : site;
  return add_field(selection, inner, element_slots(element, schema_), bindings, depth, out);
}

bool Expander::add_field(const Selection& selection, const Site& inner, const Slots& slots,
                         const Bindings& bindings, uint32_t depth, SelectionSet& out) {
  auto arguments = normalize_arguments(selection.arguments, slots, bindings, schema_);
  if (!count(selection, arguments, depth)) return false;
  const SelectionSet::Key key{Selection::Kind::Field, selection.name, spell_arguments(arguments)};
  const auto [found, is_new] = out.nodes.try_emplace(key);
  SelectionNode& node = found->second;
  if (is_new) {
    node.selection.kind = Selection::Kind::Field;
    node.selection.name = selection.name;
    node.selection.arguments = std::move(arguments);
    node.selection.depth = selection.depth;
    node.selection.deferred = selection.deferred;
    node.selection.has_selections = selection.has_selections;
    node.selection.span = selection.span;
  } else {
    merge(node, selection);
  }
  return !selection.has_selections ||
         add(selection.selections, inner, bindings, depth + 1, set_of(node));
}

// Another occurrence of the same field with the same arguments: the greater @depth; deferred only if
// every occurrence is, because what one of them needs early is needed early.
void Expander::merge(SelectionNode& node, const Selection& selection) {
  Selection& merged = node.selection;
  if (merged.has_selections != selection.has_selections) {
    findings_.report(selection.span,
                     "`" + selection.name +
                         "` is selected with @depth and with a selection of its own: choose one",
                     "depth");
  }
  merged.depth = std::max(merged.depth, selection.depth);
  merged.deferred = merged.deferred && selection.deferred;
}

// An alternative of an abstract site; on a site that is one type already, its contents or nothing.
bool Expander::add_inline(const Selection& selection, const Site& site, const Bindings& bindings,
                          uint32_t depth, SelectionSet& out) {
  if (!count(selection, {}, depth)) return false;
  const EntityIndex type = schema_.entity_index(selection.name);
  if (!site.contains(type)) return true;
  const Site inner = entity_site(type, schema_);
  if (site.is_concrete()) return add(selection.selections, inner, bindings, depth, out);
  SelectionNode& node = out.nodes[{Selection::Kind::Inline, selection.name, ""}];
  node.selection.kind = Selection::Kind::Inline;
  node.selection.name = selection.name;
  node.selection.has_selections = true;
  node.selection.span = selection.span;
  return add(selection.selections, inner, bindings, depth + 1, set_of(node));
}

// Where a fragment covers only some members of the site, it becomes an alternative for each of them.
bool Expander::add_spread(const Selection& selection, const Site& site, const Bindings& bindings,
                          uint32_t depth, SelectionSet& out) {
  const FragmentDefinition* local =
      document_ != nullptr ? document_->find_fragment(selection.name) : nullptr;
  const schema::Fragment* declared =
      local == nullptr ? schema_.find_fragment(selection.name) : nullptr;
  const auto fragment_site = named_site(local != nullptr ? local->on : declared->on, schema_);
  const auto add_on = [&](const Site& where, uint32_t where_depth, SelectionSet& set) {
    return local != nullptr
               ? add_local_spread(selection, *local, where, bindings, where_depth, set)
               : add_schema_spread(selection, *declared, bindings, where_depth, set);
  };
  const std::vector<EntityIndex> members = site.list_members();
  const auto is_covered = [&](EntityIndex member) { return fragment_site->contains(member); };
  if (std::ranges::all_of(members, is_covered)) return add_on(site, depth, out);
  for (const EntityIndex member : members) {
    if (!is_covered(member)) continue;
    if (!count(selection, {}, depth)) return false;
    const std::string& name = schema_.entities[member].name;
    SelectionNode& node = out.nodes[{Selection::Kind::Inline, name, ""}];
    node.selection.kind = Selection::Kind::Inline;
    node.selection.name = name;
    node.selection.has_selections = true;
    node.selection.span = selection.span;
    if (!add_on(entity_site(member, schema_), depth + 1, set_of(node))) return false;
  }
  return true;
}

bool Expander::add_local_spread(const Selection& selection, const FragmentDefinition& fragment,
                                const Site& site, const Bindings& bindings, uint32_t depth,
                                SelectionSet& out) {
  const auto arguments = normalize_arguments(selection.arguments, {}, bindings, schema_);
  if (!count(selection, arguments, depth)) return false;
  if (!out.expanded.insert(fragment.name + spell_arguments(arguments)).second) return true;
  Bindings inner;
  for (const Variable& parameter : fragment.parameters) {
    inner[parameter.name] = parameter.default_value;
  }
  for (const Argument& argument : arguments) inner[argument.name] = argument.value;
  return add(fragment.selections, site, inner, depth, out);
}

bool Expander::add_schema_spread(const Selection& selection, const schema::Fragment& fragment,
                                 const Bindings& bindings, uint32_t depth, SelectionSet& out) {
  auto arguments =
      normalize_arguments(selection.arguments, parameter_slots(fragment.parameters), bindings, schema_);
  if (!count(selection, arguments, depth)) return false;
  SelectionNode& node =
      out.nodes[{Selection::Kind::Spread, selection.name, spell_arguments(arguments)}];
  node.selection.kind = Selection::Kind::Spread;
  node.selection.name = selection.name;
  node.selection.arguments = std::move(arguments);
  node.selection.span = selection.span;
  return true;
}

}  // namespace lattice::query
