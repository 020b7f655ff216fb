// The compression function of BLAKE3: portable, and the fastest that this machine has. Only blake3.cc
// and its tests use it.
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

// Replaces `chaining` with the first half of the compression of the 64 bytes at `block`, of which
// `block_length` count (the rest are zero).
void blake3_compress(Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                     uint32_t block_length, uint32_t flags);
// All 64 bytes of the compression: the output of the root.
void blake3_compress_wide(const Blake3Words& chaining, const Blake3Block& block, uint64_t counter,
                          uint32_t block_length, uint32_t flags, std::array<uint8_t, 64>& out);

// Words travel as little-endian bytes; so do they lie in memory on the machines that we build for.
static_assert(std::endian::native == std::endian::little);
inline void store_words(uint8_t* to, const Blake3Words& words) {
  std::memcpy(to, words.data(), sizeof(words));
}

}  // namespace lattice::internal
