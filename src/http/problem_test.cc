#include "http/problem.h"

#include <doctest/doctest.h>

#include "base/check.h"

using namespace lattice;
using namespace lattice::http;

TEST_CASE("a problem document has its members in order and its text escaped") {
  CHECK(render_problem({.status = 404, .detail = "no \"x\"\n"}) ==
        R"({"type":"about:blank","title":"Not Found","status":404,"detail":"no \"x\"\n"})");
  CHECK(render_problem({.type = "lattice:key-reuse",
                        .title = "Key reuse",
                        .status = 422,
                        .members = {{"retryable", "false"}, {"keys", "[\"a\"]"}}}) ==
        R"({"type":"lattice:key-reuse","title":"Key reuse","status":422,)"
        R"("retryable":false,"keys":["a"]})");
}

TEST_CASE("a problem response carries its media type and status") {
  Response response = make_problem_response({.status = 503});
  CHECK(response.status == 503);
  CHECK(response.headers.find("content-type") == "application/problem+json");
  CHECK(response.body == R"({"type":"about:blank","title":"Service Unavailable","status":503})");
}

TEST_CASE("an extension may not replace a standard member") {
  CHECK_THROWS_AS(render_problem({.members = {{"status", "1"}}}), BugError);
}
