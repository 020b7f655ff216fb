// Asking an origin a query (spec §6, §8.4): one text in, every slice that the caller may see out.
//
//   text ──canonicalize──▶ hash ──GET /q/{hash}──▶ known: its plan
//                                      └─404─▶ introduce: inline, else QUERY, else POST
//   plan ──▶ pub, ctx with claims, priv with a credential ──▶ one entity store
//
// The schema comes from the origin (its document is content-addressed), so the hash, the URL forms
// of variables and the shape of the tree are computed here, by the same functions that origins use.
// A Ladder is one connection; not thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "client/entity_store.h"
#include "exec/exec.h"
#include "http/client.h"
#include "plan/plan.h"
#include "query/query.h"
#include "schema/schema.h"

namespace lattice::client {

struct LadderOptions {
  std::string vc;                  // claims payload, base64url; empty: none
  std::string proof;               // X-Vc-Auth
  std::string authorization;       // "Bearer ..."; empty: none
  size_t inline_bytes_max = 6144;  // of `d` (§6.2)
  bool may_send_query_method = true;
  std::string query_name;  // advisory Lattice-Query-Name
};

// One request that was answered, for people who look at how it went.
struct Exchange {
  std::string rung;  // "hash", "inline", "QUERY", "POST"
  std::string target;
  int status = 0;
  http::Headers headers;
  std::string body;  // an entity stream, or a problem
};

struct Answer {
  query::Query query;
  plan::PlanPtr plan;  // of the schema that the origin serves
  exec::Bindings bindings;
  EntityStore store;
  std::vector<Exchange> slices;       // those executed, in slice order
  std::vector<std::string> left_out;  // "ctx: needs claims org", one a slice that was not asked for
};

class Ladder {
 public:
  // Reads discovery and the schema document over `client`, which is borrowed for the Ladder's life.
  // Errors: lattice:io when the origin cannot be reached or is no Lattice origin; the origin's
  // problem otherwise.
  static Result<std::unique_ptr<Ladder>> open(http::Client& client, LadderOptions options = {});

  const schema::Schema& schema() const { return *schema_; }

  // `variables` is an object. Errors: those of compile_query, plan_query and bind_json; the problem
  // of the origin, by its code, with its status in the detail `status`; lattice:io.
  Result<Answer> ask(std::string_view text, const Json& variables = Json::object(),
                     const query::ImportLoader& imports = {});

 private:
  Ladder(http::Client& client, LadderOptions options)
      : client_(client), options_(std::move(options)) {}

  Result<Exchange> send(std::string rung, std::string_view method, const std::string& target,
                        http::Headers headers, std::string_view body = {});
  http::Headers credentials(plan::Slice slice) const;
  std::string parameters(const Answer& answer, std::string_view slice, bool is_personal) const;

  // Climbs down the rungs until one answers; any answer that names no lower rung is the answer.
  Result<Exchange> introduce(const Answer& answer, std::string_view slice,
                             const http::Headers& headers);
  Result<std::optional<Exchange>> try_inline(const Answer& answer, std::string_view parameters,
                                             const http::Headers& headers);
  // The current plan record, introducing the query when the origin does not know it.
  Result<Json> read_plan(const Answer& answer);
  Result<Exchange> ask_slice(const Answer& answer, const std::string& plan_id, plan::Slice slice);
  std::optional<std::string> missing_credential(const Json& slice, plan::Slice name) const;
  Result<bool> ask_slices(Answer& answer, const Json& plan_record);

  http::Client& client_;
  LadderOptions options_;
  schema::SchemaPtr schema_;
  plan::PlanOptions plan_options_;
  std::string dictionary_, dictionary_hash_;  // empty: the origin publishes none
};

// The problem document in `exchange` as an Error: its code when we know it, its sentence, its
// status.
Error read_problem(const Exchange& exchange);

}  // namespace lattice::client
