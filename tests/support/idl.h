// Findings about IDL texts, for tests: each as "the words under the span | the message".
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"

namespace lattice::testing {

inline std::vector<std::string> idl_findings(std::string_view idl) {
  auto schema = schema::load_schema(idl);
  std::vector<std::string> out;
  if (schema) return out;
  for (const Diagnostic& diagnostic : schema.error().diagnostics) {
    REQUIRE(diagnostic.span.begin <= diagnostic.span.end);
    REQUIRE(diagnostic.span.end <= idl.size());
    REQUIRE_FALSE(diagnostic.rule.empty());
    const size_t length = diagnostic.span.end - diagnostic.span.begin;
    out.push_back(std::string(idl.substr(diagnostic.span.begin, length)) + " | " +
                  diagnostic.message);
  }
  return out;
}

// The one finding about `idl`; "accepted" when there is none.
inline std::string idl_finding(std::string_view idl) {
  const auto findings = idl_findings(idl);
  if (findings.empty()) return "accepted";
  std::string all;
  for (const std::string& finding : findings) all += (all.empty() ? "" : " && ") + finding;
  return all;
}

}  // namespace lattice::testing
