// SQLite's C interface as resources and Results. Internal to sqlite/.
//
//   LATTICE_TRY(auto database, Database::open(path));
//   LATTICE_TRY(auto statement, database.prepare("SELECT id FROM posts WHERE org_id = ?1"));
//
// A Database is one connection, for one thread at a time; its statements die before it.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice::store {

struct StatementDeleter {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, StatementDeleter>;

class Database {
 public:
  // Opens an existing file for reading. `busy_ms`: how long to wait for another process's lock.
  // Errors: lattice:io with a sentence for a file that is missing, not a database, locked, or not
  // readable.
  static Result<Database> open(const std::string& path, int busy_ms);

  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }

  // `persistent`: kept for many runs. Errors: lattice:internal with SQLite's words and the SQL.
  Result<Statement> prepare(std::string_view sql, bool persistent = false) const;
  // Runs `sql`, which gives no rows that matter. Errors: as error().
  Result<void> execute(const char* sql) const;

  // The failure of the last call: lattice:upstream-unavailable (retryable) for a lock, lattice:io for
  // the file, lattice:integrity for a damaged one, else lattice:internal.
  Error error(std::string_view doing) const;

 private:
  struct Deleter {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::unique_ptr<sqlite3, Deleter> handle_;
  std::string path_;
};

// A column of the current row, borrowed until the next step.
inline std::string_view column_text(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return {text ? text : "", static_cast<size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace lattice::store
