// Queries and masks made ready to answer, behind the memo (spec §6.1, §14).
//
//   text ──canonicalize──▶ hash ──memo?──▶ admission ──▶ rate ──▶ plan ──▶ program ──▶ memo
//
// What one text alone determines is remembered either way: the program, or the rejection.
// Any number of threads.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "exec/exec.h"
#include "origin/admission.h"
#include "origin/memo.h"
#include "origin/origin.h"
#include "origin/problem.h"
#include "origin/tenure.h"
#include "plan/plan.h"

namespace lattice::origin {

// One compiled query, or one mask of point fetches. Everything here is the same for every request.
struct Compiled {
  exec::ProgramPtr program;
  std::string plan_key;  // "plan:pl_9dK2"
  std::string document;  // the plan record, one line with its newline; empty for a mask
  Tenure tenure;

  const plan::Plan& plan() const { return program->plan(); }
};
using CompiledPtr = std::shared_ptr<Compiled>;

class Compiler {
 public:
  Compiler(const OriginOptions& options, schema::SchemaPtr schema, Clock& clock);

  // What the memo holds of a hash; null: unknown, or evicted.
  CompiledPtr find_query(std::string_view hash) { return queries_.find(hash); }

  // Who asks for a compilation, and with what right.
  struct Request {
    std::function<std::string()> client;  // asked only for a cold compile, for its rate
    std::string_view signature;           // X-Lattice-Query-Sig
    bool may_memoize = true;              // false: a one-shot
  };
  // Errors: lattice:compile-rejected, lattice:fragment-shadow, lattice:cursor-retired of a literal,
  // lattice:not-supported (all determined by the text); lattice:admission-denied,
  // lattice:rate-limited.
  std::expected<CompiledPtr, Refusal> compile_query(std::string_view text, const Request& request);

  // The program of a point fetch. Either names a fragment or a mask ("avatarUrl(size:48),name").
  struct Mask {
    schema::EntityIndex entity = schema::kNone;
    bool is_fragment = false;
    std::string text;
  };
  // Errors: lattice:compile-rejected naming what the type does not declare; lattice:not-found for a
  // type without `fetch by`, or an unknown fragment; lattice:rate-limited.
  std::expected<CompiledPtr, Refusal> compile_mask(const Mask& mask,
                                                   const std::function<std::string()>& client);

 private:
  std::expected<CompiledPtr, Refusal> reject(std::string_view text, Error error);

  schema::SchemaPtr schema_;
  plan::PlanOptions plan_options_;
  std::vector<std::string> admission_keys_;
  ColdCompileLimit limit_;
  Memo<Compiled> queries_;          // by query hash
  Memo<Compiled> masks_;            // by type, kind and text of the mask
  Memo<const Refusal> rejections_;  // by the hash of the text as it came
};

}  // namespace lattice::origin
