#include "origin/problem.h"

#include "base/diagnostic.h"
#include "http/problem.h"
#include "origin/tenure.h"

namespace lattice::origin {

namespace {

constexpr size_t kDiagnosticsMax = 50;

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::Error:
      return "error";
    case Severity::Warning:
      return "warning";
    case Severity::Note:
      return "note";
  }
  return "error";
}

Json error_member(const Diagnostic& diagnostic, std::string_view text) {
  Json out = Json::object(
      {{"message", diagnostic.message},
       {"severity", severity_name(diagnostic.severity)},
       {"span", Json::object({{"begin", diagnostic.span.begin}, {"end", diagnostic.span.end}})}});
  if (!diagnostic.rule.empty()) out.set("rule", diagnostic.rule);
  if (!diagnostic.source.empty()) {
    out.set("source", diagnostic.source);
  } else if (!text.empty()) {
    Position position = position_of(text, diagnostic.span.begin);
    out.set("line", position.line);
    out.set("column", position.column);
  }
  return out;
}

std::string diagnostic_line(const Diagnostic& diagnostic, std::string_view text) {
  if (!diagnostic.source.empty()) return diagnostic.source + ": " + diagnostic.message;
  if (text.empty()) return diagnostic.message;
  Position position = position_of(text, diagnostic.span.begin);
  return std::to_string(position.line) + ":" + std::to_string(position.column) + ": " +
         diagnostic.message;
}

CacheDirective directive_of(const Refusal& refusal) {
  CacheDirective directive = code_row(refusal.error.code).cache;
  if (directive == CacheDirective::Negative && !refusal.is_text_determined) {
    return CacheDirective::NoStore;
  }
  return directive;
}

http::Problem make_problem(const Refusal& refusal, int status) {
  const Error& error = refusal.error;
  // Older readers look for the code in `title`.
  http::Problem out{.type = std::string(error.wire_code()),
                    .title = std::string(error.wire_code()),
                    .status = status,
                    .detail = error.message};
  for (const auto& [name, value] : error.details) out.members.emplace_back(name, to_json(value));
  if (!error.diagnostics.empty()) {
    Json lines = Json::array(), members = Json::array();
    for (size_t i = 0; i < std::min(error.diagnostics.size(), kDiagnosticsMax); ++i) {
      lines.push_back(diagnostic_line(error.diagnostics[i], refusal.text));
      members.push_back(error_member(error.diagnostics[i], refusal.text));
    }
    out.members.emplace_back("diagnostics", to_json(lines));
    out.members.emplace_back("errors", to_json(members));
  }
  if (!refusal.plan_json.empty()) out.members.emplace_back("plan", refusal.plan_json);
  return out;
}

// §15: these statuses say when to come again.
std::string retry_after(const Error& error, int status) {
  for (const auto& [name, value] : error.details) {
    if (name == "retry-after") return value;
  }
  bool must = status == 429 || status == 503 || error.code == Code::KeyInFlight;
  return must || (status >= 500 && error.retryable) ? "1" : "";
}

}  // namespace

http::Response render_problem(const Refusal& refusal, std::string_view schema_hash) {
  int status = code_row(refusal.error.code).status;
  http::Response response =
      http::make_problem_response(make_problem(refusal, status == 0 ? 500 : status));
  for (const http::Header& field : refusal.headers.fields()) {
    response.headers.add(field.name, field.value);
  }
  CacheDirective directive = directive_of(refusal);
  response.headers.set("Cache-Control", error_lifetime(directive));
  if (directive != CacheDirective::NoStore && !response.headers.contains("Surrogate-Key")) {
    response.headers.set("Surrogate-Key", "schema:" + std::string(schema_hash));
  }
  if (std::string wait = retry_after(refusal.error, response.status); !wait.empty()) {
    response.headers.set("Retry-After", wait);
  }
  if (response.status == 401) response.headers.set("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace lattice::origin
