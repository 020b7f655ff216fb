#include "origin/gather.h"

#include <doctest/doctest.h>

#include <set>

namespace lattice::origin {
namespace {

using store::LoadRequest;
using store::LoadResult;
using store::LoadShape;
using store::Value;

LoadShape keys_shape(schema::EntityIndex entity, std::vector<schema::FieldIndex> fields) {
  LoadShape shape;
  shape.id = store::next_shape_id();
  shape.entity = entity;
  shape.fields = std::move(fields);
  return shape;
}

// What an execution asks for: the keys, and for each key the values it got back.
struct Member {
  const LoadShape& shape;
  std::vector<Value> keys;
  std::vector<std::vector<int64_t>> got;  // empty: not found
  bool failed = false;
  bool done = false;
};

// Field f of row k holds 1000 * k + f; row 9 does not exist.
class FakeSnapshot final : public store::Snapshot {
 public:
  struct Seen {
    std::vector<LoadShape> shapes;
    std::vector<uint32_t> counts;
    int rounds = 0;
    bool fails = false;
    std::coroutine_handle<> held;  // a load that waits, when `waits`
    bool waits = false;
  };
  explicit FakeSnapshot(Seen& seen) : seen_(seen) {}
  store::Token token() const override { return {1, 7}; }
  bool has_versions() const override { return true; }
  store::Token floor(std::span<const std::string>) override { return {1, 3}; }
  Task<Result<std::optional<std::string>>> find_tombstone(schema::EntityIndex,
                                                          std::span<const Value>) override {
    co_return std::nullopt;
  }
  Task<Result<std::vector<LoadResult>>> load(std::span<const LoadRequest> requests,
                                             Arena& arena) override {
    ++seen_.rounds;
    for (const LoadRequest& request : requests) {
      seen_.shapes.push_back(*request.shape);
      seen_.counts.push_back(request.count);
    }
    if (seen_.waits) {
      struct Hold {
        std::coroutine_handle<>& held;
        bool await_ready() { return false; }
        void await_suspend(std::coroutine_handle<> handle) { held = handle; }
        void await_resume() {}
      };
      co_await Hold{seen_.held};
    }
    if (seen_.fails) co_return fail(Code::UpstreamUnavailable, "down");
    std::vector<LoadResult> results;
    for (const LoadRequest& request : requests) results.push_back(answer(request, arena));
    co_return results;
  }

 private:
  static LoadResult answer(const LoadRequest& request, Arena& arena) {
    LoadResult out;
    for (uint32_t i = 0; i < request.count; ++i) {
      int64_t key = request.keys[i].integer;
      store::Group group;
      group.first = static_cast<uint32_t>(out.rows.size());
      if (key != 9) {
        std::span<Value> values = arena.allocate_array<Value>(request.shape->fields.size());
        for (size_t v = 0; v < values.size(); ++v) {
          values[v] = Value::of_int(1000 * key + request.shape->fields[v]);
        }
        store::Row row;
        row.entity = request.shape->entity;
        row.values = values.data();
        out.rows.push_back(row);
        group.count = 1;
      }
      out.groups.push_back(group);
    }
    return out;
  }
  Seen& seen_;
};

Task<void> execute(std::shared_ptr<GatherRound> round, Member& member, int load_count = 1) {
  Arena unused;
  for (int i = 0; i < load_count; ++i) {
    LoadRequest request;
    request.shape = &member.shape;
    request.keys = member.keys;
    request.count = static_cast<uint32_t>(member.keys.size());
    auto results = co_await round->load({&request, 1}, unused);
    member.failed = !results.has_value();
    member.got.clear();
    if (!results) break;
    const LoadResult& result = results->front();
    for (const store::Group& group : result.groups) {
      std::vector<int64_t> values;
      for (uint32_t r = 0; r < group.count; ++r) {
        for (size_t v = 0; v < member.shape.fields.size(); ++v) {
          values.push_back(result.rows[group.first + r].values[v].integer);
        }
      }
      member.got.push_back(std::move(values));
    }
  }
  round->leave();
  member.done = true;
}

void run(FakeSnapshot::Seen& seen, std::vector<Member*> members, std::vector<int> loads = {}) {
  auto round = std::make_shared<GatherRound>(std::make_unique<FakeSnapshot>(seen), members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    detach(execute(round, *members[i], loads.empty() ? 1 : loads[i]),
           [](std::exception_ptr failure) { CHECK_FALSE(failure); });
  }
}

using Values = std::vector<std::vector<int64_t>>;

TEST_CASE("fetches of one type become one load, equal keys once (6.9)") {
  LoadShape name = keys_shape(0, {1});
  Member a{name, {Value::of_int(1)}, {}}, b{name, {Value::of_int(2)}, {}};
  Member c{name, {Value::of_int(1)}, {}}, d{name, {Value::of_int(9)}, {}};
  FakeSnapshot::Seen seen;
  run(seen, {&a, &b, &c, &d});
  CHECK(seen.rounds == 1);
  CHECK(seen.counts == std::vector<uint32_t>{3});
  CHECK(a.got == Values{{1001}});
  CHECK(b.got == Values{{2001}});
  CHECK(c.got == Values{{1001}});
  CHECK(d.got == Values{{}});
  CHECK((a.done && b.done && c.done && d.done));
}

TEST_CASE("different masks load the union of their fields, and each gets its own (6.9)") {
  LoadShape name = keys_shape(0, {1}), bio = keys_shape(0, {5, 2}), other = keys_shape(1, {1});
  Member a{name, {Value::of_int(1)}, {}}, b{bio, {Value::of_int(1), Value::of_int(2)}, {}};
  Member c{other, {Value::of_int(1)}, {}};
  FakeSnapshot::Seen seen;
  run(seen, {&a, &b, &c});
  CHECK(seen.rounds == 1);
  REQUIRE(seen.shapes.size() == 2);
  CHECK(seen.shapes[0].fields == std::vector<schema::FieldIndex>{1, 2, 5});
  CHECK(seen.counts == std::vector<uint32_t>{2, 1});
  CHECK(a.got == Values{{1001}});
  CHECK(b.got == Values{{1005, 1002}, {2005, 2002}});
  CHECK(c.got == Values{{1001}});

  FakeSnapshot::Seen again;
  run(again, {&a, &b});
  CHECK(again.shapes[0].id == seen.shapes[0].id);  // a store prepares for a union once
}

TEST_CASE("loads that look at a caller or at arguments are not shared (6.9)") {
  LoadShape gated = keys_shape(0, {1}), computed = keys_shape(0, {1}), plain = keys_shape(0, {1});
  gated.gate.denied = true;
  computed.computed.push_back({3, {}});
  Member a{gated, {Value::of_int(1)}, {}}, b{gated, {Value::of_int(1)}, {}};
  Member c{plain, {Value::of_int(1)}, {}};
  FakeSnapshot::Seen seen;
  run(seen, {&a, &b, &c});
  CHECK(seen.rounds == 1);
  CHECK(seen.counts == std::vector<uint32_t>{1, 1, 1});
  std::vector<PendingLoad*> none;
  CHECK(merge_requests(none).empty());
  LoadRequest left, right;
  Value key = Value::of_int(1);
  left.shape = &computed;
  right.shape = &plain;
  left.keys = right.keys = {&key, 1};
  left.count = right.count = 1;
  PendingLoad first{.requests = {&left, 1}, .waiting = {}},
      second{.requests = {&right, 1}, .waiting = {}};
  std::vector<PendingLoad*> both = {&first, &second};
  CHECK(merge_requests(both).size() == 2);
}

TEST_CASE("members that need more rounds, or none, keep in step (6.9)") {
  LoadShape name = keys_shape(0, {1});
  Member a{name, {Value::of_int(1)}, {}}, b{name, {Value::of_int(2)}, {}};
  Member c{name, {Value::of_int(3)}, {}};
  FakeSnapshot::Seen seen;
  run(seen, {&a, &b, &c}, {1, 3, 0});
  CHECK(seen.rounds == 3);
  CHECK(seen.counts == std::vector<uint32_t>{2, 1, 1});
  CHECK((a.done && b.done && c.done));
}

TEST_CASE("a round that fails fails every fetch in it (6.9)") {
  LoadShape name = keys_shape(0, {1});
  Member a{name, {Value::of_int(1)}, {}}, b{name, {Value::of_int(2)}, {}};
  FakeSnapshot::Seen seen;
  seen.fails = true;
  run(seen, {&a, &b});
  CHECK((a.failed && b.failed));
  CHECK((a.done && b.done));
}

TEST_CASE("a store that waits is awaited, and everyone goes on afterwards (6.9)") {
  LoadShape name = keys_shape(0, {1});
  Member a{name, {Value::of_int(1)}, {}}, b{name, {Value::of_int(2)}, {}};
  FakeSnapshot::Seen seen;
  seen.waits = true;
  run(seen, {&a, &b});
  CHECK_FALSE((a.done || b.done));
  REQUIRE(seen.held);
  seen.held.resume();
  CHECK((a.done && b.done));
  CHECK(b.got == Values{{2001}});
}

}  // namespace
}  // namespace lattice::origin
