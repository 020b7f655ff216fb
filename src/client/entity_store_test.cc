#include "client/entity_store.h"

#include <doctest/doctest.h>

namespace lattice::client {
namespace {

std::vector<Record> records(std::string_view lines) {
  auto out = parse_stream(lines);
  REQUIRE(out.has_value());
  return *out;
}

const SnapshotVector kEarly = {{"main", "0000000001.00000000000000000005"}};
const SnapshotVector kLate = {{"main", "0000000001.00000000000000000010"}};

TEST_CASE("records of one version are united, roots appended (9.1)") {
  EntityStore store;
  store.apply(records(R"({"kind":"manifest","root":{"feed":["Post:1"]}}
{"kind":"entity","id":"Post:1","ver":"e1","fields":{"title":"T"}})"),
              kLate);
  store.apply(records(R"({"kind":"manifest","root":{"feed":["Post:1","Post:2"]}}
{"kind":"entity","id":"Post:1","ver":"e1","fields":{"notes":"N"}}
{"kind":"patch","id":"Post:1","ver":"e1","fields":{"late":1}})"),
              kEarly);
  CHECK(to_json(store.find("Post:1")->fields) == R"({"title":"T","notes":"N","late":1})");
  CHECK(*store.find_root("feed") == std::vector<std::string>{"Post:1", "Post:2"});
  CHECK(store.find_root("other") == nullptr);
}

TEST_CASE("of two versions the later snapshot's wins as a whole (13.2)") {
  EntityStore store;
  store.apply(records(R"({"kind":"entity","id":"Post:1","ver":"e1","fields":{"a":1,"b":1}})"),
              kEarly);
  store.apply(records(R"({"kind":"entity","id":"Post:1","ver":"e2","fields":{"a":2}})"), kLate);
  CHECK(to_json(store.find("Post:1")->fields) == R"({"a":2})");
  store.apply(records(R"({"kind":"entity","id":"Post:1","ver":"e1","fields":{"b":1}})"), kEarly);
  CHECK(store.find("Post:1")->version == "e2");
  CHECK(to_json(store.find("Post:1")->fields) == R"({"a":2})");
}

TEST_CASE("tombstones evict, elisions are no absence, errors are kept (9.3, 9.4)") {
  EntityStore store;
  store.apply(records(R"({"kind":"entity","id":"Post:1","ver":"e1","fields":{}}
{"kind":"tombstone","id":"Post:1","ver":"t:2"}
{"kind":"elided","id":"Post:2"}
{"kind":"unchanged","id":"Post:3","ver":"e1"}
{"kind":"error","scope":"Post:4","code":"lattice:loader-timeout","retryable":true}
{"kind":"hologram"})"),
              kLate);
  CHECK(store.find("Post:1") == nullptr);
  CHECK(store.find("Post:2")->is_elided);
  CHECK(store.find("Post:3") == nullptr);
  CHECK(store.size() == 1);
  REQUIRE(store.errors().size() == 1);
  CHECK(store.errors()[0].is_retryable());
}

}  // namespace
}  // namespace lattice::client
