// The origin as a whole, without sockets: what the shared scenarios do not say. (They run over real
// HTTP in tests/http_vectors.)
#include "origin/origin.h"

#include <doctest/doctest.h>

#include "base/base64url.h"
#include "base/deflate.h"
#include "base/json.h"
#include "query/query.h"
#include "store/memory/memory.h"
#include "tests/support/origin_call.h"

namespace lattice::origin {
namespace {

using testing::call_origin;

constexpr std::string_view kSchema = R"(schema notes.example

claims {
  org: Text
}

entity Note by id {
  visible to all by default
  id:     Text
  org:    Text
  owner:  Text
  title:  Text
  body:   Text?
  plan:   Text? visible when caller.org = org
  secret: Text? private
  fetch by id: public
}

entity Pair by (a, b) {
  visible to all by default
  a:    Text
  b:    Text
  text: Text
  fetch by (a, b): public
}

entity Vault by id {
  visible to all by default
  id:   Text
  org:  Text
  gold: Text
  fetch by id: visible when caller.org = org
}

fragment NoteCard on Note { title }
fragment PairCard on Pair { text }

get note(id: Text) of Note public

list notes of Note by org ordered by title asc page 10 max 50 public

mutation rename(note: Text, title: Text) returns Note {
  allow       public
  writes      Note(note)
  invalidates writes
  effect      transactional
}
)";

constexpr std::string_view kNoteText = "query($id: Text) { note(id: $id) { title plan secret } }";
const http::Headers kQueryType = {{"Content-Type", "application/x-lattice-query"}};

struct Fixture {
  OriginOptions options;
  ManualClock clock{Clock::WallTime{std::chrono::seconds(1'790'000'000)}};
  store::MemoryStore* store = nullptr;
  std::unique_ptr<Origin> origin;
  schema::SchemaPtr schema;
  std::vector<std::string> logged;

  explicit Fixture(OriginOptions given = {}) : options(std::move(given)) {
    auto loaded = schema::load_schema(kSchema);
    REQUIRE_MESSAGE(loaded.has_value(), loaded.error().message);
    schema = *loaded;
    auto owned = std::make_unique<store::MemoryStore>(schema);
    store = owned.get();
    auto put = [&](std::string_view entity, std::string_view json) {
      auto done = store->put(entity, *parse_json(json));
      REQUIRE_MESSAGE(done.has_value(), done.error().message);
    };
    put("Note", R"({"id":"n1","org":"o1","owner":"ada","title":"One","plan":"p","secret":"s"})");
    put("Note", R"({"id":"n2","org":"o2","owner":"lin","title":"Two"})");
    put("Pair", R"({"a":"x","b":"y","text":"both"})");
    put("Vault", R"({"id":"v1","org":"o1","gold":"much"})");
    options.plan.budgets.coalesce_window_ms = 0;
    if (options.proof_keys.empty()) options.proof_keys = {{ProofKey::Kind::Hmac, "demo"}};
    options.principals = {{"Bearer ada", "ada"}, {"Bearer lin", "lin"}};
    if (options.plan.owners.empty()) options.plan.owners = {{"Note", "owner", ""}};
    options.log = [this](std::string_view line) { logged.emplace_back(line); };
    auto made = Origin::create(options, schema, std::move(owned), clock);
    REQUIRE_MESSAGE(made.has_value(), made.error().message);
    origin = std::move(*made);
  }

  http::Response get(std::string_view target, http::Headers headers = {}) {
    return call_origin(*origin, "GET", target, std::move(headers));
  }
  http::Response post(std::string_view target, std::string_view text) {
    return call_origin(*origin, "POST", target, kQueryType, text);
  }
  // Introduces the note query and gives its hash.
  std::string introduce() {
    http::Response response = post("/q?id=n1", kNoteText);
    REQUIRE(response.status == 200);
    std::string location(response.headers.find("Location").value_or(""));
    plan_id = response.headers.find("Lattice-Plan").value_or("");
    return location.substr(3, location.find('?') - 3);
  }
  std::string plan_id;

  static std::string vc(std::string_view claims) { return base64url_encode(claims); }
  static http::Headers proof(const std::string& vc) {
    return {{"X-Vc-Auth", sign_proof({ProofKey::Kind::Hmac, "demo"}, vc, 1'790'000'600)}};
  }
};

std::string header(const http::Response& response, std::string_view name) {
  return std::string(response.headers.find(name).value_or(""));
}
std::string problem_of(const http::Response& response) {
  auto json = parse_json(response.body);
  REQUIRE(json.has_value());
  return json->find("type")->as_string();
}
bool holds(const http::Response& response, std::string_view text) {
  return response.body.find(text) != std::string::npos;
}

TEST_CASE("HEAD answers as GET, everywhere (decisions)") {
  Fixture f;
  std::string hash = f.introduce();
  for (std::string target :
       {"/.well-known/lattice", "/schema/current", "/e/Note/n1?f=title", "/nowhere"}) {
    CHECK(call_origin(*f.origin, "HEAD", target).status == f.get(target).status);
  }
  CHECK(call_origin(*f.origin, "HEAD", "/q/" + hash + "/source").status == 200);
}

TEST_CASE("wrong methods are told the right ones; OPTIONS too") {
  Fixture f;
  http::Response response = call_origin(*f.origin, "DELETE", "/q");
  CHECK(response.status == 405);
  CHECK(header(response, "Allow") == "GET, HEAD, QUERY, POST");
  CHECK(header(response, "Cache-Control") == "no-store");
  CHECK(call_origin(*f.origin, "POST", "/schema/current").status == 405);
  response = call_origin(*f.origin, "OPTIONS", "/q");
  CHECK(response.status == 204);
  CHECK(header(response, "Allow") == "GET, HEAD, QUERY, POST, OPTIONS");
}

TEST_CASE("every answer names the schema; unknown parameters are named (7.3, decisions)") {
  Fixture f;
  std::string hash = f.introduce();
  http::Response response = f.get("/q/" + hash + "?slice=pub&id=n1&utm_source=x&dv=1");
  CHECK(response.status == 400);
  CHECK(header(response, "Lattice-Schema") == f.schema->hash);
  CHECK(holds(response, "dv"));
  response = f.get("/q/" + hash + "?slice=pub&id=n1&utm_source=x");
  CHECK(response.status == 400);
  CHECK(holds(response, "utm_source"));
  CHECK(f.get("/q/" + hash + "?slice=plan&utm_source=x").status == 400);
  CHECK(f.get("/q/" + hash + "?slice=plan&id=n1").status == 200);
  CHECK(f.get("/q/" + hash + "/source?x=1").status == 400);
  CHECK(f.get("/e/Note/n1?f=title&p=pl_1").status == 400);
}

TEST_CASE("documents take no parameters (decisions)") {
  Fixture f;
  for (std::string_view target : {"/.well-known/lattice", "/schema/current"}) {
    http::Response response = f.get(std::string(target) + "?utm_source=x&slice=pub");
    CHECK(response.status == 400);
    CHECK(holds(response, "utm_source"));
    CHECK(holds(response, "slice"));
  }
}

TEST_CASE("the memo is a cache: what it forgot is introduced again (6.1)") {
  OriginOptions options;
  options.memo_entries_max = 1;
  Fixture f(options);
  std::string hash = f.introduce();
  int count = 0;
  while (f.get("/q/" + hash + "/source").status == 200 && count < 1000) {
    f.post("/q", "query { note(id: \"" + std::to_string(count++) + "\") { title } }");
  }
  http::Response forgotten = f.get("/q/" + hash + "?slice=pub&id=n1");
  CHECK(forgotten.status == 404);
  CHECK(problem_of(forgotten) == "lattice:unknown-query");
  CHECK(header(forgotten, "Cache-Control") == "no-store");
  CHECK(f.introduce() == hash);
  CHECK(f.get("/q/" + hash + "?slice=pub&id=n1").status == 200);
}

TEST_CASE("byte ranges are not honoured over streams of entities (10.3)") {
  Fixture f;
  std::string target = "/q/" + f.introduce() + "?slice=pub&id=n1";
  http::Response response = f.get(target, {{"Range", "bytes=0-3"}});
  CHECK(response.status == 200);
  CHECK(response.body == f.get(target).body);
}

TEST_CASE("without p a data request is served, never for ever; a foreign p is 409 (13.3)") {
  Fixture f;
  std::string hash = f.introduce();
  http::Response response = f.get("/q/" + hash + "?slice=pub&id=n1");
  CHECK(response.status == 200);
  CHECK(header(response, "Cache-Control").find("immutable") == std::string::npos);
  response = f.get("/q/" + hash + "?slice=pub&id=n1&p=pl_AAAAAAAAAAAAAAAA");
  CHECK(response.status == 409);
  auto json = parse_json(response.body);
  CHECK(json->find("plan")->find("plan")->as_string() == f.plan_id);
  response = call_origin(*f.origin, "POST", "/q?intent=oneshot&slice=page&id=n1&p=pl_x", kQueryType,
                         kNoteText);
  CHECK(response.status == 409);
}

TEST_CASE("an introduction grants the slice it answered, with sorted parameters (6.3)") {
  Fixture f;
  std::string vc = f.vc(R"({"org":"o1"})");
  http::Headers headers = f.proof(vc);
  headers.add("Content-Type", "application/x-lattice-query");
  http::Response response =
      call_origin(*f.origin, "QUERY", "/q?vc=" + vc + "&id=n%201&slice=ctx", headers, kNoteText);
  REQUIRE(response.status == 200);
  std::string location = header(response, "Location");
  CHECK(location.find("?p=pl_") != std::string::npos);
  CHECK(location.ends_with("&slice=ctx&id=n%201"));
  CHECK(header(response, "Content-Location") == location);
  response = f.post("/q?intent=introduce&slice=plan", kNoteText);
  CHECK(response.status == 200);
  CHECK(header(response, "Location").ends_with("?slice=plan"));
}

TEST_CASE("an inline GET without slice is the plan document (6.6)") {
  Fixture f;
  std::string d = base64url_encode(deflate_raw(kNoteText));
  http::Response response = f.get("/q?d=" + d);
  CHECK(response.status == 200);
  CHECK(holds(response, "\"kind\":\"plan\""));
  CHECK(header(response, "Cache-Control") == "public, s-maxage=60");
  CHECK(f.get("/q").status == 400);
}

TEST_CASE("authorization comes before look-ups: an unknown hash tells a stranger nothing (8.2)") {
  Fixture f;
  CHECK(f.get("/q/AAAAAAAAAAAAAAAAAAAAAA?slice=ctx").status == 401);
  CHECK(f.get("/q/AAAAAAAAAAAAAAAAAAAAAA?slice=priv").status == 401);
  std::string vc = f.vc(R"({"org":"o1"})");
  CHECK(f.get("/q/AAAAAAAAAAAAAAAAAAAAAA?slice=ctx&vc=" + vc, f.proof(vc)).status == 404);
  CHECK(f.get("/q/AAAAAAAAAAAAAAAAAAAAAA?slice=pub&vc=" + vc, f.proof(vc)).status == 400);
}

TEST_CASE("a bearer that nobody verified is no credential; priv is its owner's (8.2, decisions)") {
  Fixture f;
  std::string hash = f.introduce();
  std::string target = "/q/" + hash + "?slice=priv&id=n1";
  CHECK(f.get(target, {{"Authorization", "Bearer mallory"}}).status == 401);
  http::Response response = f.get(target, {{"Authorization", "Bearer ada"}});
  CHECK(response.status == 200);
  CHECK(holds(response, "\"secret\":\"s\""));
  CHECK(header(response, "Vary") == "Authorization");
  response = f.get(target, {{"Authorization", "Bearer lin"}});
  CHECK(response.status == 200);
  CHECK_FALSE(holds(response, "secret\":"));
  CHECK(problem_of(f.get(target + "&vc=" + f.vc(R"({"org":"o1"})"),
                         {{"Authorization", "Bearer ada"}})) == "lattice:proof-expired");
}

TEST_CASE("rejections of a text are negatively cached, those of a request are not (10.8)") {
  Fixture f;
  for (int i = 0; i < 2; ++i) {
    http::Response response = f.post("/q", "query { note(id: \"n1\") { titel } }");
    CHECK(response.status == 400);
    CHECK(header(response, "Cache-Control") == "public, s-maxage=300");
    CHECK(header(response, "Surrogate-Key") == "schema:" + f.schema->hash);
    auto json = parse_json(response.body);
    CHECK(json->find("errors")->as_array()[0].find("span")->find("begin")->as_int64() == 25);
  }
  std::string hash = f.introduce();
  CHECK(header(f.get("/q/" + hash + "?slice=pub"), "Cache-Control") == "no-store");
  CHECK(header(f.post("/q?bogus=1", kNoteText), "Cache-Control") == "no-store");
}

TEST_CASE("bodies: media type, digest, size (6.3, 6.4)") {
  Fixture f;
  auto post = [&](http::Headers headers, std::string_view body) {
    return call_origin(*f.origin, "POST", "/q?id=n1", std::move(headers), body).status;
  };
  CHECK(post({}, kNoteText) == 200);
  CHECK(post({{"Content-Type", "Application/X-Lattice-Query; charset=utf-8"}}, kNoteText) == 200);
  CHECK(post({{"Content-Type", "application/json"}}, kNoteText) == 415);
  CHECK(post({{"Content-Digest", "sha-256=:AAAA:"}}, kNoteText) == 400);
  CHECK(post({}, std::string(300'000, ' ')) == 413);
  CHECK(call_origin(*f.origin, "POST", "/q?intent=explode", kQueryType, kNoteText).status == 400);
  CHECK(call_origin(*f.origin, "QUERY", "/q?intent=oneshot", kQueryType, kNoteText).status == 400);
}

TEST_CASE("one-shots leave nothing behind and honour what the client holds (6.5, 10.4)") {
  Fixture f;
  http::Headers headers = kQueryType;
  headers.add("X-Have", "Note:n1@" + std::string("nope"));
  http::Response response =
      call_origin(*f.origin, "POST", "/q?intent=oneshot&id=n1", headers, kNoteText);
  CHECK(response.status == 200);
  CHECK(header(response, "Cache-Control") == "no-store");
  CHECK_FALSE(response.headers.contains("Location"));
  CHECK(holds(response, "\"kind\":\"entity\""));
  auto version = parse_json(response.body.substr(response.body.find('\n') + 1)
                                .substr(0, response.body.find('\n', response.body.find('\n') + 1) -
                                               response.body.find('\n') - 1));
  REQUIRE(version.has_value());
  headers.set("X-Have", "Note:n1@" + version->find("ver")->as_string());
  response = call_origin(*f.origin, "POST", "/q?intent=oneshot&id=n1", headers, kNoteText);
  CHECK(holds(response, "\"kind\":\"unchanged\""));
}

TEST_CASE("live queries are refused by name, and another value of live as a mistake (12)") {
  Fixture f;
  std::string hash = f.introduce();
  http::Response response = f.get("/q/" + hash + "?slice=pub&id=n1&live=sse");
  CHECK(response.status == 501);
  CHECK(problem_of(response) == "lattice:not-supported");
  CHECK(f.get("/q/" + hash + "?slice=pub&id=n1", {{"Accept", "text/event-stream"}}).status == 501);
  CHECK(f.get("/q/" + hash + "?slice=pub&id=n1&live=ws").status == 400);
}

TEST_CASE("what is not served yet says so, and what does not exist is not found") {
  Fixture f;
  CHECK(call_origin(*f.origin, "POST", "/m/rename", {}, "{}").status == 501);
  CHECK(call_origin(*f.origin, "POST", "/m/erase", {}, "{}").status == 404);
  CHECK(call_origin(*f.origin, "PATCH", "/e/Note/n1", {}, "{}").status == 501);
  CHECK(call_origin(*f.origin, "POST", "/e/Ghost", {}, "{}").status == 404);
  CHECK(call_origin(*f.origin, "POST", "/schema/check", {}, "").status == 404);
  CHECK(f.get("/schema/corpus").status == 404);
  CHECK(f.get("/invalidations?live=sse").status == 404);
  OriginOptions with_token;
  with_token.service_token = "svc";
  Fixture g(with_token);
  CHECK(g.get("/invalidations?live=sse").status == 401);
  CHECK(g.get("/invalidations?live=sse", {{"Authorization", "Bearer svc"}}).status == 501);
  auto discovery = parse_json(f.get("/.well-known/lattice").body);
  CHECK(discovery->find("unsupported")->as_array()[0].as_string() == "mutations");
}

TEST_CASE("point fetches: masks, fragments, levels (6.7)") {
  Fixture f;
  http::Response response = f.get("/e/Note/n1?fragment=NoteCard");
  CHECK(response.status == 200);
  CHECK(holds(response, "\"fields\":{\"title\":\"One\"}"));
  CHECK(f.get("/e/Note/n1?fragment=PairCard").status == 400);
  CHECK(f.get("/e/Note/n1?fragment=Nothing").status == 400);
  CHECK(f.get("/e/Note/n1?f=").status == 400);
  CHECK(f.get("/e/Note/n1?slice=page").status == 400);
  CHECK(f.get("/e/Note?f=title").status == 405);

  // Without a mask: what the slice shows.
  response = f.get("/e/Note/n1");
  CHECK(response.status == 200);
  CHECK(holds(response, "\"title\":\"One\""));
  CHECK_FALSE(holds(response, "\"plan\":"));
  std::string vc = f.vc(R"({"org":"o1"})");
  response = f.get("/e/Note/n1?vc=" + vc, f.proof(vc));
  CHECK(response.status == 200);
  CHECK(holds(response, "\"title\":\"One\""));
  CHECK(holds(response, "\"plan\":\"p\""));
  CHECK(header(response, "Cache-Control").starts_with("public, s-maxage=15"));

  // A mask over several levels is fetched at the highest, or level by level.
  CHECK(f.get("/e/Note/n1?f=title,plan").status == 401);
  CHECK(f.get("/e/Note/n1?f=title,secret").status == 401);
  response = f.get("/e/Note/n1?f=title,plan&slice=pub");
  CHECK(response.status == 200);
  CHECK(holds(response, "\"fields\":{\"title\":\"One\"}"));
  response = f.get("/e/Note/n1?f=title,plan&slice=ctx&vc=" + vc, f.proof(vc));
  CAPTURE(response.body);
  CHECK(holds(response, "\"fields\":{\"plan\":\"p\"}"));
  response = f.get("/e/Note/n1?f=title,secret", {{"Authorization", "Bearer ada"}});
  CHECK(response.status == 200);
  CHECK(holds(response, "\"secret\":\"s\""));
  CHECK(header(response, "Cache-Control") == "private, max-age=30");
}

TEST_CASE("composite keys in URLs, and their escaped form in tags (6.7, 10.5)") {
  Fixture f;
  http::Response response = f.get("/e/Pair/x,y?f=text");
  CHECK(response.status == 200);
  CHECK(holds(response, "\"id\":\"Pair:x,y\""));
  CHECK(header(response, "Surrogate-Key").find("Pair:x%2Cy") != std::string::npos);
  CHECK(f.get("/e/Pair/x%2Cy?f=text").status == 200);
  CHECK(f.get("/e/Pair/x?f=text").status == 400);
  CHECK(f.get("/e/Pair/x,z?f=text").status == 404);
}

TEST_CASE("a row behind a gate looks like no row, pinned or not (14.4)") {
  Fixture f;
  std::string vc = f.vc(R"({"org":"o2"})");
  http::Response hidden = f.get("/e/Vault/v1?f=gold&vc=" + vc, f.proof(vc));
  http::Response absent = f.get("/e/Vault/v2?f=gold&vc=" + vc, f.proof(vc));
  CHECK(hidden.status == 404);
  CHECK(absent.status == 404);
  CHECK(problem_of(hidden) == problem_of(absent));
  auto tags = [](const http::Response& response) {
    std::string keys = header(response, "Surrogate-Key");
    return keys.substr(0, keys.find(' '));
  };
  CHECK(tags(hidden) == tags(absent));
  CHECK(header(hidden, "Surrogate-Key").ends_with("Vault:v1"));
  CHECK(header(absent, "Surrogate-Key").ends_with("Vault:v2"));
  hidden = f.get("/e/Vault/v1?f=gold&ver=x&vc=" + vc, f.proof(vc));
  CHECK(problem_of(hidden) == "lattice:not-found");
  CHECK(f.get("/e/Vault/v1?f=gold").status == 401);
}

TEST_CASE("pinned fetches: immutable for all, and the way back when the version is gone (6.9)") {
  Fixture f;
  http::Response current = f.get("/e/Note/n1?f=title");
  std::string version = header(current, "ETag");
  version = version.substr(1, version.size() - 2);
  http::Response pinned = f.get("/e/Note/n1?f=title&ver=" + version);
  CHECK(header(pinned, "Cache-Control") == "public, max-age=31536000, immutable");
  REQUIRE(f.store->update("Note:n1", *parse_json(R"({"title":"Uno"})")).has_value());
  pinned = f.get("/e/Note/n1?f=title&ver=" + version);
  CHECK(pinned.status == 404);
  CHECK(problem_of(pinned) == "lattice:version-unavailable");
  CHECK(header(pinned, "Content-Location") == "/e/Note/n1?f=title");
  CHECK(header(pinned, "Cache-Control") == "no-store");
}

TEST_CASE("a deleted row: 410 with its tombstone, cached like the entity (9.3, decisions)") {
  Fixture f;
  REQUIRE(f.store->remove("Note:n2").has_value());
  http::Response response = f.get("/e/Note/n2?f=title");
  CHECK(response.status == 410);
  CHECK(holds(response, "\"kind\":\"tombstone\""));
  CHECK(header(response, "Cache-Control").starts_with("public, s-maxage=15"));
  CHECK(header(response, "Surrogate-Key").find("Note:n2") != std::string::npos);
  CHECK(f.get("/e/Note/n2?f=title&ver=x").status == 404);
}

TEST_CASE("a failing loader is a problem of its own for a point fetch (6.9, 15)") {
  Fixture f;
  f.store->testing_fail_loads("Note", Error{Code::UpstreamUnavailable, "down", {}, {}, true});
  http::Response response = f.get("/e/Note/n1?f=title");
  CHECK(response.status == 503);
  CHECK(problem_of(response) == "lattice:upstream-unavailable");
  CHECK(header(response, "Retry-After") == "1");
}

TEST_CASE("an origin that cannot verify claims does not start with claim policies (8.2)") {
  auto schema = *schema::load_schema(kSchema);
  ManualClock clock;
  auto start = [&](OriginOptions options) {
    return Origin::create(std::move(options), schema, std::make_unique<store::MemoryStore>(schema),
                          clock);
  };
  auto refused = start({});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == Code::Usage);
  CHECK(refused.error().message.find("`Note.plan`") != std::string::npos);
  OriginOptions dev;
  dev.insecure_dev = true;
  CHECK(start(dev).has_value());
  OriginOptions keyed;
  keyed.proof_keys = {{ProofKey::Kind::Hmac, "demo"}};
  CHECK(start(keyed).has_value());
  keyed.plan.owners = {{"Ghost", "owner", ""}};
  CHECK_FALSE(start(keyed).has_value());
  keyed.plan.owners = {{"Note", "boss", ""}};
  CHECK_FALSE(start(keyed).has_value());
}

TEST_CASE("who starts it hears what nobody can see (decisions)") {
  auto schema = *schema::load_schema(kSchema);
  ManualClock clock;
  OriginOptions options;
  options.insecure_dev = true;
  auto origin =
      Origin::create(options, schema, std::make_unique<store::MemoryStore>(schema), clock);
  REQUIRE(origin.has_value());
  auto notes = (*origin)->startup_notes();
  REQUIRE(notes.size() == 2);
  CHECK(notes[0].starts_with("INSECURE"));
  CHECK(notes[1].find("Note") != std::string::npos);
  options.plan.owners = {{"Note", "owner", ""}};
  origin = Origin::create(options, schema, std::make_unique<store::MemoryStore>(schema), clock);
  CHECK((*origin)->startup_notes().size() == 1);
}

TEST_CASE("development mode believes, on this machine only (decisions)") {
  OriginOptions dev;
  dev.insecure_dev = true;
  Fixture f(dev);
  std::string hash = f.introduce();
  std::string vc = f.vc(R"({"org":"o1"})");
  http::Response response = f.get("/q/" + hash + "?slice=ctx&id=n1&vc=" + vc);
  CHECK(response.status == 200);
  CHECK(holds(response, "\"plan\":\"p\""));
  CHECK(f.get("/q/" + hash + "?slice=ctx&id=n1&vc=" + f.vc(R"({ "org":"o1"})")).status == 401);
  CHECK(f.get("/q/" + hash + "?slice=priv&id=n1", {{"Authorization", "Bearer anyone"}}).status ==
        200);

  http::Request remote;
  remote.method = "GET";
  remote.path = remote.target = "/.well-known/lattice";
  remote.peer_address = "192.0.2.7";
  testing::BufferedWriter writer;
  f.origin->handle(remote, writer).run_ready();
  CHECK(writer.take().status == 403);
}

TEST_CASE("signed admission looks at the canonical text, when it compiles (14.3)") {
  // RFC 8032, test 1.
  std::string seed =
      "\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4"
      "\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
  std::string key =
      "\xd7\x5a\x98\x01\x82\xb1\x0a\xb7\xd5\x4b\xfe\xd3\xc9\x64\x07\x3a"
      "\x0e\xe1\x72\xf3\xda\xa6\x23\x25\xaf\x02\x1a\x68\xf7\x07\x51\x1a";
  OriginOptions options;
  options.admission_keys = {key};
  Fixture f(options);
  http::Response response = f.post("/q?id=n1", kNoteText);
  CHECK(response.status == 403);
  CHECK(problem_of(response) == "lattice:admission-denied");
  CHECK(header(response, "Cache-Control") == "no-store");
  CHECK(f.post("/q?intent=oneshot&id=n1", kNoteText).status == 403);
  CHECK(f.get("/e/Note/n1?f=title").status == 200);
}

TEST_CASE("cold compiles are limited by caller, warm ones are not (14.2)") {
  OriginOptions options;
  options.cold_compiles_per_minute = 2;
  Fixture f(options);
  std::string hash = f.introduce();
  CHECK(f.post("/q", "query { note(id: \"n1\") { title } }").status == 200);
  http::Response response = f.post("/q", "query { note(id: \"n1\") { body } }");
  CHECK(response.status == 429);
  CHECK(header(response, "Retry-After") == "30");
  CHECK(f.post("/q?id=n1", kNoteText).status == 200);
  CHECK(f.get("/q/" + hash + "?slice=pub&id=n1").status == 200);
  CHECK(f.post("/q", "query { nothing }").status == 429);
  http::Headers other = kQueryType;
  other.add("Authorization", "Bearer ada");
  CHECK(call_origin(*f.origin, "POST", "/q", other, "query { note(id: \"n1\") { body } }").status ==
        200);
}

TEST_CASE("CORS answers preflights and exposes what clients read, when configured") {
  OriginOptions options;
  options.cors_origins = {"https://app.example"};
  Fixture f(options);
  http::Headers headers = {{"Origin", "https://app.example"},
                           {"Access-Control-Request-Method", "QUERY"}};
  http::Response response = call_origin(*f.origin, "OPTIONS", "/q", headers);
  CHECK(response.status == 204);
  CHECK(header(response, "Access-Control-Allow-Methods") == "GET, HEAD, QUERY, POST");
  CHECK(header(response, "Access-Control-Allow-Headers").find("X-Vc-Auth") != std::string::npos);
  response = f.get("/.well-known/lattice", {{"Origin", "https://app.example"}});
  CHECK(header(response, "Access-Control-Allow-Origin") == "https://app.example");
  CHECK(header(response, "Access-Control-Expose-Headers").find("Lattice-Plan") !=
        std::string::npos);
}

}  // namespace
}  // namespace lattice::origin
