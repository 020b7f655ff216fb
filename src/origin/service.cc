#include "origin/service.h"

#include <cstdio>

#include "base/check.h"
#include "query/query.h"

namespace lattice::origin {

namespace {

std::string_view read_method(std::string_view method) {
  return method == "HEAD" ? "GET" : method;
}

bool is_loopback(std::string_view address) {
  if (address.starts_with("::ffff:")) address.remove_prefix(7);
  return address.starts_with("127.") || address == "::1";
}

Refusal method_not_allowed(Endpoint endpoint, std::string_view method) {
  Refusal refusal(Code::MethodNotAllowed, "this resource takes " +
                                              std::string(allowed_methods(endpoint)) + ", not " +
                                              std::string(method));
  refusal.headers.set("Allow", allowed_methods(endpoint));
  return refusal;
}

bool takes_no_parameters(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::Discovery:
    case Endpoint::QuerySource:
    case Endpoint::QueryExplain:
    case Endpoint::PlanDocument:
    case Endpoint::SchemaCurrent:
    case Endpoint::SchemaDocument:
    case Endpoint::SchemaDictionary:
      return true;
    default:
      return false;
  }
}

http::Response answer_options(Endpoint endpoint) {
  http::Response response;
  response.status = 204;
  response.headers.set("Allow", std::string(allowed_methods(endpoint)) + ", OPTIONS");
  response.headers.set("Cache-Control", kNoStore);
  return response;
}

}  // namespace

Result<std::unique_ptr<Origin>> Origin::create(OriginOptions options, schema::SchemaPtr schema,
                                               std::unique_ptr<store::Store> store, Clock& clock) {
  LATTICE_TRY_VOID(check_options(options, *schema));
  std::vector<std::string> notes = describe_start(options, *schema);
  auto service =
      std::make_unique<Service>(std::move(options), std::move(schema), std::move(store), clock);
  service->set_notes(std::move(notes));
  return service;
}

Service::Service(OriginOptions options, schema::SchemaPtr schema,
                 std::unique_ptr<store::Store> store, Clock& clock)
    : options_(std::move(options)),
      schema_(std::move(schema)),
      store_(std::move(store)),
      clock_(clock),
      authenticator_(options_, schema_, clock),
      compiler_(options_, schema_, clock),
      coalescer_(*store_, options_.plan.budgets.coalesce_window_ms),
      cors_(options_.cors_origins),
      snapshot_prefix_(std::string(store_->domain()) + "=\""),
      dictionary_(query::build_dictionary(*schema_)),
      dictionary_hash_(query::dictionary_hash(dictionary_)),
      discovery_(render_discovery(options_, *schema_, dictionary_hash_)) {}

Task<void> Service::handle(const http::Request& request, http::ResponseWriter& writer) {
  http::Response response = co_await respond(request);
  response.headers.set("Lattice-Schema", schema_->hash);
  cors_.apply(request, response.headers);
  writer.send(std::move(response));
}

// The request boundary: whatever goes wrong inside becomes a problem, and a bug of ours is logged.
Task<http::Response> Service::respond(const http::Request& request) {
  try {
    Call call{request, read_method(request.method), find_route(request.path)};
    if (options_.insecure_dev && !is_loopback(request.peer_address)) {
      co_return render_problem(
          Refusal(Code::Forbidden,
                  "this origin runs in development mode and answers callers on "
                  "its own machine only"),
          schema_->hash);
    }
    if (cors_.is_on() && Cors::is_preflight(request)) {
      http::Response preflight;
      preflight.status = 204;
      cors_.allow_methods(request, allowed_methods(call.route.endpoint), preflight.headers);
      co_return preflight;
    }
    if (request.method == "OPTIONS" && call.route.endpoint != Endpoint::NotFound) {
      co_return answer_options(call.route.endpoint);
    }
    Reply reply = co_await dispatch(call);
    if (reply) co_return std::move(*reply);
    co_return render_problem(reply.error(), schema_->hash);
  } catch (const BugError& bug) {
    log(request.method + " " + request.path + ": " + bug.what());
  }
  co_return render_problem(
      Refusal(Code::Internal, "the origin failed on this request; its log says more"),
      schema_->hash);
}

Task<Reply> Service::dispatch(const Call& call) {
  Endpoint endpoint = call.route.endpoint;
  if (endpoint != Endpoint::NotFound && !is_allowed(endpoint, call.request.method)) {
    co_return refuse(method_not_allowed(endpoint, call.request.method));
  }
  if (takes_no_parameters(endpoint)) LATTICE_CO_TRY_VOID(refuse_parameters(call.request.query));
  switch (endpoint) {
    case Endpoint::NotFound:
      break;
    case Endpoint::Discovery:
      co_return discovery(call);
    case Endpoint::Query:
      if (call.method == "GET") co_return co_await query_inline(call);
      co_return co_await query_with_body(call);
    case Endpoint::QueryHash:
      co_return co_await query_by_hash(call);
    case Endpoint::QuerySource:
      co_return query_source(call);
    case Endpoint::QueryExplain:
      co_return query_explain(call);
    case Endpoint::PlanDocument:
      co_return plan_document(call);
    case Endpoint::Entity:
      if (call.method == "GET") co_return co_await fetch_entity(call);
      co_return not_served_yet(call);
    case Endpoint::SchemaCurrent:
      co_return schema_current(call);
    case Endpoint::SchemaDocument:
      co_return schema_document(call);
    case Endpoint::SchemaDictionary:
      co_return schema_dictionary(call);
    case Endpoint::EntityCollection:
    case Endpoint::Mutation:
    case Endpoint::SchemaCheck:
    case Endpoint::SchemaCorpus:
    case Endpoint::Invalidations:
      co_return not_served_yet(call);
  }
  co_return refuse(Code::NotFound, "nothing is served at " + call.request.path);
}

std::string Service::client_of(const http::Request& request) const {
  auto principal = authenticator_.principal_of(request.headers);
  return principal ? "principal " + *principal : request.peer_address;
}

void Service::log(std::string_view line) const {
  if (options_.log) return options_.log(line);
  std::fprintf(stderr, "lattice origin: %.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace lattice::origin
