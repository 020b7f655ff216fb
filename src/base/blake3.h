// BLAKE3, unkeyed hash mode: the content address of everything (spec §5.1).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lattice {

// Incremental hasher. Not thread-safe; copyable (a copy continues independently).
class Blake3 {
 public:
  Blake3();
  void update(std::string_view bytes);
  // The first `length` bytes of the extendable output. The hasher stays usable.
  std::string finish(size_t length) const;
  void finish_into(std::span<char> out) const;

 private:
  struct Chunk {
    std::array<uint32_t, 8> chaining;
    uint64_t counter = 0;
    std::array<uint8_t, 64> block{};
    uint8_t block_length = 0;
    uint8_t blocks_compressed = 0;
  };
  void flush_block();
  void merge_subtrees();
  void push_chunk(const std::array<uint32_t, 8>& chaining);
  bool is_between_chunks() const;
  Chunk chunk_;
  std::array<std::array<uint32_t, 8>, 54> stack_;
  uint8_t stack_size_ = 0;
};

// The first `length` bytes (raw) of BLAKE3(bytes).
std::string blake3(std::string_view bytes, size_t length = 32);
// The same without an allocation: as many bytes as `out` has.
void blake3_into(std::string_view bytes, std::span<char> out);
// base64url of the first `length` bytes, at most 64: the `H` of the protocol's identifiers.
std::string blake3_base64url(std::string_view bytes, size_t length);
void append_blake3_base64url(std::string& out, std::string_view bytes, size_t length);

}  // namespace lattice
