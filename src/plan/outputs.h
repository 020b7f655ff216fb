// Outputs: what an entity record says, each wire key of a type once (plan.h, "Output").
//
//   Post.title                  ──▶ "title":
//   User.avatarUrl(size:48)     ──▶ "avatarUrl(size:48)":
//   Post.comments(first:$n)     ──▶ rendered per request from name and arguments
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "plan/draft.h"

namespace lattice::plan {

class OutputTable {
 public:
  explicit OutputTable(Draft& draft) : draft_(draft) {}

  // The output of `selection` on `entity`, whose canonical key is `key`; made when new. The entity
  // declares the field or the relationship.
  uint32_t find_or_add(EntityIndex entity, const std::string& key,
                       const query::Selection& selection);
  const Output& at(EntityIndex entity, uint32_t output) const;
  // Moves the outputs to the plan, by entity index.
  void finish();

 private:
  Output make_field(const schema::Entity& entity, FieldIndex field, EntityIndex index,
                    const query::Selection& selection);
  Output make_edge(EntityIndex owner, schema::EdgeIndex edge, const query::Selection& selection);
  uint32_t derived_part(EntityIndex entity, FieldIndex field);
  void add_dependency(DerivedPart& part, const schema::Dependency& dependency);
  void add_key(Output& output, const std::string& key, const query::Selection& selection);

  struct Type {
    TypeOutputs outputs;
    std::unordered_map<std::string, uint32_t> by_key;
  };
  Draft& draft_;
  std::map<EntityIndex, Type> types_;
};

}  // namespace lattice::plan
