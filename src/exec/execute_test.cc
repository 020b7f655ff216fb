#include <doctest/doctest.h>

#include "tests/support/exec_fixture.h"

namespace lattice::exec {

using plan::Slice;
using testing::ExecFixture;
using testing::has_key;
using testing::RunOptions;

namespace {

std::string facts_of(const SliceResult& result) {
  return testing::print_walked(testing::read_records(result.body));
}

const Json kOrgOne = Json::object({{"org", "00000000-0000-4000-8000-0000000000c1"}});
const std::string kAda = "00000000-0000-4000-8000-0000000000b1";

}  // namespace

TEST_CASE("9.1 9.2 records: manifest, entities in first-reach order, end") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  auto result = world->run("query { hero { name friends(first: 2) { name } } }", Slice::Pub);
  auto program = world->compile("query { hero { name friends(first: 2) { name } } }");
  std::string plan_id = program->plan().plan_id;
  CHECK(result.body ==
        R"({"kind":"manifest","query":"8CsFNCFSUuLQFyPYY3s76g","plan":")" + plan_id +
            R"(","slice":"pub","root":{"hero":["Droid:2001"]},"etag":")" + result.etag + "\"}\n" +
            R"~({"kind":"entity","id":"Droid:2001","ver":"e1","fields":{"friends(first:2)":)~"
            R"({"$page":{"items":[{"$ref":"Human:1002"},{"$ref":"Human:1003"}],)"
            R"("next":"cur_WyJjZkU1QkEiLCJMZWlhIE9yZ2FuYSJd","prev":null}},"name":"R2-D2"}})"
            "\n"
            R"({"kind":"entity","id":"Human:1002","ver":"e1","fields":{"name":"Han Solo"}})"
            "\n"
            R"({"kind":"entity","id":"Human:1003","ver":"e1","fields":{"name":"Leia Organa"}})"
            "\n"
            R"({"kind":"end","complete":true,"etag":")" +
            result.etag + "\"}\n");
  CHECK(result.keys ==
        std::vector<SurrogateKey>{"Droid.friends:2001", "Droid:2001", "Human:1002", "Human:1003"});
  CHECK_FALSE(result.degraded);
  CHECK_FALSE(result.coarsened_to_uncacheable);
  CHECK(result.etag.starts_with("m:"));
  CHECK(result.etag.size() == 18);
}

TEST_CASE("9.2 an empty list root and the range that it scanned") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  std::string_view query = "query($ep: Episode) { reviews(episode: $ep) { stars commentary } }";
  auto none = world->run(query, Slice::Pub, {.variables = Json::object({{"ep", "NewHope"}})});
  CHECK(facts_of(none) == "root reviews:\n");
  CHECK(none.keys == std::vector<SurrogateKey>{"reviews:NewHope"});
  auto jedi = world->run(query, Slice::Pub, {.variables = Json::object({{"ep", "Jedi"}})});
  CHECK(facts_of(jedi) ==
        "root reviews: Review:5001 Review:5002\n"
        "entity Review:5001 @e1\n  Review:5001 commentary = \"Good\"\n  Review:5001 stars = 4\n"
        "entity Review:5002 @e1\n  Review:5002 stars = 5\n");
  CHECK(jedi.etag != none.etag);
}

TEST_CASE("3.6 pages of an abstract edge: after, last, before, around, and ends") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  // Luke's friends by name: C-3PO, Han Solo, Leia Organa, R2-D2.
  auto page = [&](const std::string& arguments, Json variables) {
    std::string declared = variables.find("c") ? "($c: Cursor)" : "";
    auto result = world->run(
        "query" + declared + " { hero(episode: Empire) { friends" + arguments + " { name } } }",
        Slice::Pub, {.variables = std::move(variables)});
    auto facts = testing::read_records(result.body);
    Json found = facts.entities.at("Human:1000").begin()->second;
    std::string items;
    const Json& value = *found.find("$page");
    for (const Json& item : value.find("items")->as_array()) {
      items += item.find("$ref")->as_string() + " ";
    }
    items += value.find("prev")->is_null() ? "-" : "<";
    items += value.find("next")->is_null() ? "-" : ">";
    return items;
  };
  auto at = [](const char* name) {
    return Json::object({{"c", encode_cursor({{"name", false}}, {name})}});
  };
  CHECK(page("(first: 2)", Json::object()) == "Droid:2000 Human:1002 ->");
  CHECK(page("", Json::object()) == "Droid:2000 Human:1002 Human:1003 Droid:2001 --");
  CHECK(page("(first: 2, after: $c)", at("Han Solo")) == "Human:1003 Droid:2001 <-");
  CHECK(page("(first: 1, after: $c)", at("Han Solo")) == "Human:1003 <>");
  CHECK(page("(last: 3)", Json::object()) == "Human:1002 Human:1003 Droid:2001 <-");
  CHECK(page("(last: 2, before: $c)", at("Leia Organa")) == "Droid:2000 Human:1002 ->");
  CHECK(page("(around: $c)", at("Han Solo")) == "Droid:2000 Human:1002 Human:1003 Droid:2001 --");
  CHECK(page("(first: 2, after: $c)", at("R2-D2")) == "--");
}

TEST_CASE("4.4 members that are not listed are bare refs, and their versions count in the etag") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  std::string_view query = "query { search(text: \"l\") { ... on Starship { length } } }";
  auto result = world->run(query, Slice::Pub);
  CHECK(facts_of(result) ==
        "root search: Human:1002 Human:1003 Human:1000 Starship:3000\n"
        "entity Starship:3000 @e1\n  Starship:3000 length = 34.37\n");
  for (const char* key : {"search:l", "Human:*", "Droid:*", "Starship:*"}) {
    CHECK(has_key(result, key));
  }
  REQUIRE(world->store->update("Human:1002", Json::object({{"name", "Zan Solo"}})));
  CHECK(world->run(query, Slice::Pub).etag != result.etag);
}

TEST_CASE("10.5 key bytes are escaped") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  auto result =
      world->run("query { search(text: \"l, 50%*\") { ... on Human { name } } }", Slice::Pub);
  CHECK(facts_of(result) == "root search:\n");
  CHECK(has_key(result, "search:l%2C%2050%25%2A"));
}

TEST_CASE("8.1 a claims-gated root, a row-gated field, and what each slice says") {
  auto world = ExecFixture::open("blog");
  if (!world) return;
  std::string_view query = "query { feed { title author { name email } } }";
  auto ctx = world->run(query, Slice::Ctx, {.claims = kOrgOne});
  auto facts = testing::read_records(ctx.body);
  CHECK(facts.roots["feed"] ==
        std::vector<std::string>{"Post:00000000-0000-4000-8000-0000000000a2",
                                 "Post:00000000-0000-4000-8000-0000000000a1"});
  CHECK(facts.entities["User:" + kAda].contains("email"));
  CHECK_FALSE(facts.entities["User:00000000-0000-4000-8000-0000000000b2"].contains("email"));
  CHECK(has_key(ctx, "feed:00000000-0000-4000-8000-0000000000c1"));
  CHECK_FALSE(has_key(ctx, "Post:00000000-0000-4000-8000-0000000000a3"));
  CHECK(facts_of(world->run(query, Slice::Pub)) == "");
}

TEST_CASE("8.1 private fields ride in priv, and only on the owner's rows") {
  auto world = ExecFixture::open("blog");
  if (!world) return;
  std::string_view query = "query { feed { title draftNotes } }";
  RunOptions ada{.variables = {}, .claims = kOrgOne, .principal = kAda, .exec = {}};
  CHECK(facts_of(world->run(query, Slice::Priv, ada)) ==
        "entity Post:00000000-0000-4000-8000-0000000000a1 @e1\n"
        "  Post:00000000-0000-4000-8000-0000000000a1 draftNotes = \"n1\"\n");
  RunOptions nobody{.variables = {}, .claims = kOrgOne, .principal = {}, .exec = {}};
  CHECK(facts_of(world->run(query, Slice::Priv, nobody)) == "");
}

TEST_CASE("8.1 get me finds the caller's own row") {
  auto world = ExecFixture::open("blog");
  if (!world) return;
  auto mine = world->run("query { me { name } }", Slice::Priv, {.principal = kAda});
  CHECK(facts_of(mine) == "root me: User:" + kAda + "\nentity User:" + kAda +
                              " @e1\n  User:" + kAda + " name = \"Ada\"\n");
  auto other = world->run("query { me { name } }", Slice::Priv,
                          {.principal = "00000000-0000-4000-8000-0000000000ff"});
  CHECK(facts_of(other) == "root me:\n");
}

TEST_CASE("8.1 a gated edge over three slices") {
  auto world = ExecFixture::open("gates");
  if (!world) return;
  std::string_view query = "query($id: DocId) { doc(id: $id) { title owner { name wage } } }";
  Json boss = Json::object({{"org", "o1"}, {"role", "Boss"}});
  Json d1 = Json::object({{"id", "d1"}});
  CHECK(facts_of(world->run(query, Slice::Pub, {.variables = d1})) ==
        "root doc: Doc:d1\nentity Doc:d1 @e1\n  Doc:d1 title = \"Alpha\"\n");
  CHECK(facts_of(world->run(query, Slice::Ctx, {.variables = d1, .claims = boss})) ==
        "entity Doc:d1 @e1\n  Doc:d1 owner = {\"$ref\":\"Member:m1\"}\n"
        "entity Member:m1 @e1\n  Member:m1 name = \"Ada\"\n");
  CHECK(facts_of(
            world->run(query, Slice::Priv, {.variables = d1, .claims = boss, .principal = "m1"})) ==
        "entity Member:m1 @e1\n  Member:m1 wage = 9\n");
  // Another organisation's: the edge is silently absent, and nothing is left of the document.
  Json d2 = Json::object({{"id", "d2"}});
  auto hidden = world->run(query, Slice::Ctx, {.variables = d2, .claims = boss});
  CHECK(facts_of(hidden) == "");
  CHECK_FALSE(hidden.degraded);
  CHECK_FALSE(has_key(hidden, "Member:m2"));
  CHECK(has_key(hidden, "Doc:d2"));
}

TEST_CASE("14.4 nodes: request order by slice, silence about what is hidden, every named key") {
  auto world = ExecFixture::open("gates");
  if (!world) return;
  std::string_view query =
      "query($r: EntityRef) { nodes(refs: $r) { ... on Member { name } ... on Staff { name } "
      "... on Doc { title } } }";
  auto refs = [](std::initializer_list<Json> items) {
    return Json::object({{"r", Json::array(items)}});
  };
  auto pub = world->run(query, Slice::Pub,
                        {.variables = refs({"Doc:d2", "Member:m1", "Doc:d1", "Doc:zz", "Ghost:1",
                                            "Vault:v1", "nonsense"})});
  CHECK(facts_of(pub) ==
        "root nodes: Doc:d2 Doc:d1\n"
        "entity Doc:d1 @e1\n  Doc:d1 title = \"Alpha\"\nentity Doc:d2 @e1\n  Doc:d2 title = "
        "\"Beta\"\n");
  for (const char* key : {"Doc:d1", "Doc:d2", "Doc:zz", "Member:m1", "Vault:v1"}) {
    CHECK_MESSAGE(has_key(pub, key), key);
  }
  Json boss = Json::object({{"org", "o1"}, {"role", "Boss"}});
  auto ctx = world->run(
      query, Slice::Ctx,
      {.variables = refs({"Member:m2", "Member:m1", "Staff:s1", "Doc:d1"}), .claims = boss});
  CHECK(testing::read_records(ctx.body).roots["nodes"] ==
        std::vector<std::string>{"Member:m1", "Staff:s1"});
  CHECK(testing::read_records(ctx.body).entities.size() == 2);
  Json reader = Json::object({{"org", "o1"}, {"role", "Reader"}});
  auto less = world->run(query, Slice::Ctx,
                         {.variables = refs({"Staff:s1", "Member:m1"}), .claims = reader});
  CHECK(testing::read_records(less.body).roots["nodes"] == std::vector<std::string>{"Member:m1"});
}

TEST_CASE("14.4 tombstones show under public and claims gates, not under row gates") {
  auto world = ExecFixture::open("gates");
  if (!world) return;
  std::string_view query =
      "query($r: EntityRef) { nodes(refs: $r) { ... on Member { name } ... on Staff { name } "
      "... on Doc { title } } }";
  Json refs = Json::object({{"r", Json::array({"Doc:d9", "Member:m9", "Staff:s9"})}});
  Json boss = Json::object({{"org", "o1"}, {"role", "Boss"}});
  auto pub = world->run(query, Slice::Pub, {.variables = refs});
  CHECK(pub.body.find(R"({"kind":"tombstone","id":"Doc:d9","ver":"t:5"})") != std::string::npos);
  CHECK(pub.body.find("m9") == std::string::npos);
  auto ctx = world->run(query, Slice::Ctx, {.variables = refs, .claims = boss});
  CHECK(ctx.body.find(R"({"kind":"tombstone","id":"Staff:s9","ver":"t:4"})") != std::string::npos);
  CHECK(ctx.body.find("m9") == std::string::npos);
  Json reader = Json::object({{"org", "o1"}, {"role", "Reader"}});
  auto less = world->run(query, Slice::Ctx, {.variables = refs, .claims = reader});
  CHECK(less.body.find("tombstone") == std::string::npos);
}

TEST_CASE("9.4 cardinality, bounds and integrity") {
  auto world = ExecFixture::open("card");
  if (!world) return;
  std::string_view query =
      "query($id: OrderId) { order(id: $id) { note tags customer { name } reviewer { name } "
      "lineItems { sku } labels { text } stickers { text } } }";
  auto order = [&](const char* id) {
    return world->run(query, Slice::Pub, {.variables = Json::object({{"id", id}})});
  };
  auto facts = [&](const char* id) { return testing::read_records(order(id).body); };
  CHECK(facts("o1").errors.empty());
  CHECK(facts("o1").entities["Order:o1"]["lineItems"] ==
        Json::array({"LineItem:i1", "LineItem:i2"}));
  CHECK(facts("o1").entities["Order:o1"]["labels"] == Json::array());

  auto dangling = facts("o2");
  CHECK(dangling.errors == std::set<std::string>{"lattice:cardinality Edge Order:o2 customer"});
  CHECK(canonical_json(dangling.entities["Order:o2"]["customer"]) == R"({"$ref":"Customer:gone"})");
  CHECK(order("o2").degraded);
  CHECK(has_key(order("o2"), "Customer:gone"));

  auto under = facts("o3");
  CHECK(under.errors ==
        std::set<std::string>{"lattice:collection-underflow Edge Order:o3 lineItems"});
  CHECK(under.entities["Order:o3"]["lineItems"] == Json::array());

  auto over = facts("o4");
  CHECK(over.errors == std::set<std::string>{"lattice:collection-overflow Edge Order:o4 labels"});
  CHECK_FALSE(over.entities["Order:o4"].contains("labels"));
  CHECK(over.entities["Order:o4"]["stickers"] == Json::array({"Label:l1", "Label:l2"}));

  auto optional = facts("o5");
  CHECK(optional.errors.empty());
  CHECK_FALSE(optional.entities["Order:o5"].contains("reviewer"));
  CHECK(has_key(order("o5"), "Customer:gone"));

  auto bad = facts("o6");
  CHECK(bad.errors == std::set<std::string>{"lattice:integrity Field Order:o6 tags"});
  CHECK(bad.entities["Order:o6"]["tags"] == Json::array());
}

TEST_CASE("9.4 a get that finds nothing is an empty list, and the key that it missed travels") {
  auto world = ExecFixture::open("card");
  if (!world) return;
  auto result = world->run("query { order(id: \"none\") { note } }", Slice::Pub);
  CHECK(facts_of(result) == "root order:\n");
  CHECK(result.keys == std::vector<SurrogateKey>{"Order:none"});
}

TEST_CASE(
    "9.4 a failed load: its edge is unknown, the rest stands; all roots failed is a problem") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  world->store->testing_fail_loads("Droid.friends",
                                   Error{Code::UpstreamUnavailable, "down", {}, {}, true});
  auto result = world->run("query { hero { name friends { name } } }", Slice::Pub);
  CHECK(facts_of(result) ==
        "root hero: Droid:2001\nentity Droid:2001 @e1\n  Droid:2001 name = \"R2-D2\"\n"
        "error lattice:upstream-unavailable Edge Droid:2001 friends\n");
  CHECK(result.degraded);
  CHECK(result.body.find(R"("retryable":true)") != std::string::npos);
  CHECK(result.body.find(R"("complete":true)") != std::string::npos);
  world->store->testing_clear_failures();
  world->store->testing_fail_loads("hero", Error{Code::UpstreamUnavailable, "down", {}, {}, true});
  auto none = world->try_run("query { hero { name } }", Slice::Pub);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == Code::UpstreamUnavailable);
  CHECK(none.error().retryable);
}

TEST_CASE("6.8 refs projection: the same etag and keys, records restricted to identity") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  std::string_view query = "query { hero { name friends { name } } }";
  auto full = world->run(query, Slice::Pub);
  RunOptions how;
  how.exec.refs_only = true;
  auto refs = world->run(query, Slice::Pub, how);
  CHECK(refs.etag == full.etag);
  CHECK(refs.keys == full.keys);
  auto records = testing::records_of(refs);
  REQUIRE(records.size() == 6);
  CHECK(to_json(records[1]) == R"({"kind":"unchanged","id":"Droid:2001","ver":"e1"})");
}

TEST_CASE("10.4 what the client holds is marked unchanged") {
  auto world = ExecFixture::open("digest");
  if (!world) return;
  class Have : public HaveSet {
   public:
    bool holds(std::string_view ref, std::string_view version) const override {
      return ref == "Doc:d1" && version == "e1";
    }
  } have;
  RunOptions how{
      .variables = Json::object({{"id", "d1"}}), .claims = {}, .principal = "x", .exec = {}};
  std::string_view query = "query($id: DocId) { doc(id: $id) { secret } }";
  auto plain = world->run(query, Slice::Priv, how);
  CHECK(facts_of(plain) == "entity Doc:d1 @e1\n  Doc:d1 secret = \"s3\"\n");
  how.exec.have = &have;
  auto held = world->run(query, Slice::Priv, how);
  CHECK(held.body.find(R"({"kind":"unchanged","id":"Doc:d1","ver":"e1"})") != std::string::npos);
  CHECK(held.etag == plain.etag);
}

TEST_CASE("6.7 point fetches: found, absent, hidden, and over several levels") {
  auto world = ExecFixture::open("blog");
  if (!world) return;
  RunOptions ada{.variables = {}, .claims = kOrgOne, .principal = {}, .exec = {}};
  auto found = world->fetch("User", kAda, "avatarUrl(size:48),name", Slice::Ctx, true, ada);
  CHECK(found.presence == SliceResult::Presence::Found);
  CHECK(found.etag == "e1");
  CHECK(found.version == "e1");
  CHECK(has_key(found, "User:" + kAda));
  CHECK(found.body ==
        "{\"kind\":\"manifest\",\"slice\":\"ctx\",\"root\":{\"node\":[\"User:" + kAda +
            "\"]},\"etag\":\"e1\"}\n{\"kind\":\"entity\",\"id\":\"User:" + kAda +
            "\",\"ver\":\"e1\",\"fields\":{\"avatarUrl(size:48)\":\"https://img.example/" + kAda +
            "/48\",\"name\":\"Ada\"}}\n{\"kind\":\"end\",\"complete\":true,\"etag\":\"e1\"}\n");
  auto absent =
      world->fetch("User", "00000000-0000-4000-8000-0000000000ff", "name", Slice::Ctx, true, ada);
  CHECK(absent.presence == SliceResult::Presence::Absent);
  CHECK(has_key(absent, "User:00000000-0000-4000-8000-0000000000ff"));
  auto malformed = world->fetch("User", "nobody", "name", Slice::Ctx, true, ada);
  CHECK(malformed.presence == SliceResult::Presence::Absent);
  auto hidden =
      world->fetch("User", "00000000-0000-4000-8000-0000000000b2", "name", Slice::Ctx, true, ada);
  CHECK(hidden.presence == SliceResult::Presence::Hidden);
  CHECK(hidden.etag == "");
  CHECK(hidden.body.find("Lin") == std::string::npos);
  // Levels: `title` is public, `ctr` needs a claim.
  RunOptions admin{
      .variables = {}, .claims = Json::object({{"role", "Admin"}}), .principal = {}, .exec = {}};
  std::string post = "00000000-0000-4000-8000-0000000000a1";
  auto both = world->fetch("Post", post, "ctr,title", Slice::Ctx, true, admin);
  auto one = world->fetch("Post", post, "ctr,title", Slice::Ctx, false, admin);
  CHECK(testing::read_records(both.body).entities["Post:" + post].size() == 2);
  CHECK(testing::read_records(one.body).entities["Post:" + post].size() == 1);
}

TEST_CASE("6.7 9.3 a tombstone answers its point fetch") {
  auto world = ExecFixture::open("gates");
  if (!world) return;
  auto gone = world->fetch("Doc", "d9", "title", Slice::Pub, true);
  CHECK(gone.presence == SliceResult::Presence::Tombstone);
  CHECK(gone.version == "t:5");
  CHECK(gone.body ==
        "{\"kind\":\"manifest\",\"slice\":\"pub\",\"root\":{\"node\":[\"Doc:d9\"]},\"etag\":\"t:"
        "5\"}\n"
        "{\"kind\":\"tombstone\",\"id\":\"Doc:d9\",\"ver\":\"t:5\"}\n"
        "{\"kind\":\"end\",\"complete\":true,\"etag\":\"t:5\"}\n");
}

TEST_CASE("3.7 an aggregate on read: its value, its range, and its witness") {
  auto world = ExecFixture::open("derived");
  if (!world) return;
  std::string_view query = "query { post(id: \"p1\") { title commentCount } }";
  auto before = world->run(query, Slice::Pub);
  CHECK(facts_of(before) ==
        "root post: Post:p1\nentity Post:p1 @e1\n  Post:p1 commentCount = 2\n"
        "  Post:p1 title = \"Hello\"\n");
  CHECK(has_key(before, "Post.comments:p1"));
  auto fetched = world->fetch("Post", "p1", "commentCount", Slice::Pub, true);
  CHECK(fetched.has_witness);
  CHECK(fetched.etag.starts_with("w:"));
  REQUIRE(world->store->put(
      "Comment",
      Json::object(
          {{"id", "c9"}, {"postId", "p1"}, {"body", "z"}, {"createdAt", "2026-02-01T00:00:00Z"}})));
  auto after = world->run(query, Slice::Pub);
  CHECK(testing::read_records(after.body).entities["Post:p1"]["commentCount"] == Json(3));
  CHECK(after.etag != before.etag);
  CHECK(world->fetch("Post", "p1", "commentCount", Slice::Pub, true).etag != fetched.etag);
  CHECK(world->fetch("Post", "p1", "title", Slice::Pub, true).etag == "e1");
}

TEST_CASE("3.8 an optional companion that is missing is a dependency") {
  auto world = ExecFixture::open("cokey");
  if (!world) return;
  std::string_view query = "query($id: UserId) { user(id: $id) { name profile { bio } } }";
  auto with = world->run(query, Slice::Pub, {.variables = Json::object({{"id", "u1"}})});
  CHECK(facts_of(with) ==
        "root user: User:u1\nentity User:u1 @e1\n  User:u1 name = \"Ada\"\n"
        "  User:u1 profile = {\"$ref\":\"UserProfile:u1\"}\n"
        "entity UserProfile:u1 @p1\n  UserProfile:u1 bio = \"Math\"\n");
  auto without = world->run(query, Slice::Pub, {.variables = Json::object({{"id", "u2"}})});
  CHECK(facts_of(without) == "root user: User:u2\nentity User:u2 @e1\n  User:u2 name = \"Lin\"\n");
  CHECK(has_key(without, "UserProfile:u2"));
}

TEST_CASE("3.5.3 wide integers are quoted, and @depth loads each row once") {
  auto world = ExecFixture::open("thread");
  if (!world) return;
  auto result = world->run(
      "query { comment(id: \"c1\") { likes replies(first: 4) { likes parent { mood } } } }",
      Slice::Pub);
  auto facts = testing::read_records(result.body);
  CHECK(facts.entities["Comment:c5"]["likes"] == Json("100"));
  CHECK(facts.entities["Comment:c1"]["mood"] == Json("Calm"));
  // c1 came with the root, so the parents ask for no row.
  CHECK(world->store->counters().rows == 5);
  CHECK(result.round_count == 2);
}

TEST_CASE("3.2 ties: a page that ends inside equal values carries the key, and both forms resume") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  for (const char* id : {"5004", "5005"}) {
    REQUIRE(world->store->put("Review", Json::object({{"id", id},
                                                      {"episode", "Jedi"},
                                                      {"stars", 5},
                                                      {"createdAt", "2026-02-01T00:00:00Z"}})));
  }
  std::string_view query =
      "query($ep: Episode, $c: Cursor) { reviews(episode: $ep, first: 2, after: $c) { stars } }";
  auto roots = [&](const char* cursor) {
    auto result =
        world->run(query, Slice::Pub, {.variables = Json::object({{"ep", "Jedi"}, {"c", cursor}})});
    return testing::read_records(result.body).roots["reviews"];
  };
  using Refs = std::vector<std::string>;
  CHECK(roots("cur_WyJrVTJtUHciLCIyMDI2LTAyLTAxVDAwOjAwOjAwWiJd") ==
        Refs{"Review:5004", "Review:5005"});
  CHECK(roots("cur_WyJrVTJtUHciLCIyMDI2LTAyLTAxVDAwOjAwOjAwWiIsIjUwMDQiXQ") ==
        Refs{"Review:5005", "Review:5001"});
  CHECK(roots("cur_WyJrVTJtUHciLCIyMDI2LTAyLTAxVDAwOjAwOjAwWiIsIjUwMDUiXQ") ==
        Refs{"Review:5001", "Review:5002"});
}

TEST_CASE("10.5 over budget, entities of scanned ranges go first, then types become families") {
  auto world = ExecFixture::open("blog");
  if (!world) return;
  std::string_view query = "query { feed { title author { name } } }";
  RunOptions how{.variables = {}, .claims = kOrgOne, .principal = {}, .exec = {}};
  auto full = world->run(query, Slice::Ctx, how);
  CHECK(full.keys.size() == 5);  // the range, two posts, two users
  how.exec.key_bytes_max = 180;
  auto ranges = world->run(query, Slice::Ctx, how);
  CHECK(ranges.keys.size() == 3);
  CHECK(has_key(ranges, "User:" + kAda));
  CHECK_FALSE(has_key(ranges, "Post:00000000-0000-4000-8000-0000000000a1"));
  how.exec.key_bytes_max = 90;
  auto families = world->run(query, Slice::Ctx, how);
  CHECK(families.keys ==
        std::vector<SurrogateKey>{"feed:00000000-0000-4000-8000-0000000000c1", "User:*"});
  CHECK_FALSE(families.coarsened_to_uncacheable);
  how.exec.key_bytes_max = 10;
  auto nothing = world->run(query, Slice::Ctx, how);
  CHECK(nothing.coarsened_to_uncacheable);
  CHECK(nothing.floor == nothing.token);
  CHECK(nothing.etag == full.etag);
}

TEST_CASE("6.1 variables: missing, unknown, wrong, cursors, and their printed form") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  auto program = world->compile(
      "query($ep: Episode, $n: I32 = 5, $c: Cursor) { reviews(episode: $ep, first: $n, after: $c) "
      "{ stars } }");
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  auto bind = [&](const Parameters& parameters) {
    return bind_variables(program->plan(), parameters);
  };
  std::string cursor = encode_cursor({{"createdAt", true}}, {"2026-01-02T03:04:05Z"});
  auto good = bind({{"n", "5"}, {"ep", "Jedi"}, {"c", cursor}});
  REQUIRE(good.has_value());
  CHECK(print_bindings(program->plan(), *good) == Parameters{{"c", cursor}, {"ep", "Jedi"}});
  auto missing = bind({{"c", cursor}});
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().code == Code::BadRequest);
  CHECK(missing.error().message.find("$ep") != std::string::npos);
  CHECK_FALSE(bind({{"ep", "Naboo"}, {"c", cursor}}).has_value());
  CHECK_FALSE(bind({{"ep", "Jedi"}, {"c", cursor}, {"x", "1"}}).has_value());
  CHECK_FALSE(bind({{"ep", "Jedi"}, {"ep", "Jedi"}, {"c", cursor}}).has_value());
  CHECK_FALSE(bind({{"ep", "Jedi"}, {"c", cursor}, {"n", "51"}}).has_value());
  CHECK_FALSE(bind({{"ep", "Jedi"}, {"c", cursor}, {"n", "-1"}}).has_value());
  auto retired = bind({{"ep", "Jedi"}, {"c", encode_cursor({{"stars", true}}, {4})}});
  REQUIRE_FALSE(retired.has_value());
  CHECK(retired.error().code == Code::CursorRetired);
  auto malformed = bind({{"ep", "Jedi"}, {"c", "nope"}});
  REQUIRE_FALSE(malformed.has_value());
  CHECK(malformed.error().code == Code::CompileRejected);
  CHECK(malformed.error().details.front() == std::pair<std::string, std::string>("variable", "c"));
  CHECK_FALSE(bind({{"ep", "Jedi"}, {"c", encode_cursor({{"createdAt", true}}, {4})}}).has_value());
}

TEST_CASE("9.1 field keys carry bound values, and two spellings of one key are one field") {
  auto world = ExecFixture::open("starwars");
  if (!world) return;
  std::string_view query =
      "query($n: I32) { hero { friends(first: 2) { name } friends(first: $n) { appearsIn } } }";
  auto keys = [&](int64_t n) {
    auto result = world->run(query, Slice::Pub, {.variables = Json::object({{"n", n}})});
    std::string found;
    auto facts = testing::read_records(result.body);
    for (const auto& [key, value] : facts.entities["Droid:2001"]) {
      found += key + " ";
    }
    return found;
  };
  CHECK(keys(1) == "friends(first:1) friends(first:2) ");
  CHECK(keys(2) == "friends(first:2) ");
  CHECK(keys(10) == "friends friends(first:2) ");  // 10 is the default page
}

}  // namespace lattice::exec
