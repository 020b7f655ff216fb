#include "origin/routing.h"

#include <doctest/doctest.h>

#include "origin/cors.h"
#include "origin/parameters.h"

namespace lattice::origin {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("paths lead to endpoints (6, 7)") {
  CHECK(find_route("/q").endpoint == Endpoint::Query);
  CHECK(find_route("/q/abc").endpoint == Endpoint::QueryHash);
  CHECK(find_route("/q/abc").captures == Texts{"abc"});
  CHECK(find_route("/q/abc/source").endpoint == Endpoint::QuerySource);
  CHECK(find_route("/q/abc/explain").endpoint == Endpoint::QueryExplain);
  CHECK(find_route("/q/abc/plan/pl_1").captures == Texts{"abc", "pl_1"});
  CHECK(find_route("/e/User/a%20b").captures == Texts{"User", "a%20b"});
  CHECK(find_route("/e/User").endpoint == Endpoint::EntityCollection);
  CHECK(find_route("/m/publishPost").captures == Texts{"publishPost"});
  CHECK(find_route("/schema/current").endpoint == Endpoint::SchemaCurrent);
  CHECK(find_route("/schema/sAAA").endpoint == Endpoint::SchemaDocument);
  CHECK(find_route("/schema/dict/kQ").captures == Texts{"kQ"});
  CHECK(find_route("/.well-known/lattice").endpoint == Endpoint::Discovery);
  for (std::string_view nowhere : {"", "/", "/q/", "/q//source", "/q/a/b", "/q/a/plan", "/qq", "/e",
                                   "/e/User/", "/e/User/1/x", "/schema", "/e/%zz/1"}) {
    CAPTURE(nowhere);
    CHECK(find_route(nowhere).endpoint == Endpoint::NotFound);
  }
}

TEST_CASE("methods of endpoints") {
  CHECK(is_allowed(Endpoint::Query, "QUERY"));
  CHECK(is_allowed(Endpoint::QueryHash, "HEAD"));
  CHECK_FALSE(is_allowed(Endpoint::QueryHash, "POST"));
  CHECK_FALSE(is_allowed(Endpoint::Query, "PUT"));
  CHECK_FALSE(is_allowed(Endpoint::Query, "get"));
}

TEST_CASE("composite keys split at commas; an escaped comma is data where that can be told (6.7)") {
  CHECK(*split_key("17", 1) == Texts{"17"});
  CHECK(*split_key("a,b", 1) == Texts{"a,b"});
  CHECK(*split_key("a%20b", 1) == Texts{"a b"});
  CHECK(*split_key("o1,7", 2) == Texts{"o1", "7"});
  CHECK(*split_key("o%2C1,7", 2) == Texts{"o,1", "7"});
  CHECK(*split_key("o1%2C7", 2) == Texts{"o1", "7"});
  CHECK_FALSE(split_key("o1", 2).has_value());
  CHECK_FALSE(split_key("a,b,c", 2).has_value());
  CHECK_FALSE(split_key("%zz", 1).has_value());
}

TEST_CASE("parameters: the protocol's and the variables (6.1)") {
  auto read = parse_parameters("p=pl_1&slice=ctx&vc=eyJ&b=x%20y&a=1+2&project=refs");
  REQUIRE(read.has_value());
  CHECK(read->p == "pl_1");
  CHECK(read->slice == SliceName::Ctx);
  CHECK(read->vc == "eyJ");
  CHECK(read->refs_only());
  CHECK(read->variables == decltype(read->variables){{"b", "x y"}, {"a", "1+2"}});
  CHECK(refuse_other_than(*read, {"p", "slice", "vc", "project"}).has_value());
  auto refused = refuse_other_than(*read, {"slice"});
  REQUIRE_FALSE(refused.has_value());
  for (std::string_view name : {"`p`", "`vc`", "`project`"}) {
    CHECK(refused.error().message.find(name) != std::string::npos);
  }
  for (std::string_view wrong :
       {"slice=all", "p=1&p=2", "a=1&a=1", "slice=pub&slice=pub", "project=all", "a=%zz"}) {
    CAPTURE(wrong);
    auto result = parse_parameters(wrong);
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == Code::BadRequest);
  }
}

TEST_CASE("granted URLs (6.3, decisions)") {
  CHECK(granted_url("abc", "pl_1", SliceName::Pub, {}, false) == "/q/abc?p=pl_1&slice=pub");
  CHECK(granted_url("abc", "pl_1", SliceName::Ctx, {{"a", "x y"}, {"b", "1"}}, true) ==
        "/q/abc?p=pl_1&slice=ctx&a=x%20y&b=1&project=refs");
  CHECK(granted_url("abc", "pl_1", SliceName::Plan, {}, false) == "/q/abc?slice=plan");
}

TEST_CASE("CORS is off by default, one answer for a star, Vary for a list") {
  http::Request request;
  request.headers.add("Origin", "https://app.example");
  http::Headers none, star, listed, other;
  Cors({}).apply(request, none);
  CHECK(none.empty());
  Cors({"*"}).apply(request, star);
  CHECK(star.find("Access-Control-Allow-Origin") == "*");
  CHECK_FALSE(star.contains("Vary"));
  Cors({"https://app.example"}).apply(request, listed);
  CHECK(listed.find("Access-Control-Allow-Origin") == "https://app.example");
  CHECK(listed.find("Vary") == "Origin");
  Cors({"https://other.example"}).apply(request, other);
  CHECK_FALSE(other.contains("Access-Control-Allow-Origin"));
  CHECK(other.find("Vary") == "Origin");
}

}  // namespace
}  // namespace lattice::origin
