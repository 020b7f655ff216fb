#include "origin/proofs.h"

#include "base/base64url.h"
#include "base/check.h"
#include "origin/crypto.h"
#include "schema/value.h"

namespace lattice::origin {

namespace {

constexpr size_t kRememberedMax = 10'000;

std::unexpected<Error> refuse(std::string message) {
  return fail(Code::ProofExpired, std::move(message));
}

std::string proof_message(std::string_view vc, std::string_view expiry) {
  std::string out(vc);
  out += '.';
  out += expiry;
  return out;
}

}  // namespace

Result<Json> read_claims(std::string_view vc, const schema::Schema& schema) {
  if (vc.size() > kClaimsBytesMax) {
    return refuse("the claims payload `vc` has " + std::to_string(vc.size()) +
                  " characters; at most " + std::to_string(kClaimsBytesMax) + " are read");
  }
  auto text = base64url_decode(vc);
  if (!text) return refuse("the claims payload `vc` is not base64url without padding");
  auto claims = parse_json(*text, {.depth_max = 16, .bytes_max = kClaimsBytesMax});
  if (!claims || !claims->is_object()) {
    return refuse("the claims payload `vc` does not decode to a JSON object");
  }
  if (canonical_json(*claims) != *text) {
    return refuse("the claims payload `vc` is not in canonical form: " + canonical_json(*claims));
  }
  for (const auto& [name, value] : claims->as_object()) {
    const schema::Claim* claim = schema.find_claim(name);
    if (!claim) return refuse("the schema registers no claim `" + name + "`");
    auto checked = schema::check_input(value, claim->type, schema, name);
    if (!checked || *checked != value) {
      return refuse("the claim `" + name + "` is not a canonical value of " +
                    schema::print_type(claim->type));
    }
  }
  return std::move(*claims);
}

Result<void> check_coverage(const Json& claims, const std::vector<std::string>& required) {
  std::string missing;
  for (const std::string& name : required) {
    if (claims.find(name)) continue;
    if (!missing.empty()) missing += ", ";
    missing += name;
  }
  if (missing.empty()) return {};
  return refuse("the slice depends on claims that `vc` does not carry: " + missing);
}

Result<void> ProofVerifier::verify(std::string_view vc, std::string_view proof) const {
  if (proof.empty()) return refuse("the request carries claims without a proof in X-Vc-Auth");
  size_t dot = proof.find('.');
  std::string_view expiry = proof.substr(0, dot == std::string_view::npos ? 0 : dot);
  int64_t expires_at = 0;
  auto [end, error] = std::from_chars(expiry.begin(), expiry.end(), expires_at);
  bool is_number =
      !expiry.empty() && expiry.front() != '-' && end == expiry.end() && error == std::errc();
  if (!is_number) return refuse("X-Vc-Auth must read `<expiry>.<signature>`");
  auto signature = base64url_decode(proof.substr(dot + 1));
  if (!signature) return refuse("the signature in X-Vc-Auth is not base64url without padding");

  int64_t now = std::chrono::floor<std::chrono::seconds>(clock_.now()).time_since_epoch().count();
  if (expires_at < now) return refuse("the visibility proof expired at " + std::string(expiry));

  std::string pair = proof_message(vc, proof);
  if (is_remembered(pair)) return {};
  if (!is_signed(vc, expiry, *signature)) {
    return refuse("the signature in X-Vc-Auth was made by no key that this origin knows");
  }
  remember(std::move(pair), expires_at, now);
  return {};
}

bool ProofVerifier::is_signed(std::string_view vc, std::string_view expiry,
                              std::string_view signature) const {
  std::string message = proof_message(vc, expiry);
  for (const ProofKey& key : keys_) {
    bool holds = key.kind == ProofKey::Kind::Hmac
                     ? equal_in_constant_time(hmac_sha256(key.bytes, message), signature)
                     : verify_ed25519(key.bytes, message, signature);
    if (holds) return true;
  }
  return false;
}

bool ProofVerifier::is_remembered(const std::string& pair) const {
  std::lock_guard lock(mutex_);
  return remembered_.contains(pair);
}

void ProofVerifier::remember(std::string pair, int64_t expires_at, int64_t now) const {
  bool costs = std::any_of(keys_.begin(), keys_.end(),
                           [](const ProofKey& key) { return key.kind == ProofKey::Kind::Ed25519; });
  if (!costs) return;
  std::lock_guard lock(mutex_);
  if (remembered_.size() >= kRememberedMax) {
    std::erase_if(remembered_, [&](const auto& entry) { return entry.second < now; });
    if (remembered_.size() >= kRememberedMax) remembered_.clear();
  }
  remembered_.emplace(std::move(pair), expires_at);
}

std::string sign_proof(const ProofKey& key, std::string_view vc, int64_t expires_at,
                       std::string_view private_bytes) {
  std::string expiry = std::to_string(expires_at);
  std::string message = proof_message(vc, expiry);
  if (key.kind == ProofKey::Kind::Hmac) {
    return expiry + "." + base64url_encode(hmac_sha256(key.bytes, message));
  }
  auto signature = sign_ed25519(private_bytes, message);
  LATTICE_CHECK(signature.has_value(), private_bytes.size());
  return expiry + "." + base64url_encode(*signature);
}

}  // namespace lattice::origin
