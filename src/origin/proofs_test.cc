#include "origin/proofs.h"

#include <doctest/doctest.h>

#include "base/base64url.h"
#include "origin/crypto.h"
#include "tests/support/vectors.h"

namespace lattice::origin {
namespace {

constexpr int64_t kNow = 1'790'000'000;

std::string vc_of(std::string_view claims) {
  return base64url_encode(claims);
}

schema::Schema claims_schema() {
  schema::Schema schema;
  schema::Type text;
  schema.claims = {{"org", text}, {"role", text}};
  return schema;
}

// What an origin does with a request that carries both.
Result<void> accept(const ProofVerifier& verifier, std::string_view vc, std::string_view proof,
                    const std::vector<std::string>& required) {
  LATTICE_TRY(Json claims, read_claims(vc, claims_schema()));
  LATTICE_TRY_VOID(verifier.verify(vc, proof));
  return check_coverage(claims, required);
}

TEST_CASE("proof vectors (8.2)") {
  testing::run_vectors("proofs.json", [](const Json& vector) -> testing::Verdict {
    ManualClock clock(Clock::WallTime{std::chrono::seconds(vector.find("now")->as_int64())});
    ProofVerifier verifier({{ProofKey::Kind::Hmac, testing::text_of(vector, "secret")}}, clock);
    std::vector<std::string> required;
    for (const Json& claim : vector.find("requiredClaims")->as_array()) {
      required.push_back(claim.as_string());
    }
    auto done = accept(verifier, testing::text_of(vector, "vc"),
                       testing::text_of(vector, "X-Vc-Auth"), required);
    if (!done && done.error().code != Code::ProofExpired) {
      return testing::failed("refused with " + std::string(done.error().wire_code()));
    }
    bool wanted = vector.find("accepted")->as_bool();
    return testing::expect_equal(done ? "accepted" : "refused", wanted ? "accepted" : "refused");
  });
}

TEST_CASE("a proof holds through the second of its expiry, and is checked anew every time (8.2)") {
  ManualClock clock(Clock::WallTime{std::chrono::seconds(kNow)});
  for (ProofKey::Kind kind : {ProofKey::Kind::Hmac, ProofKey::Kind::Ed25519}) {
    // RFC 8032, test 1.
    std::string seed =
        "\x9d\x61\xb1\x9d\xef\xfd\x5a\x60\xba\x84\x4a\xf4\x92\xec\x2c\xc4"
        "\x44\x49\xc5\x69\x7b\x32\x69\x19\x70\x3b\xac\x03\x1c\xae\x7f\x60";
    std::string_view public_key =
        "\xd7\x5a\x98\x01\x82\xb1\x0a\xb7\xd5\x4b\xfe\xd3\xc9\x64\x07\x3a"
        "\x0e\xe1\x72\xf3\xda\xa6\x23\x25\xaf\x02\x1a\x68\xf7\x07\x51\x1a";
    ProofKey key{kind,
                 kind == ProofKey::Kind::Hmac ? std::string("secret") : std::string(public_key)};
    std::string vc = vc_of(R"({"org":"o1"})");
    int64_t now = std::chrono::floor<std::chrono::seconds>(clock.now()).time_since_epoch().count();
    std::string proof = sign_proof(key, vc, now + 1, seed);
    ProofVerifier verifier({key}, clock);
    CHECK(verifier.verify(vc, proof).has_value());
    clock.advance(std::chrono::seconds(1));
    CHECK(verifier.verify(vc, proof).has_value());
    clock.advance(std::chrono::seconds(1));
    CHECK_FALSE(verifier.verify(vc, proof).has_value());
    CHECK_FALSE(verifier.verify(vc_of(R"({"org":"o2"})"), proof).has_value());
  }
}

TEST_CASE("any configured key may have signed (8.2)") {
  ManualClock clock = ManualClock(Clock::WallTime{std::chrono::seconds(kNow)});
  ProofKey old_key{ProofKey::Kind::Hmac, "old"}, new_key{ProofKey::Kind::Hmac, "new"};
  ProofVerifier verifier({old_key, new_key}, clock);
  std::string vc = vc_of(R"({"org":"o1"})");
  CHECK(verifier.verify(vc, sign_proof(new_key, vc, kNow + 60)).has_value());
  CHECK(verifier.verify(vc, sign_proof(old_key, vc, kNow + 60)).has_value());
  CHECK_FALSE(
      verifier.verify(vc, sign_proof({ProofKey::Kind::Hmac, "x"}, vc, kNow + 60)).has_value());
  CHECK_FALSE(ProofVerifier({}, clock).verify(vc, sign_proof(old_key, vc, kNow)).has_value());
}

TEST_CASE("a payload is canonical bytes of registered claims of their types (8.2, 16)") {
  schema::Schema schema = claims_schema();
  CHECK(read_claims(vc_of(R"({"org":"o1","role":"Boss"})"), schema).has_value());
  CHECK(read_claims(vc_of("{}"), schema).has_value());
  for (std::string_view wrong : {
           R"({"role":"Boss","org":"o1"})",  // order
           R"({"org": "o1"})",               // space
           R"({"org":"\u006f1"})",           // an escape that is not needed
           R"({"org":"o1","user":"ada"})",   // unregistered
           R"({"org":7})",                   // another type
           R"({"org":null})",
           R"(["org"])",
           R"("org")",
           "",
           "nonsense",
       }) {
    CAPTURE(wrong);
    CHECK_FALSE(read_claims(vc_of(wrong), schema).has_value());
  }
  CHECK_FALSE(read_claims("", schema).has_value());
  CHECK_FALSE(read_claims(vc_of(R"({"org":"o1"})") + "=", schema).has_value());
  CHECK_FALSE(read_claims(std::string(kClaimsBytesMax + 1, 'A'), schema).has_value());
}

TEST_CASE("malformed proofs are refused (8.2)") {
  ManualClock clock(Clock::WallTime{std::chrono::seconds(kNow)});
  ProofKey key{ProofKey::Kind::Hmac, "secret"};
  ProofVerifier verifier({key}, clock);
  std::string vc = vc_of(R"({"org":"o1"})");
  std::string proof = sign_proof(key, vc, kNow + 60);
  REQUIRE(verifier.verify(vc, proof).has_value());
  std::string signature = proof.substr(proof.find('.') + 1);
  for (std::string wrong : {std::string(), std::string("."), "." + signature, "-1." + signature,
                            "99999999999999999999." + signature, "17900000060x." + signature,
                            std::to_string(kNow + 60) + ".", proof + "A", "+" + proof}) {
    CAPTURE(wrong);
    CHECK_FALSE(verifier.verify(vc, wrong).has_value());
  }
}

}  // namespace
}  // namespace lattice::origin
