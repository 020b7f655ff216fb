#include "base/blake3_compress.h"

#include <bit>

namespace lattice::internal {
namespace {

using State = std::array<uint32_t, 16>;

constexpr int kRounds = 7;
constexpr std::array<uint8_t, 16> kPermutation = {2, 6,  3,  10, 7, 0,  4,  13,
                                                  1, 11, 12, 5,  9, 14, 15, 8};

// Which message word each round mixes where: the permutation, applied once more in each round.
constexpr std::array<std::array<uint8_t, 16>, kRounds> make_schedule() {
  std::array<std::array<uint8_t, 16>, kRounds> schedule{};
  for (uint8_t i = 0; i < 16; ++i) schedule[0][i] = i;
  for (size_t round = 1; round < kRounds; ++round) {
    for (size_t i = 0; i < 16; ++i) schedule[round][i] = schedule[round - 1][kPermutation[i]];
  }
  return schedule;
}
constexpr auto kSchedule = make_schedule();

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
  for (const auto& order : kSchedule) {
    mix(s, 0, 4, 8, 12, m[order[0]], m[order[1]]);
    mix(s, 1, 5, 9, 13, m[order[2]], m[order[3]]);
    mix(s, 2, 6, 10, 14, m[order[4]], m[order[5]]);
    mix(s, 3, 7, 11, 15, m[order[6]], m[order[7]]);
    mix(s, 0, 5, 10, 15, m[order[8]], m[order[9]]);
    mix(s, 1, 6, 11, 12, m[order[10]], m[order[11]]);
    mix(s, 2, 7, 8, 13, m[order[12]], m[order[13]]);
    mix(s, 3, 4, 9, 14, m[order[14]], m[order[15]]);
  }
  for (size_t i = 0; i < 8; ++i) {
    s[i] ^= s[i + 8];
    s[i + 8] ^= chaining[i];
  }
  return s;
}

}  // namespace

void blake3_compress(Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                     uint32_t block_length, uint32_t flags) {
  State s = run_rounds(chaining, block, counter, block_length, flags);
  std::memcpy(chaining.data(), s.data(), sizeof(chaining));
}

void blake3_compress_wide(const Blake3Words& chaining, const Blake3Block& block, uint64_t counter,
                          uint32_t block_length, uint32_t flags, std::array<uint8_t, 64>& out) {
  State s = run_rounds(chaining, block.data(), counter, block_length, flags);
  std::memcpy(out.data(), s.data(), out.size());
}

}  // namespace lattice::internal
