// The compression function of BLAKE3: portable, and with the vector units of x86-64 where the
// machine has them. Only blake3.cc, its test and its benchmark use it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace lattice::internal {

using Blake3Words = std::array<uint32_t, 8>;
using Blake3Block = std::array<uint8_t, 64>;

inline constexpr Blake3Words kBlake3Iv = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
inline constexpr size_t kBlake3BlockBytes = 64;
inline constexpr size_t kBlake3ChunkBytes = 1024;

inline constexpr uint32_t kBlake3ChunkStart = 1 << 0;
inline constexpr uint32_t kBlake3ChunkEnd = 1 << 1;
inline constexpr uint32_t kBlake3Parent = 1 << 2;
inline constexpr uint32_t kBlake3Root = 1 << 3;

// Full chunks that `hash_four` takes at once.
inline constexpr size_t kBlake3Lanes = 4;

// One implementation. All give the same results.
struct Blake3Kernel {
  // Replaces `chaining` with the first half of the compression of the 64 bytes at `block`, of which
  // `block_length` count (the rest are zero).
  void (*compress)(Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                   uint32_t block_length, uint32_t flags);
  // All 64 bytes of the compression: the output of the root.
  void (*compress_wide)(const Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                        uint32_t block_length, uint32_t flags, uint8_t* out);
  // The chaining values of four full chunks that lie one behind the other; the first has the number
  // `counter`.
  void (*hash_four)(const uint8_t* chunks, uint64_t counter,
                    std::array<Blake3Words, kBlake3Lanes>& out);
};

const Blake3Kernel& blake3_portable_kernel();
// SSE4.1; null on a machine without it.
const Blake3Kernel* blake3_sse41_kernel();
// The fastest that this machine has.
const Blake3Kernel& blake3_kernel();

// Which message word each of the 7 rounds mixes where: the permutation of the specification,
// applied once more in each round.
inline constexpr size_t kBlake3Rounds = 7;
consteval std::array<std::array<uint8_t, 16>, kBlake3Rounds> make_blake3_schedule() {
  constexpr std::array<uint8_t, 16> kPermutation = {2, 6,  3,  10, 7, 0,  4,  13,
                                                    1, 11, 12, 5,  9, 14, 15, 8};
  std::array<std::array<uint8_t, 16>, kBlake3Rounds> schedule{};
  for (uint8_t i = 0; i < 16; ++i) schedule[0][i] = i;
  for (size_t round = 1; round < kBlake3Rounds; ++round) {
    for (size_t i = 0; i < 16; ++i) schedule[round][i] = schedule[round - 1][kPermutation[i]];
  }
  return schedule;
}
inline constexpr auto kBlake3Schedule = make_blake3_schedule();

// Words travel as little-endian bytes; so do they lie in memory on the machines that we build for.
static_assert(std::endian::native == std::endian::little);

}  // namespace lattice::internal
