// A round shared by several executions: what each of them loads is gathered until all wait, merged,
// and loaded together (spec §6.9).
//
//   execution a: load [Keys User {1}: name]  ┐
//   execution b: load [Keys User {2}: bio]   ┼─▶ one load [Keys User {1, 2}: bio, name] ─▶ a, b, c
//   execution c: load [Keys User {1}: name]  ┘
//
// Belongs to one event loop. Rows live until the last member has left.
#pragma once

#include <coroutine>
#include <memory>
#include <span>
#include <vector>

#include "base/arena.h"
#include "base/task.h"
#include "store/store.h"

namespace lattice::origin {

// Loads that can be one: rows of one type by key. Made by merge_requests.
struct MergedLoad {
  std::shared_ptr<const store::LoadShape>
      shape;  // the union of the projections; may be a member's own
  std::vector<store::Value> keys;
  uint32_t count = 0;
  // For each request that is part of it: who asked, and where its keys stand among the merged ones.
  struct Part {
    size_t member = 0, request = 0;
    std::vector<uint32_t> groups;
  };
  std::vector<Part> parts;
  const store::LoadRequest* original = nullptr;  // a load that stands alone
};

// One member's load: the requests, and the results in their order.
struct PendingLoad {
  std::span<const store::LoadRequest> requests;
  Result<std::vector<store::LoadResult>> results = std::vector<store::LoadResult>();
  std::coroutine_handle<> waiting;
};

std::vector<MergedLoad> merge_requests(std::span<PendingLoad* const> members);
// Hands the rows of merged loads back, each projection in its own order; values are views into
// `arena`. `results` runs parallel to `loads`.
void distribute_results(std::span<const MergedLoad> loads,
                        const std::vector<store::LoadResult>& results,
                        std::span<PendingLoad* const> members, Arena& arena);

class GatherRound final : public store::Snapshot {
 public:
  // `member_count` executions will run; each calls leave() once when it is done.
  GatherRound(std::unique_ptr<store::Snapshot> snapshot, size_t member_count)
      : snapshot_(std::move(snapshot)), active_(member_count) {}

  void leave();

  store::Token token() const override { return snapshot_->token(); }
  bool has_versions() const override { return snapshot_->has_versions(); }
  store::Token floor(std::span<const std::string> keys) override { return snapshot_->floor(keys); }
  Task<Result<std::vector<store::LoadResult>>> load(std::span<const store::LoadRequest> requests,
                                                    Arena& arena) override;
  const std::vector<std::string>* root_reads(uint32_t root) const override {
    return snapshot_->root_reads(root);
  }
  const std::vector<std::string>* computed_reads(schema::EntityIndex entity,
                                                 schema::FieldIndex field) const override {
    return snapshot_->computed_reads(entity, field);
  }
  Task<Result<std::optional<std::string>>> find_tombstone(
      schema::EntityIndex entity, std::span<const store::Value> key) override {
    return snapshot_->find_tombstone(entity, key);
  }

 private:
  void run_if_all_wait();
  Task<void> run(std::vector<PendingLoad*> members);

  std::unique_ptr<store::Snapshot> snapshot_;
  Arena arena_;
  size_t active_;
  std::vector<PendingLoad*> waiting_;
};

}  // namespace lattice::origin
