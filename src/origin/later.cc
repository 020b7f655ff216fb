// Routes of the protocol that this version does not serve: each says so, by name (spec §11, §12,
// §17, §18). Discovery lists them under `unsupported`.
#include "origin/crypto.h"
#include "origin/service.h"

namespace lattice::origin {

Error not_supported(std::string_view what) {
  Error error;
  error.code = Code::NotSupported;
  error.message = "this version of the origin does not serve " + std::string(what);
  return error;
}

namespace {

// A service path: closed without a configured token, and to whoever does not hold it.
Result<void> check_service_token(const Call& call, const std::string& token) {
  if (token.empty())
    return fail(Code::NotFound, "no service token is configured, so nothing is here");
  auto held = call.request.headers.find("Authorization");
  if (held && equal_in_constant_time(*held, "Bearer " + token)) return {};
  return fail(Code::ProofExpired, "this path needs the service token");
}

}  // namespace

Reply Service::not_served_yet(const Call& call) const {
  switch (call.route.endpoint) {
    case Endpoint::Mutation: {
      const std::string& name = call.route.captures[0];
      if (schema_->find_mutation(name)) return refuse(not_supported("mutations (§11)"));
      return refuse(Code::NotFound, "the schema declares no mutation `" + name + "`");
    }
    case Endpoint::Entity:
    case Endpoint::EntityCollection: {
      const std::string& type = call.route.captures[0];
      if (schema_->find_entity(type)) return refuse(not_supported("writes to entities (§11.7)"));
      return refuse(Code::NotFound, "the schema declares no entity `" + type + "`");
    }
    case Endpoint::Invalidations:
      LATTICE_TRY_VOID(check_service_token(call, options_.service_token));
      if (call.request.query.find("live=sse") == std::string::npos) {
        return refuse(Code::BadRequest, "the feed is read with `live=sse`");
      }
      return refuse(not_supported("the invalidation feed (§18.6)"));
    default:
      break;
  }
  return refuse(Code::NotFound, "no compatibility registry is configured (§17.1)");
}

}  // namespace lattice::origin
