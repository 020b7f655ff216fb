// Query inspection: the source, the plan as data, and plan documents by id (spec §7.2, §6.6).
#include "origin/service.h"

namespace lattice::origin {

namespace {

http::Response render_document(const Compiled& query, std::string_view type,
                               std::string_view lifetime, std::string body) {
  http::Response response;
  response.headers.set("Content-Type", type);
  response.headers.set("Cache-Control", lifetime);
  response.headers.set("Lattice-Plan", query.plan().plan_id);
  response.headers.set("Surrogate-Key", query.plan_key);
  response.body = std::move(body);
  return response;
}

}  // namespace

// `captures[0]` is the hash.
CompiledPtr Service::find_memoized(const Call& call) {
  return compiler_.find_query(call.route.captures[0]);
}

Reply Service::query_source(const Call& call) {
  CompiledPtr query = find_memoized(call);
  if (!query) return refuse(unknown_query(call.route.captures[0]));
  return render_document(*query, "text/plain; charset=utf-8", kImmutable, query->plan().canonical);
}

Reply Service::query_explain(const Call& call) {
  CompiledPtr query = find_memoized(call);
  if (!query) return refuse(unknown_query(call.route.captures[0]));
  return render_document(*query, "application/json", kExplainLifetime,
                         to_json(plan::explain_json(query->plan())) + "\n");
}

Reply Service::plan_document(const Call& call) {
  CompiledPtr query = find_memoized(call);
  if (!query) return refuse(unknown_query(call.route.captures[0]));
  const std::string& plan_id = call.route.captures[1];
  if (plan_id != query->plan().plan_id) {
    return refuse(Code::UnknownPlan, "this origin derives " + query->plan().plan_id +
                                         " for the query, not " + plan_id);
  }
  return render_document(*query, kEntityStream, kImmutable, query->document);
}

}  // namespace lattice::origin
