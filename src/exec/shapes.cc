#include <fmt/format.h>

#include "base/check.h"
#include "exec/program.h"

namespace lattice::exec {

using plan::Access;
using store::LoadShape;

namespace {

constexpr size_t kOptionalMatchesMax = 4;

LoadShape base_shape(const EntityCode& entity, LoadShape::Kind kind, std::string loader) {
  LoadShape shape;
  shape.id = store::next_shape_id();
  shape.kind = kind;
  shape.loader = std::move(loader);
  shape.entity = entity.entity;
  shape.fields = entity.fields;
  shape.computed = entity.computed;
  shape.hidden_owner_column = entity.hidden_owner_column;
  return shape;
}

uint32_t add_shape(SliceCode& code, LoadShape shape) {
  code.shapes.push_back(std::move(shape));
  return static_cast<uint32_t>(code.shapes.size() - 1);
}

// The keyset, then every key field that it lacks, so that the order is total.
void set_order(LoadShape& shape, const schema::Collection* collection,
               const schema::Entity& target) {
  if (collection != nullptr) {
    for (const schema::OrderColumn& column : collection->keyset) {
      shape.order.push_back({target.find_field(column.field), column.descending});
    }
  }
  shape.keyset_size = static_cast<uint32_t>(shape.order.size());
  for (const std::string& name : target.key) {
    FieldIndex field = target.find_field(name);
    bool known = std::any_of(shape.order.begin(), shape.order.end(),
                             [&](const store::Ordering& o) { return o.field == field; });
    if (!known) shape.order.push_back({field, false});
  }
}

// Only row conditions go down: what the caller alone decides is decided before.
plan::Gate row_gate(const plan::Gate& gate) {
  plan::Gate rows;
  rows.denied = gate.denied;
  for (const plan::GateTerm& term : gate.all_of) {
    if (term.is_on_row()) rows.all_of.push_back(term);
  }
  return rows;
}

Result<void> check_optional_matches(const NodeCode& node) {
  if (node.optional_matches.size() <= kOptionalMatchesMax) return {};
  return fail(Code::NotSupported, fmt::format("{}: more than {} optional arguments bind columns",
                                              node.node->path, kOptionalMatchesMax));
}

// The columns that arguments bind, without those whose argument is absent in set `absent`.
void add_matches(LoadShape& shape, const NodeCode& node, const schema::Entity& target,
                 uint32_t absent) {
  const Access& access = node.node->access;
  for (size_t m = 0; m < access.match_slots.size(); ++m) {
    auto at = std::find(node.optional_matches.begin(), node.optional_matches.end(),
                        access.match_slots[m]);
    bool optional = at != node.optional_matches.end();
    if (optional && (absent >> (at - node.optional_matches.begin()) & 1)) continue;
    shape.match.push_back(target.find_field(access.match_fields[m]));
  }
}

Result<void> make_edge_scans(const plan::Plan& plan, SliceCode& code, NodeCode& node) {
  LATTICE_TRY_VOID(check_optional_matches(node));
  for (EdgeCode& edge : node.edges) {
    const EntityCode& owner = code.entities[edge.owner];
    const plan::EdgePart& part = plan.edges[owner.outputs[edge.output].output->edge];
    if (edge.is_hidden_link && !node.node->access.match_slots.empty()) {
      return fail(
          Code::NotSupported,
          fmt::format("{}: arguments on an edge whose link no member declares", node.node->path));
    }
    for (size_t t = 0; t < node.targets.size(); ++t) {
      const EntityCode& target = code.entities[node.targets[t].entity];
      for (uint32_t absent = 0; absent < (1u << node.optional_matches.size()); ++absent) {
        std::string loader = fmt::format("{} via {}.{}", target.declaration->name,
                                         owner.declaration->name, node.node->name);
        LoadShape shape = base_shape(target, LoadShape::Kind::Scan, std::move(loader));
        set_order(shape, part.collection, *target.declaration);
        shape.gate = row_gate(node.node->types[t].gate);
        shape.owner = owner.entity;
        if (edge.is_hidden_link) {
          shape.hidden_link = part.collection_tag;
        } else {
          shape.match.push_back(target.declaration->find_field(part.collection->link));
        }
        add_matches(shape, node, *target.declaration, absent);
        edge.shapes.push_back(add_shape(code, std::move(shape)));
      }
    }
  }
  return {};
}

// One shape for every set of optional arguments that a request may leave out.
Result<void> make_root_scans(SliceCode& code, NodeCode& node) {
  LATTICE_TRY_VOID(check_optional_matches(node));
  for (size_t t = 0; t < node.targets.size(); ++t) {
    const EntityCode& target = code.entities[node.targets[t].entity];
    for (uint32_t absent = 0; absent < (1u << node.optional_matches.size()); ++absent) {
      LoadShape shape = base_shape(target, LoadShape::Kind::Scan, node.node->loader);
      set_order(shape, node.node->access.collection, *target.declaration);
      shape.gate = row_gate(node.node->types[t].gate);
      add_matches(shape, node, *target.declaration, absent);
      node.targets[t].scan_shapes.push_back(add_shape(code, std::move(shape)));
    }
  }
  return {};
}

void make_key_shapes(SliceCode& code, NodeCode& node) {
  for (TargetCode& target : node.targets) {
    target.shape = add_shape(
        code, base_shape(code.entities[target.entity], LoadShape::Kind::Keys, node.node->loader));
  }
}

void make_hook_shape(SliceCode& code, NodeCode& node) {
  LoadShape shape;
  shape.id = store::next_shape_id();
  shape.kind = LoadShape::Kind::Root;
  shape.loader = node.node->loader;
  shape.root = node.node->root;
  shape.arguments = node.node->access.argument_slots;
  for (const TargetCode& target : node.targets) {
    shape.targets.push_back(code.entities[target.entity].entity);
    shape.target_fields.push_back(code.entities[target.entity].fields);
  }
  node.root_shape = add_shape(code, std::move(shape));
  make_key_shapes(code, node);
}

Result<void> make_node_shapes(const plan::Plan& plan, SliceCode& code, NodeCode& node) {
  switch (node.node->access.kind) {
    case Access::Kind::Keys:
    case Access::Kind::RootKeys:
    case Access::Kind::Nodes:
    case Access::Kind::EntityFetch:
      make_key_shapes(code, node);
      return {};
    case Access::Kind::Principal:
      if (!node.key_slots.empty()) {
        make_key_shapes(code, node);
        return {};
      }
      return make_root_scans(code, node);
    case Access::Kind::RootHook:
      make_hook_shape(code, node);
      return {};
    case Access::Kind::Scan:
      return node.node->parent == kNone ? make_root_scans(code, node)
                                        : make_edge_scans(plan, code, node);
  }
  return {};
}

}  // namespace

Result<void> make_shapes(const plan::Plan& plan, SliceCode& code) {
  for (NodeCode& node : code.nodes) LATTICE_TRY_VOID(make_node_shapes(plan, code, node));
  for (DerivedCode& derived : code.derived) {
    const plan::HiddenRead& read = *derived.read;
    if (read.targets.size() != 1 || !read.edge.collection->link_is_declared) {
      return fail(
          Code::NotSupported,
          fmt::format("{}: an aggregate over several types or an undeclared link", read.loader));
    }
    const schema::Entity& target = plan.schema->entities[read.targets.front()];
    LoadShape shape;
    shape.id = store::next_shape_id();
    shape.kind = LoadShape::Kind::Aggregate;
    shape.loader = read.loader;
    shape.entity = read.targets.front();
    shape.match.push_back(target.find_field(read.edge.collection->link));
    shape.function = read.function;
    if (!read.aggregate_field.empty()) {
      shape.aggregate_field = target.find_field(read.aggregate_field);
    }
    derived.shape = add_shape(code, std::move(shape));
  }
  return {};
}

}  // namespace lattice::exec
