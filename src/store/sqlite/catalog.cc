#include "store/sqlite/catalog.h"

#include <algorithm>
#include <map>

namespace lattice::store {

namespace {

// Calls `row` for every row of `sql` with `argument` as ?1.
template <class Row>
Result<void> each(const Database& database, std::string_view sql, std::string_view argument, Row row) {
  LATTICE_TRY(Statement statement, database.prepare(sql));
  if (sqlite3_bind_parameter_count(statement.get()) > 0) {
    sqlite3_bind_text(statement.get(), 1, argument.data(), static_cast<int>(argument.size()),
                      SQLITE_STATIC);
  }
  int code = SQLITE_ROW;
  while ((code = sqlite3_step(statement.get())) == SQLITE_ROW) row(statement.get());
  if (code != SQLITE_DONE) return fail(database.error("reading the schema"));
  return {};
}

std::string text(sqlite3_stmt* statement, int column) {
  return std::string(column_text(statement, column));
}

void read_collation(const Database& database, const Table& table, TableColumn& column) {
  const char* collation = nullptr;
  int code = sqlite3_table_column_metadata(database.handle(), "main", table.name.c_str(),
                                           column.name.c_str(), nullptr, &collation, nullptr, nullptr,
                                           nullptr);
  if (code == SQLITE_OK && collation != nullptr) column.collation = collation;
}

Result<void> read_columns(const Database& database, Table& table) {
  LATTICE_TRY_VOID(each(database, "SELECT name, type, \"notnull\", pk, hidden FROM pragma_table_xinfo(?1)",
                        table.name, [&](sqlite3_stmt* row) {
                          if (sqlite3_column_int(row, 4) == 1) return;  // of a virtual table
                          TableColumn column;
                          column.name = text(row, 0);
                          column.declared_type = text(row, 1);
                          column.is_not_null = sqlite3_column_int(row, 2) != 0;
                          column.key_position = static_cast<uint32_t>(sqlite3_column_int(row, 3));
                          column.has_index = column.key_position == 1;
                          table.columns.push_back(std::move(column));
                        }));
  if (table.is_view) return {};
  for (TableColumn& column : table.columns) read_collation(database, table, column);
  return {};
}

Result<void> read_indexes(const Database& database, Table& table) {
  std::vector<std::pair<std::string, bool>> indexes;  // name, unique and whole and not the primary key
  LATTICE_TRY_VOID(each(
      database, "SELECT name, \"unique\", origin, partial FROM pragma_index_list(?1) ORDER BY seq DESC",
      table.name, [&](sqlite3_stmt* row) {
        bool is_key = sqlite3_column_int(row, 1) != 0 && text(row, 2) != "pk" &&
                      sqlite3_column_int(row, 3) == 0;
        indexes.emplace_back(text(row, 0), is_key);
      }));
  for (const auto& [index, is_key] : indexes) {
    std::vector<std::string> columns;
    bool is_plain = true;  // no expressions
    LATTICE_TRY_VOID(each(database,
                          "SELECT cid, name FROM pragma_index_xinfo(?1) WHERE key = 1 ORDER BY seqno",
                          index, [&](sqlite3_stmt* row) {
                            is_plain &= sqlite3_column_int(row, 0) >= 0;
                            columns.push_back(text(row, 1));
                          }));
    if (columns.empty()) continue;
    for (TableColumn& column : table.columns) column.has_index |= column.name == columns.front();
    if (is_plain) table.indexes.push_back(columns);
    if (is_key && is_plain) table.unique_keys.push_back(std::move(columns));
  }
  return {};
}

Result<void> read_foreign_keys(const Database& database, Table& table) {
  std::map<int, ForeignKey, std::greater<>> keys;  // the pragma counts from the last declared
  LATTICE_TRY_VOID(each(database,
                        "SELECT id, \"table\", \"from\", \"to\" FROM pragma_foreign_key_list(?1) "
                        "ORDER BY id, seq",
                        table.name, [&](sqlite3_stmt* row) {
                          ForeignKey& key = keys[sqlite3_column_int(row, 0)];
                          key.table = text(row, 1);
                          key.columns.push_back(text(row, 2));
                          if (sqlite3_column_type(row, 3) != SQLITE_NULL) {
                            key.target_columns.push_back(text(row, 3));
                          }
                        }));
  for (auto& [id, key] : keys) table.foreign_keys.push_back(std::move(key));
  return {};
}

// A foreign key that names no columns of its target means the target's primary key.
void complete_foreign_keys(Catalog& catalog) {
  for (Table& table : catalog.tables) {
    for (ForeignKey& key : table.foreign_keys) {
      const Table* target = catalog.find_table(key.table);
      if (target == nullptr) continue;
      key.table = target->name;
      if (key.target_columns.empty()) key.target_columns = target->primary_key();
    }
  }
}

}  // namespace

Result<Catalog> read_catalog(const Database& database) {
  Catalog catalog;
  LATTICE_TRY_VOID(each(
      database,
      "SELECT l.name, l.type, l.wr, coalesce(s.sql, '') FROM pragma_table_list AS l "
      "JOIN sqlite_schema AS s ON s.name = l.name AND s.type IN ('table', 'view') "
      "WHERE l.schema = 'main' AND l.type IN ('table', 'view', 'virtual') AND "
      "l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY l.name",
      "", [&](sqlite3_stmt* row) {
        Table table;
        table.name = text(row, 0);
        table.is_view = text(row, 1) == "view";
        table.has_rowid = text(row, 1) == "table" && sqlite3_column_int(row, 2) == 0;
        table.sql = text(row, 3);
        catalog.tables.push_back(std::move(table));
      }));
  for (Table& table : catalog.tables) {
    LATTICE_TRY_VOID(read_columns(database, table));
    LATTICE_TRY_VOID(read_indexes(database, table));
    LATTICE_TRY_VOID(read_foreign_keys(database, table));
  }
  complete_foreign_keys(catalog);
  return catalog;
}

}  // namespace lattice::store
