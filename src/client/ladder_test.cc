// The client against an origin in the same process: every rung, every slice, and trees.
#include "client/ladder.h"

#include <doctest/doctest.h>

#include "base/base64url.h"
#include "base/clock.h"
#include "client/tree.h"
#include "store/memory/memory.h"
#include "tests/support/origin_call.h"

namespace lattice::client {
namespace {

constexpr std::string_view kSchema = R"(schema notes.example

claims {
  org: Text
}

interface Named {
  name: Text
}

entity Person by id implements Named {
  visible to all by default
  id:    Text
  name:  Text
  email: Text visible when caller.org = org
  org:   Text
  fetch by id: public
}

entity Robot by id implements Named {
  visible to all by default
  id:    Text
  name:  Text
  model: Text
  fetch by id: public
}

entity Note by id {
  visible to all by default
  id:       Text
  authorId: Text
  title:    Text
  secret:   Text? private
  has one  author: Person by authorId
  has many comments: Comment by noteId ordered by rank asc page 2 max 10
  has many tags: Tag by noteId max 5
  fetch by id: public
}

entity Comment by id {
  visible to all by default
  id:     Text
  noteId: Text
  rank:   I32
  body:   Text
  fetch by id: public
}

entity Tag by id {
  visible to all by default
  id:     Text
  noteId: Text
  name:   Text
  fetch by id: public
}

fragment NoteCard on Note { title author { name } }

get note(id: Text) of Note public

list notes of Note by authorId ordered by title asc page 10 max 50 public
)";

constexpr int64_t kNow = 1'790'000'000;
const origin::ProofKey kKey{origin::ProofKey::Kind::Hmac, "demo"};

// An origin behind intermediaries that may not like a method or a long URL.
class FakeClient final : public http::Client {
 public:
  explicit FakeClient(origin::Origin& origin) : origin_(origin) {}

  Result<http::ClientResponse> send(std::string_view method, std::string_view target,
                                    const http::Headers& headers, std::string_view body) override {
    seen.push_back(std::string(method) + " " + std::string(target));
    http::ClientResponse out;
    if (method == "QUERY" && rejects_query) {
      out.status = 405;
      return out;
    }
    if (target.size() > target_bytes_max) {
      out.status = 414;
      return out;
    }
    std::string reached(target);
    size_t dv = forgets_dictionary ? reached.find("&dv=") : std::string::npos;
    if (dv != std::string::npos) reached[dv + 4] = reached[dv + 4] == 'A' ? 'B' : 'A';
    http::Response response = testing::call_origin(origin_, method, reached, headers, body);
    out.status = response.status;
    out.headers = std::move(response.headers);
    out.body = std::move(response.body);
    return out;
  }
  Result<http::ClientResponse> stream(std::string_view, std::string_view, const http::Headers&,
                                      std::string_view,
                                      const std::function<bool(std::string_view)>&) override {
    return fail(Code::NotSupported, "the ladder does not stream");
  }

  std::vector<std::string> seen;
  bool rejects_query = false;
  size_t target_bytes_max = SIZE_MAX;
  bool forgets_dictionary = false;

 private:
  origin::Origin& origin_;
};

struct Fixture {
  ManualClock clock{Clock::WallTime{std::chrono::seconds(kNow)}};
  std::unique_ptr<origin::Origin> origin;
  std::unique_ptr<FakeClient> client;

  Fixture() {
    auto schema = schema::load_schema(kSchema);
    REQUIRE_MESSAGE(schema.has_value(), schema.error().message);
    auto store = std::make_unique<store::MemoryStore>(*schema);
    auto put = [&](std::string_view entity, std::string_view json) {
      auto done = store->put(entity, *parse_json(json));
      REQUIRE_MESSAGE(done.has_value(), done.error().message);
    };
    put("Person", R"({"id":"p1","name":"Ada","email":"ada@x","org":"o1"})");
    put("Robot", R"({"id":"r1","name":"Hal","model":"9000"})");
    put("Note", R"({"id":"n1","authorId":"p1","title":"One","secret":"s"})");
    put("Note", R"({"id":"n2","authorId":"gone","title":"Two"})");
    for (int i = 1; i <= 3; ++i) {
      std::string id = std::to_string(i);
      put("Comment",
          R"({"id":"c)" + id + R"(","noteId":"n1","rank":)" + id + R"(,"body":"b)" + id + R"("})");
    }
    put("Tag", R"({"id":"t1","noteId":"n1","name":"red"})");
    origin::OriginOptions options;
    options.proof_keys = {kKey};
    options.principals = {{"Bearer ada", "p1"}};
    options.plan.owners = {{"Note", "authorId", ""}};
    options.plan.budgets.coalesce_window_ms = 0;
    auto made = origin::Origin::create(options, *schema, std::move(store), clock);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    origin = std::move(*made);
    client = std::make_unique<FakeClient>(*origin);
  }

  std::unique_ptr<Ladder> open(LadderOptions options = {}) {
    auto ladder = Ladder::open(*client, std::move(options));
    REQUIRE_MESSAGE(ladder.has_value(), ladder.error().message);
    client->seen.clear();
    return std::move(*ladder);
  }
  std::vector<std::string> rungs() const {
    std::vector<std::string> out;
    for (const std::string& line : client->seen) {
      size_t cut = line.find_first_of("?=", line.find(' '));
      out.push_back(line.substr(0, line[cut] == '?' ? line.find('=', cut) : cut));
    }
    return out;
  }
};

Json tree_of(const Answer& answer) {
  auto tree = build_tree(*answer.plan, answer.bindings, answer.store);
  REQUIRE(tree.has_value());
  return std::move(*tree);
}

TEST_CASE("an unknown query is introduced inline; a known one is asked by its hash (6)") {
  Fixture f;
  auto ladder = f.open();
  auto first = ladder->ask("query { note(id: \"n1\") { title } }");
  REQUIRE_MESSAGE(first.has_value(), first.error().message);
  std::string hash = "GET /q/" + first->query.hash;
  CHECK(f.rungs() == std::vector<std::string>{hash + "?slice", "GET /q?d", hash + "?p"});
  CHECK(f.client->seen[1].find("&dv=") != std::string::npos);
  f.client->seen.clear();
  auto second = ladder->ask("query Again { note(id: \"n1\") { title } }");
  REQUIRE(second.has_value());
  CHECK(f.rungs() == std::vector<std::string>{hash + "?slice", hash + "?p"});
  CHECK(to_json(tree_of(*second)) == R"({"note":{"title":"One"}})");
}

TEST_CASE("the ladder climbs down on the named conditions only (6.2, 6.3, 6.4)") {
  Fixture f;
  LadderOptions options;
  options.inline_bytes_max = 10;
  auto ladder = f.open(options);
  REQUIRE(ladder->ask("query { note(id: \"n1\") { title } }").has_value());
  CHECK(f.client->seen[1].starts_with("QUERY /q?slice=plan"));

  f.client->seen.clear();
  f.client->rejects_query = true;
  REQUIRE(ladder->ask("query { note(id: \"n2\") { title } }").has_value());
  CHECK(f.client->seen[1].starts_with("QUERY /q?"));
  CHECK(f.client->seen[2].starts_with("POST /q?intent=introduce&slice=plan"));

  auto inline_ladder = f.open();
  f.client->target_bytes_max = 60;  // too short for `d`, long enough for the rest
  auto answer = inline_ladder->ask("query { note(id: \"n1\") { title tags { name } } }");
  CHECK(f.rungs()[1] == "GET /q?d");
  CHECK(f.client->seen[3].starts_with("POST /q?"));
  REQUIRE_MESSAGE(answer.has_value(), answer.error().message);
  CHECK(to_json(tree_of(*answer)) == R"({"note":{"tags":[{"name":"red"}],"title":"One"}})");
}

TEST_CASE("a forgotten dictionary is left out, once (6.2)") {
  Fixture f;
  auto ladder = f.open();
  f.client->forgets_dictionary = true;
  REQUIRE(ladder->ask("query { note(id: \"n1\") { title } }").has_value());
  CHECK(f.rungs()[1] == "GET /q?d");
  CHECK(f.rungs()[2] == "GET /q?d");
  CHECK(f.client->seen[1].find("&dv=") != std::string::npos);
  CHECK(f.client->seen[2].find("&dv=") == std::string::npos);
}

TEST_CASE("slices: those whose credentials are there, the others named (6.6, 8.2)") {
  Fixture f;
  constexpr std::string_view kText =
      "query { note(id: \"n1\") { title secret author { name email } } }";
  auto anonymous = f.open()->ask(kText);
  REQUIRE_MESSAGE(anonymous.has_value(), anonymous.error().message);
  CHECK(anonymous->slices.size() == 1);
  CHECK(anonymous->left_out ==
        std::vector<std::string>{"ctx: needs the claims org", "priv: needs a credential"});
  CHECK(to_json(tree_of(*anonymous)) == R"({"note":{"author":{"name":"Ada"},"title":"One"}})");

  LadderOptions options;
  options.vc = base64url_encode(R"({"org":"o1"})");
  options.proof = origin::sign_proof(kKey, options.vc, kNow + 60);
  options.authorization = "Bearer ada";
  auto known = f.open(options)->ask(kText);
  REQUIRE_MESSAGE(known.has_value(), known.error().message);
  CHECK(known->slices.size() == 3);
  CHECK(known->left_out.empty());
  CHECK(to_json(tree_of(*known)) ==
        R"({"note":{"author":{"email":"ada@x","name":"Ada"},"secret":"s","title":"One"}})");

  options.proof = "1.AAAA";
  auto refused = f.open(options)->ask(kText);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Code::ProofExpired);
  CHECK(refused.error().details[0].second == "401");
}

TEST_CASE("variables travel in URL form, and the tree finds their wire keys (6.1, 9.1)") {
  Fixture f;
  auto ladder = f.open();
  auto answer = ladder->ask(
      "query($id: Text, $n: I32) { note(id: $id) { ...NoteCard comments(first: $n) { body } } }",
      *parse_json(R"({"id":"n1","n":1})"));
  REQUIRE_MESSAGE(answer.has_value(), answer.error().message);
  CHECK(f.client->seen.back().find("&id=n1&n=1") != std::string::npos);
  Json tree = tree_of(*answer);
  const Json* note = tree.find("note");
  const Json* page = note->find("comments(first:1)");
  REQUIRE(page);
  CHECK(to_json(*page->find("items")) == R"([{"body":"b1"}])");
  CHECK(page->find("next")->is_string());
  CHECK(to_json(*note->find("author")) == R"({"name":"Ada"})");
  auto wrong =
      ladder->ask("query($id: Text) { note(id: $id) { title } }", *parse_json(R"({"id":7})"));
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().code == Code::BadRequest);
}

TEST_CASE("lists, dangling edges and types of abstract targets in trees") {
  Fixture f;
  auto ladder = f.open();
  auto answer =
      ladder->ask("query { notes(authorId: \"gone\") { title author { name } tags { name } } }");
  REQUIRE_MESSAGE(answer.has_value(), answer.error().message);
  CHECK(to_json(tree_of(*answer)) ==
        R"({"notes":[{"author":{"$ref":"Person:gone"},"tags":[],"title":"Two"}]})");
  CHECK(answer->store.errors().size() == 1);

  answer = ladder->ask(
      "query($r: EntityRef) { nodes(refs: $r) { ... on Person { name } ... on Robot { model } } }",
      *parse_json(R"({"r":["Robot:r1","Person:p1","Person:zz"]})"));
  REQUIRE_MESSAGE(answer.has_value(), answer.error().message);
  CHECK(to_json(tree_of(*answer)) ==
        R"({"nodes":[{"$type":"Robot","model":"9000"},{"$type":"Person","name":"Ada"}]})");
  CHECK(to_json(tree_of(*ladder->ask("query { note(id: \"zz\") { title } }"))) ==
        R"({"note":null})");
}

TEST_CASE("a query that the schema refuses is refused here, with spans") {
  Fixture f;
  auto refused = f.open()->ask("query { note(id: \"n1\") { titel } }");
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Code::CompileRejected);
  CHECK(refused.error().diagnostics.front().span.begin == 25);
  CHECK(f.client->seen.empty());
}

TEST_CASE("what is no Lattice origin is told apart") {
  struct Other final : http::Client {
    Result<http::ClientResponse> send(std::string_view, std::string_view, const http::Headers&,
                                      std::string_view) override {
      http::ClientResponse response;
      response.status = 200;
      response.body = "<html></html>";
      return response;
    }
    Result<http::ClientResponse> stream(std::string_view, std::string_view, const http::Headers&,
                                        std::string_view,
                                        const std::function<bool(std::string_view)>&) override {
      return fail(Code::Io, "no");
    }
  } other;
  auto ladder = Ladder::open(other);
  REQUIRE_FALSE(ladder.has_value());
  CHECK(ladder.error().message.find("no Lattice origin") != std::string::npos);
}

}  // namespace
}  // namespace lattice::client
