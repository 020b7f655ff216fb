#include "store/sqlite/database.h"

#include <fmt/format.h>

#include <filesystem>

namespace lattice::store {

namespace {

// What a person can do about a file that SQLite could not open.
std::string explain_open(int code, const std::string& path, const char* words) {
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      return fmt::format("{} is not an SQLite database", path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return fmt::format("{} is locked by another process; try again when it has finished", path);
    case SQLITE_CORRUPT:
      return fmt::format("{} is damaged (PRAGMA integrity_check tells more): {}", path, words);
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return fmt::format("no permission to read {}", path);
    case SQLITE_CANTOPEN:
      return fmt::format(
          "cannot open {}: {} (is it readable? a database in WAL mode also needs its -wal and -shm "
          "files, or a folder in which they can be made)",
          path, words);
    default:
      return fmt::format("cannot read {}: {}", path, words);
  }
}

}  // namespace

Result<Database> Database::open(const std::string& path, int busy_ms) {
  std::error_code ignored;
  auto status = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(status)) return fail(Code::Io, fmt::format("no file {}", path));
  if (std::filesystem::is_directory(status)) {
    return fail(Code::Io, fmt::format("{} is a folder, not an SQLite database", path));
  }
  Database database;
  database.path_ = path;
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  database.handle_.reset(handle);
  if (code == SQLITE_OK) {
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, busy_ms);
    // The page cache is a connection's own; mapped pages are the kernel's, shared by all.
    sqlite3_exec(handle, "PRAGMA mmap_size = 268435456; PRAGMA cache_size = -16384;", nullptr, nullptr,
                 nullptr);
    code = sqlite3_exec(handle, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
  }
  if (code != SQLITE_OK) {
    return fail(Code::Io, explain_open(code, path, handle ? sqlite3_errmsg(handle) : "out of memory"));
  }
  return database;
}

Result<Statement> Database::prepare(std::string_view sql, bool persistent) const {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v3(handle(), sql.data(), static_cast<int>(sql.size()),
                                persistent ? SQLITE_PREPARE_PERSISTENT : 0, &statement, nullptr);
  if (code != SQLITE_OK) return fail(error(fmt::format("preparing {}", sql)));
  return Statement(statement);
}

Result<void> Database::execute(const char* sql) const {
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return fail(error(sql));
  return {};
}

Error Database::error(std::string_view doing) const {
  int code = sqlite3_errcode(handle()) & 0xff;
  std::string words = sqlite3_errmsg(handle());
  switch (code) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error{Code::UpstreamUnavailable, fmt::format("{} is locked by another process", path_),
                   {}, {}, true};
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      return Error{Code::Io, fmt::format("{}: {}", path_, words), {}, {}, true};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Error{Code::Integrity, fmt::format("{}: {}", path_, words), {}, {}, false};
    default:
      return Error{Code::Internal, fmt::format("{}: {} while {}", path_, words, doing), {}, {}, false};
  }
}

}  // namespace lattice::store
