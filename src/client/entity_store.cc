#include "client/entity_store.h"

#include <algorithm>

namespace lattice::client {

namespace {

// Whether `left` was computed after `right`, in a domain that both name; without one, the later
// arrival counts as later.
bool is_later(const SnapshotVector& left, const SnapshotVector& right) {
  for (const auto& [domain, token] : left) {
    auto at = right.find(domain);
    if (at != right.end()) return compare_tokens(token, at->second) >= 0;
  }
  return true;
}

}  // namespace

void EntityStore::apply(std::span<const Record> records, const SnapshotVector& snapshot) {
  for (const Record& record : records) {
    if (record.kind == "manifest") {
      add_roots(*record.root());
    } else if (record.kind == "entity" || record.kind == "patch" || record.kind == "elided") {
      put(record, snapshot);
    } else if (record.kind == "tombstone") {
      if (auto at = entities_.find(record.id); at != entities_.end()) entities_.erase(at);
    } else if (record.kind == "error") {
      errors_.push_back(record);
    }
  }
}

void EntityStore::put(const Record& record, const SnapshotVector& snapshot) {
  auto [at, is_new] = entities_.try_emplace(record.id);
  StoredEntity& entity = at->second;
  if (record.kind == "elided") {
    entity.is_elided |= is_new;
    return;
  }
  if (!is_new && entity.version != record.version && !is_later(snapshot, entity.snapshot)) return;
  if (is_new || entity.version != record.version) {
    entity.fields = Json::object();
    entity.version = record.version;
    entity.snapshot = snapshot;
  }
  entity.is_elided = false;
  for (const auto& [key, value] : record.fields()->as_object()) entity.fields.set(key, value);
}

void EntityStore::add_roots(const Json& root) {
  for (const auto& [name, value] : root.as_object()) {
    std::vector<std::string>& refs = roots_[name];
    auto more = refs_of(value);
    if (!more) continue;
    for (std::string_view ref : *more) {
      if (std::find(refs.begin(), refs.end(), ref) == refs.end()) refs.emplace_back(ref);
    }
  }
}

const StoredEntity* EntityStore::find(std::string_view ref) const {
  auto at = entities_.find(ref);
  return at == entities_.end() ? nullptr : &at->second;
}

const std::vector<std::string>* EntityStore::find_root(std::string_view name) const {
  auto at = roots_.find(name);
  return at == roots_.end() ? nullptr : &at->second;
}

}  // namespace lattice::client
