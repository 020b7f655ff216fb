#include "base/random.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace lattice {

uint64_t SeededRandom::next() {
  state_ += 0x9e3779b97f4a7c15;
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

uint64_t SeededRandom::below(uint64_t bound) {
  LATTICE_CHECK(bound > 0);
  // Values under 2^64 mod bound are drawn again, so that every remainder is equally likely.
  uint64_t biased = (0 - bound) % bound;
  uint64_t value = next();
  while (value < biased) value = next();
  return value % bound;
}

double SeededRandom::unit() {
  return static_cast<double>(next() >> 11) * 0x1p-53;
}

std::string random_bytes(size_t count) {
  std::string bytes(count, '\0');
  size_t filled = 0;
  while (filled < count) {
    ssize_t got = getrandom(bytes.data() + filled, count - filled, 0);
    LATTICE_CHECK(got > 0 || errno == EINTR, errno);
    if (got > 0) filled += static_cast<size_t>(got);
  }
  return bytes;
}

}  // namespace lattice
