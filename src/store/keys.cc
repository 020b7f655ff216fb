#include "store/keys.h"

#include "base/percent.h"

namespace lattice::store {

using schema::EntityIndex;
using schema::FieldIndex;
using schema::kNone;

void append_key(std::string& out, const Value* key, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (i > 0) out += ',';
    append_key_text(out, key[i]);
  }
}

WriteKeys::WriteKeys(schema::SchemaPtr schema)
    : schema_(std::move(schema)),
      ranges_(schema_->entities.size()),
      families_(schema_->entities.size()) {
  auto add = [&](const schema::Target& target,
                 const std::optional<schema::Collection>& collection) {
    // A parameter-backed list is grouped by parameters, which no row knows: its readers carry
    // families.
    if (!collection || collection->link.empty()) return;
    for (EntityIndex member : target.members) {
      Range range{collection->name, {}};
      for (const std::string& field : collection->grouping) {
        range.grouping.push_back(schema_->entities[member].find_field(field));
      }
      ranges_[member].push_back(std::move(range));
    }
  };
  for (const schema::Entity& entity : schema_->entities) {
    for (const auto& edge : entity.relationships) add(edge.target, edge.collection);
  }
  for (const schema::Root& root : schema_->roots) add(root.target, root.collection);

  auto base_of = [&](const schema::Entity& entity) -> const std::string& {
    return entity.co_key == schema::Entity::CoKey::Refines ? entity.base : entity.name;
  };
  for (EntityIndex one = 0; one < families_.size(); ++one) {
    for (EntityIndex other = 0; other < families_.size(); ++other) {
      if (base_of(schema_->entities[one]) == base_of(schema_->entities[other])) {
        families_[one].push_back(other);
      }
    }
  }
}

void WriteKeys::append_image(std::vector<std::string>& out, EntityIndex entity,
                             const RowImage& image) const {
  std::string key;
  append_key(key, image.key, schema_->entities[entity].key.size());
  for (EntityIndex member : families_[entity]) {
    std::string travelling = schema_->entities[member].name + ":";
    append_key_bytes(travelling, key);
    out.push_back(std::move(travelling));
  }
  for (const Range& range : ranges_[entity]) {
    std::string grouping;
    bool is_known = true;
    for (size_t i = 0; i < range.grouping.size(); ++i) {
      if (i > 0) grouping += ',';
      is_known &= range.grouping[i] != kNone;
      if (is_known) append_key_text(grouping, image.values[range.grouping[i]]);
    }
    // A link that no member declares lives in a join that the row does not tell of: the family
    // alone.
    if (!is_known) continue;
    std::string travelling = range.name + ":";
    append_key_bytes(travelling, grouping);
    out.push_back(std::move(travelling));
  }
}

void WriteKeys::append(std::vector<std::string>& out, EntityIndex entity, const RowImage* before,
                       const RowImage* after) const {
  if (before != nullptr) append_image(out, entity, *before);
  if (after != nullptr) append_image(out, entity, *after);
  for (EntityIndex member : families_[entity]) out.push_back(schema_->entities[member].name + ":*");
  for (const Range& range : ranges_[entity]) out.push_back(range.name + ":*");
}

}  // namespace lattice::store
