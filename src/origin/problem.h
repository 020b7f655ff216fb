// Whole-request failures (spec §15, §10.8): an Error and what the endpoint knows about it become an
// RFC 9457 document with explicit cache directives.
//
//   {"type":"lattice:compile-rejected","title":"lattice:compile-rejected","status":400,
//    "detail":"Post has no field `titel`; did you mean `title`?","diagnostics":["1:9: Post has
//    ..."], "errors":[{"message":"Post has
//    ...","span":{"begin":8,"end":13},"line":1,"column":9,...}]}
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "http/message.h"

namespace lattice::origin {

// Why a request is refused. Made from an Error alone it is `no-store`, except for the codes whose
// table row does not depend on who asks (a retired cursor).
struct Refusal {
  Error error;
  // The text of the query alone determines it: the answer may be negatively cached until another
  // schema is deployed.
  bool is_text_determined = false;
  std::string text;       // that the spans point into
  std::string plan_json;  // 409: the current plan record
  http::Headers headers;  // beyond those of every problem (Allow, Content-Location, Lattice-Plan)

  Refusal(Error refused) : error(std::move(refused)) {}  // NOLINT: an Error is a Refusal
  Refusal(Code code, std::string message) : error{code, std::move(message), {}, {}, false} {}
};

// What an endpoint answers with.
using Reply = std::expected<http::Response, Refusal>;

inline std::unexpected<Refusal> refuse(Refusal refusal) {
  return std::unexpected<Refusal>(std::move(refusal));
}
inline std::unexpected<Refusal> refuse(Code code, std::string message) {
  return refuse(Refusal(code, std::move(message)));
}

// `schema_hash` tags what may be cached.
http::Response render_problem(const Refusal& refusal, std::string_view schema_hash);

}  // namespace lattice::origin
