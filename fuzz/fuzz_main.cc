#include <cstddef>
#include <cstdint>

#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  lattice::abort_on_bug = true;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lattice::fuzz(std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
