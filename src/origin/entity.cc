// Point fetches: one entity, by key, through a mask or a schema fragment (spec §6.7, §6.9, §14.4).
#include "base/percent.h"
#include "origin/service.h"

namespace lattice::origin {

namespace {

using schema::Entity;
using Presence = exec::SliceResult::Presence;

Result<FetchParameters> read_parameters(std::string_view query) {
  FetchParameters out;
  LATTICE_TRY(out.common, parse_parameters(query));
  LATTICE_TRY_VOID(refuse_other_than(out.common, {"slice", "vc"}));
  std::vector<std::string> unknown;
  for (auto& [name, value] : out.common.variables) {
    if (name == "f") {
      out.f = std::move(value);
    } else if (name == "fragment") {
      out.fragment = std::move(value);
    } else if (name == "ver") {
      out.ver = std::move(value);
    } else {
      unknown.push_back(name);
    }
  }
  if (!unknown.empty()) return fail(unknown_parameters(unknown));
  out.common.variables.clear();
  if (out.common.slice == SliceName::Plan || out.common.slice == SliceName::Page) {
    return fail(Code::BadRequest, "a point fetch answers one data slice: pub, ctx or priv");
  }
  return out;
}

// Without a mask: every stored field that the asked slice, or else the lowest one that the type can
// be fetched in, may show. (Who presents claims asks for what claims open.)
std::string default_mask(const Entity& entity, const Parameters& parameters) {
  plan::Slice covering = plan::slice_of(plan::level_of(*entity.fetch));
  if (parameters.vc) covering = std::max(covering, plan::Slice::Ctx);
  if (parameters.slice) covering = data_slice_of(*parameters.slice);
  std::string mask;
  for (const schema::Field& field : entity.fields) {
    plan::Level level =
        plan::join_levels(plan::level_of(*entity.fetch), plan::level_of(field.policy));
    if (!field.arguments.empty() || plan::slice_of(level) > covering) continue;
    mask += (mask.empty() ? "" : ",") + field.name;
  }
  return mask;
}

// A fragment on the type itself or on an interface that it implements, with a default for
// everything.
Result<void> check_fragment(std::string_view name, const Entity& entity,
                            const schema::Schema& schema) {
  const schema::Fragment* fragment = schema.find_fragment(name);
  bool fits = fragment && (fragment->on == entity.name ||
                           std::find(entity.implements.begin(), entity.implements.end(),
                                     fragment->on) != entity.implements.end());
  if (!fits) {
    return fail(Code::BadRequest,
                "the schema declares no fragment `" + std::string(name) + "` on " + entity.name);
  }
  for (const schema::Parameter& parameter : fragment->parameters) {
    if (parameter.default_value || parameter.type.is_option()) continue;
    return fail(Code::BadRequest, "the fragment `" + std::string(name) + "` needs a value for `$" +
                                      parameter.name + "`, which a point fetch cannot give");
  }
  return {};
}

Result<Compiler::Mask> read_mask(const FetchParameters& parameters, schema::EntityIndex index,
                                 const schema::Schema& schema) {
  const Entity& entity = schema.entities[index];
  if (parameters.fragment) {
    LATTICE_TRY_VOID(check_fragment(*parameters.fragment, entity, schema));
    return Compiler::Mask{index, true, *parameters.fragment};
  }
  if (parameters.f) return Compiler::Mask{index, false, *parameters.f};
  std::string mask = default_mask(entity, parameters.common);
  if (!mask.empty()) return Compiler::Mask{index, false, std::move(mask)};
  return fail(Code::BadRequest,
              entity.name + " has no stored field in this slice; name some in `f`");
}

// The lowest slice that covers the mask: the greatest level of any of its fields.
plan::Slice covering_slice(const plan::Plan& plan) {
  for (plan::Slice slice : {plan::Slice::Priv, plan::Slice::Ctx}) {
    if (!plan.slice(slice).is_empty) return slice;
  }
  return plan::Slice::Pub;
}

// The same fetch without the pin, as a URL; claims are the caller's own business.
std::string unpinned_url(const Call& call, const FetchParameters& parameters) {
  std::string out = call.request.path;
  char separator = '?';
  auto add = [&](std::string_view name, std::string_view value) {
    out += separator;
    separator = '&';
    out += name;
    out += '=';
    append_percent_encoded(out, value);
  };
  if (parameters.f) add("f", *parameters.f);
  if (parameters.fragment) add("fragment", *parameters.fragment);
  if (parameters.common.slice) add("slice", slice_text(*parameters.common.slice));
  return out;
}

Refusal no_such_row(std::string_view type, std::string_view key) {
  return Refusal(Code::NotFound,
                 "there is no " + std::string(type) + " " + std::string(key) + " to be seen here");
}

Refusal version_unavailable(std::string_view version) {
  return Refusal(Code::VersionUnavailable, "this origin does not hold the version " +
                                               std::string(version) +
                                               "; Content-Location names the current one");
}

}  // namespace

Task<Reply> Service::fetch_entity(const Call& call) {
  LATTICE_CO_TRY(FetchParameters parameters, read_parameters(call.request.query));
  schema::EntityIndex index = schema_->entity_index(call.route.captures[0]);
  if (index == schema::kNone || !schema_->entities[index].fetch) {
    co_return refuse(Code::NotFound, "the schema declares no entity `" + call.route.captures[0] +
                                         "` that is fetched by key");
  }
  const Entity& entity = schema_->entities[index];
  LATTICE_CO_TRY(std::vector<std::string> key,
                 split_key(call.route.captures[1], entity.key.size()));
  LATTICE_CO_TRY(Compiler::Mask mask, read_mask(parameters, index, *schema_));
  auto compiled = compiler_.compile_mask(mask, [&] { return client_of(call.request); });
  if (!compiled) co_return refuse(std::move(compiled.error()));
  const plan::Plan& plan = (*compiled)->plan();

  const std::optional<SliceName>& asked = parameters.common.slice;
  plan::Slice slice = asked ? data_slice_of(*asked) : covering_slice(plan);
  LATTICE_CO_TRY(
      exec::Caller caller,
      authenticator_.authenticate(name_of(slice), parameters.common.vc, call.request.headers));
  LATTICE_CO_TRY_VOID(admit(caller, plan, slice));
  exec::ExecOptions options = exec_options(**compiled);
  options.includes_lower_slices = !asked;
  LATTICE_CO_TRY(Fetched fetched,
                 co_await coalescer_.fetch(*(*compiled)->program, slice, caller, options, key));
  co_return answer_entity(call, parameters, **compiled, slice, std::move(fetched));
}

Reply Service::answer_entity(const Call& call, const FetchParameters& parameters,
                             Compiled& compiled, plan::Slice slice, Fetched fetched) const {
  const plan::Plan& plan = compiled.plan();
  exec::SliceResult& result = fetched.result;
  bool is_gone = result.presence == Presence::Tombstone;
  bool is_seen = result.presence == Presence::Found || is_gone;
  bool is_pinned = parameters.ver.has_value();
  bool holds_pin = is_pinned && fetched.has_versions && result.version == *parameters.ver;
  if (!is_seen || (is_pinned && !holds_pin)) {
    const std::vector<std::string>& captures = call.route.captures;
    Refusal refusal(is_seen ? version_unavailable(*parameters.ver)
                            : no_such_row(captures[0], captures[1]));
    // A miss depends on the key that it missed: the row may appear.
    refusal.headers.set("Surrogate-Key", surrogate_keys(compiled, result.keys));
    refusal.headers.set("Lattice-Plan", plan.plan_id);
    add_snapshot_headers(refusal.headers, result.token, result.floor);
    if (is_seen) refusal.headers.set("Content-Location", unpinned_url(call, parameters));
    return refuse(std::move(refusal));
  }
  Answer answer{
      .request = call.request,
      .compiled = compiled,
      .slice = slice,
      .etag = "\"" + result.etag + "\"",
      .cache_control = slice_lifetime(slice, plan.slice(slice).cache, has_tenure(compiled), false),
      .may_revalidate = !is_gone};
  // A version never changes; who may see it can, unless everyone may, and so can derived values.
  bool is_immutable = is_pinned && slice == plan::Slice::Pub && !result.has_witness && !is_gone;
  if (is_immutable) answer.cache_control = std::string(kImmutable);
  http::Response response = render_answer(answer, std::move(result));
  if (is_gone) response.status = 410;
  return response;
}

}  // namespace lattice::origin
