#include "store/sqlite/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/clock.h"
#include "store/sqlite/snapshot.h"
#include "store/sqlite/sqlite.h"

namespace lattice::store {

namespace {

Result<void> run(const Database& database, const Statement& statement) {
  int code = sqlite3_step(statement.get());
  sqlite3_reset(statement.get());
  if (code != SQLITE_DONE && code != SQLITE_ROW) return fail(database.error("taking a snapshot"));
  return {};
}

// Moves whenever the connection found that someone else has written; compares with itself only.
uint32_t pager_version(const Database& database) {
  uint32_t version = 0;
  sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_DATA_VERSION, &version);
  return version;
}

}  // namespace

Result<ShapeCode*> Connection::code_of(const SqlModel& model, const LoadShape& shape) {
  if (auto found = by_id_.find(shape.id); found != by_id_.end()) {
    std::unique_ptr<ShapeCode>& code = found->second->code;
    recent_.splice(recent_.begin(), recent_, found->second);
    if (code->generation() != model.generation()) {
      LATTICE_TRY(code, ShapeCode::make(model, shape));
    }
    return code.get();
  }
  LATTICE_TRY(auto code, ShapeCode::make(model, shape));
  recent_.push_front({shape.id, std::move(code)});
  by_id_[shape.id] = recent_.begin();
  if (recent_.size() > kShapesMax) {
    by_id_.erase(recent_.back().id);
    recent_.pop_back();
  }
  return recent_.front().code.get();
}

Result<sqlite3_stmt*> Connection::hook_statement(uint32_t root, const std::string& sql) {
  if (auto found = hook_statements_.find(root); found != hook_statements_.end()) {
    return found->second.get();
  }
  LATTICE_TRY(Statement statement, database.prepare(sql, true));
  return (hook_statements_[root] = std::move(statement)).get();
}

Result<std::unique_ptr<Store>> SqliteStore::open(std::string_view path, schema::SchemaPtr schema,
                                                 const StoreOptions& options) {
  auto store = std::make_unique<SqliteStore>();
  store->path_ = path;
  LATTICE_TRY(Database database, Database::open(store->path_, kOpenBusyMs));
  LATTICE_TRY(store->model_, SqlModel::make(database, std::move(schema), options));
  store->watch_ = std::make_unique<Database>(std::move(database));
  sqlite3_busy_timeout(store->watch_->handle(), kReadBusyMs);
  LATTICE_TRY(store->watch_version_, store->watch_->prepare("PRAGMA data_version", true));

  // Starts within one second are still told apart, by where in the second they fell.
  auto now = system_clock().now().time_since_epoch();
  auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  auto within = std::chrono::duration_cast<std::chrono::milliseconds>(now - seconds);
  store->now_.epoch = static_cast<uint32_t>(seconds.count());
  store->now_.count = static_cast<uint64_t>(within.count()) * 1'000'000'000u;
  LATTICE_TRY_VOID(store->refresh_count());
  return std::unique_ptr<Store>(std::move(store));
}

// --- Connections ---

Result<std::unique_ptr<Connection>> SqliteStore::connect() const {
  auto connection = std::make_unique<Connection>();
  auto database = Database::open(path_, kReadBusyMs);
  if (!database) {  // it opened once: whatever is wrong may pass
    return fail(Error{Code::UpstreamUnavailable, std::move(database.error().message), {}, {}, true});
  }
  connection->database = std::move(*database);
  LATTICE_TRY_VOID(model_->register_functions(connection->database));
  LATTICE_TRY(connection->begin, connection->database.prepare("BEGIN", true));
  // The first read takes the snapshot; BEGIN alone does not.
  LATTICE_TRY(connection->touch, connection->database.prepare("PRAGMA schema_version", true));
  LATTICE_TRY(connection->end, connection->database.prepare("COMMIT", true));
  return connection;
}

Result<std::unique_ptr<Connection>> SqliteStore::acquire() {
  std::thread::id self = std::this_thread::get_id();
  {
    std::lock_guard lock(pool_mutex_);
    size_t chosen = idle_.size();
    for (size_t i = 0; i < idle_.size(); ++i) {
      if (idle_[i]->last_thread == self) chosen = i;
    }
    if (chosen == idle_.size() && chosen > 0) chosen = 0;  // longest idle: its thread may be gone
    if (chosen < idle_.size()) {
      std::unique_ptr<Connection> connection = std::move(idle_[chosen]);
      idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(chosen));
      connection->last_thread = self;
      return connection;
    }
  }
  LATTICE_TRY(auto connection, connect());
  connection->last_thread = self;
  return connection;
}

void SqliteStore::release(std::unique_ptr<Connection> connection) {
  if (!run(connection->database, connection->end)) return;  // closed, and its transaction with it
  std::lock_guard lock(pool_mutex_);
  if (idle_.size() < kIdleMax) idle_.push_back(std::move(connection));
}

// --- Snapshots and their tokens ---

Result<void> SqliteStore::refresh_count() {
  int code = sqlite3_step(watch_version_.get());
  int64_t version = code == SQLITE_ROW ? sqlite3_column_int64(watch_version_.get(), 0) : 0;
  sqlite3_reset(watch_version_.get());
  if (code != SQLITE_ROW) return fail(watch_->error("watching for changes"));
  if (version != watched_) ++now_.count;
  watched_ = version;
  return {};
}

Result<void> SqliteStore::begin(Connection& connection) {
  LATTICE_TRY_VOID(run(connection.database, connection.begin));
  auto touched = run(connection.database, connection.touch);
  if (!touched) {
    sqlite3_exec(connection.database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
    return fail(std::move(touched.error()));
  }
  return {};
}

Result<void> SqliteStore::begin_counted(Connection& connection) {
  std::lock_guard lock(count_mutex_);
  for (int tries = 0; tries < kTokenTriesMax; ++tries) {
    LATTICE_TRY_VOID(refresh_count());
    Token before = now_;
    LATTICE_TRY_VOID(begin(connection));
    auto refreshed = refresh_count();
    if (refreshed && now_ == before) {
      connection.token = before;
      connection.has_token = true;
      connection.data_version = pager_version(connection.database);
      return {};
    }
    LATTICE_TRY_VOID(run(connection.database, connection.end));
    if (!refreshed) return fail(std::move(refreshed.error()));
  }
  return fail(Error{Code::SnapshotContention,
                    fmt::format("{} is written faster than a snapshot of it can be counted", path_),
                    {}, {}, true});
}

Task<Result<std::unique_ptr<Snapshot>>> SqliteStore::open_snapshot() {
  LATTICE_CO_TRY(auto connection, acquire());
  if (connection->has_token) {
    LATTICE_CO_TRY_VOID(begin(*connection));
    bool is_same = pager_version(connection->database) == connection->data_version;
    if (!is_same) {
      LATTICE_CO_TRY_VOID(run(connection->database, connection->end));
      connection->has_token = false;
    }
  }
  if (!connection->has_token) LATTICE_CO_TRY_VOID(begin_counted(*connection));
  co_return std::unique_ptr<Snapshot>(new SqliteSnapshot(*this, std::move(connection)));
}

Result<uint64_t> SqliteStore::change_counter() {
  std::lock_guard lock(count_mutex_);
  LATTICE_TRY_VOID(refresh_count());
  return now_.count;
}

LoadCounters SqliteStore::counters() const {
  return {round_count.load(), load_count.load(), row_count.load()};
}

Result<std::unique_ptr<Store>> open_sqlite(std::string_view path, schema::SchemaPtr schema,
                                           const StoreOptions& options) {
  return SqliteStore::open(path, std::move(schema), options);
}

}  // namespace lattice::store
