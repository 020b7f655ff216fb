// Visibility proofs: who vouches for the claims in a URL (spec §8.2).
//
//   vc=eyJvcmciOiJvMSJ9  X-Vc-Auth: 1790000060.y_ocDB…
//     ──read_claims──▶ {"org":"o1"}     ──ProofVerifier::verify──▶ holds until 1790000060
//
// The payload in the URL must be the canonical bytes of its claims, so that equal claim sets are
// equal cache keys. The proof covers the payload as it stands in the URL and its own expiry:
// base64url(HMAC-SHA256(secret, vc + "." + exp)), or an Ed25519 signature of the same bytes.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "origin/origin.h"
#include "schema/schema.h"

namespace lattice::origin {

inline constexpr size_t kClaimsBytesMax = 4096;  // of the payload as it stands in the URL

// The claims object of a payload.
// Errors: lattice:proof-expired when it is no base64url, no JSON object, not canonical, too long,
// or names a claim that the schema does not register or gives it a value outside its type.
Result<Json> read_claims(std::string_view vc, const schema::Schema& schema);

// Errors: lattice:proof-expired naming the claims of `required` (sorted) that `claims` lacks.
Result<void> check_coverage(const Json& claims, const std::vector<std::string>& required);

// Any number of threads.
class ProofVerifier {
 public:
  ProofVerifier(std::vector<ProofKey> keys, Clock& clock) : keys_(std::move(keys)), clock_(clock) {}

  bool has_keys() const { return !keys_.empty(); }

  // Whether `proof`, the X-Vc-Auth header, holds now for `vc`.
  // Errors: lattice:proof-expired, saying whether it is missing, malformed, expired or not signed
  // by a known key.
  Result<void> verify(std::string_view vc, std::string_view proof) const;

 private:
  bool is_signed(std::string_view vc, std::string_view expiry, std::string_view signature) const;
  bool is_remembered(const std::string& pair) const;
  void remember(std::string pair, int64_t expires_at, int64_t now) const;

  std::vector<ProofKey> keys_;
  Clock& clock_;
  // Pairs that a public-key signature was checked for, with their expiry. (An HMAC costs less than
  // the look-up.) Expiry is checked anew on every request.
  mutable std::mutex mutex_;
  mutable std::unordered_map<std::string, int64_t> remembered_;
};

}  // namespace lattice::origin
