#include "base/result.h"

#include <array>

namespace lattice {

const CodeRow& code_row(Code code) {
  static constexpr auto kRows = std::to_array<CodeRow>({
#define LATTICE_PROBLEM(name, wire, status, cache) {wire, status, CacheDirective::cache},
#include "base/codes.def"
#undef LATTICE_PROBLEM
  });
  return kRows[static_cast<size_t>(code)];
}

}  // namespace lattice
