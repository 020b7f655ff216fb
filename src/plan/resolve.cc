#include <algorithm>

#include "base/check.h"
#include "base/diagnostic.h"
#include "plan/access.h"
#include "plan/budgets.h"
#include "plan/draft.h"
#include "plan/gate.h"
#include "plan/outputs.h"
#include "plan/picks.h"

namespace lattice::plan {
namespace {

// One field or edge of one scope, joined: what an Element tells.
struct Joined {
  Level level;        // with everything on the way
  std::string chain;  // "feed@root:Claims{org} ⊔ title:Public"
};

// Walks the selection tree once and fills nodes, parts, outputs, edges and elements.
class Resolver {
 public:
  explicit Resolver(Draft& draft) : draft_(draft), expander_(draft), outputs_(draft) {}

  Result<void> add_root(const query::Selection& selection);
  Result<void> add_entity_fetch(EntityIndex entity,
                                const std::vector<query::Selection>& selections);
  void finish();

 private:
  void add_nodes_root(const query::Selection& selection, const ItemSet& set, Node& node);
  void add_schema_root(const query::Selection& selection, Node& node);
  Result<void> append(Node node, const schema::Interface* interface, std::string chain,
                      const ItemSet& set);
  Result<void> resolve_set(uint32_t index, const schema::Interface* interface, const ItemSet& set);
  const schema::Interface* interface_of(const schema::Target& target);
  void add_elements(uint32_t index, const Picks& picks,
                    std::map<std::pair<uint32_t, std::string>, Joined>& joined);
  Joined join_part(uint32_t index, const Scope& scope, const std::string& key,
                   const query::Selection& selection);
  Gate part_gate(const schema::Policy& policy, bool is_edge, const schema::Entity& entity,
                 const Node& node);
  Level edge_level(const schema::Relationship& edge);

  struct Child {  // an edge of one or several types that select alike
    std::string key;
    const query::Selection* selection = nullptr;
    std::vector<Item> signature;
    std::vector<Occurrence> occurrences;
    std::vector<std::pair<uint32_t, uint32_t>> parts;  // (index in Node::types, index in parts)
    std::vector<EntityIndex> owners;
    bool is_private = false;
    bool is_deferred = true;
    Joined joined;
  };
  Result<void> add_parts(uint32_t index, const Picks& picks, std::vector<Child>& children);
  void join_child(std::vector<Child>& children, Child child);
  Result<void> add_child(uint32_t index, Child& child);
  FieldPart make_part(uint32_t index, EntityIndex entity, const std::string& key, const Pick& pick,
                      const Scope& scope, const Level& level);
  Result<void> add_hidden_loads(uint32_t index, uint32_t derived, const std::string& key,
                                Slice slice);

  Draft& draft_;
  SelectionExpander expander_;
  OutputTable outputs_;
  std::vector<std::string> chains_;  // by node: its part of every derivation below it
  std::map<std::pair<uint32_t, EntityIndex>, std::string> type_chains_;  // under `nodes`, by type
  size_t part_count_ = 0;
};

void collect_claims(Draft& draft, const Level& level) {
  auto& claims = draft.claims[static_cast<size_t>(slice_of(level))];
  claims.insert(level.claims.begin(), level.claims.end());
  draft.touched.claims.insert(level.claims.begin(), level.claims.end());
}

// A canonical key as paths and derivations show it: they repeat it on every level below.
std::string label_of(const std::string& key, const query::Selection& selection) {
  return key.size() <= kLabelBytesMax ? key : selection.name + "(..)";
}

// The policy that an interface itself declares on a member, when the scope speaks of the interface.
const schema::Policy* interface_policy(const Scope& scope, std::string_view name) {
  if (scope.interface == nullptr) return nullptr;
  for (const schema::Field& field : scope.interface->fields) {
    if (field.name == name && field.declared_policy) return &*field.declared_policy;
  }
  for (const schema::Relationship& edge : scope.interface->relationships) {
    if (edge.name == name && edge.declared_policy) return &*edge.declared_policy;
  }
  return nullptr;
}

const schema::Policy& policy_of(const schema::Entity& entity, std::string_view name) {
  const FieldIndex field = entity.find_field(name);
  if (field != kNone) return entity.fields[field].policy;
  const schema::EdgeIndex edge = entity.find_relationship(name);
  LATTICE_CHECK(edge != kNone, entity.name, name);
  return entity.relationships[edge].policy;
}

void add_gate(Gate& gate, Gate other) {
  gate.denied |= other.denied;
  for (GateTerm& term : other.all_of) gate.all_of.push_back(std::move(term));
}

// --- Roots ---

void Resolver::add_schema_root(const query::Selection& selection, Node& node) {
  const schema::Root* root = draft_.schema.find_root(selection.name);
  LATTICE_CHECK(root != nullptr, selection.name);
  draft_.touched.roots.insert(root->name);
  node.root = static_cast<uint32_t>(root - draft_.schema.roots.data());
  node.is_root_list = root->is_list;
  node.targets = root->target.members;
  node.is_abstract = root->target.is_abstract();
  node.access = root_access(draft_, *root, selection);
  node.loader = target_name(draft_.schema, root->target) + " via " + root->name;
  const bool by_principal = !root->is_list && root->parameters.empty();
  bool all_denied = true;
  for (const EntityIndex target : node.targets) {
    const schema::Entity& entity = draft_.entity(target);
    node.level = join_levels(node.level, level_on(root->policy, entity, draft_.options));
    TypePart part;
    part.entity = target;
    part.gate = make_gate(root->policy, entity, draft_.options, draft_.slots, by_principal);
    all_denied &= part.gate.denied;
    node.types.push_back(std::move(part));
  }
  if (node.types.empty()) return;
  node.gate = caller_part(node.types.front().gate);
  node.gate.denied = all_denied;
  if (all_denied && root->policy.level == schema::Policy::Level::Private) {
    draft_.warn("root `" + root->name + "` is private, but " +
                    target_name(draft_.schema, root->target) +
                    " has no owner binding: nobody sees it",
                "private-without-owner");
  }
}

void Resolver::add_nodes_root(const query::Selection& selection, const ItemSet& set, Node& node) {
  node.access.kind = Access::Kind::Nodes;
  node.access.page_size_max = 1;
  node.is_abstract = true;
  node.is_root_list = true;
  node.loader = "nodes";
  schema::Type ref;
  ref.primitive = schema::Primitive::EntityRef;
  if (const query::Value* refs = find_argument(selection, "refs")) {
    if (refs->kind == query::Value::Kind::List) {
      for (const query::Value& item : refs->list) {
        node.access.ref_slots.push_back(draft_.slots.value(item, ref));
      }
      node.access.page_size_max = static_cast<uint32_t>(refs->list.size());
    } else {
      node.access.ref_slots.push_back(draft_.slots.value(*refs, ref));
    }
  }
  for (const EntityIndex target : expander_.named_types(set)) {
    const schema::Entity& entity = draft_.entity(target);
    draft_.touched.entities.insert(target);
    if (!entity.fetch) {
      draft_.warn("`nodes` finds no " + entity.name + ": the entity has no `fetch by`",
                  "nodes-without-fetch");
      continue;
    }
    TypePart part;
    part.entity = target;
    part.level = level_on(*entity.fetch, entity, draft_.options);
    part.gate = make_gate(*entity.fetch, entity, draft_.options, draft_.slots);
    node.level = join_levels(node.level, part.level);
    node.targets.push_back(target);
    node.types.push_back(std::move(part));
  }
}

Result<void> Resolver::add_root(const query::Selection& selection) {
  Node node;
  node.name = selection.name;
  node.path = selection.name;
  const ItemSet* set = expander_.set_of(selection.selections);
  const bool is_nodes = draft_.schema.find_root(selection.name) == nullptr;
  if (is_nodes) {
    LATTICE_CHECK(selection.name == "nodes", selection.name);
    add_nodes_root(selection, *set, node);
  } else {
    add_schema_root(selection, node);
  }
  const auto index = static_cast<uint32_t>(draft_.plan.nodes.size());
  for (TypePart& part : node.types) {
    if (!is_nodes) part.level = node.level;
    collect_claims(draft_, part.level);
    if (!is_nodes) continue;
    const std::string& type = draft_.entity(part.entity).name;
    std::string chain = "nodes@" + type + ":" + print_level(part.level);
    draft_.plan.elements.push_back(
        {node.path, chain + " = " + print_level(part.level), slice_of(part.level), type});
    type_chains_.emplace(std::pair(index, part.entity), std::move(chain));
  }
  std::string chain = selection.name + "@root:" + print_level(node.level);
  if (!is_nodes) {
    draft_.plan.elements.push_back(
        {node.path, chain + " = " + print_level(node.level), slice_of(node.level), ""});
  }
  const schema::Root* root = draft_.schema.find_root(selection.name);
  return append(std::move(node), root ? interface_of(root->target) : nullptr, std::move(chain),
                *set);
}

Result<void> Resolver::add_entity_fetch(EntityIndex index,
                                        const std::vector<query::Selection>& selections) {
  const schema::Entity& entity = draft_.entity(index);
  Node node;
  node.name = entity.name;
  node.path = entity.name;
  node.loader = entity.name + " by key";
  node.access.kind = Access::Kind::EntityFetch;
  node.access.page_size_max = 1;
  node.targets = {index};
  node.level = level_on(*entity.fetch, entity, draft_.options);
  TypePart part;
  part.entity = index;
  part.level = node.level;
  part.gate = make_gate(*entity.fetch, entity, draft_.options, draft_.slots);
  node.gate = caller_part(part.gate);
  node.types.push_back(std::move(part));
  collect_claims(draft_, node.level);
  std::string chain = entity.name + "@fetch:" + print_level(node.level);
  draft_.plan.elements.push_back(
      {node.path, chain + " = " + print_level(node.level), slice_of(node.level), ""});
  return append(std::move(node), nullptr, std::move(chain), *expander_.set_of(selections));
}

// --- The tree ---

Result<void> Resolver::append(Node node, const schema::Interface* interface, std::string chain,
                              const ItemSet& set) {
  const uint32_t depth_max = draft_.plan.budgets.depth_max;
  if (node.depth > depth_max) {
    return fail(budget_error("maxDepth", depth_max, node.depth,
                             "`" + node.path + "` is " + std::to_string(node.depth) +
                                 " levels deep, at most " + std::to_string(depth_max) +
                                 " are allowed"));
  }
  if (draft_.plan.nodes.size() >= kPlanNodesMax) {
    return fail(
        budget_error("plan nodes", kPlanNodesMax, kPlanNodesMax + 1,
                     "the query unrolls to more than " + std::to_string(kPlanNodesMax) + " edges"));
  }
  node.slice = slice_of(node.level);
  for (TypePart& part : node.types) {
    part.slice = slice_of(part.level);
    draft_.touched.entities.insert(part.entity);
  }
  const auto index = static_cast<uint32_t>(draft_.plan.nodes.size());
  draft_.plan.nodes.push_back(std::move(node));
  chains_.push_back(std::move(chain));
  return resolve_set(index, interface, set);
}

Result<void> Resolver::resolve_set(uint32_t index, const schema::Interface* interface,
                                   const ItemSet& set) {
  std::vector<EntityIndex> members;
  for (const TypePart& part : draft_.plan.nodes[index].types) members.push_back(part.entity);
  const Picks picks = expander_.expand(set, members, interface);
  std::vector<Child> children;
  LATTICE_TRY_VOID(add_parts(index, picks, children));
  for (Child& child : children) LATTICE_TRY_VOID(add_child(index, child));
  return {};
}

const schema::Interface* Resolver::interface_of(const schema::Target& target) {
  if (!target.is_interface) return nullptr;
  draft_.touched.interfaces.insert(target.name);
  return draft_.schema.find_interface(target.name);
}

Level Resolver::edge_level(const schema::Relationship& edge) {
  Level level = level_of(edge.policy);
  for (const EntityIndex target : edge.target.members) {
    level = join_levels(level, level_on(edge.policy, draft_.entity(target), draft_.options));
  }
  return level;
}

// Joins the levels of one selection over the types of its scope (decisions, "bare field on a
// union").
Joined Resolver::join_part(uint32_t index, const Scope& scope, const std::string& key,
                           const query::Selection& selection) {
  const Node& node = draft_.plan.nodes[index];
  Joined joined;
  Level own;
  for (const EntityIndex member : scope.members) {
    const TypePart* part = node.type_of(member);
    const schema::Entity& entity = draft_.entity(member);
    const FieldIndex field = entity.find_field(selection.name);
    if (field != kNone) {
      own = join_levels(own, level_on(entity.fields[field].policy, entity, draft_.options));
      if (const schema::Policy* policy = interface_policy(scope, selection.name)) {
        own = join_levels(own, level_on(*policy, entity, draft_.options));
      }
    } else {
      const schema::EdgeIndex edge = entity.find_relationship(selection.name);
      LATTICE_CHECK(edge != kNone, entity.name, selection.name);
      own = join_levels(own, edge_level(entity.relationships[edge]));
      if (const schema::Policy* policy = interface_policy(scope, selection.name)) {
        own = join_levels(own, level_of(*policy));
      }
    }
    joined.level = join_levels(joined.level, part->level);
    const auto chain = type_chains_.find({index, member});
    if (chain == type_chains_.end()) continue;
    joined.chain += (joined.chain.empty() ? "" : " ⊔ ") + chain->second;
  }
  if (joined.chain.empty()) joined.chain = chains_[index];
  joined.chain += " ⊔ " + label_of(key, selection) + ":" + print_level(own);
  joined.level = join_levels(joined.level, own);
  return joined;
}

void Resolver::add_elements(uint32_t index, const Picks& picks,
                            std::map<std::pair<uint32_t, std::string>, Joined>& joined) {
  for (const auto& [entity, by_key] : picks.by_type) {
    for (const auto& [key, pick] : by_key) {
      for (const Occurrence& occurrence : pick.occurrences) {
        const auto [found, is_new] = joined.emplace(std::pair(occurrence.scope, key), Joined{});
        if (!is_new) continue;
        const Scope& scope = picks.scopes[occurrence.scope];
        found->second = join_part(index, scope, key, *occurrence.item.selection);
        const Level& level = found->second.level;
        draft_.plan.elements.push_back(
            {draft_.plan.nodes[index].path + "." + label_of(key, *occurrence.item.selection),
             found->second.chain + " = " + print_level(level), slice_of(level), scope.type});
      }
    }
  }
}

Gate Resolver::part_gate(const schema::Policy& policy, bool is_edge, const schema::Entity& entity,
                         const Node& node) {
  // A private edge is its target's owner's: the gate stands with the target's type.
  if (is_edge && policy.level == schema::Policy::Level::Private) return {};
  // The row of `get me .. private` is the caller's by its key, its private fields too.
  const bool by_principal = node.access.kind == Access::Kind::Principal;
  return make_gate(policy, entity, draft_.options, draft_.slots, by_principal);
}

void Resolver::join_child(std::vector<Child>& children, Child child) {
  for (Child& other : children) {
    if (other.key != child.key || other.is_private != child.is_private ||
        other.signature != child.signature) {
      continue;
    }
    other.parts.push_back(child.parts.front());
    other.owners.push_back(child.owners.front());
    other.is_deferred &= child.is_deferred;
    other.joined.level = join_levels(other.joined.level, child.joined.level);
    return;
  }
  children.push_back(std::move(child));
}

bool is_deferred(const Pick& pick) {
  return std::all_of(
      pick.occurrences.begin(), pick.occurrences.end(),
      [](const Occurrence& occurrence) { return occurrence.item.selection->deferred; });
}

// One field or edge of one type. The scope's level decides the slice; the gate is the type's own.
FieldPart Resolver::make_part(uint32_t index, EntityIndex entity_index, const std::string& key,
                              const Pick& pick, const Scope& scope, const Level& level) {
  const schema::Entity& entity = draft_.entity(entity_index);
  const query::Selection& selection = *pick.occurrences.front().item.selection;
  FieldPart part;
  part.output = outputs_.find_or_add(entity_index, key, selection);
  part.slice = slice_of(level);
  collect_claims(draft_, level);
  const bool is_edge = outputs_.at(entity_index, part.output).is_edge;
  const schema::Policy& policy = policy_of(entity, selection.name);
  part.gate = part_gate(policy, is_edge, entity, draft_.plan.nodes[index]);
  if (const schema::Policy* other = interface_policy(scope, selection.name)) {
    add_gate(part.gate, make_gate(*other, entity, draft_.options, draft_.slots));
  }
  if (part.gate.denied && policy.level == schema::Policy::Level::Private) {
    draft_.warn("`" + entity.name + "." + selection.name + "` is private, but " + entity.name +
                    " has no owner binding: nobody sees it",
                "private-without-owner");
  }
  return part;
}

// The reads of a derived field stand one level below the rows that hold it.
Result<void> Resolver::add_hidden_loads(uint32_t index, uint32_t derived, const std::string& key,
                                        Slice slice) {
  const Node& node = draft_.plan.nodes[index];
  const auto& reads = draft_.plan.derived[derived].reads;
  const uint32_t depth_max = draft_.plan.budgets.depth_max;
  if (!reads.empty() && node.depth + 1 > depth_max) {
    return fail(budget_error("maxDepth", depth_max, node.depth + 1,
                             "`" + node.path + "." + key + "` is derived from what is " +
                                 std::to_string(node.depth + 1) + " levels deep, at most " +
                                 std::to_string(depth_max) + " are allowed"));
  }
  for (uint32_t read = 0; read < reads.size(); ++read) {
    draft_.hidden_loads.push_back({index, derived, read, slice});
  }
  return {};
}

// Adds what the node selects on each of its types, and gathers the edges by what they select.
Result<void> Resolver::add_parts(uint32_t index, const Picks& picks, std::vector<Child>& children) {
  std::map<std::pair<uint32_t, std::string>, Joined> joined;
  add_elements(index, picks, joined);
  for (const auto& [entity, by_key] : picks.by_type) {
    std::vector<TypePart>& types = draft_.plan.nodes[index].types;
    const auto type =
        std::find_if(types.begin(), types.end(),
                     [&, entity = entity](const auto& part) { return part.entity == entity; });
    for (const auto& [key, pick] : by_key) {
      if (++part_count_ > kPlanPartsMax) {
        return fail(budget_error(
            "plan parts", kPlanPartsMax, part_count_,
            "the query unrolls to more than " + std::to_string(kPlanPartsMax) + " fields"));
      }
      const Joined& level = joined.at({pick.scope, key});
      FieldPart part = make_part(index, entity, key, pick, picks.scopes[pick.scope], level.level);
      part.deferred = draft_.plan.nodes[index].deferred || is_deferred(pick);
      const Output& output = outputs_.at(entity, part.output);
      if (output.is_edge) {
        Child child{key,   pick.occurrences.front().item.selection,
                    {},    pick.occurrences,
                    {},    {entity},
                    false, part.deferred,
                    level};
        for (const Occurrence& occurrence : pick.occurrences) {
          child.signature.push_back(occurrence.item);
        }
        child.parts.emplace_back(static_cast<uint32_t>(type - types.begin()),
                                 static_cast<uint32_t>(type->parts.size()));
        child.is_private =
            policy_of(draft_.entity(entity), output.name).level == schema::Policy::Level::Private;
        join_child(children, std::move(child));
      } else if (output.derived != kNone) {
        LATTICE_TRY_VOID(add_hidden_loads(index, output.derived, key, part.slice));
      }
      type->parts.push_back(std::move(part));
    }
  }
  return {};
}

Result<void> Resolver::add_child(uint32_t index, Child& child) {
  const Node& parent = draft_.plan.nodes[index];
  const EntityIndex owner = child.owners.front();
  const schema::Entity& owner_entity = draft_.entity(owner);
  const schema::EdgeIndex edge_index = owner_entity.find_relationship(child.selection->name);
  const schema::Relationship& edge = owner_entity.relationships[edge_index];
  Node node;
  node.parent = index;
  node.name = edge.name;
  node.path = parent.path + "." + label_of(child.key, *child.selection);
  node.round = parent.round + 1;
  node.depth = parent.depth + 1;
  node.level = child.joined.level;
  node.kind = edge.kind;
  node.deferred = child.is_deferred;
  node.access = edge_access(draft_, edge, *child.selection);
  node.access.tag_by_owner_type = child.owners.size() > 1 || parent.types.size() > 1;
  std::string owners;
  for (const EntityIndex member : child.owners) {
    owners += (owners.empty() ? "" : "|") + draft_.entity(member).name;
    for (const EntityIndex target :
         draft_.entity(member)
             .relationships[draft_.entity(member).find_relationship(edge.name)]
             .target.members) {
      node.targets.push_back(target);
    }
  }
  std::sort(node.targets.begin(), node.targets.end());
  node.targets.erase(std::unique(node.targets.begin(), node.targets.end()), node.targets.end());
  node.is_abstract = edge.target.is_abstract() || node.targets.size() > 1;
  node.loader = target_name(draft_.schema, edge.target) + " via " + owners + "." + edge.name;
  for (const EntityIndex target : node.targets) {
    TypePart part;
    part.entity = target;
    part.level = node.level;
    const schema::Entity& entity = draft_.entity(target);
    if (child.is_private) part.gate = make_gate(edge.policy, entity, draft_.options, draft_.slots);
    if (part.gate.denied) {
      draft_.warn("edge `" + owner_entity.name + "." + edge.name + "` is private, but " +
                      entity.name + " has no owner binding: nobody sees it",
                  "private-without-owner");
    }
    node.types.push_back(std::move(part));
  }
  const auto child_index = static_cast<uint32_t>(draft_.plan.nodes.size());
  for (const auto& [type, part] : child.parts) {
    draft_.plan.nodes[index].types[type].parts[part].child = child_index;
  }
  const ItemSet* set = expander_.child_set(child.occurrences);
  return append(std::move(node), interface_of(edge.target), std::move(child.joined.chain), *set);
}

void Resolver::finish() {
  outputs_.finish();
  std::stable_sort(draft_.plan.elements.begin(), draft_.plan.elements.end(),
                   [](const Element& left, const Element& right) {
                     return std::tie(left.path, left.type) < std::tie(right.path, right.type);
                   });
}

}  // namespace

Result<void> resolve_roots(Draft& draft, const std::vector<query::Selection>& roots) {
  const uint32_t roots_max = draft.plan.budgets.roots_max;
  if (roots.size() > roots_max) {
    return fail(budget_error("maxRoots", roots_max, roots.size(),
                             "the query has " + std::to_string(roots.size()) + " roots, at most " +
                                 std::to_string(roots_max) + " are allowed"));
  }
  Resolver resolver(draft);
  for (const query::Selection& root : roots) LATTICE_TRY_VOID(resolver.add_root(root));
  resolver.finish();
  return {};
}

Result<void> resolve_entity_fetch(Draft& draft, EntityIndex entity,
                                  const std::vector<query::Selection>& selections) {
  Resolver resolver(draft);
  LATTICE_TRY_VOID(resolver.add_entity_fetch(entity, selections));
  resolver.finish();
  return {};
}

}  // namespace lattice::plan
