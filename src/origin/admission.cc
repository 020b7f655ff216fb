#include "origin/admission.h"

#include "base/base64url.h"
#include "origin/crypto.h"

namespace lattice::origin {

namespace {

constexpr size_t kBucketsMax = 100'000;

double refill(double tokens, Clock::SteadyTime from, Clock::SteadyTime to, uint32_t per_minute) {
  double seconds = std::chrono::duration<double>(to - from).count();
  return std::min<double>(per_minute, tokens + seconds * per_minute / 60.0);
}

}  // namespace

bool is_admitted(const std::vector<std::string>& public_keys, std::string_view canonical,
                 std::string_view signature) {
  auto bytes = base64url_decode(signature);
  if (!bytes) return false;
  return std::any_of(public_keys.begin(), public_keys.end(), [&](const std::string& key) {
    return verify_ed25519(key, canonical, *bytes);
  });
}

Result<void> ColdCompileLimit::spend(std::string_view client) {
  if (per_minute_ == 0) return {};
  Clock::SteadyTime now = clock_.steady_now();
  std::lock_guard lock(mutex_);
  if (buckets_.size() >= kBucketsMax) forget_full_buckets(now);
  auto [at, is_new] = buckets_.try_emplace(std::string(client), Bucket{double(per_minute_), now});
  Bucket& bucket = at->second;
  bucket.tokens = refill(bucket.tokens, bucket.at, now, per_minute_);
  bucket.at = now;
  if (bucket.tokens >= 1) {
    bucket.tokens -= 1;
    return {};
  }
  auto wait = static_cast<int64_t>(std::ceil((1 - bucket.tokens) * 60.0 / per_minute_));
  Error error{Code::RateLimited,
              "this client has compiled its " + std::to_string(per_minute_) +
                  " new queries a minute; queries that the origin knows are still served",
              {},
              {},
              true};
  error.details.emplace_back("retry-after", std::to_string(std::max<int64_t>(wait, 1)));
  return fail(std::move(error));
}

// A full bucket says nothing that a new one does not. When every bucket is in use, all start anew:
// the limit is a brake, and memory is the harder bound.
void ColdCompileLimit::forget_full_buckets(Clock::SteadyTime now) {
  std::erase_if(buckets_, [&](const auto& entry) {
    return refill(entry.second.tokens, entry.second.at, now, per_minute_) >= per_minute_;
  });
  if (buckets_.size() >= kBucketsMax) buckets_.clear();
}

}  // namespace lattice::origin
