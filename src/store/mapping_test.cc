#include "store/mapping.h"

#include <doctest/doctest.h>

namespace lattice::store {

namespace {

schema::SchemaPtr load(std::string_view text) {
  auto loaded = schema::load_schema(text);
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  return *loaded;
}

Table table(std::string name, std::vector<std::string> columns, size_t key_size = 1) {
  Table made;
  made.name = std::move(name);
  made.has_rowid = true;
  for (std::string& column : columns) {
    TableColumn added;
    added.name = std::move(column);
    added.key_position = made.columns.size() < key_size ? static_cast<uint32_t>(made.columns.size() + 1) : 0;
    made.columns.push_back(std::move(added));
  }
  return made;
}

std::vector<std::string> messages_of(const Result<Mapping>& result) {
  REQUIRE_FALSE(result.has_value());
  CHECK(result.error().code == Code::StoreMismatch);
  std::vector<std::string> messages;
  for (const Diagnostic& diagnostic : result.error().diagnostics) messages.push_back(diagnostic.message);
  return messages;
}

}  // namespace

TEST_CASE("names become snake case and plurals") {
  CHECK(snake_case("createdAt") == "created_at");
  CHECK(snake_case("PostTag") == "post_tag");
  CHECK(snake_case("userID") == "user_id");
  CHECK(snake_case("HTTPServer") == "http_server");
  CHECK(snake_case("i8") == "i8");
  CHECK(plural_of("post") == "posts");
  CHECK(plural_of("category") == "categories");
  CHECK(plural_of("day") == "days");
  CHECK(plural_of("box") == "boxes");
  CHECK(plural_of("branch") == "branches");
}

TEST_CASE("by convention: snake case, the name itself, their plurals") {
  auto schema = load(R"(schema m.example
entity PostTag by id { visible to all by default id: I32 createdAt: Text }
entity Category by id { visible to all by default id: I32 parentId: I32? }
entity Artist by artistId { visible to all by default artistId: I32 }
)");
  Catalog catalog{{table("Artist", {"ArtistId"}), table("categories", {"id", "PARENTID"}),
                   table("post_tags", {"id", "created_at"})}};
  catalog.tables[1].columns[1].name = "parent_id";
  auto mapped = map_schema(*schema, catalog, {});
  REQUIRE_MESSAGE(mapped.has_value(), (mapped ? "" : mapped.error().message));
  const EntityMapping& artist = mapped->entities[schema->entity_index("Artist")];
  CHECK(artist.tables.front().table->name == "Artist");
  CHECK(artist.key.front().column->name == "ArtistId");
  const EntityMapping& tag = mapped->entities[schema->entity_index("PostTag")];
  CHECK(tag.fields[0].column.column->name == "created_at");
}

TEST_CASE("by directive, and the version column") {
  auto schema = load(R"(schema m.example
directive @table(name: Text) on ENTITY
directive @column(name: Text) on FIELD
directive @version(column: Text) on ENTITY
@table(name: "tbl_p")
@version(column: "rev")
entity Post by id {
  visible to all by default
  id: I32
  @column(name: "ttl")
  title: Text
}
)");
  Catalog catalog{{table("tbl_p", {"id", "ttl", "rev"})}};
  auto mapped = map_schema(*schema, catalog, {});
  REQUIRE_MESSAGE(mapped.has_value(), (mapped ? "" : mapped.error().message));
  REQUIRE(mapped->entities[0].version.has_value());
  CHECK(mapped->entities[0].version->column->name == "rev");
  CHECK(mapped->entities[0].fields[1].column.column->name == "ttl");
}

TEST_CASE("what is missing is told one by one, with suggestions") {
  auto schema = load(R"(schema m.example
entity Post by id { visible to all by default id: I32 title: Text size(unit: Text): I32 }
entity User by id { visible to all by default id: I32 }
get byName(name: Text) of User public
list search(text: Text) of Post ordered by id asc page 5 max 10 public
)");
  Catalog catalog{{table("posts", {"id", "titel"}), table("usrs", {"id"})}};
  auto messages = messages_of(map_schema(*schema, catalog, {}));
  REQUIRE(messages.size() == 5);
  CHECK(messages[0] == "Post.title wants a column title in posts, which has none; did you mean `titel`?");
  CHECK(messages[1].find("Post.size takes arguments and nothing computes it") == 0);
  CHECK(messages[2] ==
        "User wants a table user or users, which the database does not have; did you mean `usrs`?");
  CHECK(messages[3].find("root `byName` takes other parameters than the key of User (id)") == 0);
  CHECK(messages[4].find("root `search` is listed by its parameters") == 0);
  auto result = map_schema(*schema, catalog, {});
  for (const Diagnostic& diagnostic : result.error().diagnostics) {
    CHECK(diagnostic.span.end > diagnostic.span.begin);
  }
}

TEST_CASE("the configuration computes fields and finds roots") {
  auto schema = load(R"(schema m.example
entity Post by id { visible to all by default id: I32 size(unit: Text): I32 }
list search(text: Text) of Post ordered by id asc page 5 max 10 public
)");
  Catalog catalog{{table("post", {"id"})}};
  StoreOptions options;
  options.computed.push_back({.field = "Post.size", .sql = "1", .reads = {{}}});
  options.hooks.push_back({.root = "search", .sql = "SELECT id FROM post", .reads = {}});
  auto mapped = map_schema(*schema, catalog, options);
  REQUIRE_MESSAGE(mapped.has_value(), (mapped ? "" : mapped.error().message));
  CHECK(mapped->hooks[0]->sql == "SELECT id FROM post");
  CHECK_FALSE(mapped->hooks[0]->reads.has_value());
  options.computed.push_back({.field = "Post.sise", .sql = "1", .reads = {}});
  options.hooks.push_back({.root = "serach", .sql = "SELECT 1", .reads = {}});
  auto messages = messages_of(map_schema(*schema, catalog, options));
  REQUIRE(messages.size() == 2);
  CHECK(messages[0] == "[roots] names `serach`, which is no root; did you mean `search`?");
  CHECK(messages[1] == "[computed] names `Post.sise`, which is no field with arguments");
}

TEST_CASE("a refinement lies in its own table, or in its base's [3.8]") {
  auto schema = load(R"(schema m.example
entity User by id { visible to all by default id: I32 name: Text }
entity Admin refines User { visible to all by default rights: Text note: Text? }
entity Profile joins User { visible to all by default bio: Text }
)");
  EntityIndex admin = schema->entity_index("Admin"), user = schema->entity_index("User");
  {
    Catalog catalog{{table("profile", {"user_id", "bio"}), table("user", {"id", "name", "rights", "note"})}};
    auto mapped = map_schema(*schema, catalog, {});
    REQUIRE_MESSAGE(mapped.has_value(), (mapped ? "" : mapped.error().message));
    REQUIRE(mapped->entities[admin].tables.size() == 1);
    REQUIRE(mapped->entities[admin].present.size() == 1);
    CHECK(mapped->entities[admin].present[0].column->name == "rights");
    // The version of either covers what both show.
    CHECK(mapped->entities[user].whole_row.size() == 4);
    // The inherited key has no directive to rename it: the primary key serves.
    CHECK(mapped->entities[schema->entity_index("Profile")].key[0].column->name == "user_id");
  }
  {
    Catalog catalog{{table("admins", {"id", "rights", "note"}), table("profile", {"id", "bio"}),
                     table("user", {"id", "name"})}};
    auto mapped = map_schema(*schema, catalog, {});
    REQUIRE_MESSAGE(mapped.has_value(), (mapped ? "" : mapped.error().message));
    REQUIRE(mapped->entities[admin].tables.size() == 2);
    CHECK(mapped->entities[admin].tables[1].is_required);
    CHECK_FALSE(mapped->entities[user].tables[1].is_required);
    CHECK(mapped->entities[user].whole_row.size() == 4);
  }
}

}  // namespace lattice::store
