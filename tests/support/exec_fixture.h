// A schema, a memory store with a data set of the shared conformance folder, and queries run over
// them without an origin.
//
//   auto blog = testing::ExecFixture::open("blog");     // nullopt: no shared folder
//   auto result = blog->run("query { feed { title } }", plan::Slice::Ctx, {.claims = org_one});
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "exec/exec.h"
#include "query/query.h"
#include "store/memory/memory.h"
#include "tests/support/naive_walker.h"
#include "tests/support/shared.h"

namespace lattice::testing {

struct RunOptions {
  Json variables = {};
  std::optional<Json> claims = {};
  std::optional<std::string> principal = {};
  exec::ExecOptions exec = {};
};

class ExecFixture {
 public:
  ExecFixture(schema::SchemaPtr schema, const Json& dataset, plan::PlanOptions options);

  // The data set `name` of datasets.json with the schema and the hooks that it describes.
  static std::optional<ExecFixture> open(const std::string& name);

  exec::ProgramPtr compile(std::string_view query) const;
  exec::SliceResult run(std::string_view query, plan::Slice slice,
                        const RunOptions& how = {}) const;
  Result<exec::SliceResult> try_run(std::string_view query, plan::Slice slice,
                                    const RunOptions& how = {}) const;
  // A point fetch; `lower`: with the fields of the levels below.
  exec::SliceResult fetch(std::string_view entity, std::string_view key, std::string_view mask,
                          plan::Slice slice, bool lower, const RunOptions& how = {}) const;

  schema::SchemaPtr schema;
  std::unique_ptr<store::MemoryStore> store;
  plan::PlanOptions options;
  Json dataset;
};

// The records of a response, in order.
std::vector<Json> records_of(const exec::SliceResult& result);
bool has_key(const exec::SliceResult& result, std::string_view key);

}  // namespace lattice::testing
