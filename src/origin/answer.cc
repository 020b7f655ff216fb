// What every answer with facts carries: validators, tags, the snapshot and its floor (spec §10.2,
// §10.5, §9.4.6).
#include "origin/service.h"
#include "origin/validators.h"

namespace lattice::origin {

namespace {

// Whether a shared cache may keep what the executor could put no bound on.
bool is_uncacheable(const exec::SliceResult& result) {
  return result.degraded || result.coarsened_to_uncacheable;
}

}  // namespace

http::Response Service::render_answer(const Answer& answer, exec::SliceResult result) const {
  http::Response response;
  http::Headers& headers = response.headers;
  headers.add("Content-Type", kEntityStream);
  headers.add("Cache-Control", is_uncacheable(result) ? kNoStore : answer.cache_control);
  if (answer.slice == plan::Slice::Priv) headers.add("Vary", "Authorization");
  // A validator of a degraded answer would make its gaps look current (§9.4.5).
  if (!result.degraded && !answer.etag.empty()) headers.add("ETag", answer.etag);
  headers.add("Lattice-Plan", answer.compiled.plan().plan_id);
  add_snapshot_headers(headers, result.token, result.floor);
  headers.add("Surrogate-Key", surrogate_keys(answer.compiled, result.keys));

  if (result.degraded) {
    response.status = 207;
    headers.add("Lattice-Outcome", "degraded");
  } else if (answer.may_revalidate && !answer.etag.empty()) {
    auto held = answer.request.headers.combined("If-None-Match");
    if (held && matches_etag(*held, answer.etag)) {
      response.status = 304;
      headers.remove("Content-Type");
      return response;
    }
  }
  response.body = std::move(result.body);
  return response;
}

void Service::add_snapshot_headers(http::Headers& headers, store::Token token,
                                   store::Token floor) const {
  headers.add("Lattice-Snapshot", snapshot_prefix_ + store::print_token(token) + "\"");
  headers.add("Lattice-Snapshot-Floor", snapshot_prefix_ + store::print_token(floor) + "\"");
}

std::string Service::surrogate_keys(const Compiled& compiled,
                                    const std::vector<exec::SurrogateKey>& keys) const {
  size_t bytes = compiled.plan_key.size();
  for (const exec::SurrogateKey& key : keys) bytes += 1 + key.size();
  std::string out;
  out.reserve(bytes);
  out += compiled.plan_key;
  for (const exec::SurrogateKey& key : keys) {
    out += ' ';
    out += key;
  }
  return out;
}

// Counts the serving. A declared exemption from the ramp is honoured only where every text is
// signed (§10.7): else anyone could mint novel queries that stay.
bool Service::has_tenure(Compiled& compiled) const {
  bool is_promoted = compiled.tenure.serve(options_.tenure_threshold);
  return is_promoted || (compiled.plan().no_tenure && !options_.admission_keys.empty());
}

exec::ExecOptions Service::exec_options(const Compiled& compiled) const {
  exec::ExecOptions options;
  size_t plan_key_bytes = compiled.plan_key.size() + 1;
  options.key_bytes_max = options_.surrogate_key_bytes_max > plan_key_bytes
                              ? options_.surrogate_key_bytes_max - plan_key_bytes
                              : 0;
  return options;
}

}  // namespace lattice::origin
