// The query forms: hash, inline, QUERY and POST introductions, one-shots (spec §6.1–6.6).
#include "base/base64url.h"
#include "base/deflate.h"
#include "origin/digest.h"
#include "origin/service.h"
#include "origin/validators.h"

namespace lattice::origin {

namespace {

// A body may spell a query with more blanks and comments than its canonical text has.
constexpr size_t kTextPerCanonicalByte = 4;

// What no form but the live one has, and what needs a data slice.
Result<void> check_form(const Call& call, const Parameters& parameters, SliceName slice) {
  if (parameters.live && *parameters.live != "sse") {
    return fail(Code::BadRequest, "`live` can only be sse, not `" + *parameters.live + "`");
  }
  auto accept = call.request.headers.find("Accept");
  if (parameters.live || (accept && accept->find("text/event-stream") != std::string_view::npos)) {
    return fail(not_supported("live queries (§12)"));
  }
  if (parameters.refs_only() && (slice == SliceName::Plan || slice == SliceName::Page)) {
    return fail(Code::BadRequest,
                "`project=refs` needs one data slice, not slice=" + std::string(slice_text(slice)));
  }
  return {};
}

Result<void> refuse_page(SliceName slice) {
  if (slice != SliceName::Page) return {};
  return fail(
      Code::BadRequest,
      "slice=page has no single audience, so no cacheable form serves it; ask for one slice, "
      "or send a one-shot (POST /q?intent=oneshot)");
}

Result<void> check_media_type(const http::Headers& headers) {
  auto field = headers.find("Content-Type");
  if (!field) return {};
  std::string_view type = field->substr(0, field->find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (http::equals_ignoring_case(type, kQueryMediaType)) return {};
  return fail(Code::UnsupportedMedia, "a query is sent as " + std::string(kQueryMediaType) +
                                          ", not as " + std::string(type));
}

Result<Form> read_intent(const Call& call, const Parameters& parameters) {
  std::string_view intent = parameters.intent ? std::string_view(*parameters.intent) : "introduce";
  if (intent == "introduce") return Form::Introduction;
  if (intent == "oneshot" && call.method == "POST") return Form::OneShot;
  return fail(Code::BadRequest,
              call.method == "POST"
                  ? "`intent` is introduce or oneshot, not `" + std::string(intent) + "`"
                  : "QUERY introduces; `intent=" + std::string(intent) + "` belongs on a POST");
}

// The plan document does not depend on variables, but a client may keep them in the URL.
Result<void> refuse_undeclared(const plan::Plan& plan, const Parameters& parameters) {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : parameters.variables) {
    bool is_declared = std::any_of(plan.variables.begin(), plan.variables.end(),
                                   [&](const query::Variable& v) { return v.name == name; });
    if (!is_declared) unknown.push_back(name);
  }
  if (unknown.empty()) return {};
  return fail(unknown_parameters(unknown));
}

bool is_get(const Call& call) {
  return call.method == "GET";
}

}  // namespace

Refusal unknown_query(std::string_view hash) {
  return Refusal(Code::UnknownQuery, "this origin does not know the query " + std::string(hash) +
                                         "; introduce it again");
}

Refusal superseded(const Compiled& query, std::string_view asked) {
  Refusal refusal(Code::PlanSuperseded, "this origin derives " + query.plan().plan_id +
                                            " for the query, not " + std::string(asked) +
                                            "; assemble the page with the current plan");
  refusal.plan_json = query.document.substr(0, query.document.size() - 1);
  refusal.headers.set("Lattice-Plan", query.plan().plan_id);
  return refusal;
}

// --- The forms ---

Task<Reply> Service::query_by_hash(const Call& call) {
  LATTICE_CO_TRY(Parameters parameters, parse_parameters(call.request.query));
  LATTICE_CO_TRY_VOID(refuse_other_than(parameters, {"p", "slice", "vc", "project", "live"}));
  SliceName slice = parameters.slice.value_or(SliceName::Plan);
  LATTICE_CO_TRY_VOID(check_form(call, parameters, slice));
  LATTICE_CO_TRY_VOID(refuse_page(slice));
  LATTICE_CO_TRY(exec::Caller caller,
                 authenticator_.authenticate(slice, parameters.vc, call.request.headers));
  CompiledPtr query = find_memoized(call);
  if (!query) co_return refuse(unknown_query(call.route.captures[0]));
  co_return co_await answer_query(call, parameters, slice, caller, query, Form::Hash);
}

Task<Reply> Service::query_inline(const Call& call) {
  LATTICE_CO_TRY(Parameters parameters, parse_parameters(call.request.query));
  LATTICE_CO_TRY_VOID(
      refuse_other_than(parameters, {"d", "dv", "p", "slice", "vc", "project", "live"}));
  SliceName slice = parameters.slice.value_or(SliceName::Plan);
  LATTICE_CO_TRY_VOID(check_form(call, parameters, slice));
  LATTICE_CO_TRY_VOID(refuse_page(slice));
  LATTICE_CO_TRY(exec::Caller caller,
                 authenticator_.authenticate(slice, parameters.vc, call.request.headers));
  LATTICE_CO_TRY(std::string text, inflate_text(parameters));
  auto query = compile(call, text, Form::Inline);
  if (!query) co_return refuse(std::move(query.error()));
  co_return co_await answer_query(call, parameters, slice, caller, *query, Form::Inline);
}

Task<Reply> Service::query_with_body(const Call& call) {
  LATTICE_CO_TRY(Parameters parameters, parse_parameters(call.request.query));
  LATTICE_CO_TRY_VOID(
      refuse_other_than(parameters, {"intent", "p", "slice", "vc", "project", "live"}));
  LATTICE_CO_TRY(Form form, read_intent(call, parameters));
  SliceName slice = parameters.slice.value_or(SliceName::Pub);
  LATTICE_CO_TRY_VOID(check_form(call, parameters, slice));
  if (form != Form::OneShot) LATTICE_CO_TRY_VOID(refuse_page(slice));
  LATTICE_CO_TRY_VOID(check_media_type(call.request.headers));
  LATTICE_CO_TRY_VOID(check_content_digest(call.request.headers, call.request.body));
  LATTICE_CO_TRY(exec::Caller caller,
                 authenticator_.authenticate(slice, parameters.vc, call.request.headers));
  size_t bytes_max = options_.plan.budgets.canonical_bytes_max * kTextPerCanonicalByte;
  if (call.request.body.size() > bytes_max) {
    co_return refuse(Code::PayloadTooLarge, "a query text of " +
                                                std::to_string(call.request.body.size()) +
                                                " bytes is over " + std::to_string(bytes_max));
  }
  auto query = compile(call, call.request.body, form);
  if (!query) co_return refuse(std::move(query.error()));
  if (slice == SliceName::Page) co_return co_await answer_page(call, parameters, caller, *query);
  co_return co_await answer_query(call, parameters, slice, caller, *query, form);
}

Result<std::string> Service::inflate_text(const Parameters& parameters) const {
  if (!parameters.d) {
    return fail(Code::BadRequest,
                "GET /q needs the compressed query text in `d`; a known query is GET /q/{hash}");
  }
  std::string_view dictionary;
  if (parameters.dv) {
    if (*parameters.dv != dictionary_hash_) {
      return fail(Code::UnknownDictionary, "this origin never published the dictionary " +
                                               *parameters.dv + "; `dv` may be left out");
    }
    dictionary = dictionary_;
  }
  auto stream = base64url_decode_padded(*parameters.d);
  if (!stream) return fail(Code::CompileRejected, "`d` is not base64url");
  auto text = inflate_raw(*stream, options_.plan.budgets.canonical_bytes_max, dictionary);
  if (!text) return fail(Code::CompileRejected, "`d`: " + text.error().message);
  return text;
}

std::expected<CompiledPtr, Refusal> Service::compile(const Call& call, std::string_view text,
                                                     Form form) {
  return compiler_.compile_query(
      text, {.client = [&] { return client_of(call.request); },
             .signature = call.request.headers.find("X-Lattice-Query-Sig").value_or(""),
             .may_memoize = form != Form::OneShot});
}

// --- The answers ---

Task<Reply> Service::answer_query(const Call& call, const Parameters& parameters, SliceName slice,
                                  const exec::Caller& caller, const CompiledPtr& query, Form form) {
  if (parameters.p && *parameters.p != query->plan().plan_id) {
    co_return refuse(superseded(*query, *parameters.p));
  }
  if (slice == SliceName::Plan) co_return answer_plan(parameters, *query, form);
  co_return co_await answer_slice(call, parameters, data_slice_of(slice), caller, query, form);
}

Reply Service::answer_plan(const Parameters& parameters, const Compiled& query, Form form) const {
  LATTICE_TRY_VOID(refuse_undeclared(query.plan(), parameters));
  http::Response response;
  response.headers.set("Content-Type", kEntityStream);
  response.headers.set("Cache-Control", form == Form::OneShot ? kNoStore : kPlanLifetime);
  response.headers.set("Lattice-Plan", query.plan().plan_id);
  response.headers.set("Surrogate-Key", query.plan_key);
  if (form == Form::Inline || form == Form::Introduction) {
    std::string url =
        granted_url(query.plan().query_hash, query.plan().plan_id, SliceName::Plan, {}, false);
    response.headers.set("Location", url);
    response.headers.set("Content-Location", url);
  }
  response.body = query.document;
  return response;
}

Task<Reply> Service::answer_slice(const Call& call, const Parameters& parameters, plan::Slice slice,
                                  const exec::Caller& caller, const CompiledPtr& query, Form form) {
  LATTICE_CO_TRY_VOID(admit(caller, query->plan(), slice));
  LATTICE_CO_TRY(exec::Bindings bindings,
                 exec::bind_variables(query->plan(), parameters.variables));
  bool may_have = slice == plan::Slice::Priv || form == Form::OneShot;
  auto have = may_have ? read_have(call.request.headers) : nullptr;
  exec::ExecOptions options = exec_options(*query);
  options.refs_only = parameters.refs_only();
  options.have = have.get();
  LATTICE_CO_TRY(auto snapshot, co_await store_->open_snapshot());
  LATTICE_CO_TRY(
      exec::SliceResult result,
      co_await exec::execute_slice(*query->program, slice, bindings, caller, *snapshot, options));

  Answer answer{.request = call.request,
                .compiled = *query,
                .slice = slice,
                .etag = "W/\"" + result.etag + "\"",
                .cache_control = std::string(kNoStore),
                .may_revalidate = is_get(call)};
  if (form != Form::OneShot) {
    bool names_its_plan = parameters.p.has_value();
    answer.cache_control =
        slice_lifetime(slice, query->plan().slice(slice).cache, has_tenure(*query), names_its_plan);
  }
  http::Response response = render_answer(answer, std::move(result));
  if (form == Form::Inline || form == Form::Introduction) {
    std::string url =
        granted_url(query->plan().query_hash, query->plan().plan_id, name_of(slice),
                    exec::print_bindings(query->plan(), bindings), parameters.refs_only());
    response.headers.set("Location", url);
    response.headers.set("Content-Location", url);
  }
  co_return response;
}

}  // namespace lattice::origin
