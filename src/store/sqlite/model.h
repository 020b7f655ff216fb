// A schema bound to an SQLite database: what statements are made of. Internal to sqlite/.
//
// Made once when the store is opened. All of it is immutable but the columns' forms, which follow the
// data: when a cell turns up that a column's form does not give, the form is found anew and `generation`
// moves, so that connections make their statements again. Shared by all connections; any thread.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/mapping.h"
#include "store/sqlite/codec.h"
#include "store/sqlite/database.h"

namespace lattice::store {

struct SqlEntity {
  std::string from;                 // "posts" AS t0 LEFT JOIN ..
  std::vector<std::string> present; // conditions that every row meets ("t0.permissions IS NOT NULL")
  std::vector<SqlColumn*> key;      // in the key's order
  std::vector<SqlColumn*> fields;   // by FieldIndex; null: computed or elsewhere
  std::vector<ScalarType> types;    // by FieldIndex
  std::string version;              // the version column's SQL; "" : content hash of `whole_row`
  std::vector<std::string> whole_row;
};

struct SqlLink {
  EntityIndex owner, target;
  std::string collection;
  SqlColumn* column;
};

class SqlModel {
 public:
  // Maps the schema, finds the forms, and compiles every piece of SQL that the configuration brings.
  // Errors: lattice:store-mismatch; as Database.
  static Result<std::unique_ptr<SqlModel>> make(const Database& database, schema::SchemaPtr schema,
                                                const StoreOptions& options);

  const schema::Schema& schema() const { return *schema_; }
  const Mapping& mapping() const { return mapping_; }
  const SqlEntity& entity(EntityIndex index) const { return entities_[index]; }
  const SqlColumn* link(EntityIndex owner, std::string_view collection, EntityIndex target) const;
  // What the rows of a root depend on: as its hook says; of a list of whole tables, their types.
  const std::vector<std::string>* root_reads(uint32_t root) const;
  bool has_versions() const { return has_versions_; }
  uint64_t generation() const { return generation_.load(std::memory_order_acquire); }

  // Registers lattice_sort on a connection.
  Result<void> register_functions(const Database& database) const;
  // Finds the form of a column that met a cell outside it.
  Result<void> revise(const Database& database, const SqlColumn& column);

  // For lattice_sort.
  const SqlColumn* column(uint32_t id) const { return id < columns_.size() ? &columns_[id] : nullptr; }

 private:
  SqlColumn* add_column(EntityIndex entity, ColumnRef ref, std::string label, const schema::Type& type);
  void bind_entity(EntityIndex index);
  void bind_links();
  void watch_columns();
  void watch(EntityIndex entity, std::string_view field);
  Result<Form> find_form(const Database& database, const SqlColumn& column, bool thoroughly) const;
  Result<void> check_sql(const Database& database) const;
  Result<void> check_orders() const;

  schema::SchemaPtr schema_;
  Catalog catalog_;
  Mapping mapping_;
  StoreOptions options_;
  std::deque<SqlColumn> columns_;
  std::vector<SqlEntity> entities_;
  std::vector<SqlLink> links_;
  std::vector<std::optional<std::vector<std::string>>> root_reads_;
  bool has_versions_ = false;
  std::mutex revise_mutex_;
  std::atomic<uint64_t> generation_{1};
};

// `expression` with every :name replaced by what `rename` gives; strings, quoted names and comments are
// left alone.
std::string rename_parameters(std::string_view expression,
                              const std::function<std::string(std::string_view)>& rename);

}  // namespace lattice::store
