// What an existing database becomes as a schema: entities, typed fields, edges, roots (`lattice init`).
// Internal to sqlite/.
#pragma once

#include <string>
#include <vector>

#include "schema/type.h"
#include "store/catalog.h"
#include "store/sqlite/database.h"

namespace lattice::store {

struct InitField {
  std::string name;
  const TableColumn* column = nullptr;
  std::string type;           // without `?`: "I32", or the name of an enum
  bool is_optional = false;
  bool has_order = true;      // may stand in a keyset
  bool needs_column = false;  // @column
  std::string note;           // why, for a comment; ""
};

struct InitEdge {
  enum class Kind : uint8_t { One, OneOptional, Many } kind = Kind::One;
  std::string name, target, link;
  std::string window;  // of Many
  std::string note;
};

struct InitEntity {
  std::string name;
  const Table* table = nullptr;
  bool needs_table = false;      // @table
  std::vector<std::string> key;  // field names
  std::vector<InitField> fields;
  std::vector<InitEdge> edges;
  std::string get_root, list_root, list_link, list_order;
  std::vector<std::string> notes;

  const InitField* find_field(std::string_view name) const;
  InitField* find_column(std::string_view column);
};

struct InitEnum {
  std::string name;
  std::vector<std::string> values;
  std::string note;
};

struct InitModel {
  std::vector<InitEntity> entities;
  std::vector<InitEnum> enums;
  std::vector<std::string> left_out;  // "table audit: it has no primary key"
};

// Reads tables and data. `catalog` outlives the result. Errors: as Database.
Result<InitModel> inspect_database(const Database& database, const Catalog& catalog);

// The values of CHECK (column IN ('a', 'b')) in a CREATE TABLE text; empty when there is no such check.
std::vector<std::string> checked_values(std::string_view create_table, std::string_view column);

}  // namespace lattice::store
