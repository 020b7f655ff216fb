// The Origin behind its front door: what every endpoint shares, and one member function for each.
// Internal to this folder.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "exec/exec.h"
#include "origin/caller.h"
#include "origin/coalesce.h"
#include "origin/compile.h"
#include "origin/cors.h"
#include "origin/origin.h"
#include "origin/parameters.h"
#include "origin/problem.h"
#include "origin/routing.h"

namespace lattice::origin {

// One request as an endpoint sees it. HEAD reads as GET: the server drops the body.
struct Call {
  const http::Request& request;
  std::string_view method;
  Route route;
};

// The parameters of a point fetch.
struct FetchParameters {
  Parameters common;  // `slice` and `vc`
  std::optional<std::string> f, fragment, ver;
};

// How a data slice was asked for; it decides what is granted, cached and honoured.
enum class Form : uint8_t { Hash, Inline, Introduction, OneShot };

class Service final : public Origin {
 public:
  Service(OriginOptions options, schema::SchemaPtr schema, std::unique_ptr<store::Store> store,
          Clock& clock);

  Task<void> handle(const http::Request& request, http::ResponseWriter& writer) override;
  std::vector<std::string> startup_notes() const override { return notes_; }
  void set_notes(std::vector<std::string> notes) { notes_ = std::move(notes); }

 private:
  Task<http::Response> respond(const http::Request& request);
  Task<Reply> dispatch(const Call& call);

  // ladder.cc: the query forms (§6.1–6.5)
  Task<Reply> query_by_hash(const Call& call);
  Task<Reply> query_inline(const Call& call);
  Task<Reply> query_with_body(const Call& call);
  Result<std::string> inflate_text(const Parameters& parameters) const;
  std::expected<CompiledPtr, Refusal> compile(const Call& call, std::string_view text, Form form);
  // Answers any slice of a compiled query but page.
  Task<Reply> answer_query(const Call& call, const Parameters& parameters, SliceName slice,
                           const exec::Caller& caller, const CompiledPtr& query, Form form);
  Task<Reply> answer_slice(const Call& call, const Parameters& parameters, plan::Slice slice,
                           const exec::Caller& caller, const CompiledPtr& query, Form form);
  Reply answer_plan(const Parameters& parameters, const Compiled& query, Form form) const;

  // page.cc: every slice in one answer (§6.5)
  Task<Reply> answer_page(const Call& call, const Parameters& parameters,
                          const exec::Caller& caller, const CompiledPtr& query);

  // entity.cc: point fetches (§6.7)
  Task<Reply> fetch_entity(const Call& call);
  Reply answer_entity(const Call& call, const FetchParameters& parameters, Compiled& compiled,
                      plan::Slice slice, Fetched fetched) const;

  // inspection.cc (§7.2)
  Reply query_source(const Call& call);
  Reply query_explain(const Call& call);
  Reply plan_document(const Call& call);

  // discovery.cc and schema_documents.cc (§7.1)
  Reply discovery(const Call& call) const;
  Reply schema_current(const Call& call) const;
  Reply schema_document(const Call& call) const;
  Reply schema_dictionary(const Call& call) const;

  // later.cc: what the protocol has and this version does not serve
  Reply not_served_yet(const Call& call) const;

  // answer.cc: the headers that every answer with facts carries
  struct Answer {
    const http::Request& request;
    const Compiled& compiled;
    plan::Slice slice;
    std::string etag;  // as in the header; empty: none
    std::string cache_control;
    bool may_revalidate = true;  // a matching If-None-Match makes it a 304
  };
  http::Response render_answer(const Answer& answer, exec::SliceResult result) const;
  void add_snapshot_headers(http::Headers& headers, store::Token token, store::Token floor) const;
  std::string surrogate_keys(const Compiled& compiled,
                             const std::vector<exec::SurrogateKey>& keys) const;
  bool has_tenure(Compiled& compiled) const;
  exec::ExecOptions exec_options(const Compiled& compiled) const;

  CompiledPtr find_memoized(const Call& call);
  std::string client_of(const http::Request& request) const;
  void log(std::string_view line) const;

  OriginOptions options_;
  schema::SchemaPtr schema_;
  std::unique_ptr<store::Store> store_;
  Clock& clock_;
  Authenticator authenticator_;
  Compiler compiler_;
  Coalescer coalescer_;
  Cors cors_;
  std::string snapshot_prefix_;  // `main="`
  std::string dictionary_;       // §5.2
  std::string dictionary_hash_;
  std::string discovery_;  // the document
  std::vector<std::string> notes_;
};

// The error of a hash that the memo does not hold (§6.1).
Refusal unknown_query(std::string_view hash);
// The refusal of a plan id that this schema does not derive (§13.3).
Refusal superseded(const Compiled& query, std::string_view asked);
// The error of what this version refuses by name.
Error not_supported(std::string_view what);

// The discovery document (discovery.cc).
std::string render_discovery(const OriginOptions& options, const schema::Schema& schema,
                             std::string_view dictionary_hash);

// start.cc: whether the options can serve the schema, and what to tell who started it.
// Errors: lattice:usage.
Result<void> check_options(const OriginOptions& options, const schema::Schema& schema);
std::vector<std::string> describe_start(const OriginOptions& options, const schema::Schema& schema);

inline constexpr std::string_view kEntityStream = "application/x-ndjson";
inline constexpr std::string_view kQueryMediaType = "application/x-lattice-query";

}  // namespace lattice::origin
