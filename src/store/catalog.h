// What a database has: tables, columns, keys. Read once when a store is opened or a database is
// introspected; plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lattice::store {

struct TableColumn {
  std::string name;
  std::string declared_type;      // as written; "" when none
  bool is_not_null = false;
  uint32_t key_position = 0;      // 1-based place in the primary key; 0: not in it
  std::string collation = "BINARY";
  bool has_index = false;         // leads an index or the primary key
};

struct ForeignKey {
  std::vector<std::string> columns;
  std::string table;
  std::vector<std::string> target_columns;  // the target's primary key when the declaration names none
};

struct Table {
  std::string name;
  bool is_view = false;
  bool has_rowid = false;
  std::vector<TableColumn> columns;  // in declaration order
  std::vector<std::vector<std::string>> unique_keys;  // beside the primary key
  std::vector<std::vector<std::string>> indexes;      // columns of each; without expressions
  std::vector<ForeignKey> foreign_keys;               // in declaration order
  std::string sql;                                    // CREATE TABLE as written

  // Names compare without regard to (ASCII) case, as in SQLite.
  const TableColumn* find_column(std::string_view name) const;
  std::vector<std::string> primary_key() const;
};

struct Catalog {
  std::vector<Table> tables;  // by name
  const Table* find_table(std::string_view name) const;
};

bool same_identifier(std::string_view left, std::string_view right);
// `posts` → `"posts"`, quotes inside doubled.
std::string quote_identifier(std::string_view name);

}  // namespace lattice::store
