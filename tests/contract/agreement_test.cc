// Random rows and random windows: every store answers as the memory store does.
#include <doctest/doctest.h>

#include <cstdlib>

#include "base/random.h"
#include "contract/harness.h"

namespace lattice::testing {

using store::LoadShape;
using store::Window;

namespace {

uint64_t seed() {
  if (const char* given = std::getenv("LATTICE_SEED")) return std::strtoull(given, nullptr, 10);
  return 20261201;
}

// Few distinct values, so that ties and equal boundaries are common.
Json random_item(SeededRandom& random, size_t number) {
  constexpr const char* kMoods[] = {"Calm", "Loud", "Wild"};
  constexpr const char* kTimes[] = {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z",
                                    "2026-01-01T00:00:01Z", "2025-06-30T12:00:00.125Z"};
  constexpr const char* kAmounts[] = {"0", "-1.5", "10", "9.75", "100"};
  constexpr const char* kTitles[] = {"a", "B", "b", "ab", "\xc3\xa9"};
  std::string id = "i" + std::to_string(number);
  Json score = random.below(3) == 0 ? Json() : Json(static_cast<double>(random.below(3)) / 2);
  std::string code = "00000000-0000-4000-8000-00000000000" + std::to_string(random.below(4));
  Json group = random.below(8) == 0 ? Json() : Json(static_cast<int64_t>(random.below(3)));
  return item(id, 0, static_cast<int>(random.below(5)) - 2,
              {{"groupId", group},
               {"score", score},
               {"mood", kMoods[random.below(3)]},
               {"at", kTimes[random.below(4)]},
               {"amount", kAmounts[random.below(5)]},
               {"likes", std::to_string(static_cast<int64_t>(random.below(30)) - 9)},
               {"code", code},
               {"title", kTitles[random.below(5)]},
               {"teamId", static_cast<int64_t>(random.below(2))}});
}

LoadShape random_shape(SeededRandom& random) {
  constexpr const char* kColumns[] = {"rank", "score", "mood", "at", "amount", "likes", "code", "title",
                                      "id"};
  std::vector<std::string> order;
  size_t first = random.below(9);
  for (size_t i = 0; i < random.below(3); ++i) {
    order.push_back(std::string(kColumns[(first + i) % 9]) + (random.below(2) ? " desc" : " asc"));
  }
  LoadShape shape = items_by(order);
  if (random.below(3) == 0) {
    shape.gate.all_of.push_back({.field = contract_schema()->find_entity("Item")->find_field("teamId"),
                                 .hidden_column = "",
                                 .claim = 0,
                                 .any_of = {}});
  }
  return shape;
}

// A place at (or just beside) some row.
std::optional<Place> random_place(SeededRandom& random, const LoadShape& shape,
                                  const std::vector<Json>& rows) {
  if (random.below(4) == 0 || shape.keyset_size == 0) return std::nullopt;
  const Json& row = rows[random.below(rows.size())];
  const schema::Entity& entity = contract_schema()->entities[shape.entity];
  Place place;
  for (uint32_t i = 0; i < shape.keyset_size; ++i) {
    const std::string& name = entity.fields[shape.order[i].field].name;
    const Json* value = row.find(name);
    bool is_wide = name == "likes" && value != nullptr;
    place.values.push_back(is_wide ? Json(int64_t{std::stoll(value->as_string())})
                                   : (value ? *value : Json()));
  }
  place.has_key = random.below(2) == 0;
  if (place.has_key) place.values.push_back(*row.find("id"));
  place.is_inclusive = !place.has_key && random.below(3) == 0;
  return place;
}

At random_window(SeededRandom& random, const LoadShape& shape, const std::vector<Json>& rows) {
  auto limit = static_cast<uint32_t>(random.below(7));
  bool total = random.below(3) == 0;
  switch (random.below(4)) {
    case 0:
      return At(Window::Kind::All, limit + 1, {}, total);
    case 1:
      return At(Window::Kind::Backward, limit, random_place(random, shape, rows), total);
    case 2: {
      auto place = random_place(random, shape, rows);
      if (place) place->is_inclusive = false;
      return At(Window::Kind::Around, limit, place, total);
    }
    default:
      return At(Window::Kind::Forward, limit, random_place(random, shape, rows), total);
  }
}

std::string describe(const Loaded& loaded) {
  std::string text;
  for (size_t g = 0; g < loaded.only().groups.size(); ++g) {
    const store::Group& group = loaded.group(g);
    text += "[";
    for (const std::string& key : loaded.keys(g)) text += key + " ";
    text += "]";
    if (group.has_previous) text += " previous";
    if (group.has_next) text += " next";
    if (group.overflows) text += " overflows";
    if (group.ties_previous) text += " ties-previous";
    if (group.ties_next) text += " ties-next";
    if (group.total) text += " of " + std::to_string(*group.total);
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("every store answers random scans as the memory store does") {
  MESSAGE("seed " << seed() << " (LATTICE_SEED)");
  for (uint64_t round = 0; round < 6; ++round) {
    SeededRandom random(seed() + round);
    std::vector<Json> rows;
    for (size_t i = 0; i < 12 + random.below(20); ++i) rows.push_back(random_item(random, i));
    std::vector<std::unique_ptr<Harness>> worlds;
    for (const Factory& factory : factories()) worlds.push_back(factory.make());
    for (auto& world : worlds) {
      for (const Json& row : rows) world->put("Item", row);
    }
    for (int i = 0; i < 60; ++i) {
      LoadShape shape = random_shape(random);
      At window = random_window(random, shape, rows);
      std::vector<Json> frame = {Json(static_cast<int64_t>(random.below(2)))};
      Open reference(worlds.front()->store());
      std::string expected = describe(reference.scan(shape, {0, 1, 2, 9}, window, frame));
      for (size_t w = 1; w < worlds.size(); ++w) {
        INFO("round ", round, ", scan ", i, ", store ", factories()[w].name);
        Open open(worlds[w]->store());
        CHECK(describe(open.scan(shape, {0, 1, 2, 9}, window, frame)) == expected);
      }
    }
  }
}

}  // namespace lattice::testing
