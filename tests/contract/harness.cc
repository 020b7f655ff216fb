#include "contract/harness.h"

#include <algorithm>

#include "contract/sqlite_harness.h"
#include "store/memory/memory.h"

namespace lattice::testing {

using store::LoadShape;
using store::Value;
using store::Window;

namespace {

constexpr std::string_view kSchema = R"(schema contract.example

enum Mood open = Calm | Loud | Wild

claims {
  team: I32
}

entity Group by id {
  visible to all by default
  id:   I32
  name: Text
  has many byRank:   Item by groupId ordered by rank desc page 3 max 50
  has many byScore:  Item by groupId ordered by score asc page 3 max 50
  has many byMood:   Item by groupId ordered by mood asc page 3 max 50
  has many byAt:     Item by groupId ordered by at desc page 3 max 50
  has many byAmount: Item by groupId ordered by amount asc page 3 max 50
  has many byLikes:  Item by groupId ordered by likes desc page 3 max 50
  has many byCode:   Item by groupId ordered by code asc page 3 max 50
  has many byTitle:  Item by groupId ordered by title asc page 3 max 50
  has many pairs:    Pair by groupId ordered by label asc page 3 max 50
  has many things:   (Item | Pair) by boxId max 50
}

entity Item by id {
  visible to all by default
  id:      Text
  groupId: I32?
  teamId:  I32
  rank:    I32
  score:   F64?
  mood:    Mood
  at:      Timestamp
  amount:  Decimal
  likes:   I64
  code:    Uuid
  title:   Text
  tags:    [Text]
  flag:    Bool
  tagged(prefix: Text, times: I32 = 1): Text
}

entity Pair by (left, right) {
  visible to all by default
  left:    I32
  right:   Text
  groupId: I32
  label:   Text?
}

get item(id: Text) of Item public
list search(text: Text) of (Item | Pair) ordered by groupId asc page 10 max 50 public
list everything of Item ordered by rank asc page 10 max 50 public
list team of Item by teamId ordered by rank asc page 10 max 50 visible when caller.team = teamId
)";

const schema::Entity& entity_of(std::string_view name) {
  const schema::Entity* entity = contract_schema()->find_entity(name);
  REQUIRE(entity != nullptr);
  return *entity;
}

store::FieldIndex field_of(const schema::Entity& entity, std::string_view name) {
  store::FieldIndex field = entity.find_field(name);
  REQUIRE_MESSAGE(field != store::kNone, std::string(name));
  return field;
}

class MemoryHarness final : public Harness {
 public:
  MemoryHarness() : store_(contract_schema()) {
    store_.add_field("Item", "tagged", [](const Json& fields, const Json& arguments) {
      std::string text;
      for (int64_t i = 0; i < arguments.find("times")->as_int64(); ++i) {
        text += arguments.find("prefix")->as_string();
      }
      return Json(text + fields.find("id")->as_string());
    });
    auto search = [](const store::MemoryView& view, const Json& arguments) {
      std::vector<std::string> refs;
      const std::string& text = arguments.find("text")->as_string();
      for (const auto& row : view.rows("Item")) {
        if (row.fields.find("title")->as_string().find(text) != std::string::npos) {
          refs.push_back(row.ref);
        }
      }
      for (const auto& row : view.rows("Pair")) {
        const Json* label = row.fields.find("label");
        if (label != nullptr && label->as_string().find(text) != std::string::npos) {
          refs.push_back(row.ref);
        }
      }
      return Result<std::vector<std::string>>(std::move(refs));
    };
    store_.add_root("search", search, std::vector<std::string>{"Item", "Pair"});
  }
  std::string name() const override { return "memory"; }
  void put(std::string_view entity, const Json& fields) override {
    auto done = store_.put(entity, fields);
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
  }
  void remove(std::string_view entity, const Json& key) override {
    REQUIRE(store_.remove(ref(entity, key)).has_value());
  }
  void set_owner(std::string_view entity, const Json& key, std::string_view owner) override {
    REQUIRE(store_.set_hidden(ref(entity, key), "owner_id", std::string(owner)).has_value());
  }
  void link_things(int group, const std::vector<std::pair<std::string, Json>>& members) override {
    std::vector<std::string> refs;
    for (const auto& [entity, key] : members) refs.push_back(ref(entity, key));
    REQUIRE(store_.link("things", "Group:" + std::to_string(group), refs).has_value());
  }
  store::Store& store() override { return store_; }

 private:
  static std::string ref(std::string_view entity, const Json& key) {
    std::string text(entity);
    char separator = ':';
    for (const std::string& name : entity_of(entity).key) {
      Arena arena;
      text += separator;
      store::append_key_text(text, value_of(*key.find(name), arena));
      separator = ',';
    }
    return text;
  }
  store::MemoryStore store_;
};

}  // namespace

const schema::SchemaPtr& contract_schema() {
  static const schema::SchemaPtr schema = [] {
    auto loaded = schema::load_schema(kSchema);
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
    return *loaded;
  }();
  return schema;
}

// --- Loads ---

Value value_of(const Json& json, Arena& arena) {
  if (json.is_bool()) return Value::of_bool(json.as_bool());
  if (json.is_int64()) return Value::of_int(json.as_int64());
  if (json.is_double()) return Value::of_double(json.as_double());
  if (json.is_string()) return Value::of_text(arena.copy(json.as_string()));
  return {};
}

Keys Loaded::keys(size_t group) const {
  Keys keys;
  const store::Group& wanted = only().groups.at(group);
  for (uint32_t i = wanted.first; i < wanted.first + wanted.count; ++i) {
    const store::Row& row = only().rows.at(i);
    std::string text;
    size_t size = contract_schema()->entities[row.entity].key.size();
    for (size_t k = 0; k < size; ++k) {
      if (k > 0) text += ',';
      store::append_key_text(text, row.key[k]);
    }
    keys.push_back(std::move(text));
  }
  return keys;
}

std::string Loaded::field(size_t row, size_t index) const {
  const Value& value = only().rows.at(row).values[index];
  if (value.is_null()) return "null";
  if (value.kind == Value::Kind::Invalid) return "invalid";
  std::string text;
  store::append_key_text(text, value);
  return text;
}

Open::Open(store::Store& store) {
  auto opened = store.open_snapshot().run_ready();
  REQUIRE_MESSAGE(opened.has_value(), (opened ? "" : opened.error().message));
  snapshot_ = std::move(*opened);
}

Window Open::whole(uint32_t limit) {
  Window window;
  window.limit = limit;
  return window;
}

Loaded Open::load(const LoadShape& shape, const std::vector<Json>& keys, uint32_t count,
                  Window window, const std::vector<Json>& frame) {
  Loaded loaded;
  loaded.shape = &shape;
  loaded.arena = std::make_shared<Arena>();
  Arena inputs;  // what the request points to may go when load returns
  std::vector<Value> key_values, frame_values;
  for (const Json& key : keys) key_values.push_back(value_of(key, inputs));
  for (const Json& slot : frame) frame_values.push_back(value_of(slot, inputs));
  store::LoadRequest request{.shape = &shape,
                             .frame = frame_values,
                             .keys = key_values,
                             .count = count,
                             .window = window};
  auto results = snapshot_->load({&request, 1}, *loaded.arena).run_ready();
  REQUIRE_MESSAGE(results.has_value(), (results ? "" : results.error().message));
  loaded.results = std::move(*results);
  return loaded;
}

Loaded Open::scan(const LoadShape& shape, const std::vector<Json>& groups, Window window,
                  const std::vector<Json>& frame) {
  Loaded loaded = load(shape, groups, static_cast<uint32_t>(groups.size()), window, frame);
  REQUIRE_MESSAGE(!loaded.only().error, loaded.only().error->message);
  return loaded;
}

// --- Shapes ---

namespace {

void set_fields(LoadShape& shape, const schema::Entity& entity, const std::vector<std::string>& fields) {
  shape.id = store::next_shape_id();
  shape.entity = contract_schema()->entity_index(entity.name);
  for (const std::string& field : fields) shape.fields.push_back(field_of(entity, field));
}

}  // namespace

LoadShape keys_of(std::string_view name, const std::vector<std::string>& fields) {
  LoadShape shape;
  shape.kind = LoadShape::Kind::Keys;
  shape.loader = std::string(name) + " by key";
  set_fields(shape, entity_of(name), fields);
  return shape;
}

LoadShape scan_of(std::string_view name, const std::vector<std::string>& match,
                  const std::vector<std::string>& order, const std::vector<std::string>& fields) {
  const schema::Entity& entity = entity_of(name);
  LoadShape shape;
  shape.kind = LoadShape::Kind::Scan;
  shape.loader = std::string(name) + " via test";
  set_fields(shape, entity, fields);
  for (const std::string& field : match) shape.match.push_back(field_of(entity, field));
  auto add = [&](const std::string& field, bool descending) {
    shape.order.push_back({field_of(entity, field), descending});
  };
  for (const std::string& column : order) {
    size_t space = column.find(' ');
    add(column.substr(0, space), space != std::string::npos && column.substr(space + 1) == "desc");
  }
  shape.keyset_size = static_cast<uint32_t>(shape.order.size());
  for (const std::string& key : entity.key) {
    store::FieldIndex field = field_of(entity, key);
    bool known = std::any_of(shape.order.begin(), shape.order.end(),
                             [&](const auto& o) { return o.field == field; });
    if (!known) add(key, false);
  }
  return shape;
}

LoadShape items_by(const std::vector<std::string>& order, const std::vector<std::string>& fields) {
  return scan_of("Item", {"groupId"}, order, fields);
}

// --- Windows ---

At::At(Window::Kind kind, uint32_t limit, std::optional<Place> place, bool total) {
  window_.kind = kind;
  window_.limit = limit;
  window_.wants_total = total;
  if (!place) return;
  has_place_ = true;
  place_ = std::move(*place);
  for (const Json& value : place_.values) values_.push_back(value_of(value, *arena_));
}

At::operator Window() const {
  Window window = window_;
  if (has_place_) {
    window.boundary = store::Boundary{
        .values = values_, .has_key = place_.has_key, .is_inclusive = place_.is_inclusive};
  }
  return window;
}

At forward(uint32_t limit, std::optional<Place> after) {
  return At(Window::Kind::Forward, limit, std::move(after));
}
At backward(uint32_t limit, std::optional<Place> before) {
  return At(Window::Kind::Backward, limit, std::move(before));
}
At around(uint32_t limit, Place anchor) {
  return At(Window::Kind::Around, limit, std::move(anchor));
}

// --- Worlds ---

const std::vector<Factory>& factories() {
  static const std::vector<Factory> all = {
      {"memory", [] { return std::make_unique<MemoryHarness>(); }},
      {"sqlite", [] { return make_sqlite_harness({}); }},
      // The same values as another program might have stored them.
      {"sqlite, other forms", [] { return make_sqlite_harness({.other_forms = true}); }},
      {"sqlite, mixed forms", [] { return make_sqlite_harness({.mixed_forms = true}); }},
      {"sqlite, rollback journal", [] { return make_sqlite_harness({.wal = false}); }},
      {"sqlite, no indexes, NOCASE", [] { return make_sqlite_harness({.plain = true}); }},
  };
  return all;
}

void for_each_store(const std::function<void(Harness&)>& body) {
  for (const Factory& factory : factories()) {
    INFO("store: ", factory.name);
    auto world = factory.make();
    body(*world);
  }
}

Json item(std::string_view id, int group, int rank, std::vector<Json::Member> more) {
  Json fields = Json::object({{"id", id},
                              {"groupId", group},
                              {"teamId", 1},
                              {"rank", rank},
                              {"mood", "Calm"},
                              {"at", "2026-01-01T00:00:00Z"},
                              {"amount", "1"},
                              {"likes", "1"},
                              {"code", "00000000-0000-4000-8000-000000000001"},
                              {"title", id},
                              {"tags", Json::array()},
                              {"flag", true}});
  for (auto& [name, value] : more) {
    if (value.is_null()) {
      fields.erase(name);
    } else {
      fields.set(name, std::move(value));
    }
  }
  return fields;
}

}  // namespace lattice::testing
