// A bounded map from content address to what was made of it, evictable at any time: a cache, never
// a source of truth (spec §6.1).
//
//   Memo<QueryEntry> memo({.entries_max = 10'000, .bytes_max = 256 << 20});
//   memo.find("s4V38HBMuqZxudioMVI57Q")   // null: unknown, or evicted
//
// Any number of threads: sixteen shards, each behind its own lock, held for a look-up or an
// insertion. A shard drops its least recently used entries when its share of either limit is full.
// Entries are shared, so one that is dropped lives until its last user is done.
#pragma once

#include <array>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace lattice::origin {

struct MemoLimits {
  size_t entries_max = 10'000;
  size_t bytes_max = 256 << 20;  // by the weights that the caller gives
};

template <class Entry>
class Memo {
 public:
  using EntryPtr = std::shared_ptr<Entry>;

  explicit Memo(MemoLimits limits)
      : entries_max_(at_least_one(limits.entries_max)), bytes_max_(limits.bytes_max / kShards) {}

  EntryPtr find(std::string_view key) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    auto at = shard.index.find(key);
    if (at == shard.index.end()) return nullptr;
    shard.used.splice(shard.used.begin(), shard.used, at->second);
    return at->second->entry;
  }

  // Returns the entry that is resident afterwards: the first of two that raced. `bytes` is what the
  // entry keeps alive, roughly; one that is larger than a whole shard is not kept.
  EntryPtr insert(std::string key, EntryPtr entry, size_t bytes) {
    Shard& shard = shard_of(key);
    std::lock_guard lock(shard.mutex);
    if (auto at = shard.index.find(key); at != shard.index.end()) return at->second->entry;
    if (bytes > bytes_max_) return entry;
    while (!shard.used.empty() &&
           (shard.used.size() >= entries_max_ || shard.bytes + bytes > bytes_max_)) {
      shard.bytes -= shard.used.back().bytes;
      shard.index.erase(shard.used.back().key);
      shard.used.pop_back();
    }
    shard.used.push_front({std::move(key), entry, bytes});
    shard.index.emplace(shard.used.front().key, shard.used.begin());
    shard.bytes += bytes;
    return entry;
  }

  void clear() {
    for (Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      shard.index.clear();
      shard.used.clear();
      shard.bytes = 0;
    }
  }

  size_t size() const {
    size_t count = 0;
    for (const Shard& shard : shards_) {
      std::lock_guard lock(shard.mutex);
      count += shard.used.size();
    }
    return count;
  }

 private:
  static constexpr size_t kShards = 16;
  struct Resident {
    std::string key;
    EntryPtr entry;
    size_t bytes;
  };
  using Residents =
      std::list<Resident>;  // most recently used first; its keys own the index's views
  struct alignas(64) Shard {
    mutable std::mutex mutex;
    Residents used;
    std::unordered_map<std::string_view, typename Residents::iterator> index;
    size_t bytes = 0;
  };

  static size_t at_least_one(size_t entries_max) {
    return entries_max / kShards > 0 ? entries_max / kShards : 1;
  }
  Shard& shard_of(std::string_view key) {
    return shards_[std::hash<std::string_view>{}(key) >> 7 & (kShards - 1)];
  }

  size_t entries_max_;  // of a shard
  size_t bytes_max_;    // of a shard
  std::array<Shard, kShards> shards_;
};

}  // namespace lattice::origin
