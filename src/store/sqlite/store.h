// The SQLite store's connections, and the order of its snapshots. Internal to sqlite/.
//
// A connection serves one snapshot at a time; idle ones wait in a pool and a thread gets its own last one
// back, whose page cache and statements are warm.
//
// Tokens (dependencies §3). The file has no counter that a reader can see in its snapshot, so this store
// keeps one: an epoch from the wall clock at the start, and a count that moves whenever the database has
// changed. A connection whose cache says that no one has written since its last snapshot has the facts of
// that snapshot, and its token. Else, under the lock: a watching connection is asked whether anything was
// committed (the count moves if so), the snapshot is taken, the watch is asked again; when nothing came
// between, the snapshot is exactly the counted state. So equal tokens have equal facts, and greater ones
// are later.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "store/sqlite/model.h"
#include "store/sqlite/shape.h"
#include "store/store.h"

namespace lattice::store {

// The loads behind a hook root, one a target: by key, and of everything.
struct HookCode {
  std::vector<LoadShape> keys, all;
};

struct Connection {
  static constexpr size_t kShapesMax = 256;

  Database database;
  Statement begin, touch, end;
  std::thread::id last_thread;
  uint32_t data_version = 0;  // of the pager, at the last snapshot
  bool has_token = false;
  Token token;                // of the last snapshot

  // The code of a shape; the least recently used goes. Errors: as ShapeCode.
  Result<ShapeCode*> code_of(const SqlModel& model, const LoadShape& shape);
  const HookCode& hook_of(const LoadShape& root);
  Result<sqlite3_stmt*> hook_statement(uint32_t root, const std::string& sql);

 private:
  struct Entry {
    uint64_t id;
    std::unique_ptr<ShapeCode> code;
  };
  std::list<Entry> recent_;  // newest first
  std::unordered_map<uint64_t, std::list<Entry>::iterator> by_id_;
  std::unordered_map<uint64_t, HookCode> hooks_;           // by id of the root's shape
  std::unordered_map<uint32_t, Statement> hook_statements_;  // by root
};

class SqliteStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(std::string_view path, schema::SchemaPtr schema,
                                             const StoreOptions& options);

  std::string_view domain() const override { return "main"; }
  Task<Result<std::unique_ptr<Snapshot>>> open_snapshot() override;
  Result<uint64_t> change_counter() override;
  LoadCounters counters() const override;

  SqlModel& model() { return *model_; }
  // Ends the connection's transaction and keeps it for the next snapshot.
  void release(std::unique_ptr<Connection> connection);

  std::atomic<uint64_t> round_count{0}, load_count{0}, row_count{0};

 private:
  static constexpr size_t kIdleMax = 16;
  static constexpr int kOpenBusyMs = 2000;
  static constexpr int kReadBusyMs = 250;  // an event loop waits no longer
  static constexpr int kTokenTriesMax = 100;

  Result<std::unique_ptr<Connection>> connect() const;
  Result<std::unique_ptr<Connection>> acquire();
  Result<void> begin(Connection& connection);
  Result<void> begin_counted(Connection& connection);
  Result<void> refresh_count();  // under count_mutex_

  std::string path_;
  std::unique_ptr<SqlModel> model_;

  std::mutex pool_mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;

  std::mutex count_mutex_;
  std::unique_ptr<Database> watch_;
  Statement watch_version_;
  int64_t watched_ = 0;
  Token now_;
};

}  // namespace lattice::store
