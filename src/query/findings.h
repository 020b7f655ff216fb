// What the language stages find, gathered for one Error.
//
//   findings.report(span, "Post has no field `titel`", "unknown-field");
//
// The documents of one compilation (the main text and everything it imports) lie one behind the other
// in a single space of byte offsets: the main text from 0 on, so its spans are plain offsets. A span
// names its document thereby, and take_error turns it back into (source, offsets in that source).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lattice::query {

// One text of a compilation. `path` is empty for the main one.
struct Source {
  std::string path;
  uint32_t base = 0;  // where it begins in the common space
  uint32_t size = 0;
};

class Findings {
 public:
  explicit Findings(uint32_t diagnostics_max) : diagnostics_max_(diagnostics_max) {}

  void report(Span span, std::string message, std::string_view rule,
              Code code = Code::CompileRejected);
  void warn(Span span, std::string message, std::string_view rule);
  void add(std::vector<Diagnostic> diagnostics);  // of the parser

  bool any() const { return !errors_.empty(); }
  bool is_full() const { return errors_.size() >= diagnostics_max_; }

  // All errors in source order; the sentence is the first one's, with the count of the others.
  Error take_error(const std::vector<Source>& sources);
  std::vector<Diagnostic> take_errors() { return std::exchange(errors_, {}); }  // not localized
  std::vector<Diagnostic> take_warnings(const std::vector<Source>& sources);

 private:
  uint32_t diagnostics_max_;
  bool only_shadows_ = true;
  std::vector<Diagnostic> errors_;
  std::vector<Diagnostic> warnings_;
};

// "`a`, `b` or `c`", at most `count_max` of them, then "...".
std::string list_names(const std::vector<std::string_view>& names, size_t count_max = 8);

}  // namespace lattice::query
