// Who asks, and what they may see (spec §8.2): the credentials of one request, verified.
//
//   slice=ctx, vc=eyJ…, X-Vc-Auth: …   ──authenticate──▶ claims {"org":"o1"}
//   slice=priv, Authorization: Bearer … ──authenticate──▶ principal "ada", and the claims beside it
//
// It comes before everything that depends on who asks: no look-up and no validator is consulted for
// a caller without credentials.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "exec/exec.h"
#include "http/message.h"
#include "origin/origin.h"
#include "origin/parameters.h"
#include "origin/proofs.h"
#include "plan/plan.h"

namespace lattice::origin {

// Immutable but for the memory of checked signatures; any thread.
class Authenticator {
 public:
  Authenticator(const OriginOptions& options, schema::SchemaPtr schema, Clock& clock);

  // The subject of a verified credential: a configured Authorization value, or, in development, any
  // bearer text. Any other Authorization is no credential.
  std::optional<std::string> principal_of(const http::Headers& headers) const;

  // The credentials that a request for `slice` must and may bring. pub and plan take none. ctx
  // needs claims, priv a principal; on priv and page claims may ride along, and page takes what
  // there is: each slice of it is then checked by admit. Errors: lattice:proof-expired;
  // lattice:bad-request for `vc` where the answer cannot depend on it.
  Result<exec::Caller> authenticate(SliceName slice, const std::optional<std::string>& vc,
                                    const http::Headers& headers) const;

 private:
  Result<void> read_vc(const std::string& vc, const http::Headers& headers,
                       exec::Caller& caller) const;

  bool insecure_dev_;
  std::vector<std::pair<std::string, std::string>> principals_;
  schema::SchemaPtr schema_;
  ProofVerifier verifier_;
};

// Whether `caller` holds what this slice of the plan depends on. Errors: lattice:proof-expired.
Result<void> admit(const exec::Caller& caller, const plan::Plan& plan, plan::Slice slice);

}  // namespace lattice::origin
