// Problem documents (RFC 9457): how an error is told over HTTP. Knows no Lattice.
//
//   render_problem({.status = 404, .detail = "no query `abc`"})
//     → {"type":"about:blank","title":"Not Found","status":404,"detail":"no query `abc`"}
//
// Values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/message.h"

namespace lattice::http {

struct Problem {
  std::string type = "about:blank";  // a URI reference that names the kind
  std::string title = {};            // empty: the status's reason phrase
  int status = 500;
  std::string detail = {};  // for a person; left out when empty
  // More members, in order: the name, and its value as JSON text. Not a name of the above.
  std::vector<std::pair<std::string, std::string>> members = {};
};

inline constexpr std::string_view kProblemMediaType = "application/problem+json";

std::string render_problem(const Problem& problem);
// The same as an answer with its Content-Type.
Response make_problem_response(const Problem& problem);

}  // namespace lattice::http
