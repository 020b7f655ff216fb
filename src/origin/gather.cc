#include "origin/gather.h"

#include <unordered_map>

#include "base/check.h"

namespace lattice::origin {

namespace {

using store::LoadRequest;
using store::LoadResult;
using store::LoadShape;
using store::Row;
using store::Value;

// A load by key that looks at nothing of its caller. (Arguments of computed fields are literals of
// the mask: the same in every request of one shape.)
bool is_mergeable(const LoadShape& shape) {
  return shape.kind == LoadShape::Kind::Keys && shape.gate.is_open();
}

bool can_merge(const LoadShape& left, const LoadShape& right) {
  if (!is_mergeable(left) || !is_mergeable(right)) return false;
  if (&left == &right) return true;
  return left.entity == right.entity && left.computed.empty() && right.computed.empty() &&
         left.hidden_owner_column == right.hidden_owner_column;
}

std::span<const Value> key_at(const LoadRequest& request, uint32_t index) {
  size_t columns = request.keys.size() / request.count;
  return request.keys.subspan(index * columns, columns);
}

bool equal_keys(std::span<const Value> left, std::span<const Value> right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), store::equal_values);
}

uint64_t hash_key(std::span<const Value> key) {
  uint64_t hash = 0;
  for (const Value& value : key) hash = hash * 0x9e3779b97f4a7c15 + store::hash_value(value);
  return hash;
}

// A load under construction, with its keys indexed.
struct Draft {
  MergedLoad load;
  std::vector<const LoadShape*> shapes;
  std::unordered_multimap<uint64_t, uint32_t> groups;

  uint32_t group_of(std::span<const Value> key) {
    uint64_t hash = hash_key(key);
    auto [first, last] = groups.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      std::span<const Value> known(load.keys.data() + at->second * key.size(), key.size());
      if (equal_keys(known, key)) return at->second;
    }
    groups.emplace(hash, load.count);
    load.keys.insert(load.keys.end(), key.begin(), key.end());
    return load.count++;
  }
};

// Unions of projections, by the ids of their parts: a store prepares for each shape once.
std::shared_ptr<const LoadShape> union_shape(const std::vector<const LoadShape*>& shapes) {
  constexpr size_t kUnionsMax = 1000;
  static std::mutex mutex;
  static std::map<std::vector<uint64_t>, std::shared_ptr<const LoadShape>> unions;
  std::vector<uint64_t> ids;
  for (const LoadShape* shape : shapes) ids.push_back(shape->id);
  std::sort(ids.begin(), ids.end());
  std::lock_guard lock(mutex);
  if (auto at = unions.find(ids); at != unions.end()) return at->second;
  auto made = std::make_shared<LoadShape>(*shapes.front());
  made->id = store::next_shape_id();
  for (const LoadShape* shape : shapes) {
    made->fields.insert(made->fields.end(), shape->fields.begin(), shape->fields.end());
  }
  std::sort(made->fields.begin(), made->fields.end());
  made->fields.erase(std::unique(made->fields.begin(), made->fields.end()), made->fields.end());
  if (unions.size() >= kUnionsMax) unions.clear();
  unions.emplace(std::move(ids), made);
  return made;
}

// Borrowed for the round: the execution that waits keeps its program alive.
std::shared_ptr<const LoadShape> borrow(const LoadShape* shape) {
  return std::shared_ptr<const LoadShape>(std::shared_ptr<const LoadShape>(), shape);
}

// For each value of a row of `to`: where it stands in a row of `from`, whose fields are a superset.
std::vector<size_t> value_positions(const LoadShape& from, const LoadShape& to) {
  std::vector<size_t> out;
  for (schema::FieldIndex field : to.fields) {
    auto at = std::find(from.fields.begin(), from.fields.end(), field);
    LATTICE_CHECK(at != from.fields.end(), field);
    out.push_back(static_cast<size_t>(at - from.fields.begin()));
  }
  if (!to.hidden_owner_column.empty()) out.push_back(from.fields.size());
  return out;
}

LoadResult part_of(const LoadResult& merged, const MergedLoad& load, const MergedLoad::Part& part,
                   const LoadShape& wanted, Arena& arena) {
  LoadResult out;
  out.error = merged.error;
  if (out.error) return out;
  bool is_same = load.shape.get() == &wanted;
  std::vector<size_t> positions =
      is_same ? std::vector<size_t>() : value_positions(*load.shape, wanted);
  for (uint32_t index : part.groups) {
    store::Group group = merged.groups[index];
    uint32_t first = static_cast<uint32_t>(out.rows.size());
    for (uint32_t i = 0; i < group.count; ++i) {
      Row row = merged.rows[group.first + i];
      if (!is_same) {
        std::span<Value> values = arena.allocate_array<Value>(positions.size());
        for (size_t v = 0; v < positions.size(); ++v) values[v] = row.values[positions[v]];
        row.values = values.data();
      }
      out.rows.push_back(row);
    }
    group.first = first;
    out.groups.push_back(group);
  }
  return out;
}

struct Wait {
  PendingLoad& pending;
  std::vector<PendingLoad*>& waiting;
  GatherRound& round;
  void (GatherRound::*arrived)();
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    pending.waiting = handle;
    waiting.push_back(&pending);
    // May run the round at once and resume this very coroutine: nothing of it is touched
    // afterwards.
    (round.*arrived)();
  }
  void await_resume() const noexcept {}
};

}  // namespace

std::vector<MergedLoad> merge_requests(std::span<PendingLoad* const> members) {
  std::vector<Draft> drafts;
  for (size_t m = 0; m < members.size(); ++m) {
    for (size_t r = 0; r < members[m]->requests.size(); ++r) {
      const LoadRequest& request = members[m]->requests[r];
      auto draft = std::find_if(drafts.begin(), drafts.end(), [&](const Draft& candidate) {
        return can_merge(*candidate.shapes.front(), *request.shape);
      });
      if (draft == drafts.end() || request.count == 0) {
        draft = drafts.insert(drafts.end(), Draft{});
        draft->load.original = &request;
      }
      if (std::find(draft->shapes.begin(), draft->shapes.end(), request.shape) ==
          draft->shapes.end()) {
        draft->shapes.push_back(request.shape);
      }
      MergedLoad::Part part{m, r, {}};
      if (is_mergeable(*request.shape)) {
        for (uint32_t i = 0; i < request.count; ++i) {
          part.groups.push_back(draft->group_of(key_at(request, i)));
        }
      }
      draft->load.parts.push_back(std::move(part));
    }
  }
  std::vector<MergedLoad> out;
  for (Draft& draft : drafts) {
    draft.load.shape =
        draft.shapes.size() == 1 ? borrow(draft.shapes.front()) : union_shape(draft.shapes);
    out.push_back(std::move(draft.load));
  }
  return out;
}

void distribute_results(std::span<const MergedLoad> loads, const std::vector<LoadResult>& results,
                        std::span<PendingLoad* const> members, Arena& arena) {
  for (PendingLoad* member : members) {
    member->results = std::vector<LoadResult>(member->requests.size());
  }
  for (size_t l = 0; l < loads.size(); ++l) {
    for (const MergedLoad::Part& part : loads[l].parts) {
      PendingLoad& member = *members[part.member];
      const LoadShape& wanted = *member.requests[part.request].shape;
      (*member.results)[part.request] =
          is_mergeable(wanted) ? part_of(results[l], loads[l], part, wanted, arena) : results[l];
    }
  }
}

Task<Result<std::vector<LoadResult>>> GatherRound::load(std::span<const LoadRequest> requests,
                                                        Arena&) {
  PendingLoad pending{.requests = requests, .waiting = {}};
  co_await Wait{pending, waiting_, *this, &GatherRound::run_if_all_wait};
  co_return std::move(pending.results);
}

void GatherRound::leave() {
  LATTICE_CHECK(active_ > 0, active_);
  --active_;
  run_if_all_wait();
}

void GatherRound::run_if_all_wait() {
  if (waiting_.empty() || waiting_.size() < active_) return;
  std::vector<PendingLoad*> members = std::exchange(waiting_, {});
  detach(run(members), [members](std::exception_ptr failure) {
    if (!failure) return;
    for (PendingLoad* member : members) {
      member->results = fail(Code::Internal, "the shared round of loads failed");
    }
    for (PendingLoad* member : members) member->waiting.resume();
  });
}

Task<void> GatherRound::run(std::vector<PendingLoad*> members) {
  std::vector<MergedLoad> loads = merge_requests(members);
  std::vector<LoadRequest> requests;
  for (const MergedLoad& load : loads) {
    LoadRequest request = *load.original;
    if (load.count > 0) {
      request.shape = load.shape.get();
      request.keys = load.keys;
      request.count = load.count;
    }
    requests.push_back(request);
  }
  auto results = co_await snapshot_->load(requests, arena_);
  if (results) {
    distribute_results(loads, *results, members, arena_);
  } else {
    for (PendingLoad* member : members) member->results = fail(results.error());
  }
  for (PendingLoad* member : members) member->waiting.resume();
}

}  // namespace lattice::origin
