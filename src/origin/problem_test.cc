#include "origin/problem.h"

#include <doctest/doctest.h>

namespace lattice::origin {
namespace {

Json body_of(const http::Response& response) {
  auto json = parse_json(response.body);
  REQUIRE(json.has_value());
  return *json;
}

TEST_CASE("a rejected text: spans, lines, negative caching tagged with the schema (10.8, 15)") {
  Error error{Code::CompileRejected, "Post has no field `titel`", {}, {}, false};
  error.diagnostics.push_back(
      {Severity::Error, "Post has no field `titel`", {16, 21}, "", "field"});
  Refusal refusal(error);
  refusal.text = "query {\n  feed { titel }\n}";
  refusal.is_text_determined = true;
  http::Response response = render_problem(refusal, "sHASH");
  CHECK(response.status == 400);
  CHECK(response.headers.find("Content-Type") == "application/problem+json");
  CHECK(response.headers.find("Cache-Control") == "public, s-maxage=300");
  CHECK(response.headers.find("Surrogate-Key") == "schema:sHASH");
  Json body = body_of(response);
  CHECK(body.find("type")->as_string() == "lattice:compile-rejected");
  CHECK(body.find("title")->as_string() == "lattice:compile-rejected");
  CHECK(body.find("status")->as_int64() == 400);
  CHECK(body.find("detail")->as_string() == "Post has no field `titel`");
  CHECK(body.find("diagnostics")->as_array()[0].as_string() == "2:9: Post has no field `titel`");
  const Json& first = body.find("errors")->as_array()[0];
  CHECK(first.find("span")->find("begin")->as_int64() == 16);
  CHECK(first.find("line")->as_int64() == 2);
  CHECK(first.find("column")->as_int64() == 9);
  CHECK(first.find("rule")->as_string() == "field");
}

TEST_CASE("a rejection that depends on the request is not cached (10.8, decisions)") {
  http::Response response = render_problem(Refusal(Code::CompileRejected, "malformed cursor"), "s");
  CHECK(response.headers.find("Cache-Control") == "no-store");
  CHECK_FALSE(response.headers.contains("Surrogate-Key"));
  response = render_problem(Refusal(Code::CursorRetired, "retired"), "s");
  CHECK(response.status == 410);
  CHECK(response.headers.find("Cache-Control") == "public, s-maxage=60");
}

TEST_CASE("429, 503 and in-flight keys say when to come again (15)") {
  auto wait = [](Code code, bool retryable = false) {
    http::Response response = render_problem(Error{code, "x", {}, {}, retryable}, "s");
    return std::string(response.headers.find("Retry-After").value_or(""));
  };
  CHECK(wait(Code::SnapshotContention) == "1");
  CHECK(wait(Code::KeyInFlight) == "1");
  CHECK(wait(Code::RateLimited) == "1");
  CHECK(wait(Code::Internal) == "");
  CHECK(wait(Code::Internal, true) == "1");
  CHECK(wait(Code::UnknownQuery) == "");
  Error limited{Code::RateLimited, "x", {}, {{"retry-after", "30"}}, false};
  CHECK(render_problem(limited, "s").headers.find("Retry-After") == "30");
}

TEST_CASE("a superseded plan's problem holds the current plan record (13.3)") {
  Refusal refusal(Code::PlanSuperseded, "x");
  refusal.plan_json = R"({"kind":"plan","plan":"pl_2"})";
  http::Response response = render_problem(refusal, "s");
  CHECK(response.status == 409);
  CHECK(response.headers.find("Cache-Control") == "no-store");
  CHECK(body_of(response).find("plan")->find("plan")->as_string() == "pl_2");
}

}  // namespace
}  // namespace lattice::origin
