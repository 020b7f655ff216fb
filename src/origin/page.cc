// slice=page on a one-shot: every nonempty data slice under one snapshot (spec §6.5, §13.2).
#include "origin/digest.h"
#include "origin/service.h"

namespace lattice::origin {

namespace {

void append_keys(std::vector<exec::SurrogateKey>& all, std::vector<exec::SurrogateKey> more) {
  for (exec::SurrogateKey& key : more) {
    if (std::find(all.begin(), all.end(), key) == all.end()) all.push_back(std::move(key));
  }
}

}  // namespace

Task<Reply> Service::answer_page(const Call& call, const Parameters& parameters,
                                 const exec::Caller& caller, const CompiledPtr& query) {
  const plan::Plan& plan = query->plan();
  if (parameters.p && *parameters.p != plan.plan_id) {
    co_return refuse(superseded(*query, *parameters.p));
  }
  constexpr plan::Slice kOrder[] = {plan::Slice::Pub, plan::Slice::Ctx, plan::Slice::Priv};
  // Admission is strict: whoever may not see one of the slices gets none of them.
  for (plan::Slice slice : kOrder) {
    if (!plan.slice(slice).is_empty) LATTICE_CO_TRY_VOID(admit(caller, plan, slice));
  }
  LATTICE_CO_TRY(exec::Bindings bindings, exec::bind_variables(plan, parameters.variables));
  auto have = read_have(call.request.headers);
  exec::ExecOptions options = exec_options(*query);
  options.have = have.get();
  options.is_page_section = true;
  LATTICE_CO_TRY(auto snapshot, co_await store_->open_snapshot());

  exec::SliceResult page;
  page.token = snapshot->token();
  for (plan::Slice slice : kOrder) {
    if (plan.slice(slice).is_empty) continue;
    LATTICE_CO_TRY(
        exec::SliceResult section,
        co_await exec::execute_slice(*query->program, slice, bindings, caller, *snapshot, options));
    page.body += section.body;
    page.degraded |= section.degraded;
    page.floor = std::max(page.floor, section.floor);
    append_keys(page.keys, std::move(section.keys));
  }
  page.body += "{\"kind\":\"end\",\"complete\":true}\n";
  Answer answer{.request = call.request,
                .compiled = *query,
                .slice = plan::Slice::Priv,
                .etag = {},
                .cache_control = std::string(kNoStore),
                .may_revalidate = false};
  co_return render_answer(answer, std::move(page));
}

}  // namespace lattice::origin
