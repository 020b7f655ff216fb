#include "store/sqlite/snapshot.h"

#include "store/sqlite/load.h"

namespace lattice::store {

SqliteSnapshot::~SqliteSnapshot() { store_.release(std::move(connection_)); }

Task<Result<std::vector<LoadResult>>> SqliteSnapshot::load(std::span<const LoadRequest> requests,
                                                           Arena& arena) {
  std::vector<LoadResult> results;
  results.reserve(requests.size());
  uint64_t rows = 0;
  for (const LoadRequest& request : requests) {
    auto loaded = Loader(model_, *connection_, request, arena).run();
    if (loaded) {
      rows += loaded->rows.size();
      results.push_back(std::move(*loaded));
    } else {
      results.emplace_back();
      results.back().error = std::move(loaded.error());
    }
  }
  store_.round_count.fetch_add(1, std::memory_order_relaxed);
  store_.load_count.fetch_add(requests.size(), std::memory_order_relaxed);
  store_.row_count.fetch_add(rows, std::memory_order_relaxed);
  co_return results;
}

const std::vector<std::string>* SqliteSnapshot::root_reads(uint32_t root) const {
  return model_.root_reads(root);
}

const std::vector<std::string>* SqliteSnapshot::computed_reads(EntityIndex entity,
                                                               FieldIndex field) const {
  const auto& reads = model_.mapping().entities[entity].fields[field].reads;
  return reads ? &*reads : nullptr;
}

Task<Result<std::optional<std::string>>> SqliteSnapshot::find_tombstone(EntityIndex,
                                                                        std::span<const Value>) {
  co_return std::optional<std::string>();  // nothing here remembers what was deleted
}

}  // namespace lattice::store
