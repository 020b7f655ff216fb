// The keys that a write emits: a pure function of schema and row images, whoever writes (spec
// §10.5, §11.5 rule 1).
//
//   Comment 301 moves from post 17 to 18  ──▶  Comment:* Comment:301 Post.comments:*
//                                              Post.comments:17 Post.comments:18
//
// Unconditional: whatever columns changed. Keys are as they travel (escaped). Immutable after
// make(); any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "store/value.h"

namespace lattice::store {

// One image of a row: its values by FieldIndex (Null where it has none), and its key in key order.
struct RowImage {
  const Value* key = nullptr;
  const Value* values = nullptr;
};

class WriteKeys {
 public:
  explicit WriteKeys(schema::SchemaPtr schema);

  // Appends the keys of a write to a row of `entity`; an image is null before it was made and after
  // it was deleted. Co-keyed refinements: every member of the family. Duplicates are possible.
  void append(std::vector<std::string>& out, schema::EntityIndex entity, const RowImage* before,
              const RowImage* after) const;

 private:
  struct Range {  // a collection whose members are rows of one entity
    std::string name;
    std::vector<schema::FieldIndex> grouping;  // kNone: no field of the entity
  };
  void append_image(std::vector<std::string>& out, schema::EntityIndex entity,
                    const RowImage& image) const;

  schema::SchemaPtr schema_;
  std::vector<std::vector<Range>> ranges_;                  // by entity
  std::vector<std::vector<schema::EntityIndex>> families_;  // by entity, itself included
};

// "7,9" of a composite key, as refs write it; unescaped.
void append_key(std::string& out, const Value* key, size_t size);

}  // namespace lattice::store
