// The origin: the protocol's endpoints over one store (spec §6, §7, §8.2, §10).
//
//   LATTICE_TRY(auto origin, Origin::create(options, schema, std::move(store), clock));
//   Server::start({...}, [&](const Request& r, ResponseWriter& w) { return origin->handle(r, w);
//   });
//
// A request's way: find_route → parse_parameters → authenticate → memo → bind → execute → headers.
// A file an endpoint: ladder.cc (query forms), page.cc, entity.cc, discovery.cc,
// schema_documents.cc, inspection.cc, later.cc (what is not served yet); and what they share:
// routing, parameters, caller, proofs, admission, memo, compile.cc, answer.cc, coalesce, tenure,
// validators, digest, problem, cors. One Origin is shared by every event loop; its state is the
// memo and counters, each behind a lock of its own. Authorization comes before look-ups and
// validators, always.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "http/server.h"
#include "plan/plan.h"
#include "schema/schema.h"
#include "store/store.h"

namespace lattice::origin {

struct ProofKey {
  enum class Kind : uint8_t { Hmac, Ed25519 } kind = Kind::Hmac;
  std::string bytes;  // secret, or the raw 32-byte public key
};

struct OriginOptions {
  bool insecure_dev = false;  // any bearer text is the principal; any canonical vc is believed
  std::vector<ProofKey> proof_keys;
  std::vector<std::pair<std::string, std::string>> principals;  // verified Authorization → subject
  std::vector<std::string> admission_keys;  // raw Ed25519 public keys; empty: open (§14.3)
  plan::PlanOptions plan;
  uint32_t tenure_threshold = 3;            // §10.7
  uint32_t memo_entries_max = 10'000;       // memoized queries
  size_t memo_bytes_max = 256 << 20;        // what they keep alive, roughly
  uint32_t cold_compiles_per_minute = 600;  // of one client (§14.2); 0: no limit
  uint32_t surrogate_key_bytes_max = 7000;  // header budget
  std::vector<std::string> cors_origins;
  std::string service_token;                  // admin, metrics, corpus; empty: off
  std::function<void(std::string_view)> log;  // one line a call, any thread; empty: standard error
};

class Origin {
 public:
  virtual ~Origin() = default;

  // Errors: lattice:usage when the options cannot serve the schema (ctx without a verifier ...).
  static Result<std::unique_ptr<Origin>> create(OriginOptions options, schema::SchemaPtr schema,
                                                std::unique_ptr<store::Store> store, Clock& clock);

  virtual Task<void> handle(const http::Request& request, http::ResponseWriter& writer) = 0;

  // What the person who started it should know: private parts without an owner binding, ...
  virtual std::vector<std::string> startup_notes() const = 0;
};

// Visibility proofs (§8.2): `<exp>.<sig>` over (vc text, exp).
std::string sign_proof(const ProofKey& key, std::string_view vc, int64_t expires_at,
                       std::string_view private_bytes = {});

}  // namespace lattice::origin
