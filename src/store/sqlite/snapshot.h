// One read transaction, and the loads that run in it. Internal to sqlite/.
#pragma once

#include "store/sqlite/store.h"

namespace lattice::store {

class SqliteSnapshot final : public Snapshot {
 public:
  SqliteSnapshot(SqliteStore& store, std::unique_ptr<Connection> connection)
      : store_(store), model_(store.model()), connection_(std::move(connection)) {}
  ~SqliteSnapshot() override;

  Token token() const override { return connection_->token; }
  bool has_versions() const override { return model_.has_versions(); }
  // Nothing tells when a key was last invalidated: the point interval.
  Token floor(std::span<const std::string>) override { return token(); }
  Task<Result<std::vector<LoadResult>>> load(std::span<const LoadRequest> requests,
                                             Arena& arena) override;
  const std::vector<std::string>* root_reads(uint32_t root) const override;
  const std::vector<std::string>* computed_reads(EntityIndex entity,
                                                 FieldIndex field) const override;
  Task<Result<std::optional<std::string>>> find_tombstone(EntityIndex entity,
                                                          std::span<const Value> key) override;

 private:
  SqliteStore& store_;
  SqlModel& model_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace lattice::store
