// Random schemas, rows, queries and writes for the agreement tests. Everything follows from one
// seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "base/json.h"
#include "schema/schema.h"

namespace lattice::testing {

class RandomWorld {
 public:
  explicit RandomWorld(uint64_t seed);

  std::string idl() const { return idl_; }
  Json dataset();  // {"rows": ...}
  std::vector<std::string> entities() const;

  // A query over `schema` and, in `variables`, the cursor that it may take.
  std::string query(const schema::Schema& schema, const Json& dataset, Json& variables);

  // Changes `dataset` by one write; returns the ref, whose row is gone when it was deleted.
  std::string write(Json& dataset);

  size_t below(size_t n) { return n == 0 ? 0 : engine_() % n; }
  bool chance(size_t percent) { return below(100) < percent; }
  template <class T>
  const T& pick(const std::vector<T>& items) {
    return items[below(items.size())];
  }

 private:
  struct Field {
    std::string name, type;
  };
  struct EntityPlan {
    std::string name;
    std::vector<Field> fields;
    bool is_labelled = false;  // implements the interface
  };
  void make_entity(size_t index);
  void make_roots();
  std::string policy(bool with_row_gates);
  std::string collection(size_t target, bool is_root);
  Json value_of(const std::string& type);
  Json random_row(const EntityPlan& entity);
  std::string selection(const schema::Schema& schema, const Json& dataset,
                        const schema::Entity& entity, size_t depth, Json& variables);
  std::string page(const schema::Schema& schema, const Json& dataset,
                   const schema::Collection& collection, const schema::Target& target,
                   Json& variables);
  std::string target_selection(const schema::Schema& schema, const Json& dataset,
                               const schema::Target& target, size_t depth, Json& variables);

  std::mt19937_64 engine_;
  std::vector<EntityPlan> plans_;
  std::string idl_;
  uint64_t version_ = 1;
};

}  // namespace lattice::testing
