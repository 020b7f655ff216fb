// The test origin of the HTTP vectors: one data set of datasets.json in a memory store, its hooks
// in code, served on a loopback port. A fresh one for every scenario.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/json.h"
#include "http/server.h"
#include "origin/origin.h"
#include "store/memory/memory.h"

namespace lattice::vectors {

// Where the vector files stand: `vectors` holds http.json and schemas/, `fixtures` its sibling.
struct VectorFolder {
  std::filesystem::path vectors;
  std::filesystem::path fixtures;
  Json datasets;  // the member `datasets` of datasets.json
};
// `folder` need not hold datasets.json or have a sibling `fixtures`: those of the shared folder
// serve then. Errors: lattice:io naming what is missing.
Result<VectorFolder> open_folder(const std::filesystem::path& folder);
Result<std::string> read_text(const std::filesystem::path& path);

class VectorOrigin {
 public:
  // `config` is the scenario's member of that name, or null.
  // Errors: lattice:usage for a data set or a member of `config` that this runner does not know.
  static Result<std::unique_ptr<VectorOrigin>> start(const VectorFolder& folder,
                                                     std::string_view dataset, const Json* config);
  ~VectorOrigin();

  uint16_t port() const { return server_->port(); }
  store::MemoryStore& store() { return *store_; }
  ManualClock& clock() { return clock_; }

 private:
  explicit VectorOrigin(int64_t now) : clock_(Clock::WallTime{std::chrono::seconds(now)}) {}
  Result<void> build(const VectorFolder& folder, const Json& dataset, const Json* config);

  ManualClock clock_;
  store::MemoryStore* store_ = nullptr;  // owned by origin_
  std::unique_ptr<origin::Origin> origin_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace lattice::vectors
