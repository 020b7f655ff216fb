// One state of a MemoryStore, read. Internal to memory/.
#pragma once

#include "store/memory/state.h"

namespace lattice::store {

class MemorySnapshot final : public Snapshot {
 public:
  MemorySnapshot(MemoryStore::Impl& store, std::shared_ptr<const MemoryState> state)
      : store_(store), state_(std::move(state)) {}

  Token token() const override { return state_->token; }
  bool has_versions() const override { return true; }
  Token floor(std::span<const std::string> keys) override;
  Task<Result<std::vector<LoadResult>>> load(std::span<const LoadRequest> requests,
                                             Arena& arena) override;
  const std::vector<std::string>* root_reads(uint32_t root) const override;
  const std::vector<std::string>* computed_reads(EntityIndex entity,
                                                 FieldIndex field) const override;
  Task<Result<std::optional<std::string>>> find_tombstone(EntityIndex entity,
                                                          std::span<const Value> key) override;

 private:
  Result<LoadResult> load_one(const LoadRequest& request, Arena& arena);
  Result<LoadResult> load_keys(const LoadRequest& request, Arena& arena);
  Result<LoadResult> load_scan(const LoadRequest& request, Arena& arena);
  Result<LoadResult> load_aggregate(const LoadRequest& request, Arena& arena);
  Result<LoadResult> load_root(const LoadRequest& request, Arena& arena);

  using Rows = std::vector<const StoredRow*>;
  std::vector<Rows> group_rows(const LoadRequest& request) const;
  std::vector<Rows> linked_rows(const LoadRequest& request) const;
  bool passes(const plan::Gate& gate, const StoredRow& row, std::span<const Value> frame) const;
  void sort(Rows& rows, const LoadShape& shape) const;
  Result<void> append_window(const LoadRequest& request, Rows rows, LoadResult& out, Arena& arena);
  Result<Row> copy_row(const StoredRow& row, EntityIndex entity,
                       const std::vector<FieldIndex>& fields, const LoadShape& shape,
                       std::span<const Value> frame, Arena& arena) const;
  Result<Value> compute(const StoredRow& row, EntityIndex entity, const Computed& computed,
                        std::span<const Value> frame, Arena& arena) const;
  Result<Rows> hook_rows(const LoadRequest& request) const;
  Json arguments_of(const std::vector<schema::Parameter>& parameters,
                    const std::vector<plan::SlotIndex>& slots, std::span<const Value> frame) const;

  const schema::Schema& schema() const { return *store_.model.schema; }

  MemoryStore::Impl& store_;
  std::shared_ptr<const MemoryState> state_;
};

}  // namespace lattice::store
