#include "origin/caller.h"

#include "origin/crypto.h"

namespace lattice::origin {

namespace {

// "Bearer x" → "x"; the scheme compares without case.
std::optional<std::string_view> bearer_text(std::string_view authorization) {
  size_t space = authorization.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  if (!http::equals_ignoring_case(authorization.substr(0, space), "Bearer")) return std::nullopt;
  std::string_view text = authorization.substr(space + 1);
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace

Authenticator::Authenticator(const OriginOptions& options, schema::SchemaPtr schema, Clock& clock)
    : insecure_dev_(options.insecure_dev),
      principals_(options.principals),
      schema_(std::move(schema)),
      verifier_(options.proof_keys, clock) {}

std::optional<std::string> Authenticator::principal_of(const http::Headers& headers) const {
  auto authorization = headers.find("Authorization");
  if (!authorization) return std::nullopt;
  const std::string* subject = nullptr;
  for (const auto& [credential, name] : principals_) {
    if (equal_in_constant_time(credential, *authorization)) subject = &name;
  }
  if (subject) return *subject;
  if (!insecure_dev_) return std::nullopt;
  auto text = bearer_text(*authorization);
  if (!text) return std::nullopt;
  return std::string(*text);
}

Result<exec::Caller> Authenticator::authenticate(SliceName slice,
                                                 const std::optional<std::string>& vc,
                                                 const http::Headers& headers) const {
  exec::Caller caller;
  if (slice == SliceName::Pub || slice == SliceName::Plan) {
    if (!vc) return caller;
    return fail(Code::BadRequest,
                "`vc` does not belong on slice=" + std::string(slice_text(slice)) +
                    ": the answer depends on nobody's claims");
  }
  if (slice != SliceName::Ctx) {
    caller.principal = principal_of(headers);
    if (slice == SliceName::Priv && !caller.principal) {
      return fail(Code::ProofExpired,
                  "slice=priv needs an Authorization credential that this origin knows");
    }
  } else if (!vc) {
    return fail(Code::ProofExpired,
                "slice=ctx needs the claims payload `vc` and its proof in X-Vc-Auth");
  }
  if (vc) LATTICE_TRY_VOID(read_vc(*vc, headers, caller));
  return caller;
}

Result<void> Authenticator::read_vc(const std::string& vc, const http::Headers& headers,
                                    exec::Caller& caller) const {
  LATTICE_TRY(caller.claims, read_claims(vc, *schema_));
  caller.vc = vc;
  if (insecure_dev_) return {};
  return verifier_.verify(vc, headers.find("X-Vc-Auth").value_or(""));
}

Result<void> admit(const exec::Caller& caller, const plan::Plan& plan, plan::Slice slice) {
  if (slice == plan::Slice::Pub) return {};
  if (slice == plan::Slice::Priv && !caller.principal) {
    return fail(Code::ProofExpired, "this query's priv slice needs an Authorization credential");
  }
  const std::vector<std::string>& required = plan.slice(slice).claims;
  if (slice == plan::Slice::Priv && required.empty()) return {};
  if (!caller.claims) {
    std::string names;
    for (const std::string& name : required) names += (names.empty() ? "" : ", ") + name;
    return fail(Code::ProofExpired, "this query's " + std::string(plan::slice_name(slice)) +
                                        " slice needs the claims " + names +
                                        " in `vc`, with their proof in X-Vc-Auth");
  }
  return check_coverage(*caller.claims, required);
}

}  // namespace lattice::origin
