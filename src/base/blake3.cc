#include "base/blake3.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/base64url.h"
#include "base/blake3_compress.h"
#include "base/check.h"

namespace lattice {
namespace {

using internal::blake3_kernel;
using internal::Blake3Block;
using internal::Blake3Kernel;
using internal::Blake3Words;
using internal::kBlake3BlockBytes;
using internal::kBlake3ChunkBytes;
using internal::kBlake3ChunkEnd;
using internal::kBlake3ChunkStart;
using internal::kBlake3Iv;
using internal::kBlake3Lanes;
using internal::kBlake3Parent;
using internal::kBlake3Root;

constexpr size_t kBlocksPerChunk = kBlake3ChunkBytes / kBlake3BlockBytes;

const uint8_t* as_bytes(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// A node before its last compression, which is a different one for the root.
struct Node {
  Blake3Words chaining;
  Blake3Block block;
  uint64_t counter = 0;
  uint32_t block_length = 0;
  uint32_t flags = 0;
};

// The bytes of `root`: block after block with a rising counter.
void write_root(const Node& root, std::span<char> out) {
  uint64_t counter = 0;
  for (size_t written = 0; written < out.size(); ++counter) {
    Blake3Block bytes;
    blake3_kernel().compress_wide(root.chaining, root.block.data(), counter, root.block_length,
                                  root.flags | kBlake3Root, bytes.data());
    size_t taken = std::min(out.size() - written, bytes.size());
    std::memcpy(out.data() + written, bytes.data(), taken);
    written += taken;
  }
}

// The whole input is one chunk: it is the root, and no stack is needed.
void hash_single_chunk(std::string_view bytes, std::span<char> out) {
  const Blake3Kernel& kernel = blake3_kernel();
  Node node{kBlake3Iv, {}, 0, 0, kBlake3ChunkStart};
  const uint8_t* at = as_bytes(bytes);
  size_t left = bytes.size();
  for (; left > kBlake3BlockBytes; at += kBlake3BlockBytes, left -= kBlake3BlockBytes) {
    kernel.compress(node.chaining, at, 0, kBlake3BlockBytes, node.flags);
    node.flags = 0;
  }
  if (left > 0) std::memcpy(node.block.data(), at, left);
  node.block_length = static_cast<uint32_t>(left);
  node.flags |= kBlake3ChunkEnd;
  write_root(node, out);
}

Node parent_node(const Blake3Words& left, const Blake3Words& right) {
  Node node{kBlake3Iv, {}, 0, kBlake3BlockBytes, kBlake3Parent};
  std::memcpy(node.block.data(), left.data(), sizeof(left));
  std::memcpy(node.block.data() + sizeof(left), right.data(), sizeof(right));
  return node;
}

Blake3Words chaining_of(Node node) {
  blake3_kernel().compress(node.chaining, node.block.data(), node.counter, node.block_length,
                           node.flags);
  return node.chaining;
}

}  // namespace

bool Blake3::is_between_chunks() const {
  return chunk_.block_length == 0 && chunk_.blocks_compressed == 0;
}

Blake3::Blake3() {
  chunk_.chaining = kBlake3Iv;
}

// Merges the subtrees that are complete, once more input follows: the last merge of all is the
// root's and has another flag. Those that remain are as many as the bits that are set in the chunk
// count.
void Blake3::merge_subtrees() {
  while (stack_size_ > std::popcount(chunk_.counter)) {
    --stack_size_;
    stack_[stack_size_ - 1] =
        chaining_of(parent_node(stack_[stack_size_ - 1], stack_[stack_size_]));
  }
}

// Adds the chaining value of chunk number `chunk_.counter` and moves on to the next.
void Blake3::push_chunk(const std::array<uint32_t, 8>& chaining) {
  merge_subtrees();
  LATTICE_CHECK(stack_size_ < stack_.size());
  stack_[stack_size_++] = chaining;
  ++chunk_.counter;
}

// Compresses the full block in hand. Only when more input follows: the last one gets other flags.
void Blake3::flush_block() {
  uint32_t flags = chunk_.blocks_compressed == 0 ? kBlake3ChunkStart : 0;
  bool is_last = chunk_.blocks_compressed == kBlocksPerChunk - 1;
  if (is_last) flags |= kBlake3ChunkEnd;
  blake3_kernel().compress(chunk_.chaining, chunk_.block.data(), chunk_.counter, kBlake3BlockBytes,
                           flags);
  ++chunk_.blocks_compressed;
  chunk_.block_length = 0;
  if (!is_last) return;
  push_chunk(chunk_.chaining);
  chunk_.chaining = kBlake3Iv;
  chunk_.blocks_compressed = 0;
}

void Blake3::update(std::string_view bytes) {
  const uint8_t* at = as_bytes(bytes);
  size_t left = bytes.size();
  while (left > 0) {
    if (chunk_.block_length == kBlake3BlockBytes) flush_block();
    if (is_between_chunks() && left >= kBlake3Lanes * kBlake3ChunkBytes) {
      std::array<Blake3Words, kBlake3Lanes> chainings;
      blake3_kernel().hash_four(at, chunk_.counter, chainings);
      for (const Blake3Words& chaining : chainings) push_chunk(chaining);
      at += kBlake3Lanes * kBlake3ChunkBytes;
      left -= kBlake3Lanes * kBlake3ChunkBytes;
      continue;
    }
    if (is_between_chunks()) merge_subtrees();
    size_t taken = std::min(left, kBlake3BlockBytes - chunk_.block_length);
    std::memcpy(chunk_.block.data() + chunk_.block_length, at, taken);
    chunk_.block_length = static_cast<uint8_t>(chunk_.block_length + taken);
    at += taken;
    left -= taken;
  }
}

void Blake3::finish_into(std::span<char> out) const {
  Node node{chunk_.chaining, {}, chunk_.counter, chunk_.block_length, kBlake3ChunkEnd};
  std::memcpy(node.block.data(), chunk_.block.data(), chunk_.block_length);
  if (chunk_.blocks_compressed == 0) node.flags |= kBlake3ChunkStart;
  size_t left_count = stack_size_;
  if (is_between_chunks() && stack_size_ > 1) {
    // The last chunks came four at a time and are all on the stack.
    node = parent_node(stack_[stack_size_ - 2], stack_[stack_size_ - 1]);
    left_count = stack_size_ - 2;
  }
  // Each subtree on the stack is the left side of a parent whose right side is what we have so far.
  for (size_t i = left_count; i > 0; --i) {
    node = parent_node(stack_[i - 1], chaining_of(node));
  }
  write_root(node, out);
}

std::string Blake3::finish(size_t length) const {
  std::string out(length, '\0');
  finish_into(out);
  return out;
}

void blake3_into(std::string_view bytes, std::span<char> out) {
  if (bytes.size() <= kBlake3ChunkBytes) {
    hash_single_chunk(bytes, out);
    return;
  }
  Blake3 hasher;
  hasher.update(bytes);
  hasher.finish_into(out);
}

std::string blake3(std::string_view bytes, size_t length) {
  std::string out(length, '\0');
  blake3_into(bytes, out);
  return out;
}

void append_blake3_base64url(std::string& out, std::string_view bytes, size_t length) {
  std::array<char, 64> hash;
  LATTICE_CHECK(length <= hash.size(), length);
  blake3_into(bytes, std::span(hash).first(length));
  append_base64url(out, std::string_view(hash.data(), length));
}

std::string blake3_base64url(std::string_view bytes, size_t length) {
  std::string out;
  append_blake3_base64url(out, bytes, length);
  return out;
}

}  // namespace lattice
