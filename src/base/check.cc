#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace lattice {

bool abort_on_bug = false;

namespace internal {

void check_failed(std::string_view expression, std::string_view file, int line,
                  std::string values) {
  std::string message = "check failed: ";
  message += expression;
  message += " at ";
  message += file;
  message += ':';
  message += std::to_string(line);
  if (!values.empty()) {
    message += " (";
    message += values;
    message += ')';
  }
  if (abort_on_bug) {
    std::fprintf(stderr, "%s\n", message.c_str());
    std::abort();
  }
  throw BugError(message);
}

std::string check_value(long long value) { return std::to_string(value); }
std::string check_value(unsigned long long value) { return std::to_string(value); }
std::string check_value(std::string_view value) { return "\"" + std::string(value) + "\""; }

}  // namespace internal
}  // namespace lattice
