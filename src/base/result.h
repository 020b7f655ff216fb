// Errors as values: Result<T>, Error, and the macros that hand an error on.
//
//   Result<Plan> compile(std::string_view text) {
//     LATTICE_TRY(auto query, parse_query(text));   // LATTICE_CO_TRY in a coroutine
//     return plan_query(query);
//   }
//
// An Error says what is wrong with the text, the request or the world. It has a stable code (a row
// of codes.def), a sentence that names the offender and what was expected, and diagnostics that
// point into a source text. A wrong program is not an Error: see check.h.
// Values; any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lattice {

// A half-open range of byte offsets, 0-based, in one source text.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const Span&) const = default;
};

enum class Severity : uint8_t { Error, Warning, Note };

// One finding about a source text. `source` names the document when it is not the main one (an
// imported file), else it is empty. `rule` is a stable short name for tools ("unknown-field").
struct Diagnostic {
  Severity severity = Severity::Error;
  std::string message;
  Span span;
  std::string source;
  std::string rule;
};

enum class CacheDirective : uint8_t { NoStore, Negative, ShortNegative };

enum class Code : uint16_t {
#define LATTICE_PROBLEM(name, wire, status, cache) name,
#include "base/codes.def"
#undef LATTICE_PROBLEM
};

// The row of codes.def for `code`.
struct CodeRow {
  std::string_view wire;  // "lattice:unknown-query"
  int status;             // HTTP status, 0 when it is never a whole-request problem
  CacheDirective cache;
};
const CodeRow& code_row(Code code);

struct Error {
  Code code = Code::Internal;
  std::string message;                                       // for a person
  std::vector<Diagnostic> diagnostics;                       // in source order
  std::vector<std::pair<std::string, std::string>> details;  // stable machine-readable members
  bool retryable = false;                                    // §9.4.2

  std::string_view wire_code() const { return code_row(code).wire; }
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(Code code, std::string message) {
  return std::unexpected<Error>(Error{code, std::move(message), {}, {}, false});
}
inline std::unexpected<Error> fail(Code code, std::string message, Span span) {
  Error error{code, message, {}, {}, false};
  error.diagnostics.push_back({Severity::Error, std::move(message), span, {}, {}});
  return std::unexpected<Error>(std::move(error));
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace lattice

#define LATTICE_CONCAT_INNER(a, b) a##b
#define LATTICE_CONCAT(a, b) LATTICE_CONCAT_INNER(a, b)

#define LATTICE_TRY_IMPL(tmp, decl, expr, ret)                      \
  auto tmp = (expr);                                                \
  if (!tmp) ret ::lattice::fail(std::move(tmp.error()));            \
  decl = std::move(*tmp)

// `decl` gets the value of the Result `expr`; on an error the enclosing function returns it.
#define LATTICE_TRY(decl, expr) \
  LATTICE_TRY_IMPL(LATTICE_CONCAT(lattice_try_, __LINE__), decl, expr, return)
#define LATTICE_CO_TRY(decl, expr) \
  LATTICE_TRY_IMPL(LATTICE_CONCAT(lattice_try_, __LINE__), decl, expr, co_return)

// The same for a Result<void>, or when the value is not wanted.
#define LATTICE_TRY_VOID_IMPL(tmp, expr, ret)                   \
  do {                                                          \
    auto tmp = (expr);                                          \
    if (!tmp) ret ::lattice::fail(std::move(tmp.error()));      \
  } while (false)
#define LATTICE_TRY_VOID(expr) \
  LATTICE_TRY_VOID_IMPL(LATTICE_CONCAT(lattice_try_, __LINE__), expr, return)
#define LATTICE_CO_TRY_VOID(expr) \
  LATTICE_TRY_VOID_IMPL(LATTICE_CONCAT(lattice_try_, __LINE__), expr, co_return)
