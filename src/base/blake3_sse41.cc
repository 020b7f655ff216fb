// BLAKE3 on the 128-bit registers of x86-64. The functions are built for SSE4.1 whatever the rest
// of the program is built for, and called only after asking the processor.
//
// compress keeps the 4×4 state as four rows, one register each, and mixes four columns (then four
// diagonals) at once. hash_four keeps one register per state word, whose four lanes are four
// chunks.
#include "base/blake3_compress.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define LATTICE_SSE41 [[gnu::target("sse4.1")]]

namespace lattice::internal {
namespace {

LATTICE_SSE41 inline __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
LATTICE_SSE41 inline void store(void* to, __m128i value) {
  _mm_storeu_si128(static_cast<__m128i*>(to), value);
}

// Rotations to the right. Those by whole bytes are one shuffle.
LATTICE_SSE41 inline __m128i rotate_16(__m128i x) {
  return _mm_shuffle_epi8(x, _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
}
LATTICE_SSE41 inline __m128i rotate_8(__m128i x) {
  return _mm_shuffle_epi8(x, _mm_setr_epi8(1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8, 13, 14, 15, 12));
}
LATTICE_SSE41 inline __m128i rotate_12(__m128i x) {
  return _mm_or_si128(_mm_srli_epi32(x, 12), _mm_slli_epi32(x, 20));
}
LATTICE_SSE41 inline __m128i rotate_7(__m128i x) {
  return _mm_or_si128(_mm_srli_epi32(x, 7), _mm_slli_epi32(x, 25));
}

LATTICE_SSE41 inline void mix(__m128i& a, __m128i& b, __m128i& c, __m128i& d, __m128i x,
                              __m128i y) {
  a = _mm_add_epi32(_mm_add_epi32(a, x), b);
  d = rotate_16(_mm_xor_si128(d, a));
  c = _mm_add_epi32(c, d);
  b = rotate_12(_mm_xor_si128(b, c));
  a = _mm_add_epi32(_mm_add_epi32(a, y), b);
  d = rotate_8(_mm_xor_si128(d, a));
  c = _mm_add_epi32(c, d);
  b = rotate_7(_mm_xor_si128(b, c));
}

// The lanes (x[i], x[j], y[k], y[l]).
template <int i, int j, int k, int l>
LATTICE_SSE41 inline __m128i pick(__m128i x, __m128i y) {
  return _mm_castps_si128(
      _mm_shuffle_ps(_mm_castsi128_ps(x), _mm_castsi128_ps(y), _MM_SHUFFLE(l, k, j, i)));
}
// The lanes (x[i], x[j], x[k], x[l]).
template <int i, int j, int k, int l>
LATTICE_SSE41 inline __m128i shuffle(__m128i x) {
  return _mm_shuffle_epi32(x, _MM_SHUFFLE(l, k, j, i));
}
// `x`, with the lanes of the bit set `lanes` (bit 0 is lane 0) from `y`.
template <int lanes>
LATTICE_SSE41 inline __m128i blend(__m128i x, __m128i y) {
  return _mm_castps_si128(_mm_blend_ps(_mm_castsi128_ps(x), _mm_castsi128_ps(y), lanes));
}

// The message words in the order in which a round takes them. With m[0..15] in the order of the
// round:
//   columns_x   = (m0, m2, m4, m6)      columns_y   = (m1, m3, m5, m7)
//   diagonals_x = (m14, m8, m10, m12)   diagonals_y = (m15, m9, m11, m13)
// The diagonals start one lane later because their mixing leaves row b in place and turns the
// others.
struct Message {
  __m128i columns_x, columns_y, diagonals_x, diagonals_y;
};

LATTICE_SSE41 inline Message first_message(const uint8_t* block) {
  __m128i m0 = load(block);
  __m128i m1 = load(block + 16);
  __m128i m2 = load(block + 32);
  __m128i m3 = load(block + 48);
  return {pick<0, 2, 0, 2>(m0, m1), pick<1, 3, 1, 3>(m0, m1),
          shuffle<3, 0, 1, 2>(pick<0, 2, 0, 2>(m2, m3)),
          shuffle<3, 0, 1, 2>(pick<1, 3, 1, 3>(m2, m3))};
}

// The message of the next round: where each of its words stands in the present one follows from the
// permutation (2 6 3 10 7 0 4 13 1 11 12 5 9 14 15 8).
LATTICE_SSE41 inline Message next_message(const Message& m) {
  __m128i a = m.columns_x;
  __m128i b = m.columns_y;
  __m128i c = m.diagonals_x;
  __m128i d = m.diagonals_y;
  Message next;
  // (m2, m3, m7, m4)
  next.columns_x = shuffle<0, 2, 3, 1>(pick<1, 2, 1, 3>(a, b));
  // (m6, m10, m0, m13)
  next.columns_y = pick<3, 2, 0, 3>(blend<0b0100>(a, c), blend<0b1000>(a, d));
  // (m15, m1, m12, m9)
  next.diagonals_x = pick<0, 1, 3, 1>(_mm_unpacklo_epi32(d, b), blend<0b0010>(c, d));
  // (m8, m11, m5, m14)
  next.diagonals_y = pick<1, 2, 2, 0>(blend<0b0100>(c, d), blend<0b0001>(b, c));
  return next;
}

struct Rows {
  __m128i a, b, c, d;
};

LATTICE_SSE41 inline Rows run_rounds(const Blake3Words& chaining, const uint8_t* block,
                                     uint64_t counter, uint32_t block_length, uint32_t flags) {
  Rows s;
  s.a = load(chaining.data());
  s.b = load(chaining.data() + 4);
  s.c = load(kBlake3Iv.data());
  s.d = _mm_setr_epi32(static_cast<int>(counter), static_cast<int>(counter >> 32),
                       static_cast<int>(block_length), static_cast<int>(flags));
  Message m = first_message(block);
  for (size_t round = 0;; ++round) {
    mix(s.a, s.b, s.c, s.d, m.columns_x, m.columns_y);
    s.a = shuffle<3, 0, 1, 2>(s.a);
    s.d = shuffle<2, 3, 0, 1>(s.d);
    s.c = shuffle<1, 2, 3, 0>(s.c);
    mix(s.a, s.b, s.c, s.d, m.diagonals_x, m.diagonals_y);
    s.a = shuffle<1, 2, 3, 0>(s.a);
    s.d = shuffle<2, 3, 0, 1>(s.d);
    s.c = shuffle<3, 0, 1, 2>(s.c);
    if (round == kBlake3Rounds - 1) return s;
    m = next_message(m);
  }
}

LATTICE_SSE41 void compress(Blake3Words& chaining, const uint8_t* block, uint64_t counter,
                            uint32_t block_length, uint32_t flags) {
  Rows s = run_rounds(chaining, block, counter, block_length, flags);
  store(chaining.data(), _mm_xor_si128(s.a, s.c));
  store(chaining.data() + 4, _mm_xor_si128(s.b, s.d));
}

LATTICE_SSE41 void compress_wide(const Blake3Words& chaining, const uint8_t* block,
                                 uint64_t counter, uint32_t block_length, uint32_t flags,
                                 uint8_t* out) {
  Rows s = run_rounds(chaining, block, counter, block_length, flags);
  store(out, _mm_xor_si128(s.a, s.c));
  store(out + 16, _mm_xor_si128(s.b, s.d));
  store(out + 32, _mm_xor_si128(s.c, load(chaining.data())));
  store(out + 48, _mm_xor_si128(s.d, load(chaining.data() + 4)));
}

// Turns four registers of four lanes around their diagonal.
LATTICE_SSE41 inline void transpose(__m128i& x0, __m128i& x1, __m128i& x2, __m128i& x3) {
  __m128i low01 = _mm_unpacklo_epi32(x0, x1);
  __m128i high01 = _mm_unpackhi_epi32(x0, x1);
  __m128i low23 = _mm_unpacklo_epi32(x2, x3);
  __m128i high23 = _mm_unpackhi_epi32(x2, x3);
  x0 = _mm_unpacklo_epi64(low01, low23);
  x1 = _mm_unpackhi_epi64(low01, low23);
  x2 = _mm_unpacklo_epi64(high01, high23);
  x3 = _mm_unpackhi_epi64(high01, high23);
}

// Word i of the blocks at `at` bytes into each of the four chunks, one lane a chunk.
LATTICE_SSE41 inline void load_messages(const uint8_t* chunks, size_t at, __m128i (&m)[16]) {
  for (size_t i = 0; i < 16; i += 4) {
    for (size_t lane = 0; lane < kBlake3Lanes; ++lane) {
      m[i + lane] = load(chunks + lane * kBlake3ChunkBytes + at + i * 4);
    }
    transpose(m[i], m[i + 1], m[i + 2], m[i + 3]);
  }
}

// Round `round` and those after it, unrolled so that every index is known.
template <size_t round = 0>
LATTICE_SSE41 [[gnu::always_inline]] inline void mix_all(__m128i (&s)[16], const __m128i (&m)[16]) {
  constexpr auto& o = kBlake3Schedule[round];
  mix(s[0], s[4], s[8], s[12], m[o[0]], m[o[1]]);
  mix(s[1], s[5], s[9], s[13], m[o[2]], m[o[3]]);
  mix(s[2], s[6], s[10], s[14], m[o[4]], m[o[5]]);
  mix(s[3], s[7], s[11], s[15], m[o[6]], m[o[7]]);
  mix(s[0], s[5], s[10], s[15], m[o[8]], m[o[9]]);
  mix(s[1], s[6], s[11], s[12], m[o[10]], m[o[11]]);
  mix(s[2], s[7], s[8], s[13], m[o[12]], m[o[13]]);
  mix(s[3], s[4], s[9], s[14], m[o[14]], m[o[15]]);
  if constexpr (round + 1 < kBlake3Rounds) mix_all<round + 1>(s, m);
}

LATTICE_SSE41 void hash_four(const uint8_t* chunks, uint64_t counter,
                             std::array<Blake3Words, kBlake3Lanes>& out) {
  alignas(16) uint32_t counter_low[kBlake3Lanes];
  alignas(16) uint32_t counter_high[kBlake3Lanes];
  for (size_t lane = 0; lane < kBlake3Lanes; ++lane) {
    counter_low[lane] = static_cast<uint32_t>(counter + lane);
    counter_high[lane] = static_cast<uint32_t>((counter + lane) >> 32);
  }
  __m128i h[8];
  for (size_t i = 0; i < 8; ++i) h[i] = _mm_set1_epi32(static_cast<int>(kBlake3Iv[i]));
  for (size_t at = 0; at < kBlake3ChunkBytes; at += kBlake3BlockBytes) {
    uint32_t flags = at == 0 ? kBlake3ChunkStart : 0;
    if (at + kBlake3BlockBytes == kBlake3ChunkBytes) flags |= kBlake3ChunkEnd;
    __m128i m[16];
    load_messages(chunks, at, m);
    __m128i s[16];
    for (size_t i = 0; i < 8; ++i) s[i] = h[i];
    for (size_t i = 0; i < 4; ++i) s[8 + i] = _mm_set1_epi32(static_cast<int>(kBlake3Iv[i]));
    s[12] = load(counter_low);
    s[13] = load(counter_high);
    s[14] = _mm_set1_epi32(kBlake3BlockBytes);
    s[15] = _mm_set1_epi32(static_cast<int>(flags));
    mix_all(s, m);
    for (size_t i = 0; i < 8; ++i) h[i] = _mm_xor_si128(s[i], s[i + 8]);
  }
  transpose(h[0], h[1], h[2], h[3]);
  transpose(h[4], h[5], h[6], h[7]);
  for (size_t lane = 0; lane < kBlake3Lanes; ++lane) {
    store(out[lane].data(), h[lane]);
    store(out[lane].data() + 4, h[lane + 4]);
  }
}

}  // namespace

const Blake3Kernel* blake3_sse41_kernel() {
  static constexpr Blake3Kernel kKernel = {&compress, &compress_wide, &hash_four};
  return __builtin_cpu_supports("sse4.1") ? &kKernel : nullptr;
}

}  // namespace lattice::internal

#else

namespace lattice::internal {
const Blake3Kernel* blake3_sse41_kernel() {
  return nullptr;
}
}  // namespace lattice::internal

#endif
