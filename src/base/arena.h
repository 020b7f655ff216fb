// A bump allocator for one request's rows: values are views into it and die with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lattice {

// Not thread-safe. Only trivially destructible things live here; nothing is freed before the arena.
class Arena {
 public:
  explicit Arena(size_t block_bytes = 16 * 1024) : block_bytes_(block_bytes) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* allocate(size_t bytes, size_t alignment) {
    size_t at = (reinterpret_cast<uintptr_t>(next_) + alignment - 1) & ~(alignment - 1);
    size_t pad = at - reinterpret_cast<uintptr_t>(next_);
    if (next_ == nullptr || pad + bytes > static_cast<size_t>(end_ - next_)) {
      grow(bytes + alignment);
      return allocate(bytes, alignment);
    }
    next_ += pad + bytes;
    return reinterpret_cast<void*>(at);
  }

  template <class T>
  std::span<T> allocate_array(size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    T* data = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    for (size_t i = 0; i < count; ++i) new (data + i) T();
    return {data, count};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* data = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
  }

  // Bytes handed out and reserved so far.
  size_t reserved_bytes() const { return reserved_; }

 private:
  void grow(size_t at_least) {
    size_t bytes = at_least > block_bytes_ ? at_least : block_bytes_;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    next_ = blocks_.back().get();
    end_ = next_ + bytes;
    reserved_ += bytes;
    if (block_bytes_ < 1024 * 1024) block_bytes_ *= 2;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  char* end_ = nullptr;
  size_t block_bytes_;
  size_t reserved_ = 0;
};

}  // namespace lattice
