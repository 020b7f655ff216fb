#include "store/sqlite/sqlite.h"

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/base64url.h"
#include "base/random.h"
#include "store/sqlite/inspect.h"
#include "store/sqlite/names.h"
#include "tests/support/shared.h"

namespace lattice::store {

namespace {

// A file that goes with the test.
class TestFile {
 public:
  TestFile() : path_(std::filesystem::temp_directory_path() /
                     ("lattice-sqlite-" + base64url_encode(random_bytes(9)) + ".db")) {}
  ~TestFile() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(path_.string() + suffix);
    }
  }
  std::string path() const { return path_.string(); }
  std::string url() const { return "sqlite:" + path(); }
  const TestFile& run(const char* sql) const {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(path_.c_str(), &database) == SQLITE_OK);
    int code = sqlite3_exec(database, sql, nullptr, nullptr, nullptr);
    REQUIRE_MESSAGE(code == SQLITE_OK, sqlite3_errmsg(database));
    sqlite3_close(database);
    return *this;
  }

 private:
  std::filesystem::path path_;
};

schema::SchemaPtr load(std::string_view text) {
  auto loaded = schema::load_schema(text);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  return *loaded;
}

schema::SchemaPtr posts() {
  return load("schema s.example\nentity Post by id { visible to all by default id: I32 title: Text }\n");
}

std::string open_failure(const std::string& url) {
  auto opened = open_store(url, posts());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == Code::Io);
  return opened.error().message;
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what cannot be opened is said in a sentence") {
  CHECK(open_failure("sqlite:/nowhere/no.db") == "no file /nowhere/no.db");
  CHECK(open_failure("sqlite:/") == "/ is a folder, not an SQLite database");
  TestFile text;
  std::ofstream(text.path()) << std::string(4096, 'x');
  CHECK(open_failure(text.url()) == text.path() + " is not an SQLite database");
  CHECK(open_store("mysql:x", posts()).error().code == Code::Usage);
  CHECK(open_store("sqlite:", posts()).error().code == Code::Usage);
}

TEST_CASE("a database that another process holds is said to be locked") {
  TestFile file;
  file.run("CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT)");
  sqlite3* writer = nullptr;
  REQUIRE(sqlite3_open(file.path().c_str(), &writer) == SQLITE_OK);
  REQUIRE(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  CHECK(holds(open_failure(file.url()), "is locked by another process"));
  sqlite3_exec(writer, "COMMIT", nullptr, nullptr, nullptr);
  auto store = open_store(file.url(), posts());
  REQUIRE(store.has_value());
  REQUIRE(sqlite3_exec(writer, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  auto snapshot = (*store)->open_snapshot().run_ready();
  REQUIRE_FALSE(snapshot.has_value());
  CHECK(snapshot.error().code == Code::UpstreamUnavailable);
  CHECK(snapshot.error().retryable);
  sqlite3_exec(writer, "COMMIT", nullptr, nullptr, nullptr);
  CHECK((*store)->open_snapshot().run_ready().has_value());
  sqlite3_close(writer);
}

TEST_CASE("a schema that does not fit is told place by place") {
  TestFile file;
  file.run("CREATE TABLE posts (id INTEGER PRIMARY KEY, titel TEXT)");
  auto opened = open_store(file.url(), posts());
  REQUIRE_FALSE(opened.has_value());
  CHECK(opened.error().code == Code::StoreMismatch);
  REQUIRE(opened.error().diagnostics.size() == 1);
  CHECK(holds(opened.error().message, "did you mean `titel`?"));
}

TEST_CASE("the configured SQL is compiled when the store is opened") {
  TestFile file;
  file.run("CREATE TABLE posts (id INTEGER PRIMARY KEY)");
  auto schema = load(R"(schema s.example
directive @sql(expr: Text, reads: [Text]) on FIELD
entity Post by id {
  visible to all by default
  id: I32
  @sql(expr: "id || ':' || :size || ':not this'", reads: [])
  a(size: I32): Text
  @sql(expr: "idd || :unit", reads: [])
  b(size: I32): Text
  @sql(expr: "id || :unit", reads: [])
  c(size: I32): Text
}
)");
  auto opened = open_store(file.url(), schema);
  REQUIRE_FALSE(opened.has_value());
  REQUIRE(opened.error().diagnostics.size() == 2);
  CHECK(holds(opened.error().diagnostics[0].message, "no such column: idd"));
  CHECK(holds(opened.error().diagnostics[1].message, "`:unit` is none of its arguments"));
}

TEST_CASE("a declared version column is the version") {
  TestFile file;
  file.run("CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT, rev INTEGER);"
           "INSERT INTO posts VALUES (1, 'a', 41)");
  auto store = open_store(file.url(), load(R"(schema s.example
directive @version(column: Text) on ENTITY
@version(column: "rev")
entity Post by id { visible to all by default id: I32 title: Text }
)"));
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  auto snapshot = (*store)->open_snapshot().run_ready().value();
  CHECK(snapshot->has_versions());
  LoadShape shape;
  shape.id = next_shape_id();
  shape.entity = 0;
  Value key = Value::of_int(1);
  LoadRequest request{.shape = &shape, .frame = {}, .keys = {&key, 1}, .count = 1, .window = {}};
  Arena arena;
  auto results = snapshot->load({&request, 1}, arena).run_ready().value();
  REQUIRE(results[0].rows.size() == 1);
  CHECK(results[0].rows[0].version == "41");
}

TEST_CASE("a refinement in its base's table has a row where its required columns have values [3.8]") {
  TestFile file;
  file.run("CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, rights TEXT);"
           "INSERT INTO users VALUES (1, 'ada', 'all'), (2, 'lin', NULL)");
  auto schema = load(R"(schema s.example
entity User by id { visible to all by default id: I32 name: Text }
entity Admin refines User { visible to all by default rights: Text }
)");
  auto store = open_store(file.url(), schema);
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  auto snapshot = (*store)->open_snapshot().run_ready().value();
  LoadShape admin, user;
  admin.id = next_shape_id();
  admin.entity = schema->entity_index("Admin");
  user.id = next_shape_id();
  user.entity = schema->entity_index("User");
  Value keys[] = {Value::of_int(1), Value::of_int(2)};
  LoadRequest requests[] = {{.shape = &admin, .frame = {}, .keys = keys, .count = 2, .window = {}},
                            {.shape = &user, .frame = {}, .keys = keys, .count = 2, .window = {}}};
  Arena arena;
  auto results = snapshot->load(requests, arena).run_ready().value();
  REQUIRE(!results[0].error);
  CHECK(results[0].groups[0].count == 1);
  CHECK(results[0].groups[1].count == 0);
  // One truth, one version.
  CHECK(results[0].rows[0].version == results[1].rows[0].version);
}

// --- lattice init ---

TEST_CASE("names: singular, camel case") {
  CHECK(entity_name("invoice_lines") == "InvoiceLine");
  CHECK(entity_name("categories") == "Category");
  CHECK(entity_name("MediaType") == "MediaType");
  CHECK(entity_name("people") == "Person");
  CHECK(entity_name("order_status") == "OrderStatus");
  CHECK(entity_name("addresses") == "Address");
  CHECK(entity_name("houses") == "House");
  CHECK(entity_name("2fa codes") == "T2faCode");
  CHECK(camel_case("created_at") == "createdAt");
  CHECK(camel_case("ArtistId") == "artistId");
  CHECK(camel_case("ID") == "id");
  CHECK(camel_case("URLPath") == "urlPath");
  CHECK(camel_case("total (EUR)") == "totalEur");
  CHECK(without_id("supportRepId") == "supportRep");
  CHECK(without_id("id") == "");
}

TEST_CASE("a CHECK of a list of texts gives its values, another gives none") {
  const char* sql = "CREATE TABLE t (a TEXT CHECK (a IN ('x', 'it''s')), b TEXT CHECK(b IN ('p') OR b > 'q'),"
                    " \"c\" TEXT, CHECK (\"c\" in ('m','n')))";
  CHECK(checked_values(sql, "a") == std::vector<std::string>{"x", "it's"});
  CHECK(checked_values(sql, "b").empty());
  CHECK(checked_values(sql, "C") == std::vector<std::string>{"m", "n"});
}

TEST_CASE("init writes a schema that loads and binds: keys, links, enums, what it leaves out") {
  TestFile file;
  file.run(R"(
CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL, boss INTEGER REFERENCES authors(id));
CREATE TABLE books (isbn TEXT PRIMARY KEY, author_id INTEGER NOT NULL REFERENCES authors,
  editor_id INTEGER REFERENCES authors, price DECIMAL(10,2) NOT NULL, added_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('draft', 'live')), "odd name!" INTEGER, mix);
CREATE INDEX books_author ON books(author_id, added_at);
CREATE TABLE tags (book TEXT NOT NULL REFERENCES books(isbn), tag TEXT NOT NULL, PRIMARY KEY (book, tag));
CREATE TABLE node (id INTEGER PRIMARY KEY);
CREATE TABLE text (id INTEGER PRIMARY KEY);
CREATE TABLE log (line TEXT);
CREATE VIEW shelf AS SELECT * FROM books;
INSERT INTO authors VALUES (1, 'Ada', NULL);
INSERT INTO books VALUES ('i1', 1, NULL, 9.5, '2026-01-01 10:00:00', 'live', 7, 1), ('i2', 1, 1, 3, '2026-01-02 10:00:00', 'draft', 8, x'00');
INSERT INTO tags VALUES ('gone', 'x');
)");
  auto text = introspect_store(file.url(), {.is_public = true, .name = "books.example"});
  REQUIRE_MESSAGE(text.has_value(), (text ? "" : text.error().message));
  INFO(*text);
  auto has_line = [&](std::string_view line) {
    bool found = holds("\n" + *text, "\n" + std::string(line));
    if (!found) FAIL_CHECK("no line: " << std::string(line));
  };
  has_line("schema books.example");
  has_line("enum BookState closed = draft | live");
  has_line("entity Book by isbn {");
  has_line("  state:    BookState");
  has_line("  price:    Decimal");
  has_line("  addedAt:  Timestamp  -- text, but every value is a time");
  has_line("  @column(name: \"odd name!\")");
  has_line("  has one author: Author by authorId");
  has_line("  has one? editor: Author by editorId");
  has_line("  has one? bossAuthor: Author by boss");
  has_line("  has many booksByAuthor: Book by authorId ordered by addedAt desc, isbn desc page 20 max 100");
  has_line("  has many booksByEditor: Book by editorId ordered by isbn asc page 20 max 100  -- no index");
  has_line("  has many authorsByBoss: Author by boss");
  has_line("entity Tag by (book, tag) {");
  has_line("  has one? bookBook: Book by book  -- some rows refer to a row that does not exist");
  has_line("  has many tags: Tag by book ordered by tag asc, book asc page 20 max 100");
  has_line("-- Left out: column books.mix: its values are of several kinds.");
  has_line("-- Left out: table log: it has no key");
  has_line("-- Left out: view shelf: it has no key");
  has_line("get tag(book: Text, tag: Text) of Tag public");
  has_line("list books of Book by authorId ordered by isbn asc page 20 max 100 public");
  has_line("list allNodes of Node by id");
  has_line("entity TextRow by id {");
  has_line("@table(name: \"text\")");
}

TEST_CASE("init keeps everything private unless told otherwise") {
  TestFile file;
  file.run("CREATE TABLE posts (id INTEGER PRIMARY KEY, title TEXT)");
  auto text = introspect_store(file.url(), {});
  REQUIRE_MESSAGE(text.has_value(), (text ? "" : text.error().message));
  CHECK(holds(*text, "private by default"));
  CHECK_FALSE(holds(*text, "fetch by"));
  CHECK(holds(*text, "get post(id: I32) of Post private"));
}

TEST_CASE("init over the Chinook database: every table, no edits") {
  auto path = testing::find_shared("data/chinook/Chinook_Sqlite.sqlite");
  if (!path) return;
  auto text = introspect_store("sqlite:" + path->string(), {.is_public = true, .name = ""});
  REQUIRE_MESSAGE(text.has_value(), (text ? "" : text.error().message));
  auto schema = load(*text);
  CHECK(schema->name == "chinook_sqlite");
  CHECK(schema->entities.size() == 11);
  CHECK_FALSE(holds(*text, "Left out"));
  const schema::Entity& track = *schema->find_entity("Track");
  CHECK(track.find_relationship("album") != schema::kNone);
  CHECK(track.find_relationship("mediaType") != schema::kNone);
  CHECK(track.find_relationship("invoiceLines") != schema::kNone);
  CHECK(track.find_relationship("playlistTracks") != schema::kNone);
  const schema::Entity& employee = *schema->find_entity("Employee");
  CHECK(employee.find_relationship("reportsToEmployee") != schema::kNone);
  CHECK(employee.find_relationship("customers") != schema::kNone);
  const schema::Entity& invoice = *schema->find_entity("Invoice");
  CHECK(schema::print_type(invoice.fields[invoice.find_field("invoiceDate")].type) == "Timestamp");
  CHECK(schema::print_type(invoice.fields[invoice.find_field("total")].type) == "Decimal");
  auto store = open_store("sqlite:" + path->string(), schema);
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));

  // All tracks of one album, and its artist.
  auto snapshot = (*store)->open_snapshot().run_ready().value();
  LoadShape scan;
  scan.id = next_shape_id();
  scan.kind = LoadShape::Kind::Scan;
  scan.loader = "Track via Album.tracks";
  scan.entity = schema->entity_index("Track");
  scan.fields = {track.find_field("name"), track.find_field("unitPrice")};
  scan.match = {track.find_field("albumId")};
  scan.order = {{track.find_field("trackId"), false}};
  scan.keyset_size = 1;
  Value album = Value::of_int(1);
  Window window;
  window.limit = 100;
  LoadRequest request{.shape = &scan, .frame = {}, .keys = {&album, 1}, .count = 1, .window = window};
  Arena arena;
  auto results = snapshot->load({&request, 1}, arena).run_ready().value();
  REQUIRE(!results[0].error);
  REQUIRE(results[0].rows.size() == 10);
  CHECK(results[0].rows[0].values[1].text() == "0.99");
}

}  // namespace lattice::store
