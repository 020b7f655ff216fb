#include "contract/sqlite_harness.h"

#include <sqlite3.h>

#include <filesystem>

#include "base/random.h"
#include "base/base64url.h"

namespace lattice::testing {

namespace {

std::filesystem::path temporary_file() {
  return std::filesystem::temp_directory_path() /
         ("lattice-contract-" + base64url_encode(random_bytes(9)) + ".db");
}

std::string snake(std::string_view name) {
  std::string out;
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') {
      if (!out.empty()) out += '_';
      c = static_cast<char>(c - 'A' + 'a');
    }
    out += c;
  }
  return out;
}

// `group` is a word of SQL, and a plural is what many databases have.
std::string table_of(std::string_view entity) {
  return entity == "Group" ? "groups" : snake(entity);
}

class SqliteHarness final : public Harness {
 public:
  explicit SqliteHarness(SqliteWorld world) : world_(world), path_(temporary_file()) {
    REQUIRE(sqlite3_open(path_.c_str(), &database_) == SQLITE_OK);
    sqlite3_busy_timeout(database_, 5000);
    run(world.wal ? "PRAGMA journal_mode = wal" : "PRAGMA journal_mode = delete");
    run("PRAGMA synchronous = off");
    std::string collate = world.plain ? " COLLATE NOCASE" : "";
    run("CREATE TABLE groups (id INTEGER PRIMARY KEY, name TEXT NOT NULL)");
    run("CREATE TABLE item (id TEXT NOT NULL" + collate + ", group_id INTEGER, team_id INTEGER NOT NULL, "
        "rank INTEGER NOT NULL, score REAL, mood TEXT NOT NULL" + collate + ", at TIMESTAMP NOT NULL, "
        "amount, likes, code, title TEXT NOT NULL" + collate + ", tags TEXT NOT NULL, "
        "flag BOOLEAN NOT NULL, owner_id TEXT, box_id INTEGER, PRIMARY KEY (id))");
    run("CREATE TABLE pair (\"left\" INTEGER NOT NULL, \"right\" TEXT NOT NULL, group_id INTEGER NOT NULL, "
        "label TEXT" + collate + ", owner_id TEXT, box_id INTEGER, PRIMARY KEY (\"left\", \"right\")) "
        "WITHOUT ROWID");
    if (world.plain) return;
    for (const char* column : {"rank DESC", "score", "mood", "at", "amount", "likes", "code", "title"}) {
      run("CREATE INDEX \"by " + std::string(column) + "\" ON item (group_id, " + column + ", id)");
    }
  }
  ~SqliteHarness() override {
    store_.reset();
    sqlite3_close_v2(database_);
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(path_.string() + suffix);
    }
  }

  std::string name() const override {
    return world_.wal ? "sqlite" : "sqlite without a write-ahead log";
  }

  void put(std::string_view entity, const Json& fields) override {
    std::string columns, places;
    for (const auto& [field, value] : fields.as_object()) {
      columns += (columns.empty() ? "\"" : ", \"") + snake(field) + "\"";
      places += places.empty() ? "?" : ", ?";
    }
    sqlite3_stmt* statement = prepare("INSERT OR REPLACE INTO " + table_of(entity) + " (" + columns +
                                      ") VALUES (" + places + ")");
    is_odd_ = !is_odd_;
    int parameter = 0;
    for (const auto& [field, value] : fields.as_object()) bind(statement, ++parameter, field, value);
    step(statement);
  }

  void remove(std::string_view entity, const Json& key) override {
    update("DELETE FROM " + table_of(entity), key);
  }
  void set_owner(std::string_view entity, const Json& key, std::string_view owner) override {
    update("UPDATE " + table_of(entity) + " SET owner_id = '" + std::string(owner) + "'", key);
  }
  void link_things(int group, const std::vector<std::pair<std::string, Json>>& members) override {
    for (const auto& [entity, key] : members) {
      update("UPDATE " + table_of(entity) + " SET box_id = " + std::to_string(group), key);
    }
  }

  store::Store& store() override {
    if (!store_) {
      store::StoreOptions options;
      options.computed.push_back({.field = "Item.tagged",
                                  .sql = "replace(hex(zeroblob(:times)), '00', :prefix) || id",
                                  .reads = {{}}});
      options.hooks.push_back(
          {.root = "search",
           .sql = "SELECT 'Item', id, NULL FROM item WHERE instr(title, :text) UNION ALL "
                  "SELECT 'Pair', \"left\", \"right\" FROM pair WHERE instr(label, :text)",
           .reads = {{"Item", "Pair"}}});
      options.owners.push_back({.entity = "Item", .field = "", .hidden_column = "owner_id"});
      auto opened = store::open_store("sqlite:" + path_.string(), contract_schema(), options);
      REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().message));
      store_ = std::move(*opened);
    }
    return *store_;
  }

 private:
  void run(const std::string& sql) {
    int code = sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr);
    REQUIRE_MESSAGE(code == SQLITE_OK, sql << ": " << sqlite3_errmsg(database_));
  }
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    int code = sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr);
    REQUIRE_MESSAGE(code == SQLITE_OK, sql << ": " << sqlite3_errmsg(database_));
    return statement;
  }
  void step(sqlite3_stmt* statement) {
    int code = sqlite3_step(statement);
    REQUIRE_MESSAGE(code == SQLITE_DONE, sqlite3_errmsg(database_));
    sqlite3_finalize(statement);
  }
  void update(std::string sql, const Json& key) {
    std::string separator = " WHERE ";
    for (const auto& [field, value] : key.as_object()) {
      sql += separator + "\"" + snake(field) + "\" = ?";
      separator = " AND ";
    }
    sqlite3_stmt* statement = prepare(sql);
    int parameter = 0;
    for (const auto& [field, value] : key.as_object()) bind(statement, ++parameter, field, value);
    step(statement);
  }

  void bind_text(sqlite3_stmt* statement, int parameter, const std::string& text) {
    sqlite3_bind_text(statement, parameter, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(sqlite3_stmt* statement, int parameter, const std::string& field, const Json& value) {
    if (value.is_null()) {
      sqlite3_bind_null(statement, parameter);
    } else if (value.is_bool()) {
      sqlite3_bind_int(statement, parameter, value.as_bool() ? 1 : 0);
    } else if (value.is_int64()) {
      sqlite3_bind_int64(statement, parameter, value.as_int64());
    } else if (value.is_double()) {
      sqlite3_bind_double(statement, parameter, value.as_double());
    } else if (!value.is_string()) {
      bind_text(statement, parameter, to_json(value));
    } else {
      bind_string(statement, parameter, field, value.as_string());
    }
  }

  // Strings of the wire in the form that this world stores.
  void bind_string(sqlite3_stmt* statement, int parameter, const std::string& field, std::string text) {
    bool is_other = world_.mixed_forms ? is_odd_ : world_.other_forms;
    if (field == "likes" && !(world_.mixed_forms && is_other)) {
      sqlite3_bind_int64(statement, parameter, std::stoll(text));
      return;
    }
    if (field == "amount" && !(world_.mixed_forms && is_other)) {
      sqlite3_bind_double(statement, parameter, std::stod(text));
      return;
    }
    if (field == "at" && is_other) {
      text = other_timestamp(text);
      if (!text.empty() && text.find('-') == std::string::npos) {
        sqlite3_bind_int64(statement, parameter, std::stoll(text));
        return;
      }
    }
    if (field == "code" && is_other) {
      if (world_.mixed_forms) {
        for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      } else {
        std::string digits, bytes;
        for (char c : text) {
          if (c != '-') digits += c;
        }
        for (size_t i = 0; i < 32; i += 2) {
          bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
        }
        sqlite3_bind_blob(statement, parameter, bytes.data(), 16, SQLITE_TRANSIENT);
        return;
      }
    }
    bind_text(statement, parameter, text);
  }

  // "2026-01-01T00:00:00.5Z" → "2026-01-01 00:00:00.500", or unix seconds in the mixed world.
  std::string other_timestamp(const std::string& text) const {
    std::string fraction = text.size() > 20 ? text.substr(20, text.size() - 21) : "";
    if (world_.mixed_forms && fraction.empty()) {
      sqlite3_stmt* statement = nullptr;
      sqlite3_prepare_v2(database_, "SELECT strftime('%s', ?1)", -1, &statement, nullptr);
      sqlite3_bind_text(statement, 1, text.c_str(), -1, SQLITE_STATIC);
      REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
      const auto* seconds = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
      std::string out = seconds ? seconds : text;  // a text that is no moment stays as it is
      sqlite3_finalize(statement);
      return out;
    }
    fraction.resize(3, '0');
    return text.substr(0, 10) + " " + text.substr(11, 8) + "." + fraction;
  }

  SqliteWorld world_;
  std::filesystem::path path_;
  sqlite3* database_ = nullptr;
  std::unique_ptr<store::Store> store_;
  bool is_odd_ = false;
};

}  // namespace

std::unique_ptr<Harness> make_sqlite_harness(SqliteWorld world) {
  return std::make_unique<SqliteHarness>(world);
}

}  // namespace lattice::testing
