#include "plan/document.h"

namespace lattice::plan {

namespace {

Json json_names(const std::vector<std::string>& names) {
  Json list{Json::Array{}};
  for (const std::string& name : names) list.push_back(Json(name));
  return list;
}

}  // namespace

Json slices_json(const Plan& plan) {
  Json slices{Json::Object{}};
  for (size_t i = 0; i < kSliceCount; ++i) {
    const SliceProgram& program = plan.slices[i];
    Json entry(false);
    if (!program.is_empty) {
      entry = Json(Json::Object{});
      entry.set("claims", json_names(program.claims));
      entry.set("roots", json_names(program.roots));
    }
    slices.set(slice_name(static_cast<Slice>(i)), std::move(entry));
  }
  return slices;
}

std::string print_plan_document(const Plan& plan) {
  Json record{Json::Object{}};
  record.set("kind", "plan");
  record.set("query", plan.query_hash);
  record.set("plan", plan.plan_id);
  record.set("slices", slices_json(plan));
  return to_json(record);
}

}  // namespace lattice::plan
