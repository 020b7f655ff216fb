#include "query/findings.h"

namespace lattice::query {

namespace {

// Moves spans from the common space into their sources, in source order, without repetitions.
std::vector<Diagnostic> localize(std::vector<Diagnostic> diagnostics,
                                 const std::vector<Source>& sources) {
  const auto before = [](const Diagnostic& left, const Diagnostic& right) {
    return left.span.begin < right.span.begin;
  };
  std::stable_sort(diagnostics.begin(), diagnostics.end(), before);
  const auto same = [](const Diagnostic& left, const Diagnostic& right) {
    return left.span == right.span && left.message == right.message;
  };
  diagnostics.erase(std::unique(diagnostics.begin(), diagnostics.end(), same), diagnostics.end());
  for (Diagnostic& diagnostic : diagnostics) {
    for (const Source& source : sources) {
      if (diagnostic.span.begin < source.base) break;
      if (diagnostic.span.begin > source.base + source.size) continue;
      diagnostic.source = source.path;
      diagnostic.span.begin -= source.base;
      diagnostic.span.end -= source.base;
      break;
    }
  }
  return diagnostics;
}

}  // namespace

void Findings::report(Span span, std::string message, std::string_view rule, Code code) {
  if (is_full()) return;
  only_shadows_ = only_shadows_ && code == Code::FragmentShadow;
  errors_.push_back({Severity::Error, std::move(message), span, {}, std::string(rule)});
}

void Findings::warn(Span span, std::string message, std::string_view rule) {
  if (warnings_.size() >= diagnostics_max_) return;
  warnings_.push_back({Severity::Warning, std::move(message), span, {}, std::string(rule)});
}

void Findings::add(std::vector<Diagnostic> diagnostics) {
  for (Diagnostic& diagnostic : diagnostics) {
    report(diagnostic.span, std::move(diagnostic.message), diagnostic.rule);
  }
}

Error Findings::take_error(const std::vector<Source>& sources) {
  Error error;
  error.code = only_shadows_ ? Code::FragmentShadow : Code::CompileRejected;
  error.diagnostics = localize(std::move(errors_), sources);
  error.message = error.diagnostics.front().message;
  if (const size_t more = error.diagnostics.size() - 1; more != 0) {
    error.message += " (and " + std::to_string(more) + " more)";
  }
  return error;
}

std::vector<Diagnostic> Findings::take_warnings(const std::vector<Source>& sources) {
  return localize(std::move(warnings_), sources);
}

std::string list_names(const std::vector<std::string_view>& names, size_t count_max) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == count_max) return out + ", ...";
    if (i != 0) out += i + 1 == names.size() ? " or " : ", ";
    out += '`';
    out += names[i];
    out += '`';
  }
  return out;
}

}  // namespace lattice::query
