// Cache lifetimes: the directives of every kind of answer, and how a query earns the full one
// (spec §10.1, §10.7, §10.8, §10.9).
//
//   first servings of a query  public, s-maxage=15, stale-while-revalidate=60, stale-if-error=600
//   from the threshold on      public, s-maxage=300, ...
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "plan/plan.h"

namespace lattice::origin {

// Counts the servings of one content-addressed query; losable. Any thread.
class Tenure {
 public:
  // Counts a serving; whether the query has reached `threshold` servings with this one.
  bool serve(uint32_t threshold) {
    return servings_.fetch_add(1, std::memory_order_relaxed) + 1 >= threshold;
  }

 private:
  std::atomic<uint64_t> servings_ = 0;
};

inline constexpr std::string_view kNoStore = "no-store";
inline constexpr std::string_view kImmutable = "public, max-age=31536000, immutable";
inline constexpr std::string_view kPlanLifetime = "public, s-maxage=60";
inline constexpr std::string_view kExplainLifetime = "public, s-maxage=300";
inline constexpr std::string_view kDiscoveryLifetime = "public, max-age=60";
inline constexpr std::string_view kSchemaPointerLifetime = "max-age=60";

inline constexpr int64_t kFirstSightSeconds = 15;

// The Cache-Control of a data slice: the slice's default, or what the declared cache policies leave
// of it (§10.9). Without tenure a shared lifetime is at most kFirstSightSeconds; priv has no ramp,
// it is in no shared cache. `may_be_immutable`: the URL names what it answers for ever.
std::string slice_lifetime(plan::Slice slice, const plan::CacheMeet& cache, bool has_tenure,
                           bool may_be_immutable);

// The Cache-Control of a problem.
std::string_view error_lifetime(CacheDirective directive);

}  // namespace lattice::origin
