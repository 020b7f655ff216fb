#include "http/problem.h"

#include <algorithm>

#include "base/check.h"
#include "base/json.h"

namespace lattice::http {

std::string render_problem(const Problem& problem) {
  constexpr std::string_view kOwnNames[] = {"type", "title", "status", "detail"};
  std::string out = "{\"type\":";
  append_json_string(out, problem.type);
  out += ",\"title\":";
  append_json_string(out, problem.title.empty() ? reason_phrase(problem.status) : problem.title);
  out += ",\"status\":";
  append_json_number(out, static_cast<int64_t>(problem.status));
  if (!problem.detail.empty()) {
    out += ",\"detail\":";
    append_json_string(out, problem.detail);
  }
  for (const auto& [name, json] : problem.members) {
    LATTICE_CHECK(
        std::find(std::begin(kOwnNames), std::end(kOwnNames), name) == std::end(kOwnNames), name);
    out += ',';
    append_json_string(out, name);
    out += ':';
    out += json;
  }
  out += '}';
  return out;
}

Response make_problem_response(const Problem& problem) {
  return {problem.status,
          {{"Content-Type", std::string(kProblemMediaType)}},
          render_problem(problem),
          {}};
}

}  // namespace lattice::http
