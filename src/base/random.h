// Randomness as a parameter: the system's for secrets, a seeded one for tests and data.
#pragma once

#include <cstdint>
#include <string>

namespace lattice {

// A small deterministic generator (SplitMix64). Equal seeds give equal streams on every machine.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t next();
  // Uniform in [0, bound), bound > 0.
  uint64_t below(uint64_t bound);
  double unit();  // [0, 1)

 private:
  uint64_t state_;
};

// Bytes from the operating system, fit for keys and identifiers.
std::string random_bytes(size_t count);

}  // namespace lattice
