// One small world that every store can hold, and the stores that hold it.
//
//   for_each_store([](Harness& world) {
//     world.put("Item", item("a", 1, 10));
//     auto open = world.open();
//     CHECK(open.scan(by_rank(), {1}).keys(0) == Keys{"a"});
//   });
//
// Rows are written as wire JSON; a harness stores them its own way (the SQLite ones through a connection
// of their own, as another program would). The store is opened at the first open(), so rows put before
// are what it finds, and later ones are another writer's.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/json.h"
#include "schema/schema.h"
#include "store/store.h"

namespace lattice::testing {

using Keys = std::vector<std::string>;

// Group, Item (keyed by a text) and Pair (a composite key): every kind of keyset column.
const schema::SchemaPtr& contract_schema();

class Harness {
 public:
  virtual ~Harness() = default;
  virtual std::string name() const = 0;
  virtual void put(std::string_view entity, const Json& fields) = 0;
  virtual void remove(std::string_view entity, const Json& key) = 0;
  // The owner column that the schema does not declare.
  virtual void set_owner(std::string_view entity, const Json& key, std::string_view owner) = 0;
  // Members of Group.things, whose link no member declares.
  virtual void link_things(int group, const std::vector<std::pair<std::string, Json>>& members) = 0;
  virtual store::Store& store() = 0;
};

// What one load answered, with what its spans point into.
struct Loaded {
  const store::LoadShape* shape = nullptr;
  std::vector<store::LoadResult> results;
  std::shared_ptr<Arena> arena;

  const store::LoadResult& only() const { return results.front(); }
  Keys keys(size_t group) const;      // of its rows, in order
  std::string field(size_t row, size_t index) const;  // as key text; "null", "invalid"
  const store::Group& group(size_t index) const { return only().groups.at(index); }
};

// A snapshot and the loads one asks of it.
class Open {
 public:
  explicit Open(store::Store& store);
  store::Snapshot& snapshot() { return *snapshot_; }

  Loaded load(const store::LoadShape& shape, const std::vector<Json>& keys, uint32_t count,
              store::Window window = {}, const std::vector<Json>& frame = {});
  // A scan of the groups named, each by one value.
  Loaded scan(const store::LoadShape& shape, const std::vector<Json>& groups,
              store::Window window = whole(1000), const std::vector<Json>& frame = {});
  static store::Window whole(uint32_t limit = 1000);

 private:
  std::unique_ptr<store::Snapshot> snapshot_;
};

// Values of plain JSON; texts stay where they are.
store::Value value_of(const Json& json, Arena& arena);

// --- Shapes ---

store::LoadShape keys_of(std::string_view entity, const std::vector<std::string>& fields = {});
// Items of a group: `order` as "rank desc", then the key.
store::LoadShape items_by(const std::vector<std::string>& order,
                          const std::vector<std::string>& fields = {});
store::LoadShape scan_of(std::string_view entity, const std::vector<std::string>& match,
                         const std::vector<std::string>& order,
                         const std::vector<std::string>& fields = {});

// --- Windows ---

struct Place {
  std::vector<Json> values;
  bool has_key = false;
  bool is_inclusive = false;
};
// A window with its boundary's values, which live as long as it.
class At {
 public:
  At(store::Window::Kind kind, uint32_t limit, std::optional<Place> place = {}, bool total = false);
  operator store::Window() const;  // NOLINT: a window to pass on

 private:
  store::Window window_;
  std::shared_ptr<Arena> arena_ = std::make_shared<Arena>();
  std::vector<store::Value> values_;
  bool has_place_ = false;
  Place place_;
};
At forward(uint32_t limit, std::optional<Place> after = {});
At backward(uint32_t limit, std::optional<Place> before = {});
At around(uint32_t limit, Place anchor);

// --- Worlds ---

struct Factory {
  std::string name;
  std::function<std::unique_ptr<Harness>()> make;
};
const std::vector<Factory>& factories();
void for_each_store(const std::function<void(Harness&)>& body);

// An item with defaults for what is not given.
Json item(std::string_view id, int group, int rank, std::vector<Json::Member> more = {});

}  // namespace lattice::testing
