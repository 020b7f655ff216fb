// A fuzz target: one function that takes any bytes and must neither crash nor break its properties.
//
//   void fuzz(std::string_view input) {
//     auto value = parse_json(input);
//     if (value) FUZZ_REQUIRE(parse_json(to_json(*value)).value() == *value);
//   }
#pragma once

#include <string_view>

#include "base/check.h"

namespace lattice {

void fuzz(std::string_view input);

}  // namespace lattice

// A property of the target. Aborts, so that the fuzzer keeps the input.
#define FUZZ_REQUIRE(...) LATTICE_CHECK((__VA_ARGS__))
