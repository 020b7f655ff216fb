// Query admission: which texts may be compiled, and how fast (spec §14.2, §14.3).
//
// Both look only at compilation, where the resource is spent: a memoized query was admitted before.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace lattice::origin {

// Whether one of `public_keys` (raw Ed25519) signed the canonical text; `signature` is the
// X-Lattice-Query-Sig header, unpadded base64url.
bool is_admitted(const std::vector<std::string>& public_keys, std::string_view canonical,
                 std::string_view signature);

// Cold compiles per client: a bucket of `per_minute` tokens each, refilled evenly. Any thread.
class ColdCompileLimit {
 public:
  // 0: no limit.
  ColdCompileLimit(uint32_t per_minute, Clock& clock) : per_minute_(per_minute), clock_(clock) {}

  // Spends a token of `client` (a principal or an address).
  // Errors: lattice:rate-limited with the detail `retry-after`, whole seconds, at least 1.
  Result<void> spend(std::string_view client);

 private:
  struct Bucket {
    double tokens = 0;
    Clock::SteadyTime at;
  };
  void forget_full_buckets(Clock::SteadyTime now);

  uint32_t per_minute_;
  Clock& clock_;
  std::mutex mutex_;
  std::unordered_map<std::string, Bucket> buckets_;
};

}  // namespace lattice::origin
