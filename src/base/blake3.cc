#include "base/blake3.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/base64url.h"
#include "base/blake3_compress.h"
#include "base/check.h"

namespace lattice {
namespace {

using internal::Blake3Block;
using internal::Blake3Words;
using internal::kBlake3Iv;
using internal::blake3_compress;
using internal::blake3_compress_wide;

constexpr size_t kBlockBytes = 64;
constexpr size_t kChunkBytes = 1024;

constexpr uint32_t kChunkStart = 1 << 0;
constexpr uint32_t kChunkEnd = 1 << 1;
constexpr uint32_t kParent = 1 << 2;
constexpr uint32_t kRoot = 1 << 3;

// The bytes of the root node: block after block with a rising counter.
void append_root(std::string& out, const Blake3Words& chaining, const Blake3Block& block,
                 uint32_t block_length, uint32_t flags, size_t length) {
  uint64_t counter = 0;
  while (length > 0) {
    std::array<uint8_t, kBlockBytes> bytes;
    blake3_compress_wide(chaining, block, counter++, block_length, flags | kRoot, bytes);
    size_t taken = std::min(length, kBlockBytes);
    out.append(reinterpret_cast<const char*>(bytes.data()), taken);
    length -= taken;
  }
}

const uint8_t* as_bytes(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// One chunk is the whole input: it is the root, and no stack is needed.
void append_single_chunk(std::string& out, std::string_view bytes, size_t length) {
  Blake3Words chaining = kBlake3Iv;
  uint32_t flags = kChunkStart;
  const uint8_t* at = as_bytes(bytes);
  size_t left = bytes.size();
  while (left > kBlockBytes) {
    blake3_compress(chaining, at, 0, kBlockBytes, flags);
    flags = 0;
    at += kBlockBytes;
    left -= kBlockBytes;
  }
  Blake3Block last{};
  if (left > 0) std::memcpy(last.data(), at, left);
  append_root(out, chaining, last, static_cast<uint32_t>(left), flags | kChunkEnd, length);
}

Blake3Block parent_block(const Blake3Words& left, const Blake3Words& right) {
  Blake3Block block;
  internal::store_words(block.data(), left);
  internal::store_words(block.data() + kBlockBytes / 2, right);
  return block;
}

}  // namespace

Blake3::Blake3() { chunk_.chaining = kBlake3Iv; }

// Adds the chaining value of a full chunk. `chunk_count` includes it: its trailing zero bits tell how
// many subtrees are now complete and merge.
void Blake3::push_chunk(std::array<uint32_t, 8> chaining, uint64_t chunk_count) {
  for (; (chunk_count & 1) == 0; chunk_count >>= 1) {
    Blake3Block block = parent_block(stack_[--stack_size_], chaining);
    chaining = kBlake3Iv;
    blake3_compress(chaining, block.data(), 0, kBlockBytes, kParent);
  }
  LATTICE_CHECK(stack_size_ < stack_.size());
  stack_[stack_size_++] = chaining;
}

void Blake3::update(std::string_view bytes) {
  const uint8_t* at = as_bytes(bytes);
  size_t left = bytes.size();
  while (left > 0) {
    // A full block is compressed only when more input follows: the last one gets other flags.
    if (chunk_.block_length == kBlockBytes) {
      uint32_t flags = chunk_.blocks_compressed == 0 ? kChunkStart : 0;
      bool is_last = chunk_.blocks_compressed == kChunkBytes / kBlockBytes - 1;
      if (is_last) flags |= kChunkEnd;
      blake3_compress(chunk_.chaining, chunk_.block.data(), chunk_.counter, kBlockBytes, flags);
      ++chunk_.blocks_compressed;
      chunk_.block_length = 0;
      if (is_last) {
        uint64_t chunk_count = chunk_.counter + 1;
        push_chunk(chunk_.chaining, chunk_count);
        chunk_.chaining = kBlake3Iv;
        chunk_.counter = chunk_count;
        chunk_.blocks_compressed = 0;
      }
    }
    size_t taken = std::min(left, kBlockBytes - chunk_.block_length);
    std::memcpy(chunk_.block.data() + chunk_.block_length, at, taken);
    chunk_.block_length = static_cast<uint8_t>(chunk_.block_length + taken);
    at += taken;
    left -= taken;
  }
}

std::string Blake3::finish(size_t length) const {
  Blake3Words chaining = chunk_.chaining;
  Blake3Block block{};
  std::memcpy(block.data(), chunk_.block.data(), chunk_.block_length);
  uint32_t block_length = chunk_.block_length;
  uint32_t flags = kChunkEnd | (chunk_.blocks_compressed == 0 ? kChunkStart : 0);
  uint64_t counter = chunk_.counter;
  // Each subtree on the stack is the left side of a parent whose right side is what we have so far.
  for (size_t i = stack_size_; i > 0; --i) {
    blake3_compress(chaining, block.data(), counter, block_length, flags);
    block = parent_block(stack_[i - 1], chaining);
    chaining = kBlake3Iv;
    block_length = kBlockBytes;
    flags = kParent;
    counter = 0;
  }
  std::string out;
  out.reserve(length);
  append_root(out, chaining, block, block_length, flags, length);
  return out;
}

std::string blake3(std::string_view bytes, size_t length) {
  if (bytes.size() <= kChunkBytes) {
    std::string out;
    out.reserve(length);
    append_single_chunk(out, bytes, length);
    return out;
  }
  Blake3 hasher;
  hasher.update(bytes);
  return hasher.finish(length);
}

std::string blake3_base64url(std::string_view bytes, size_t length) {
  return base64url_encode(blake3(bytes, length));
}

}  // namespace lattice
