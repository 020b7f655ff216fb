// What every store does (spec §3.1, §3.2, §3.6, §10.2): one suite, each case over each store.
#include <doctest/doctest.h>

#include "contract/harness.h"

namespace lattice::testing {

using store::LoadShape;
using store::Window;

namespace {

// The SQLite stores serve these tests without our migration; the memory store has real versions.
bool is_memory(Harness& world) { return world.name() == "memory"; }

}  // namespace

// --- Keys ---

TEST_CASE("keys: found, missing and asked twice [3.1]") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 10));
    world.put("Item", item("b", 1, 20));
    Open open(world.store());
    LoadShape shape = keys_of("Item", {"rank"});
    Loaded loaded = open.load(shape, {"b", "zz", "a", "b"}, 4);
    REQUIRE(loaded.only().groups.size() == 4);
    CHECK(loaded.keys(0) == Keys{"b"});
    CHECK(loaded.keys(1).empty());
    CHECK(loaded.keys(2) == Keys{"a"});
    CHECK(loaded.keys(3) == Keys{"b"});
    CHECK(loaded.field(loaded.group(0).first, 0) == "20");
    CHECK(loaded.field(loaded.group(2).first, 0) == "10");
  });
}

TEST_CASE("keys: a key is its bytes, whatever the column's collation") {
  for_each_store([](Harness& world) {
    world.put("Item", item("Ada", 1, 10));
    Open open(world.store());
    LoadShape shape = keys_of("Item");
    CHECK(open.load(shape, {"Ada"}, 1).keys(0) == Keys{"Ada"});
    CHECK(open.load(shape, {"ada"}, 1).keys(0).empty());
  });
}

TEST_CASE("keys: composite ones, in the key's own order") {
  for_each_store([](Harness& world) {
    world.put("Pair", Json::object({{"left", 1}, {"right", "x"}, {"groupId", 1}, {"label", "one"}}));
    world.put("Pair", Json::object({{"left", 1}, {"right", "y"}, {"groupId", 1}}));
    Open open(world.store());
    LoadShape shape = keys_of("Pair", {"label"});
    Loaded loaded = open.load(shape, {1, "y", 2, "x", 1, "x"}, 3);
    CHECK(loaded.keys(0) == Keys{"1,y"});
    CHECK(loaded.keys(1).empty());
    CHECK(loaded.keys(2) == Keys{"1,x"});
    CHECK(loaded.field(0, 0) == "null");
    CHECK(loaded.field(1, 0) == "one");
  });
}

TEST_CASE("keys: no values asked, none given") {
  for_each_store([](Harness& world) {
    Open open(world.store());
    LoadShape shape = keys_of("Item");
    CHECK(open.load(shape, {}, 0).only().groups.empty());
  });
}

// --- Values ---

TEST_CASE("values come in wire form, however they are stored [3.5.3]") {
  for_each_store([](Harness& world) {
    for (const char* id : {"a", "b"}) {  // the mixed world stores every second row otherwise
      world.put("Item", item(id, 1, -7,
                             {{"score", 0.5},
                              {"mood", "Loud"},
                              {"at", "2026-02-03T04:05:06Z"},
                              {"amount", "12.5"},
                              {"likes", "9007199254740993"},
                              {"code", "0a0b0c0d-0000-4000-8000-0000000000ff"},
                              {"title", "gr\xc3\xbc\xc3\x9f"},
                              {"tags", Json::array({"x", "y"})},
                              {"flag", false}}));
    }
    Open open(world.store());
    LoadShape shape = keys_of("Item", {"rank", "score", "mood", "at", "amount", "likes", "code",
                                       "title", "tags", "flag", "groupId"});
    for (const char* id : {"a", "b"}) {
      Loaded loaded = open.load(shape, {id}, 1);
      REQUIRE(loaded.keys(0) == Keys{id});
      const char* expected[] = {"-7",   "0.5",
                                "Loud", "2026-02-03T04:05:06Z",
                                "12.5", "9007199254740993",
                                "0a0b0c0d-0000-4000-8000-0000000000ff", "gr\xc3\xbc\xc3\x9f",
                                R"(["x","y"])", "false",
                                "1"};
      for (size_t i = 0; i < shape.fields.size(); ++i) CHECK(loaded.field(0, i) == expected[i]);
    }
  });
}

TEST_CASE("values: an optional one may be absent") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1));
    Open open(world.store());
    LoadShape shape = keys_of("Item", {"score"});
    CHECK(open.load(shape, {"a"}, 1).field(0, 0) == "null");
  });
}

TEST_CASE("values: stored data that is none of its type is marked [15 lattice:integrity]") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"mood", "not a name"}, {"at", "yesterday-ish"},
                                       {"tags", "no list"}}));
    Open open(world.store());
    LoadShape shape = keys_of("Item", {"mood", "at", "tags", "rank"});
    Loaded loaded = open.load(shape, {"a"}, 1);
    CHECK(loaded.field(0, 0) == "invalid");
    CHECK(loaded.field(0, 1) == "invalid");
    CHECK(loaded.field(0, 2) == "invalid");
    CHECK(loaded.field(0, 3) == "1");
  });
}

// --- Scans and windows ---

namespace {

// Group 1: ranks 10, 20, 20, 20, 30 (the ties b, c, d); group 2: one row.
void put_ties(Harness& world) {
  world.put("Item", item("c", 1, 20));
  world.put("Item", item("a", 1, 10));
  world.put("Item", item("e", 1, 30));
  world.put("Item", item("d", 1, 20));
  world.put("Item", item("b", 1, 20));
  world.put("Item", item("z", 2, 5));
}

}  // namespace

TEST_CASE("scan: whole groups in the order of the keyset, then of the key [3.6]") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape up = items_by({"rank asc"}), down = items_by({"rank desc"});
    Loaded loaded = open.scan(up, {2, 7, 1});
    CHECK(loaded.keys(0) == Keys{"z"});
    CHECK(loaded.keys(1).empty());
    CHECK(loaded.keys(2) == Keys{"a", "b", "c", "d", "e"});
    CHECK_FALSE(loaded.group(2).overflows);
    CHECK(open.scan(down, {1}).keys(0) == Keys{"e", "b", "c", "d", "a"});
  });
}

TEST_CASE("scan: a bounded collection tells of overflow [3.6]") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape shape = items_by({});
    Loaded loaded = open.scan(shape, {1, 2}, Open::whole(3));
    CHECK(loaded.keys(0) == Keys{"a", "b", "c"});
    CHECK(loaded.group(0).overflows);
    CHECK(loaded.keys(1) == Keys{"z"});
    CHECK_FALSE(loaded.group(1).overflows);
    CHECK_FALSE(open.scan(shape, {1}, Open::whole(5)).group(0).overflows);
  });
}

TEST_CASE("scan: pages from both ends [3.6]") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    Loaded first = open.scan(shape, {1}, forward(2));
    CHECK(first.keys(0) == Keys{"a", "b"});
    CHECK_FALSE(first.group(0).has_previous);
    CHECK(first.group(0).has_next);
    CHECK(first.group(0).ties_next);  // c equals b
    Loaded last = open.scan(shape, {1}, backward(2));
    CHECK(last.keys(0) == Keys{"d", "e"});
    CHECK(last.group(0).has_previous);
    CHECK(last.group(0).ties_previous);
    CHECK_FALSE(last.group(0).has_next);
    Loaded one = open.scan(shape, {1}, forward(1));
    CHECK(one.group(0).has_next);
    CHECK_FALSE(one.group(0).ties_next);
    Loaded all = open.scan(shape, {1}, forward(5));
    CHECK_FALSE(all.group(0).has_next);
    Loaded none = open.scan(shape, {1}, forward(0));
    CHECK(none.keys(0).empty());
    CHECK(none.group(0).has_next);
  });
}

TEST_CASE("scan: behind a place that names a row by its key [decisions: keysets with ties]") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    Loaded page = open.scan(shape, {1}, forward(2, Place{{20, "b"}, true}));
    CHECK(page.keys(0) == Keys{"c", "d"});
    CHECK(page.group(0).has_previous);
    CHECK(page.group(0).ties_previous);
    CHECK(page.group(0).has_next);
    CHECK_FALSE(page.group(0).ties_next);
    Loaded before = open.scan(shape, {1}, backward(2, Place{{20, "d"}, true}));
    CHECK(before.keys(0) == Keys{"b", "c"});
    CHECK(before.group(0).has_next);
    CHECK(before.group(0).ties_next);
    CHECK(before.group(0).has_previous);
    CHECK_FALSE(before.group(0).ties_previous);
    // The row itself may have gone.
    CHECK(open.scan(shape, {1}, forward(9, Place{{20, "bb"}, true})).keys(0) == Keys{"c", "d", "e"});
    Loaded end = open.scan(shape, {1}, forward(2, Place{{30, "e"}, true}));
    CHECK(end.keys(0).empty());
    CHECK(end.group(0).has_previous);
    CHECK_FALSE(end.group(0).has_next);
  });
}

TEST_CASE("scan: a place without a key inside a group of equals starts at its first row [decisions]") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    Loaded inside = open.scan(shape, {1}, forward(2, Place{{20}}));
    CHECK(inside.keys(0) == Keys{"b", "c"});
    CHECK(inside.group(0).has_previous);
    CHECK_FALSE(inside.group(0).ties_previous);
    CHECK(open.scan(shape, {1}, backward(2, Place{{20}})).keys(0) == Keys{"c", "d"});
    // One row at the place: it is left out.
    Loaded single = open.scan(shape, {1}, forward(2, Place{{10}}));
    CHECK(single.keys(0) == Keys{"b", "c"});
    CHECK(single.group(0).has_previous);
    CHECK(open.scan(shape, {1}, backward(9, Place{{30}})).keys(0) == Keys{"a", "b", "c", "d"});
    // No row at the place.
    CHECK(open.scan(shape, {1}, forward(2, Place{{15}})).keys(0) == Keys{"b", "c"});
    CHECK(open.scan(shape, {1}, backward(2, Place{{15}})).keys(0) == Keys{"a"});
    CHECK(open.scan(shape, {1}, forward(2, Place{{5}})).keys(0) == Keys{"a", "b"});
    CHECK_FALSE(open.scan(shape, {1}, forward(2, Place{{5}})).group(0).has_previous);
    // Asked for inclusively, a single row belongs too.
    CHECK(open.scan(shape, {1}, forward(2, Place{{10}, false, true})).keys(0) == Keys{"a", "b"});
    CHECK(open.scan(shape, {1}, backward(2, Place{{30}, false, true})).keys(0) == Keys{"d", "e"});
  });
}

TEST_CASE("scan: walking page by page meets every row once, whatever the ties") {
  for_each_store([](Harness& world) {
    for (int i = 0; i < 23; ++i) {
      std::string id = "k" + std::to_string(10 + i);
      world.put("Item", item(id, 1, i % 3));
    }
    Open open(world.store());
    LoadShape shape = items_by({"rank desc"}, {"rank"});
    Keys met;
    std::optional<Place> after;
    for (int page = 0; page < 20; ++page) {
      Loaded loaded = open.scan(shape, {1}, forward(4, after));
      Keys keys = loaded.keys(0);
      met.insert(met.end(), keys.begin(), keys.end());
      if (!loaded.group(0).has_next) break;
      int64_t rank = loaded.only().rows.back().values[0].integer;
      after = Place{{Json(rank), keys.back()}, true};
    }
    CHECK(met == open.scan(shape, {1}).keys(0));
    CHECK(met.size() == 23);
  });
}

TEST_CASE("scan: around a row, clamped at the ends [3.6]") {
  for_each_store([](Harness& world) {
    for (int i = 1; i <= 7; ++i) world.put("Item", item("k" + std::to_string(i), 1, i * 10));
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    Loaded middle = open.scan(shape, {1}, around(3, Place{{40}}));
    CHECK(middle.keys(0) == Keys{"k3", "k4", "k5"});
    CHECK(middle.group(0).has_previous);
    CHECK(middle.group(0).has_next);
    CHECK(open.scan(shape, {1}, around(4, Place{{40}})).keys(0) == Keys{"k2", "k3", "k4", "k5"});
    CHECK(open.scan(shape, {1}, around(4, Place{{10}})).keys(0) == Keys{"k1", "k2", "k3", "k4"});
    CHECK(open.scan(shape, {1}, around(4, Place{{70}})).keys(0) == Keys{"k4", "k5", "k6", "k7"});
    CHECK(open.scan(shape, {1}, around(20, Place{{40}})).keys(0).size() == 7);
    CHECK(open.scan(shape, {1}, around(2, Place{{45}})).keys(0) == Keys{"k4", "k5"});
    CHECK(open.scan(shape, {1}, around(3, Place{{40, "k4"}, true})).keys(0) ==
          Keys{"k3", "k4", "k5"});
  });
}

// --- Orders ---

TEST_CASE("order: enums by declaration, what the schema does not know last [3.6]") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"mood", "Wild"}}));
    world.put("Item", item("b", 1, 1, {{"mood", "Calm"}}));
    world.put("Item", item("c", 1, 1, {{"mood", "Loud"}}));
    Open open(world.store());
    LoadShape up = items_by({"mood asc"}), down = items_by({"mood desc"});
    CHECK(open.scan(up, {1}).keys(0) == Keys{"b", "c", "a"});
    CHECK(open.scan(down, {1}).keys(0) == Keys{"a", "c", "b"});
    CHECK(open.scan(up, {1}, forward(9, Place{{"Loud"}})).keys(0) == Keys{"a"});
    CHECK(open.scan(up, {1}, backward(9, Place{{"Loud"}})).keys(0) == Keys{"b"});
  });
}

TEST_CASE("order: wide integers and decimals by value [3.5.3]") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"likes", "9"}, {"amount", "9"}}));
    world.put("Item", item("b", 1, 1, {{"likes", "10"}, {"amount", "10"}}));
    world.put("Item", item("c", 1, 1, {{"likes", "-3"}, {"amount", "-3.5"}}));
    world.put("Item", item("d", 1, 1, {{"likes", "100"}, {"amount", "9.25"}}));
    Open open(world.store());
    LoadShape likes = items_by({"likes asc"}), amount = items_by({"amount asc"});
    CHECK(open.scan(likes, {1}).keys(0) == Keys{"c", "a", "b", "d"});
    CHECK(open.scan(amount, {1}).keys(0) == Keys{"c", "a", "d", "b"});
    CHECK(open.scan(likes, {1}, forward(9, Place{{9}})).keys(0) == Keys{"b", "d"});
    CHECK(open.scan(amount, {1}, forward(9, Place{{"9"}})).keys(0) == Keys{"d", "b"});
    CHECK(open.scan(amount, {1}, backward(9, Place{{"9.25"}})).keys(0) == Keys{"c", "a"});
  });
}

TEST_CASE("order: timestamps by time, in whatever form they are stored") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"at", "2026-01-01T00:00:00Z"}}));
    world.put("Item", item("b", 1, 1, {{"at", "2026-01-01T00:00:00.5Z"}}));
    world.put("Item", item("c", 1, 1, {{"at", "2025-12-31T23:59:59Z"}}));
    world.put("Item", item("d", 1, 1, {{"at", "2026-01-01T00:00:01Z"}}));
    Open open(world.store());
    LoadShape down = items_by({"at desc"}, {"at"});
    Loaded all = open.scan(down, {1});
    CHECK(all.keys(0) == Keys{"d", "b", "a", "c"});
    CHECK(all.field(1, 0) == "2026-01-01T00:00:00.5Z");
    CHECK(open.scan(down, {1}, forward(9, Place{{"2026-01-01T00:00:00.5Z"}})).keys(0) ==
          Keys{"a", "c"});
    CHECK(open.scan(down, {1}, forward(9, Place{{"2026-01-01T00:00:00.25Z"}})).keys(0) ==
          Keys{"a", "c"});
    CHECK(open.scan(down, {1}, backward(9, Place{{"2026-01-01T00:00:00Z"}})).keys(0) ==
          Keys{"d", "b"});
  });
}

TEST_CASE("order: texts by code point, not by collation") {
  for_each_store([](Harness& world) {
    world.put("Item", item("1", 1, 1, {{"title", "b"}}));
    world.put("Item", item("2", 1, 1, {{"title", "B"}}));
    world.put("Item", item("3", 1, 1, {{"title", "a"}}));
    world.put("Item", item("4", 1, 1, {{"title", "\xc3\xa9"}}));
    Open open(world.store());
    LoadShape shape = items_by({"title asc"});
    CHECK(open.scan(shape, {1}).keys(0) == Keys{"2", "3", "1", "4"});
    CHECK(open.scan(shape, {1}, forward(9, Place{{"B"}})).keys(0) == Keys{"3", "1", "4"});
  });
}

TEST_CASE("order: uuids by their bytes") {
  for_each_store([](Harness& world) {
    const char* codes[] = {"ff000000-0000-4000-8000-000000000000", "0f000000-0000-4000-8000-000000000000",
                           "a0000000-0000-4000-8000-000000000000"};
    world.put("Item", item("a", 1, 1, {{"code", codes[0]}}));
    world.put("Item", item("b", 1, 1, {{"code", codes[1]}}));
    world.put("Item", item("c", 1, 1, {{"code", codes[2]}}));
    Open open(world.store());
    LoadShape shape = items_by({"code asc"});
    CHECK(open.scan(shape, {1}).keys(0) == Keys{"b", "c", "a"});
    CHECK(open.scan(shape, {1}, forward(9, Place{{codes[1]}})).keys(0) == Keys{"c", "a"});
  });
}

TEST_CASE("order: an absent value comes first, and a page can begin behind it") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"score", 2.5}}));
    world.put("Item", item("b", 1, 1));
    world.put("Item", item("c", 1, 1, {{"score", -1.0}}));
    world.put("Item", item("d", 1, 1));
    Open open(world.store());
    LoadShape up = items_by({"score asc"}), down = items_by({"score desc"});
    CHECK(open.scan(up, {1}).keys(0) == Keys{"b", "d", "c", "a"});
    CHECK(open.scan(down, {1}).keys(0) == Keys{"a", "c", "b", "d"});
    CHECK(open.scan(up, {1}, forward(9, Place{{nullptr, "b"}, true})).keys(0) == Keys{"d", "c", "a"});
    CHECK(open.scan(down, {1}, forward(9, Place{{-1.0, "c"}, true})).keys(0) == Keys{"b", "d"});
    CHECK(open.scan(down, {1}, backward(9, Place{{nullptr, "d"}, true})).keys(0) ==
          Keys{"a", "c", "b"});
    CHECK(open.scan(down, {1}, forward(9, Place{{nullptr}})).keys(0) == Keys{"b", "d"});
    Loaded tied = open.scan(up, {1}, forward(1));
    CHECK(tied.group(0).ties_next);
  });
}

TEST_CASE("order: several columns and directions, and a composite key behind them") {
  for_each_store([](Harness& world) {
    auto put = [&](int left, const char* right, Json label) {
      Json fields = Json::object({{"left", left}, {"right", right}, {"groupId", 1}});
      if (!label.is_null()) fields.set("label", std::move(label));
      world.put("Pair", fields);
    };
    put(2, "a", "x");
    put(1, "b", "x");
    put(1, "a", "x");
    put(3, "a", nullptr);
    Open open(world.store());
    LoadShape shape = scan_of("Pair", {"groupId"}, {"label desc"});
    CHECK(open.scan(shape, {1}).keys(0) == Keys{"1,a", "1,b", "2,a", "3,a"});
    CHECK(open.scan(shape, {1}, forward(2, Place{{"x", 1, "a"}, true})).keys(0) == Keys{"1,b", "2,a"});
    LoadShape mixed = scan_of("Pair", {"groupId"}, {"label asc", "left desc"});
    CHECK(open.scan(mixed, {1}).keys(0) == Keys{"3,a", "2,a", "1,a", "1,b"});
    CHECK(open.scan(mixed, {1}, forward(9, Place{{"x", 1}})).keys(0) == Keys{"1,a", "1,b"});
    CHECK(open.scan(mixed, {1}, forward(9, Place{{"x", 2}})).keys(0) == Keys{"1,a", "1,b"});
  });
}

// --- What a scan matches ---

TEST_CASE("match: an absent value equals nothing, on either side") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"groupId", nullptr}}));
    world.put("Item", item("b", 1, 1));
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    Loaded loaded = open.scan(shape, {nullptr, 1});
    CHECK(loaded.keys(0).empty());
    CHECK(loaded.keys(1) == Keys{"b"});
  });
}

TEST_CASE("match: several fields, and none") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"teamId", 7}}));
    world.put("Item", item("b", 1, 2, {{"teamId", 8}}));
    world.put("Item", item("c", 2, 3, {{"teamId", 7}}));
    Open open(world.store());
    LoadShape both = scan_of("Item", {"groupId", "teamId"}, {"rank asc"});
    Loaded loaded = open.load(both, {1, 7, 2, 8}, 2, Open::whole());
    CHECK(loaded.keys(0) == Keys{"a"});
    CHECK(loaded.keys(1).empty());
    LoadShape everything = scan_of("Item", {}, {"rank desc"});
    CHECK(open.load(everything, {}, 1, Open::whole()).keys(0) == Keys{"c", "b", "a"});
    CHECK(open.load(everything, {}, 1, forward(1, Place{{2}})).keys(0) == Keys{"a"});
  });
}

TEST_CASE("match: values stored in another form are found by their wire form") {
  for_each_store([](Harness& world) {
    const char* code = "0a0b0c0d-0000-4000-8000-0000000000ff";
    for (const char* id : {"a", "b", "c"}) {
      world.put("Item", item(id, 1, 1, {{"code", code}, {"at", "2026-02-03T04:05:06Z"},
                                        {"likes", "12"}, {"amount", "0.1"}}));
    }
    Open open(world.store());
    LoadShape by_code = scan_of("Item", {"code"}, {});
    LoadShape by_time = scan_of("Item", {"at"}, {});
    LoadShape by_likes = scan_of("Item", {"likes"}, {});
    LoadShape by_amount = scan_of("Item", {"amount"}, {});
    Keys all{"a", "b", "c"};
    CHECK(open.scan(by_code, {code}).keys(0) == all);
    CHECK(open.scan(by_time, {"2026-02-03T04:05:06Z"}).keys(0) == all);
    CHECK(open.scan(by_time, {"2026-02-03T04:05:06.5Z"}).keys(0).empty());
    CHECK(open.scan(by_likes, {12}).keys(0) == all);
    CHECK(open.scan(by_amount, {"0.1"}).keys(0) == all);
  });
}

TEST_CASE("scan: many groups in one load, some of them twice") {
  for_each_store([](Harness& world) {
    for (int group = 0; group < 60; ++group) {
      for (int i = 0; i < 3; ++i) {
        world.put("Item", item("g" + std::to_string(group) + "i" + std::to_string(i), group, i));
      }
    }
    Open open(world.store());
    LoadShape shape = items_by({"rank desc"});
    std::vector<Json> groups;
    for (int group = 0; group < 60; ++group) groups.push_back(59 - group);
    groups.push_back(3);
    Loaded loaded = open.scan(shape, groups, forward(2));
    for (size_t i = 0; i < 60; ++i) {
      std::string prefix = "g" + std::to_string(59 - i);
      CHECK(loaded.keys(i) == Keys{prefix + "i2", prefix + "i1"});
    }
    CHECK(loaded.keys(60) == Keys{"g3i2", "g3i1"});
  });
}

// --- Gates, totals, aggregates ---

TEST_CASE("gate: rows that fail do not count for pages, bounds or totals [dependencies 7]") {
  for_each_store([](Harness& world) {
    for (int i = 0; i < 6; ++i) {
      world.put("Item", item("k" + std::to_string(i), 1, i, {{"teamId", i % 2}}));
    }
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    shape.gate.all_of.push_back({.field = contract_schema()->find_entity("Item")->find_field("teamId"),
                                 .hidden_column = "",
                                 .claim = 0,
                                 .any_of = {}});
    Window page = At(Window::Kind::Forward, 2, {}, true);
    Loaded loaded = open.scan(shape, {1}, page, {Json(1)});
    CHECK(loaded.keys(0) == Keys{"k1", "k3"});
    CHECK(loaded.group(0).has_next);
    CHECK(loaded.group(0).total == 3);
    CHECK(open.scan(shape, {1}, Open::whole(3), {Json(0)}).group(0).overflows == false);
    CHECK(open.scan(shape, {1}, page, {Json()}).keys(0).empty());
    CHECK(open.scan(shape, {1}, page, {Json()}).group(0).total == 0);
    shape.id = store::next_shape_id();
    shape.gate.denied = true;
    CHECK(open.scan(shape, {1}, page, {Json(1)}).keys(0).empty());
  });
}

TEST_CASE("gate: an owner column that the schema does not declare") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1));
    world.put("Item", item("b", 1, 2));
    world.set_owner("Item", Json::object({{"id", "b"}}), "ada");
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"}, {"rank"});
    shape.hidden_owner_column = "owner_id";
    Loaded all = open.scan(shape, {1});
    CHECK(all.field(0, 1) == "null");
    CHECK(all.field(1, 1) == "ada");
    shape.id = store::next_shape_id();
    shape.gate.all_of.push_back(
        {.field = store::kNone, .hidden_column = "owner_id", .claim = 0, .any_of = {}});
    CHECK(open.scan(shape, {1}, Open::whole(), {"ada"}).keys(0) == Keys{"b"});
    CHECK(open.scan(shape, {1}, Open::whole(), {"bob"}).keys(0).empty());
  });
}

TEST_CASE("totals count the whole group, at any page [3.6]") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape shape = items_by({"rank asc"});
    Loaded loaded = open.scan(shape, {1, 2, 3}, At(Window::Kind::Forward, 1, Place{{20, "b"}, true}, true));
    CHECK(loaded.group(0).total == 5);
    CHECK(loaded.group(1).total == 1);
    CHECK(loaded.group(2).total == 0);
    CHECK_FALSE(open.scan(shape, {1}).group(0).total.has_value());
  });
}

TEST_CASE("aggregates: count, sum, min and max a group [3.7]") {
  using Function = schema::Dependency::Function;
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 5, {{"amount", "0.1"}, {"likes", "9"}, {"mood", "Wild"}}));
    world.put("Item", item("b", 1, -7, {{"amount", "0.2"}, {"likes", "10"}, {"score", 1.5}}));
    world.put("Item", item("c", 2, 1));
    Open open(world.store());
    auto aggregate = [&](Function function, const char* field) {
      LoadShape shape = items_by({});
      shape.kind = LoadShape::Kind::Aggregate;
      shape.function = function;
      if (field != nullptr) {
        shape.aggregate_field = contract_schema()->find_entity("Item")->find_field(field);
      }
      Loaded loaded = open.load(shape, {1, 3}, 2);
      Keys texts;
      for (const store::Value& value : loaded.only().aggregates) {
        std::string text;
        store::append_key_text(text, value);
        texts.push_back(value.is_null() ? "null" : text);
      }
      return texts;
    };
    CHECK(aggregate(Function::Count, nullptr) == Keys{"2", "0"});
    CHECK(aggregate(Function::Sum, "rank") == Keys{"-2", "0"});
    CHECK(aggregate(Function::Sum, "amount") == Keys{"0.3", "0"});
    CHECK(aggregate(Function::Sum, "likes") == Keys{"19", "0"});
    CHECK(aggregate(Function::Min, "likes") == Keys{"9", "null"});
    CHECK(aggregate(Function::Max, "likes") == Keys{"10", "null"});
    CHECK(aggregate(Function::Max, "mood") == Keys{"Wild", "null"});
    CHECK(aggregate(Function::Max, "score") == Keys{"1.5", "null"});
    CHECK(aggregate(Function::Min, "rank") == Keys{"-7", "null"});
  });
}

// --- Computed fields, hooks, links ---

TEST_CASE("computed: a field with arguments, twice with different ones") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1));
    Open open(world.store());
    LoadShape shape = keys_of("Item", {"rank"});
    store::FieldIndex field = contract_schema()->find_entity("Item")->find_field("tagged");
    shape.computed.push_back({.field = field, .arguments = {0, 1}});
    shape.computed.push_back({.field = field, .arguments = {2, 1}});
    Loaded loaded = open.load(shape, {"a"}, 1, {}, {"x-", 2, "y"});
    REQUIRE(!loaded.only().error);
    CHECK(loaded.field(0, 0) == "1");
    CHECK(loaded.field(0, 1) == "x-x-a");
    CHECK(loaded.field(0, 2) == "yya");
    CHECK(open.snapshot().computed_reads(shape.entity, field) != nullptr);
  });
}

namespace {

LoadShape root_shape(std::string_view name, std::vector<std::string_view> targets) {
  LoadShape shape;
  shape.id = store::next_shape_id();
  shape.kind = LoadShape::Kind::Root;
  shape.loader = std::string(name);
  const schema::Root* root = contract_schema()->find_root(name);
  shape.root = static_cast<uint32_t>(root - contract_schema()->roots.data());
  for (std::string_view target : targets) {
    shape.targets.push_back(contract_schema()->entity_index(target));
    const schema::Entity& entity = *contract_schema()->find_entity(target);
    shape.target_fields.push_back({entity.find_field("groupId")});
  }
  return shape;
}

}  // namespace

TEST_CASE("roots: a hook gives rows of several types") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1, {{"title", "needle"}}));
    world.put("Item", item("b", 2, 1, {{"title", "hay"}}));
    world.put("Pair", Json::object({{"left", 1}, {"right", "x"}, {"groupId", 3}, {"label", "a needle"}}));
    Open open(world.store());
    LoadShape shape = root_shape("search", {"Item", "Pair"});
    shape.arguments = {0};
    Loaded loaded = open.load(shape, {}, 1, Open::whole(10), {"needle"});
    REQUIRE(!loaded.only().error);
    CHECK(loaded.keys(0) == Keys{"a", "1,x"});
    CHECK(loaded.field(0, 0) == "1");
    CHECK(loaded.field(1, 0) == "3");
    CHECK(open.load(shape, {}, 1, Open::whole(1), {"needle"}).group(0).overflows);
    CHECK(open.load(shape, {}, 1, Open::whole(10), {"nothing"}).keys(0).empty());
    REQUIRE(open.snapshot().root_reads(shape.root) != nullptr);
    CHECK(*open.snapshot().root_reads(shape.root) == Keys{"Item", "Pair"});
  });
}

TEST_CASE("roots: a list without parameters and hook is every row") {
  for_each_store([](Harness& world) {
    put_ties(world);
    Open open(world.store());
    LoadShape shape = root_shape("everything", {"Item"});
    Keys keys = open.load(shape, {}, 1, Open::whole(100)).keys(0);
    std::sort(keys.begin(), keys.end());
    CHECK(keys == Keys{"a", "b", "c", "d", "e", "z"});
    CHECK(open.load(shape, {}, 1, Open::whole(3)).group(0).overflows);
  });
}

TEST_CASE("links that no member declares") {
  for_each_store([](Harness& world) {
    world.put("Group", Json::object({{"id", 1}, {"name", "one"}}));
    world.put("Item", item("a", 9, 1));
    world.put("Item", item("b", 9, 2));
    world.put("Pair", Json::object({{"left", 1}, {"right", "x"}, {"groupId", 3}}));
    world.link_things(1, {{"Item", Json::object({{"id", "b"}})},
                          {"Pair", Json::object({{"left", 1}, {"right", "x"}})}});
    Open open(world.store());
    for (const char* target : {"Item", "Pair"}) {
      LoadShape shape = scan_of(target, {}, {});
      shape.hidden_link = "Group.things";
      shape.owner = contract_schema()->entity_index("Group");
      Loaded loaded = open.scan(shape, {1, 2});
      CHECK(loaded.keys(0) == Keys{std::string(target) == "Item" ? "b" : "1,x"});
      CHECK(loaded.keys(1).empty());
    }
  });
}

// --- Snapshots ---

TEST_CASE("snapshot: a writer's commit in between is not seen, and moves the token [13.2]") {
  for_each_store([](Harness& world) {
    if (world.name() != "memory" && world.name() != "sqlite") return;
    world.put("Item", item("a", 1, 1));
    auto before = std::make_unique<Open>(world.store());
    LoadShape shape = items_by({"rank asc"}, {"rank"});
    CHECK(before->scan(shape, {1}).keys(0) == Keys{"a"});
    auto same = std::make_unique<Open>(world.store());
    CHECK(same->snapshot().token() == before->snapshot().token());
    uint64_t counter = world.store().change_counter().value();
    CHECK(world.store().change_counter().value() == counter);
    same.reset();
    // A rollback journal has no room for a writer beside a reader.
    bool is_wal = true;
    if (!is_memory(world)) is_wal = before->snapshot().token().epoch > 0;
    if (is_wal) {
      world.put("Item", item("b", 1, 2));
      CHECK(before->scan(shape, {1}).keys(0) == Keys{"a"});
    }
    Open after(world.store());
    CHECK(after.scan(shape, {1}).keys(0) == Keys{"a", "b"});
    CHECK(after.snapshot().token() > before->snapshot().token());
    CHECK(world.store().change_counter().value() > counter);
    CHECK(before->scan(shape, {1}).keys(0) == Keys{"a"});
  });
}

TEST_CASE("versions: a write changes them, reads of any projection agree [10.2]") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1));
    world.put("Item", item("b", 1, 1));
    LoadShape narrow = keys_of("Item", {"rank"}), wide = keys_of("Item", {"title", "at", "rank"});
    LoadShape scan = items_by({"rank asc"});
    std::string version;
    {
      Open open(world.store());
      Loaded loaded = open.load(narrow, {"a", "b"}, 2);
      version = loaded.only().rows[0].version;
      CHECK(!version.empty());
      CHECK(open.load(wide, {"a"}, 1).only().rows[0].version == version);
      CHECK(open.scan(scan, {1}).only().rows[0].version == version);
      CHECK(loaded.only().rows[1].version != version);
    }
    world.put("Item", item("a", 1, 1, {{"title", "changed"}}));
    Open open(world.store());
    CHECK(open.load(narrow, {"a"}, 1).only().rows[0].version != version);
    CHECK(open.snapshot().has_versions() == is_memory(world));
  });
}

TEST_CASE("snapshot: rows written after the store was opened, in forms that it had not seen") {
  for_each_store([](Harness& world) {
    LoadShape shape = items_by({"at desc"}, {"at"});
    { Open open(world.store()); }  // the forms of an empty table
    world.put("Item", item("a", 1, 1, {{"at", "2026-01-01T00:00:00Z"}}));
    world.put("Item", item("b", 1, 1, {{"at", "2026-01-02T00:00:00Z"}}));
    world.put("Item", item("c", 1, 1, {{"at", "2026-01-03T00:00:00.25Z"}}));
    Open open(world.store());
    CHECK(open.scan(shape, {1}).keys(0) == Keys{"c", "b", "a"});
    CHECK(open.scan(shape, {1}, forward(1, Place{{"2026-01-03T00:00:00.25Z"}})).keys(0) == Keys{"b"});
    CHECK(open.scan(shape, {1}, forward(1, Place{{"2026-01-02T00:00:00Z"}})).keys(0) == Keys{"a"});
  });
}

TEST_CASE("floors: the token itself where nothing bounds them, else the last write to a key [10.2]") {
  for_each_store([](Harness& world) {
    world.put("Item", item("a", 1, 1));
    store::Token first = Open(world.store()).snapshot().token();
    world.put("Item", item("b", 2, 1));
    Open open(world.store());
    std::vector<std::string> keys = {"Item:a"};
    store::Token floor = open.snapshot().floor(keys);
    CHECK(floor == (is_memory(world) ? first : open.snapshot().token()));
    keys = {"Item:a", "Group.byRank:2"};
    CHECK(open.snapshot().floor(keys) == open.snapshot().token());
  });
}

}  // namespace lattice::testing
