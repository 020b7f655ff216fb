#include "origin/tenure.h"

namespace lattice::origin {

namespace {

using Storability = schema::CachePolicy::Storability;

struct Lifetime {
  int64_t fresh;
  int64_t stale_while_revalidate;
};

Lifetime default_lifetime(plan::Slice slice) {
  switch (slice) {
    case plan::Slice::Pub:
      return {300, 60};
    case plan::Slice::Ctx:
      return {120, 30};
    case plan::Slice::Priv:
      break;
  }
  return {30, 0};
}

}  // namespace

std::string slice_lifetime(plan::Slice slice, const plan::CacheMeet& cache, bool has_tenure,
                           bool may_be_immutable) {
  if (cache.store == Storability::NoStore) return std::string(kNoStore);
  // The slice is the ceiling: a clause makes a shared answer private, never the reverse.
  bool is_shared = slice != plan::Slice::Priv && cache.store == Storability::Shared;
  std::string out = is_shared ? "public, " : "private, ";
  if (cache.revalidate) return out + "no-cache";
  Lifetime lifetime = default_lifetime(slice);
  if (cache.baseline_seconds) lifetime.fresh = *cache.baseline_seconds;
  if (cache.cap_seconds) lifetime.fresh = std::min(lifetime.fresh, *cache.cap_seconds);
  if (cache.immutable && may_be_immutable && (has_tenure || !is_shared)) {
    return out + "max-age=31536000, immutable";
  }
  if (!is_shared) return out + "max-age=" + std::to_string(lifetime.fresh);
  // Serving stale for longer than an author wants it fresh would undo a short lifetime.
  int64_t stale = std::min(lifetime.stale_while_revalidate, lifetime.fresh);
  if (!has_tenure) lifetime.fresh = std::min(lifetime.fresh, kFirstSightSeconds);
  return out + "s-maxage=" + std::to_string(lifetime.fresh) +
         ", stale-while-revalidate=" + std::to_string(stale) + ", stale-if-error=600";
}

std::string_view error_lifetime(CacheDirective directive) {
  switch (directive) {
    case CacheDirective::Negative:
      return "public, s-maxage=300";
    case CacheDirective::ShortNegative:
      return "public, s-maxage=60";
    case CacheDirective::NoStore:
      break;
  }
  return kNoStore;
}

}  // namespace lattice::origin
