#include "base/blake3_compress.h"

#include <bit>

namespace lattice::internal {
namespace {

using State = std::array<uint32_t, 16>;

inline void mix(State& s, size_t a, size_t b, size_t c, size_t d, uint32_t x, uint32_t y) {
  s[a] += s[b] + x;
  s[d] = std::rotr(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = std::rotr(s[b] ^ s[c], 12);
  s[a] += s[b] + y;
  s[d] = std::rotr(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = std::rotr(s[b] ^ s[c], 7);
}

// Round `round` and those after it, unrolled so that every index is known.
template <size_t round = 0>
inline void mix_all(State& s, const std::array<uint32_t, 16>& m) {
  constexpr auto& o = kBlake3Schedule[round];
  mix(s, 0, 4, 8, 12, m[o[0]], m[o[1]]);
  mix(s, 1, 5, 9, 13, m[o[2]], m[o[3]]);
  mix(s, 2, 6, 10, 14, m[o[4]], m[o[5]]);
  mix(s, 3, 7, 11, 15, m[o[6]], m[o[7]]);
  mix(s, 0, 5, 10, 15, m[o[8]], m[o[9]]);
  mix(s, 1, 6, 11, 12, m[o[10]], m[o[11]]);
  mix(s, 2, 7, 8, 13, m[o[12]], m[o[13]]);
  mix(s, 3, 4, 9, 14, m[o[14]], m[o[15]]);
  if constexpr (round + 1 < kBlake3Rounds) mix_all<round + 1>(s, m);
}

State run_rounds(const Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                 uint32_t block_length, uint32_t flags) {
  std::array<uint32_t, 16> m;
  std::memcpy(m.data(), block, sizeof(m));
  State s;
  std::memcpy(s.data(), chaining.data(), sizeof(chaining));
  std::memcpy(s.data() + 8, kBlake3Iv.data(), 16);
  s[12] = static_cast<uint32_t>(counter);
  s[13] = static_cast<uint32_t>(counter >> 32);
  s[14] = block_length;
  s[15] = flags;
  mix_all(s, m);
  for (size_t i = 0; i < 8; ++i) {
    s[i] ^= s[i + 8];
    s[i + 8] ^= chaining[i];
  }
  return s;
}

void compress(Blake3Words& chaining, const uint8_t* block, uint64_t counter, uint32_t block_length,
              uint32_t flags) {
  State s = run_rounds(chaining, block, counter, block_length, flags);
  std::memcpy(chaining.data(), s.data(), sizeof(chaining));
}

void compress_wide(const Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                   uint32_t block_length, uint32_t flags, uint8_t* out) {
  State s = run_rounds(chaining, block, counter, block_length, flags);
  std::memcpy(out, s.data(), sizeof(s));
}

void hash_four(const uint8_t* chunks, uint64_t counter,
               std::array<Blake3Words, kBlake3Lanes>& out) {
  for (size_t lane = 0; lane < kBlake3Lanes; ++lane) {
    out[lane] = kBlake3Iv;
    for (size_t at = 0; at < kBlake3ChunkBytes; at += kBlake3BlockBytes) {
      uint32_t flags = at == 0 ? kBlake3ChunkStart : 0;
      if (at + kBlake3BlockBytes == kBlake3ChunkBytes) flags |= kBlake3ChunkEnd;
      compress(out[lane], chunks + lane * kBlake3ChunkBytes + at, counter + lane, kBlake3BlockBytes,
               flags);
    }
  }
}

}  // namespace

const Blake3Kernel& blake3_portable_kernel() {
  static constexpr Blake3Kernel kKernel = {&compress, &compress_wide, &hash_four};
  return kKernel;
}

const Blake3Kernel& blake3_kernel() {
  static const Blake3Kernel& kernel =
      blake3_sse41_kernel() != nullptr ? *blake3_sse41_kernel() : blake3_portable_kernel();
  return kernel;
}

}  // namespace lattice::internal
