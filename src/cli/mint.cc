// lattice mint: a visibility proof for claims (spec §8.2).
#include <chrono>

#include "base/base64url.h"
#include "base/clock.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/flags.h"
#include "origin/config.h"

namespace lattice::cli {

int run_mint(const Arguments& arguments) {
  std::string claims_text, key_file;
  uint32_t ttl_seconds = 3600;
  bool as_json = false;
  Flags flags("lattice mint",
              "Signs claims: prints the vc parameter for the URL and the X-Vc-Auth header.");
  flags.option("--claims", "JSON", "the claims object", claims_text, true);
  flags.option("--key", "F", "an HMAC secret, or a PEM Ed25519 private key", key_file, true);
  flags.option("--ttl", "SECONDS", "how long the proof holds (3600)", ttl_seconds);
  flags.flag("--json", "print JSON, errors too", as_json);
  flags.footer("example: lattice mint --claims '{\"org\":\"o1\"}' --key proof.key");
  if (auto exit = flags.parse(arguments)) return *exit;

  Document given{"--claims", claims_text};
  auto claims = parse_json(claims_text);
  if (claims && !claims->is_object()) {
    claims = fail(Code::Usage, "claims are a JSON object such as {\"org\":\"o1\"}", {0, 1});
  }
  if (!claims) return report(claims.error(), &given, as_json);
  auto document = read_document(key_file);
  if (!document) return report(document.error(), nullptr, as_json);
  auto key = origin::parse_key_file(document->text);
  if (key && key->verifier.kind == origin::ProofKey::Kind::Ed25519 && key->private_bytes.empty()) {
    key = fail(Code::Usage, key_file + " holds a public key; signing needs the private one");
  }
  if (!key) return report(key.error(), nullptr, as_json);

  std::string vc = base64url_encode(canonical_json(*claims));
  auto now = std::chrono::floor<std::chrono::seconds>(system_clock().now());
  int64_t expires_at = now.time_since_epoch().count() + ttl_seconds;
  std::string proof = origin::sign_proof(key->verifier, vc, expires_at, key->private_bytes);
  if (as_json) {
    print(to_json(Json::object({{"vc", vc}, {"proof", proof}, {"expires", expires_at}})) + "\n");
  } else {
    print("vc=" + vc + "\nX-Vc-Auth: " + proof + "\n");
  }
  return kExitOk;
}

}  // namespace lattice::cli
