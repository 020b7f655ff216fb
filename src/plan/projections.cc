#include <algorithm>
#include <map>

#include "plan/draft.h"

namespace lattice::plan {
namespace {

// The columns that one slice reads, by type.
class Columns {
 public:
  explicit Columns(const Draft& draft) : draft_(draft) {}

  void touch(EntityIndex entity) { types_[entity].entity = entity; }
  void add(EntityIndex entity, FieldIndex field) {
    touch(entity);
    if (field != kNone && !is_key(entity, field)) types_[entity].fields.push_back(field);
  }
  // A column that not every member need declare (a link, a grouping field).
  void add(EntityIndex entity, const std::string& field) {
    add(entity, draft_.entity(entity).find_field(field));
  }
  void add(EntityIndex entity, const Gate& gate) {
    for (const GateTerm& term : gate.all_of) {
      add(entity, term.field);
      if (!term.hidden_column.empty()) types_[entity].hidden_owner_column = term.hidden_column;
    }
  }
  void add_computed(EntityIndex entity, uint32_t output) {
    touch(entity);
    types_[entity].computed_outputs.push_back(output);
    types_[entity].whole_rows = true;
  }
  void add_edge(const EdgePart& edge) {
    for (const FieldIndex field : edge.link_fields) add(edge.owner, field);
    for (const EdgePart::GroupingSource& source : edge.grouping) add(edge.owner, source.field);
  }
  std::vector<Projection> finish();

 private:
  bool is_key(EntityIndex entity, FieldIndex field) const {
    const schema::Entity& declaration = draft_.entity(entity);
    return std::find(declaration.key.begin(), declaration.key.end(),
                     declaration.fields[field].name) != declaration.key.end();
  }

  const Draft& draft_;
  std::map<EntityIndex, Projection> types_;
};

template <class T>
void sort_unique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

std::vector<Projection> Columns::finish() {
  std::vector<Projection> projections;
  for (auto& [entity, projection] : types_) {
    sort_unique(projection.fields);
    sort_unique(projection.computed_outputs);
    projections.push_back(std::move(projection));
  }
  return projections;
}

// What finding the rows of `node` reads of a row of `entity`.
void add_access(Columns& columns, const Node& node, EntityIndex entity) {
  columns.touch(entity);
  if (const schema::Collection* collection = node.access.collection) {
    if (!collection->link.empty()) {
      columns.add(entity, collection->link);
      for (const std::string& name : collection->grouping) columns.add(entity, name);
    }
    for (const schema::OrderColumn& column : collection->keyset) columns.add(entity, column.field);
  }
  for (const std::string& name : node.access.match_fields) columns.add(entity, name);
}

void add_part(const Draft& draft, Columns& columns, EntityIndex entity, const FieldPart& part,
              const Output& output) {
  columns.add(entity, part.gate);
  if (output.is_edge) {
    columns.add_edge(draft.plan.edges[output.edge]);
  } else if (output.derived != kNone) {
    const DerivedPart& derived = draft.plan.derived[output.derived];
    for (const FieldIndex field : derived.own_fields) columns.add(entity, field);
    for (const HiddenRead& read : derived.reads) {
      columns.add_edge(read.edge);
      for (size_t i = 0; i < read.target_fields.size(); ++i) {
        columns.touch(read.targets[i]);
        for (const FieldIndex field : read.target_fields[i]) columns.add(read.targets[i], field);
      }
    }
  } else if (output.is_computed()) {
    columns.add_computed(entity, part.output);
  } else {
    columns.add(entity, output.field);
  }
}

void add_type(Columns& columns, const Draft& draft, const Node& node, const TypePart& type,
              Slice slice, const std::vector<bool>& visited) {
  const auto is_read = [&](const FieldPart& part) {
    return part.slice == slice || (part.child != kNone && visited[part.child]);
  };
  // Under `nodes` a type is fetched only for the slices that it has a part in.
  if (node.access.kind == Access::Kind::Nodes && type.slice != slice &&
      std::none_of(type.parts.begin(), type.parts.end(), is_read)) {
    return;
  }
  add_access(columns, node, type.entity);
  columns.add(type.entity, type.gate);
  const TypeOutputs* outputs = draft.plan.outputs_of(type.entity);
  for (const FieldPart& part : type.parts) {
    if (is_read(part)) {
      add_part(draft, columns, type.entity, part, outputs->outputs[part.output]);
    }
  }
}

}  // namespace

void compute_projections(Draft& draft) {
  Plan& plan = draft.plan;
  for (size_t slice = 0; slice < kSliceCount; ++slice) {
    Columns columns(draft);
    std::vector<bool> visited(plan.nodes.size(), false);
    for (const auto& round : plan.slices[slice].rounds) {
      for (const uint32_t node : round) visited[node] = true;
    }
    for (uint32_t index = 0; index < plan.nodes.size(); ++index) {
      if (!visited[index]) continue;
      for (const TypePart& type : plan.nodes[index].types) {
        add_type(columns, draft, plan.nodes[index], type, static_cast<Slice>(slice), visited);
      }
    }
    plan.slices[slice].projections = columns.finish();
  }
}

}  // namespace lattice::plan
