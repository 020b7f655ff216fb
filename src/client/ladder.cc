#include "client/ladder.h"

#include "base/base64url.h"
#include "base/deflate.h"
#include "base/percent.h"

namespace lattice::client {

namespace {

constexpr std::string_view kQueryMediaType = "application/x-lattice-query";

std::string last_segment(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

const std::string* text_at(const Json& json, std::string_view outer, std::string_view inner) {
  const Json* object = json.find(outer);
  const Json* value = object ? object->find(inner) : nullptr;
  return value && value->is_string() ? &value->as_string() : nullptr;
}

Code find_code(std::string_view wire) {
#define LATTICE_PROBLEM(name, text, status, cache) \
  if (wire == text) return Code::name;
#include "base/codes.def"
#undef LATTICE_PROBLEM
  return Code::Io;
}

// Budgets of the origin: a query that it would refuse is refused here, with spans.
plan::Budgets read_budgets(const Json& discovery) {
  plan::Budgets budgets;
  const Json* published = discovery.find("budgets");
  if (!published) return budgets;
  const std::pair<std::string_view, uint32_t*> members[] = {
      {"maxCanonicalBytes", &budgets.canonical_bytes_max},
      {"maxDepth", &budgets.depth_max},
      {"maxRoots", &budgets.roots_max},
      {"maxRounds", &budgets.rounds_max},
      {"maxRoundFanout", &budgets.round_fanout_max},
      {"maxSurrogateKeys", &budgets.surrogate_keys_max},
      {"maxPageDefault", &budgets.page_default_max},
      {"maxValueBytes", &budgets.value_bytes_max},
  };
  for (const auto& [name, target] : members) {
    const Json* value = published->find(name);
    bool fits =
        value && value->is_int64() && value->as_int64() > 0 && value->as_int64() <= UINT32_MAX;
    if (fits) *target = static_cast<uint32_t>(value->as_int64());
  }
  return budgets;
}

bool is_success(int status) {
  return status >= 200 && status < 300;
}

// What makes a client climb down from the inline rung; everything else is the answer (§6.2).
bool wants_lower_rung(int status) {
  return status == 404 || status == 405 || status == 414 || status == 501;
}

void add_parameter(std::string& out, std::string_view name, std::string_view value) {
  if (!out.empty()) out += '&';
  append_percent_encoded(out, name);
  out += '=';
  append_percent_encoded(out, value);
}

constexpr std::pair<std::string_view, plan::Slice> kDataSlices[] = {
    {"pub", plan::Slice::Pub}, {"ctx", plan::Slice::Ctx}, {"priv", plan::Slice::Priv}};

}  // namespace

Error read_problem(const Exchange& exchange) {
  Error error{Code::Io,
              exchange.target + " was answered with status " + std::to_string(exchange.status),
              {},
              {},
              false};
  error.details.emplace_back("status", std::to_string(exchange.status));
  auto body = parse_json(exchange.body);
  if (!body || !body->is_object()) return error;
  const Json* type = body->find("type");
  const Json* detail = body->find("detail");
  if (type && type->is_string()) error.code = find_code(type->as_string());
  if (detail && detail->is_string()) error.message = detail->as_string();
  return error;
}

// --- Opening ---

Result<std::unique_ptr<Ladder>> Ladder::open(http::Client& client, LadderOptions options) {
  std::unique_ptr<Ladder> ladder(new Ladder(client, std::move(options)));
  LATTICE_TRY(Exchange found, ladder->send("", "GET", "/.well-known/lattice", {}));
  auto discovery = parse_json(found.body);
  const std::string* schema_path =
      found.status == 200 && discovery ? text_at(*discovery, "schema", "current") : nullptr;
  if (!schema_path) {
    return fail(Code::Io,
                "this is no Lattice origin: /.well-known/lattice was answered with status " +
                    std::to_string(found.status) + " and no schema");
  }
  LATTICE_TRY(Exchange document, ladder->send("", "GET", *schema_path, {}));
  if (document.status != 200) return fail(read_problem(document));
  LATTICE_TRY(ladder->schema_, schema::load_schema(document.body));
  ladder->plan_options_.budgets = read_budgets(*discovery);

  const std::string* dictionary_path = text_at(*discovery, "dictionary", "current");
  if (!dictionary_path) return ladder;
  LATTICE_TRY(Exchange dictionary, ladder->send("", "GET", *dictionary_path, {}));
  if (dictionary.status == 200) {
    ladder->dictionary_ = std::move(dictionary.body);
    ladder->dictionary_hash_ = last_segment(*dictionary_path);
  }
  return ladder;
}

Result<Exchange> Ladder::send(std::string rung, std::string_view method, const std::string& target,
                              http::Headers headers, std::string_view body) {
  if (!options_.query_name.empty()) headers.set("Lattice-Query-Name", options_.query_name);
  LATTICE_TRY(http::ClientResponse response, client_.send(method, target, headers, body));
  if (!response.complete) {
    return fail(Code::Io, target + ": the answer broke off before its end");
  }
  return Exchange{std::move(rung), target, response.status, std::move(response.headers),
                  std::move(response.body)};
}

// --- Asking ---

Result<Answer> Ladder::ask(std::string_view text, const Json& variables,
                           const query::ImportLoader& imports) {
  Answer answer;
  query::QueryLimits limits;
  limits.canonical_bytes_max = plan_options_.budgets.canonical_bytes_max;
  limits.roots_max = plan_options_.budgets.roots_max;
  LATTICE_TRY(answer.query, query::compile_query(text, *schema_, limits, imports));
  LATTICE_TRY(answer.plan, plan::plan_query(answer.query, schema_, plan_options_));
  LATTICE_TRY(answer.bindings, exec::bind_json(*answer.plan, variables));
  // Once more when a deployment supersedes the plan in the middle of the page (§13.3).
  constexpr int kAttempts = 3;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    LATTICE_TRY(Json record, read_plan(answer));
    LATTICE_TRY(bool is_done, ask_slices(answer, record));
    if (is_done) return answer;
  }
  return fail(Code::PlanSuperseded,
              "the origin superseded the plan " + std::to_string(kAttempts) + " times in a row");
}

Result<Json> Ladder::read_plan(const Answer& answer) {
  LATTICE_TRY(Exchange exchange,
              send("hash", "GET", "/q/" + answer.query.hash + "?slice=plan", {}));
  if (exchange.status == 404) {
    LATTICE_TRY(exchange, introduce(answer, "plan", {}));
  }
  if (!is_success(exchange.status)) return fail(read_problem(exchange));
  LATTICE_TRY(auto records, parse_stream(exchange.body));
  for (Record& record : records) {
    bool is_plan = record.kind == "plan" && record.json.find("slices") &&
                   record.json.find("plan") && record.json.find("plan")->is_string();
    if (is_plan) return std::move(record.json);
  }
  return fail(Code::Io, exchange.target + ": the answer holds no plan record");
}

// What a slice's entry in the plan record asks of the caller; nullopt: nothing is missing.
std::optional<std::string> Ladder::missing_credential(const Json& slice, plan::Slice name) const {
  std::string claims;
  if (const Json* list = slice.find("claims"); list && list->is_array()) {
    for (const Json& claim : list->as_array()) {
      if (claim.is_string()) claims += (claims.empty() ? "" : ", ") + claim.as_string();
    }
  }
  bool needs_claims = name == plan::Slice::Ctx || (name == plan::Slice::Priv && !claims.empty());
  std::string out;
  if (name == plan::Slice::Priv && options_.authorization.empty()) out = "needs a credential";
  if (needs_claims && options_.vc.empty()) {
    out += (out.empty() ? "needs the claims " : ", and the claims ") + claims;
  }
  if (out.empty()) return std::nullopt;
  return std::string(plan::slice_name(name)) + ": " + out;
}

// False: the plan was superseded, read it again.
Result<bool> Ladder::ask_slices(Answer& answer, const Json& plan_record) {
  answer.store = EntityStore();
  answer.slices.clear();
  answer.left_out.clear();
  const std::string& plan_id = plan_record.find("plan")->as_string();
  for (const auto& [name, slice] : kDataSlices) {
    const Json* entry = plan_record.find("slices")->find(name);
    if (!entry || !entry->is_object()) continue;
    if (auto missing = missing_credential(*entry, slice)) {
      answer.left_out.push_back(std::move(*missing));
      continue;
    }
    LATTICE_TRY(Exchange exchange, ask_slice(answer, plan_id, slice));
    if (exchange.status == 409) return false;
    if (!is_success(exchange.status)) return fail(read_problem(exchange));
    LATTICE_TRY(auto records, parse_stream(exchange.body));
    if (records.empty() || records.back().kind != "end" || !records.back().is_complete()) {
      return fail(Code::Io, exchange.target + ": the origin did not finish its answer");
    }
    // A client ignores a snapshot header that it cannot read.
    auto snapshot = parse_snapshot(exchange.headers.combined("Lattice-Snapshot").value_or(""));
    answer.store.apply(records, snapshot ? *snapshot : SnapshotVector{});
    answer.slices.push_back(std::move(exchange));
  }
  return true;
}

Result<Exchange> Ladder::ask_slice(const Answer& answer, const std::string& plan_id,
                                   plan::Slice slice) {
  std::string_view name = plan::slice_name(slice);
  std::string query = "p=" + plan_id + "&" + parameters(answer, name, slice != plan::Slice::Pub);
  LATTICE_TRY(Exchange exchange,
              send("hash", "GET", "/q/" + answer.query.hash + "?" + query, credentials(slice)));
  // The memo may have dropped it since; introducing teaches it again.
  if (exchange.status == 404) return introduce(answer, name, credentials(slice));
  return exchange;
}

http::Headers Ladder::credentials(plan::Slice slice) const {
  http::Headers headers;
  if (slice == plan::Slice::Pub) return headers;
  if (!options_.proof.empty()) headers.set("X-Vc-Auth", options_.proof);
  if (slice == plan::Slice::Priv) headers.set("Authorization", options_.authorization);
  return headers;
}

// slice, vc where the slice depends on the caller, and the variables by name.
std::string Ladder::parameters(const Answer& answer, std::string_view slice,
                               bool is_personal) const {
  std::string out;
  add_parameter(out, "slice", slice);
  if (is_personal && !options_.vc.empty()) add_parameter(out, "vc", options_.vc);
  if (slice == "plan") return out;
  for (const auto& [name, value] : exec::print_bindings(*answer.plan, answer.bindings)) {
    add_parameter(out, name, value);
  }
  return out;
}

// --- Introducing ---

Result<Exchange> Ladder::introduce(const Answer& answer, std::string_view slice,
                                   const http::Headers& headers) {
  std::string query = parameters(answer, slice, slice == "ctx" || slice == "priv");
  LATTICE_TRY(std::optional<Exchange> exchange, try_inline(answer, query, headers));
  if (exchange && !wants_lower_rung(exchange->status)) return std::move(*exchange);
  http::Headers with_type = headers;
  with_type.set("Content-Type", kQueryMediaType);
  if (options_.may_send_query_method) {
    LATTICE_TRY(Exchange sent,
                send("QUERY", "QUERY", "/q?" + query, with_type, answer.query.canonical));
    if (sent.status != 405 && sent.status != 501) return sent;
  }
  return send("POST", "POST", "/q?intent=introduce&" + query, with_type, answer.query.canonical);
}

// nullopt: the compressed text is over the budget.
Result<std::optional<Exchange>> Ladder::try_inline(const Answer& answer,
                                                   std::string_view parameters,
                                                   const http::Headers& headers) {
  for (bool with_dictionary : {true, false}) {
    if (with_dictionary && dictionary_.empty()) continue;
    std::string_view dictionary = with_dictionary ? std::string_view(dictionary_) : "";
    std::string d = base64url_encode(deflate_raw(answer.query.canonical, dictionary));
    if (d.size() > options_.inline_bytes_max) return std::nullopt;
    std::string target = "/q?d=" + d;
    if (with_dictionary) target += "&dv=" + dictionary_hash_;
    target += "&" + std::string(parameters);
    LATTICE_TRY(Exchange exchange, send("inline", "GET", target, headers));
    bool forgot_dictionary =
        exchange.status == 400 && read_problem(exchange).code == Code::UnknownDictionary;
    if (!(with_dictionary && forgot_dictionary)) return exchange;
  }
  return std::nullopt;
}

}  // namespace lattice::client
