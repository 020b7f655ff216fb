// Derived fields: what they read, and that they do not leak it (spec §3.7).
#include "base/diagnostic.h"
#include "schema/elaborate.h"

namespace lattice::schema {

// --- The visibility lattice of §8.1: Public < Claims(S) < Private ---

void Elaborator::Level::join(const Policy& policy) {
  if (policy.level == Policy::Level::Private) is_private = true;
  for (const Comparison& comparison : policy.all_of) claims.insert(comparison.claim);
}

bool Elaborator::Level::covers(const Level& other) const {
  if (is_private) return true;
  return !other.is_private &&
         std::includes(claims.begin(), claims.end(), other.claims.begin(), other.claims.end());
}

std::string Elaborator::Level::print() const {
  if (is_private) return "private";
  if (claims.empty()) return "public";
  std::string out;
  for (const std::string& claim : claims)
    out += (out.empty() ? "gated by caller." : ", caller.") + claim;
  return out;
}

// --- Dependencies ---

void Elaborator::elaborate_derivations() {
  if (!fragments_end_) return;
  const auto all = [&](const std::vector<syntax::Entity>& inputs, auto& outputs,
                       bool is_extension) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (const syntax::Field& field : inputs[i].fields) {
        const FieldIndex index = outputs[i].find_field(field.name.text);
        if (index == kNone || !field.derivation) continue;
        elaborate_derivation(field, outputs[i], outputs[i].fields[index], is_extension);
      }
    }
  };
  all(document_.entities, schema_->entities, false);
  all(document_.extensions, extension_bodies_, true);
}

void Elaborator::elaborate_derivation(const syntax::Field& in, const Entity& entity, Field& out,
                                      bool is_extension) {
  const std::string label = entity.name + "." + in.name.text;
  bool is_sound = true;
  for (const syntax::Dependency& dependency : in.derivation->reads) {
    Dependency& read = out.derivation->reads.emplace_back();
    is_sound &= elaborate_dependency(dependency, entity, read, label, is_extension);
  }
  if (in.derivation->declassify) {
    const syntax::DirectiveUse& use = *in.derivation->declassify;
    if (use.name.text != "declassify") {
      report(use.span,
             label +
                 ": only @declassify stands inside a derived field; other directives "
                 "stand before its name",
             "directive");
    } else {
      for (const syntax::ArgumentValue& argument : use.arguments) {
        if (argument.name.text == "approved") continue;
        report(argument.name.span, "@declassify has no argument `" + argument.name.text + "`",
               "directive");
      }
      out.derivation->declassify_approved = builtin_text(use, "approved", true);
    }
  }
  if (!is_sound) return;
  check_maintained(in, entity, out);
  if (!out.derivation->declassify_approved && !is_extension)
    check_information_flow(in, entity, out);
}

bool Elaborator::elaborate_dependency(const syntax::Dependency& in, const Entity& entity,
                                      Dependency& out, const std::string& label,
                                      bool is_extension) {
  out.kind = in.kind;
  for (const syntax::Word& field : in.own_fields) out.own_fields.push_back(field.text);
  out.edge = in.edge.text;
  out.fragment = in.fragment.text;
  out.function = in.function;
  out.aggregate_field = in.aggregate_field.text;
  switch (in.kind) {
    case Dependency::Kind::OwnFields:
      return check_own_fields(in, entity, label, is_extension);
    case Dependency::Kind::Edge:
      return check_edge_dependency(in, entity, label, is_extension);
    case Dependency::Kind::Aggregate:
      return check_aggregate(in, entity, label, is_extension);
  }
  return false;
}

bool Elaborator::check_own_fields(const syntax::Dependency& in, const Entity& entity,
                                  const std::string& label, bool is_extension) {
  bool is_sound = true;
  for (const syntax::Word& name : in.own_fields) {
    const FieldIndex index = entity.find_field(name.text);
    if (index == kNone) {
      if (is_extension) continue;  // may be the owner's
      report(name.span,
             label + " reads `" + name.text + "`, which " + entity.name + " does not declare" +
                 suggest(name.text, entity.fields),
             "derived");
      is_sound = false;
    } else if (!entity.fields[index].is_stored()) {
      report(name.span,
             label + " reads `" + name.text + "`, which is " +
                 (entity.fields[index].derivation ? "derived itself" : "computed from arguments") +
                 "; a derived field reads stored fields",
             "derived");
      is_sound = false;
    }
  }
  return is_sound;
}

bool Elaborator::check_edge_dependency(const syntax::Dependency& in, const Entity& entity,
                                       const std::string& label, bool is_extension) {
  const Fragment* fragment = schema_->find_fragment(in.fragment.text);
  if (fragment == nullptr) {
    report(in.fragment.span,
           label + " reads the fragment `" + in.fragment.text + "`, which is not declared" +
               suggest(in.fragment.text, schema_->fragments),
           "derived");
    return false;
  }
  const EdgeIndex index = entity.find_relationship(in.edge.text);
  if (index == kNone) {
    if (is_extension) return false;  // the owner's; nothing more can be said here
    report(in.edge.span,
           label + " reads through `" + in.edge.text + "`, which is no relationship of " +
               entity.name + suggest(in.edge.text, entity.relationships),
           "derived");
    return false;
  }
  const Relationship& edge = entity.relationships[index];
  if (edge.kind == Relationship::Kind::Many) {
    report(in.edge.span,
           label + " reads a fragment through `" + in.edge.text +
               "`, which leads to many; "
               "read `" +
               in.edge.text + " count` or another aggregate",
           "derived");
    return false;
  }
  if (!is_subtype(edge.target, fragment->on)) {
    report(in.fragment.span,
           label + " reads " + fragment->name + " on " + fragment->on + " through `" +
               in.edge.text + "`, which leads elsewhere",
           "derived");
    return false;
  }
  for (const Parameter& parameter : fragment->parameters) {
    if (parameter.default_value || is_optional(parameter.type)) continue;
    report(in.fragment.span,
           label + " reads " + fragment->name + ", whose parameter $" + parameter.name +
               " has no default",
           "derived");
    return false;
  }
  return check_plain_selections(in.fragment, *fragment, label);
}

// A dependency names no derived or argument-taking field: derivation does not chain.
bool Elaborator::check_plain_selections(const syntax::Word& at, const Fragment& fragment,
                                        const std::string& label) {
  bool is_sound = true;
  std::set<std::string_view> visited{fragment.name};
  std::vector<std::pair<const std::vector<Selection>*, Target>> pending;
  pending.emplace_back(&fragment.selections, target_named(fragment.on));
  while (!pending.empty()) {
    const auto [selections, target] = std::move(pending.back());
    pending.pop_back();
    for (const Selection& selection : *selections) {
      if (selection.kind == Selection::Kind::Inline) {
        pending.emplace_back(&selection.selections, target_named(selection.name));
      } else if (selection.kind == Selection::Kind::Spread) {
        const Fragment* spread = schema_->find_fragment(selection.name);
        if (spread == nullptr || !visited.insert(selection.name).second) continue;
        pending.emplace_back(&spread->selections, target_named(spread->on));
      } else if (const Relationship* edge = find_target_edge(target, selection.name)) {
        pending.emplace_back(&selection.selections, edge->target);
      } else if (const Field* field = find_member_field(target, selection.name).field;
                 field != nullptr && !field->is_stored()) {
        report(at.span,
               label + " reads " + fragment.name + ", whose field `" + field->name + "` is " +
                   (field->derivation ? "derived itself" : "computed from arguments"),
               "derived");
        is_sound = false;
      }
    }
  }
  return is_sound;
}

bool Elaborator::check_aggregate(const syntax::Dependency& in, const Entity& entity,
                                 const std::string& label, bool is_extension) {
  const EdgeIndex index = entity.find_relationship(in.edge.text);
  if (index == kNone || entity.relationships[index].kind != Relationship::Kind::Many) {
    if (is_extension && index == kNone) return false;
    Names names;
    for (const Relationship& edge : entity.relationships) {
      if (edge.collection) names.push_back(edge.name);
    }
    report(in.edge.span,
           label + " aggregates `" + in.edge.text + "`, which is no `has many` of " + entity.name +
               suggest(in.edge.text, names),
           "derived");
    return false;
  }
  if (in.function == Dependency::Function::Count) return true;
  const Target& target = entity.relationships[index].target;
  const MemberField found = find_member_field(target, in.aggregate_field.text);
  const std::string place =
      label + " aggregates `" + in.edge.text + "." + in.aggregate_field.text + "`";
  if (!found.is_everywhere()) {
    report(in.aggregate_field.span,
           place + ", which its targets do not declare" +
               suggest(in.aggregate_field.text, member_field_names(target)),
           "derived");
    return false;
  }
  if (!found.field->is_stored()) {
    report(in.aggregate_field.span,
           place + ", which is " +
               (found.field->derivation ? "derived itself" : "computed from arguments"),
           "derived");
    return false;
  }
  const bool is_sum = in.function == Dependency::Function::Sum;
  if (is_sum ? is_numeric(found.field->type) : is_orderable(found.field->type)) return true;
  report(in.aggregate_field.span,
         place + ": its type " + print_type(found.field->type) +
             (is_sum ? " is no number" : " has no order"),
         "derived");
  return false;
}

void Elaborator::check_maintained(const syntax::Field& in, const Entity& entity,
                                  const Field& field) {
  if (!field.derivation->maintained) return;
  const std::string label = entity.name + "." + field.name;
  for (const Dependency& dependency : field.derivation->reads) {
    if (dependency.kind == Dependency::Kind::Edge) {
      report(in.name.span,
             label + " is maintained and reads through the edge `" + dependency.edge +
                 "`; what reads through an edge is derived `on read`",
             "derived");
    } else if (dependency.kind == Dependency::Kind::Aggregate) {
      const EdgeIndex index = entity.find_relationship(dependency.edge);
      if (index == kNone || entity.relationships[index].collection->grouping_is_default) continue;
      report(
          in.name.span,
          label + " is maintained over `" + dependency.edge + "`, which does not group by its link",
          "derived");
    }
  }
}

// --- Information flow ---

void Elaborator::check_information_flow(const syntax::Field& in, const Entity& entity,
                                        const Field& field) {
  Level declared;
  declared.join(field.policy);
  for (const Dependency& dependency : field.derivation->reads) {
    Level read;
    join_dependency(read, dependency, entity);
    if (declared.covers(read)) continue;
    std::string what;
    switch (dependency.kind) {
      case Dependency::Kind::OwnFields:
        what = "its own fields";
        break;
      case Dependency::Kind::Edge:
        what = dependency.edge + " ..." + dependency.fragment;
        break;
      case Dependency::Kind::Aggregate:
        what = "the aggregate over " + dependency.edge;
        break;
    }
    report(in.name.span,
           entity.name + "." + field.name + " is " + declared.print() + " but reads " + what +
               ", which is " + read.print() +
               "; narrow its policy or write "
               "@declassify(approved: \"..\")",
           "information-flow");
  }
}

void Elaborator::join_dependency(Level& level, const Dependency& dependency,
                                 const Entity& entity) const {
  for (const std::string& name : dependency.own_fields) {
    const FieldIndex index = entity.find_field(name);
    if (index != kNone) level.join(entity.fields[index].policy);
  }
  if (dependency.kind == Dependency::Kind::OwnFields) return;
  const EdgeIndex index = entity.find_relationship(dependency.edge);
  if (index == kNone) return;
  const Relationship& edge = entity.relationships[index];
  level.join(edge.policy);
  if (dependency.kind == Dependency::Kind::Edge) {
    const Fragment* fragment = schema_->find_fragment(dependency.fragment);
    std::set<std::string> visited{dependency.fragment};
    if (fragment != nullptr) join_selections(level, fragment->selections, edge.target, visited);
    return;
  }
  for (const EntityIndex member : edge.target.members) {
    const Entity& target = schema_->entities[member];
    const FieldIndex field = target.find_field(dependency.aggregate_field);
    if (field != kNone) level.join(target.fields[field].policy);
  }
}

// Joins the policies of everything that `selections` read on the entities of `target`.
void Elaborator::join_selections(Level& level, const std::vector<Selection>& selections,
                                 const Target& target, std::set<std::string>& visited) const {
  for (const Selection& selection : selections) {
    if (selection.kind == Selection::Kind::Inline) {
      join_selections(level, selection.selections, target_named(selection.name), visited);
      continue;
    }
    if (selection.kind == Selection::Kind::Spread) {
      const Fragment* fragment = schema_->find_fragment(selection.name);
      if (fragment == nullptr || !visited.insert(selection.name).second) continue;
      join_selections(level, fragment->selections, target, visited);
      continue;
    }
    for (const EntityIndex member : target.members) {
      const Entity& entity = schema_->entities[member];
      if (const FieldIndex field = entity.find_field(selection.name); field != kNone) {
        level.join(entity.fields[field].policy);
      }
      const EdgeIndex index = entity.find_relationship(selection.name);
      if (index == kNone) continue;
      const Relationship& edge = entity.relationships[index];
      level.join(edge.policy);
      join_selections(level, selection.selections, edge.target, visited);
    }
  }
}

}  // namespace lattice::schema
