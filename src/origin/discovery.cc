// The entry point: what a client or a lint run needs to know of this origin (spec §7.1).
#include "origin/service.h"

namespace lattice::origin {

std::string render_discovery(const OriginOptions& options, const schema::Schema& schema,
                             std::string_view dictionary_hash) {
  const plan::Budgets& budgets = options.plan.budgets;
  Json document = Json::object({
      {"endpoints",
       Json::object(
           {{"query", "/q"}, {"mutation", "/m"}, {"entity", "/e"}, {"schema", "/schema"}})},
      {"schema", Json::object({{"current", "/schema/" + schema.hash}})},
      {"admission", options.admission_keys.empty() ? "open" : "signed"},
      {"queryMediaType", kQueryMediaType},
      {"methods", Json::object({{"introduce", Json::array({"QUERY", "POST"})}})},
      {"dictionary", Json::object({{"current", "/schema/dict/" + std::string(dictionary_hash)},
                                   {"algorithm", "deflate-raw/9"}})},
      {"budgets", Json::object({{"maxCanonicalBytes", budgets.canonical_bytes_max},
                                {"maxDepth", budgets.depth_max},
                                {"maxRoots", budgets.roots_max},
                                {"maxRounds", budgets.rounds_max},
                                {"maxRoundFanout", budgets.round_fanout_max},
                                {"maxSurrogateKeys", budgets.surrogate_keys_max},
                                {"maxBatchItems", budgets.batch_items_max},
                                {"maxPageDefault", budgets.page_default_max},
                                {"maxValueBytes", budgets.value_bytes_max},
                                {"coalesceWindowMs", budgets.coalesce_window_ms}})},
      {"idempotency", Json::object({{"defaultRetention", "PT24H"}})},
      // The paths above are the protocol's; these answer lattice:not-supported in this version.
      {"unsupported", Json::array({"mutations", "live", "invalidations", "registry"})},
  });
  return to_json(document) + "\n";
}

Reply Service::discovery(const Call&) const {
  http::Response response;
  response.headers.set("Content-Type", "application/json");
  response.headers.set("Cache-Control", kDiscoveryLifetime);
  response.body = discovery_;
  return response;
}

}  // namespace lattice::origin
