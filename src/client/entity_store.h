// The client's store: what all responses together say of each entity (spec §3.5.1, §9.1, §13.2).
//
//   pub  {"kind":"entity","id":"Post:17","ver":"e41","fields":{"title":"Hello"}}
//   priv {"kind":"entity","id":"Post:17","ver":"e41","fields":{"draftNotes":"n1"}}
//     ──apply──▶ Post:17 @ e41 {title, draftNotes}
//
// Records of one version are united field by field. Of two versions, that of the later snapshot
// wins as a whole. Not thread-safe.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/records.h"
#include "client/snapshot.h"

namespace lattice::client {

struct StoredEntity {
  std::string version;
  Json fields = Json::object();
  SnapshotVector snapshot;  // of the response that gave the version
  bool is_elided = false;   // it exists; the fields asked for may not be seen
};

class EntityStore {
 public:
  // Takes in one response. `snapshot` is its Lattice-Snapshot; empty when it had none.
  void apply(std::span<const Record> records, const SnapshotVector& snapshot);

  // Null when the entity is unknown or gone.
  const StoredEntity* find(std::string_view ref) const;
  size_t size() const { return entities_.size(); }

  // The refs of a root, over all manifests: each once, in the order received. Null: no manifest
  // named the root.
  const std::vector<std::string>* find_root(std::string_view name) const;
  const std::vector<Record>& errors() const { return errors_; }

 private:
  void put(const Record& record, const SnapshotVector& snapshot);
  void add_roots(const Json& root);

  std::map<std::string, StoredEntity, std::less<>> entities_;
  std::map<std::string, std::vector<std::string>, std::less<>> roots_;
  std::vector<Record> errors_;
};

}  // namespace lattice::client
