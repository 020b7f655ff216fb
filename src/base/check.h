// LATTICE_CHECK: our own invariants. Always on.
//
//   LATTICE_CHECK(index < count, index, count);
//
// A failed check throws BugError with the expression, the values and the place. It is caught at the
// request boundary (500, logged) and in main; test and fuzz builds may set `abort_on_bug`.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace lattice {

class BugError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// When true, a failed check aborts in place of throwing (fuzz targets set it). Not synchronised:
// set it before threads start.
extern bool abort_on_bug;

namespace internal {
[[noreturn]] void check_failed(std::string_view expression, std::string_view file, int line,
                               std::string values);
std::string check_value(long long value);
std::string check_value(unsigned long long value);
std::string check_value(std::string_view value);
template <class T>
std::string check_values(std::string_view name, const T& value) {
  std::string out(name);
  out += '=';
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    out += check_value(std::string_view(value));
  } else if constexpr (std::is_signed_v<T>) {
    out += check_value(static_cast<long long>(value));
  } else {
    out += check_value(static_cast<unsigned long long>(value));
  }
  return out;
}
inline std::string join_values() { return {}; }
template <class First, class... Rest>
std::string join_values(const First& first, const Rest&... rest) {
  std::string out = check_values("value", first);
  ((out += ", ", out += check_values("value", rest)), ...);
  return out;
}
}  // namespace internal
}  // namespace lattice

#define LATTICE_CHECK(condition, ...)                                                        \
  do {                                                                                       \
    if (!(condition)) [[unlikely]]                                                           \
      ::lattice::internal::check_failed(#condition, __FILE__, __LINE__,                      \
                                        ::lattice::internal::join_values(__VA_ARGS__));      \
  } while (false)
