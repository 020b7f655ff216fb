#include "store/memory/memory.h"

#include <doctest/doctest.h>

#include "tests/support/shared.h"

namespace lattice::store {

namespace {

schema::SchemaPtr blog() {
  auto loaded = schema::load_schema(R"(schema m.example
entity Post by id {
  visible to all by default
  id: I32
  title: Text
  has many comments: Comment by postId max 5
}
entity Comment by id { visible to all by default id: I32 postId: I32 }
)");
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  return *loaded;
}

Json post(int id, const char* title) { return Json::object({{"id", id}, {"title", title}}); }

}  // namespace

TEST_CASE("tokens print in one width, so that text order is token order") {
  CHECK(print_token({7, 42}) == "0000000007.00000000000000000042");
  CHECK(parse_token("0000000007.00000000000000000042") == Token{7, 42});
  CHECK_FALSE(parse_token("7.42").has_value());
  CHECK_FALSE(parse_token("0000000007-00000000000000000042").has_value());
  CHECK_FALSE(parse_token("000000000x.00000000000000000042").has_value());
  CHECK(print_token({7, UINT64_MAX}) < print_token({8, 0}));
}

TEST_CASE("a floor never passes its token, and never lags behind what the snapshot saw [10.2]") {
  MemoryStore store(blog());
  Token one = store.put("Post", post(1, "a")).value();
  Token two = store.put("Comment", Json::object({{"id", 5}, {"postId", 1}})).value();
  auto snapshot = store.open_snapshot().run_ready().value();
  Token three = store.update("Post:1", Json::object({{"title", "b"}})).value();
  std::vector<std::string> keys = {"Post:1"};
  CHECK(snapshot->token() == two);
  CHECK(snapshot->floor(keys) == one);
  keys = {"Post.comments:1"};
  CHECK(snapshot->floor(keys) == two);
  auto later = store.open_snapshot().run_ready().value();
  keys = {"Post:1"};
  CHECK(later->floor(keys) == three);
  CHECK(store.invalidated_since(two) == std::vector<std::string>{"Post:*", "Post:1"});
}

TEST_CASE("a commit of several changes is one token, or none of them") {
  MemoryStore store(blog());
  Token before = store.token();
  auto done = store.commit([&]() -> Result<void> {
    LATTICE_TRY_VOID(store.put("Post", post(1, "a")));
    LATTICE_TRY_VOID(store.put("Post", post(2, "b")));
    return {};
  });
  CHECK(done.value().count == before.count + 1);
  auto failed = store.commit([&]() -> Result<void> {
    LATTICE_TRY_VOID(store.put("Post", post(3, "c")));
    LATTICE_TRY_VOID(store.put("Post", Json::object({{"titel", "d"}})));
    return {};
  });
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().message == "Post has no field `titel`; did you mean `title`?");
  CHECK(store.token() == done.value());
}

TEST_CASE("a deleted row leaves a tombstone, a new one takes it away [9.3]") {
  MemoryStore store(blog());
  REQUIRE(store.put("Post", post(1, "a")).has_value());
  REQUIRE(store.remove("Post:1", "t:9").has_value());
  Value key = Value::of_int(1);
  EntityIndex entity = blog()->entity_index("Post");
  auto find = [&] {
    auto snapshot = store.open_snapshot().run_ready().value();
    return snapshot->find_tombstone(entity, {&key, 1}).run_ready().value();
  };
  CHECK(find() == "t:9");
  REQUIRE(store.put("Post", post(1, "again")).has_value());
  CHECK_FALSE(find().has_value());
  CHECK(store.remove("Post:2").error().code == Code::NotFound);
}

TEST_CASE("loads can be made to fail") {
  MemoryStore store(blog());
  store.testing_fail_loads("via Post.comments",
                           Error{Code::UpstreamUnavailable, "away", {}, {}, true});
  LoadShape shape;
  shape.loader = "Comment via Post.comments";
  shape.kind = LoadShape::Kind::Scan;
  shape.entity = blog()->entity_index("Comment");
  LoadRequest request{.shape = &shape, .frame = {}, .keys = {}, .count = 0, .window = {}};
  Arena arena;
  auto snapshot = store.open_snapshot().run_ready().value();
  auto results = snapshot->load({&request, 1}, arena).run_ready().value();
  REQUIRE(results[0].error.has_value());
  CHECK(results[0].error->code == Code::UpstreamUnavailable);
  store.testing_clear_failures();
  CHECK_FALSE(snapshot->load({&request, 1}, arena).run_ready().value()[0].error.has_value());
  CHECK(store.counters().rounds == 2);
}

TEST_CASE("the conformance data sets load") {
  auto text = testing::read_shared("conformance/protocol/vectors/datasets.json");
  if (!text) return;
  auto json = parse_json(*text);
  REQUIRE(json.has_value());
  size_t loaded_count = 0;
  for (const auto& [name, dataset] : json->find("datasets")->as_object()) {
    INFO("data set ", name);
    std::string file = dataset.find("schema")->as_string();
    std::string folder = file.starts_with("schemas/") ? "vectors/" : "fixtures/";
    auto idl = testing::read_shared("conformance/protocol/" + folder + file + ".lattice");
    REQUIRE(idl.has_value());
    auto schema = schema::load_schema(*idl);
    REQUIRE_MESSAGE(schema.has_value(), (schema ? "" : schema.error().message));
    MemoryStore store(*schema);
    auto done = store.load_dataset(dataset);
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    ++loaded_count;
    if (name != "starwars") continue;
    auto snapshot = store.open_snapshot().run_ready().value();
    std::vector<std::string> keys = {"Human.friends:1000"};
    CHECK(snapshot->floor(keys) == store.token());
  }
  CHECK(loaded_count == json->find("datasets")->as_object().size());
}

}  // namespace lattice::store
