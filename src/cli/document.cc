#include "cli/document.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/diagnostic.h"
#include "base/json.h"
#include "cli/flags.h"

namespace lattice::cli {

namespace {

constexpr size_t kDocumentBytesMax = 64 << 20;

Result<std::string> read_stream(FILE* file, std::string_view name) {
  std::string text;
  char buffer[64 * 1024];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file)) {
    text.append(buffer, count);
    if (text.size() > kDocumentBytesMax) {
      return fail(Code::Io, std::string(name) + " is larger than 64 MiB");
    }
  }
  if (std::ferror(file)) {
    return fail(Code::Io, "cannot read " + std::string(name) + ": " + std::strerror(errno));
  }
  return text;
}

Json diagnostic_json(const Diagnostic& diagnostic, const Document* document) {
  Json out = Json::object();
  out.set("message", diagnostic.message);
  out.set("severity", diagnostic.severity == Severity::Error ? "error" : "warning");
  if (!diagnostic.rule.empty()) out.set("rule", diagnostic.rule);
  out.set("source", diagnostic.source.empty() && document ? document->name : diagnostic.source);
  if (document && diagnostic.source.empty()) {
    Position position = position_of(document->text, diagnostic.span.begin);
    out.set("line", static_cast<int64_t>(position.line));
    out.set("column", static_cast<int64_t>(position.column));
  }
  out.set("begin", static_cast<int64_t>(diagnostic.span.begin));
  out.set("end", static_cast<int64_t>(diagnostic.span.end));
  return out;
}

int exit_code_of(Code code) {
  switch (code) {
    case Code::Usage:
      return kExitUsage;
    case Code::Io:
    case Code::UpstreamUnavailable:
    case Code::LoaderTimeout:
      return kExitWorld;
    case Code::Internal:
      return kExitBug;
    default:
      return kExitWrong;
  }
}

}  // namespace

Result<Document> read_document(std::string_view path) {
  if (path == "-") {
    LATTICE_TRY(std::string text, read_stream(stdin, "standard input"));
    return Document{"<stdin>", std::move(text)};
  }
  std::string name(path);
  FILE* file = std::fopen(name.c_str(), "rb");
  if (!file) return fail(Code::Io, "cannot open " + name + ": " + std::strerror(errno));
  auto text = read_stream(file, name);
  std::fclose(file);
  if (!text) return fail(std::move(text.error()));
  return Document{std::move(name), std::move(*text)};
}

Result<Document> read_query(std::string_view argument) {
  if (argument.find('{') != std::string_view::npos) {
    return Document{"<query>", std::string(argument)};
  }
  return read_document(argument);
}

int report(const Error& error, const Document* document, bool as_json) {
  if (as_json) {
    Json body = Json::object();
    body.set("code", error.wire_code());
    body.set("message", error.message);
    Json diagnostics = Json::array();
    for (const Diagnostic& diagnostic : error.diagnostics) {
      diagnostics.push_back(diagnostic_json(diagnostic, document));
    }
    body.set("diagnostics", std::move(diagnostics));
    for (const auto& [key, value] : error.details) body.set(key, value);
    print(to_json(Json::object({{"error", std::move(body)}})) + "\n");
  } else if (document) {
    std::fputs(render_error(error, document->name, document->text).c_str(), stderr);
  } else {
    std::fprintf(stderr, "lattice: %s\n", error.message.c_str());
    for (const Diagnostic& diagnostic : error.diagnostics) {
      if (diagnostic.message == error.message) continue;
      std::fprintf(stderr, "  %s\n", diagnostic.message.c_str());
    }
  }
  return exit_code_of(error.code);
}

void report_warnings(const std::vector<Diagnostic>& warnings, const Document& document) {
  for (const Diagnostic& warning : warnings) {
    std::fputs(render_diagnostic(warning, document.name, document.text).c_str(), stderr);
  }
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace lattice::cli
