#include "origin/compile.h"

#include "base/blake3.h"
#include "query/query.h"

namespace lattice::origin {

namespace {

// A plan is a few hundred bytes for each field it selects; a text of one byte a field is the worst.
constexpr size_t kBytesPerTextByte = 64;
constexpr size_t kBytesPerEntry = 8 * 1024;

size_t weight_of(const plan::Plan& plan) {
  return kBytesPerEntry + plan.canonical.size() * kBytesPerTextByte;
}

Result<CompiledPtr> make_ready(plan::PlanPtr plan) {
  auto compiled = std::make_shared<Compiled>();
  LATTICE_TRY(compiled->program, exec::Program::compile(std::move(plan)));
  compiled->plan_key = "plan:" + compiled->plan().plan_id;
  if (!compiled->plan().is_entity_fetch) {
    compiled->document = plan::print_plan_document(compiled->plan()) + "\n";
  }
  return compiled;
}

query::QueryLimits query_limits(const plan::Budgets& budgets) {
  query::QueryLimits limits;
  limits.canonical_bytes_max = budgets.canonical_bytes_max;
  limits.roots_max = budgets.roots_max;
  return limits;
}

}  // namespace

Compiler::Compiler(const OriginOptions& options, schema::SchemaPtr schema, Clock& clock)
    : schema_(std::move(schema)),
      plan_options_(options.plan),
      admission_keys_(options.admission_keys),
      limit_(options.cold_compiles_per_minute, clock),
      queries_({options.memo_entries_max, options.memo_bytes_max}),
      masks_({options.memo_entries_max, options.memo_bytes_max / 4}),
      rejections_({options.memo_entries_max, options.memo_bytes_max / 16}) {}

// A rejection that the text alone determines.
std::expected<CompiledPtr, Refusal> Compiler::reject(std::string_view text, Error error) {
  Refusal refusal(std::move(error));
  refusal.is_text_determined = true;
  refusal.text = text;
  auto kept = std::make_shared<const Refusal>(refusal);
  rejections_.insert(blake3(text, 32), std::move(kept), 1024 + text.size() * 2);
  return refuse(std::move(refusal));
}

std::expected<CompiledPtr, Refusal> Compiler::compile_query(std::string_view text,
                                                            const Request& request) {
  if (auto known = rejections_.find(blake3(text, 32))) return refuse(*known);
  auto query = query::compile_query(text, *schema_, query_limits(plan_options_.budgets));
  if (!query) {
    LATTICE_TRY_VOID(limit_.spend(request.client()));
    return reject(text, std::move(query.error()));
  }
  if (auto known = queries_.find(query->hash)) return known;
  if (!admission_keys_.empty() &&
      !is_admitted(admission_keys_, query->canonical, request.signature)) {
    return refuse(Code::AdmissionDenied,
                  "this origin compiles signed queries only; X-Lattice-Query-Sig must hold an "
                  "Ed25519 signature of the canonical text by a key that it knows");
  }
  LATTICE_TRY_VOID(limit_.spend(request.client()));
  auto plan = plan::plan_query(*query, schema_, plan_options_);
  if (!plan) return reject(text, std::move(plan.error()));
  auto compiled = make_ready(std::move(*plan));
  if (!compiled) return reject(text, std::move(compiled.error()));
  if (!request.may_memoize) return *compiled;
  return queries_.insert(query->hash, *compiled, weight_of((*compiled)->plan()));
}

std::expected<CompiledPtr, Refusal> Compiler::compile_mask(
    const Mask& mask, const std::function<std::string()>& client) {
  const schema::Entity& entity = schema_->entities.at(mask.entity);
  std::string memo_key = entity.name + (mask.is_fragment ? "\n...\n" : "\n") + mask.text;
  if (auto known = masks_.find(memo_key)) return known;
  LATTICE_TRY_VOID(limit_.spend(client()));

  std::vector<query::Selection> selections;
  if (mask.is_fragment) {
    query::Selection spread;
    spread.kind = query::Selection::Kind::Spread;
    spread.name = mask.text;
    selections.push_back(std::move(spread));
  } else {
    auto fields =
        query::compile_mask(mask.text, entity, *schema_, query_limits(plan_options_.budgets));
    if (!fields) return refuse(std::move(fields.error()));
    selections = std::move(*fields);
  }
  LATTICE_TRY(plan::PlanPtr plan,
              plan::plan_entity_fetch(selections, mask.entity, schema_, plan_options_));
  LATTICE_TRY(CompiledPtr compiled, make_ready(std::move(plan)));
  size_t bytes = weight_of(compiled->plan()) + memo_key.size();
  return masks_.insert(std::move(memo_key), std::move(compiled), bytes);
}

}  // namespace lattice::origin
