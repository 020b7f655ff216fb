#include "store/memory/memory.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/diagnostic.h"
#include "schema/value.h"
#include "store/memory/state.h"

namespace lattice::store {

namespace {

// The names that a caller may have meant.
std::string suggest(std::string_view word, const std::vector<std::string_view>& names) {
  return did_you_mean(word, names);
}

std::unexpected<Error> unknown_entity(const schema::Schema& schema, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& entity : schema.entities) names.push_back(entity.name);
  return fail(Code::BadRequest, fmt::format("no entity `{}`{}", name, suggest(name, names)));
}

std::unexpected<Error> unknown_field(const schema::Entity& entity, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& field : entity.fields) names.push_back(field.name);
  return fail(Code::BadRequest,
              fmt::format("{} has no field `{}`{}", entity.name, name, suggest(name, names)));
}

// "7,9" as the key's JSON values, one a key field.
Result<Json> parse_key(const schema::Entity& entity, std::string_view text,
                       const schema::Schema& schema) {
  Json fields = Json::object();
  for (size_t i = 0; i < entity.key.size(); ++i) {
    size_t comma = i + 1 < entity.key.size() ? text.find(',') : std::string_view::npos;
    const schema::Field& field = entity.fields[entity.find_field(entity.key[i])];
    LATTICE_TRY(Json value, schema::parse_url_value(text.substr(0, comma), field.type, schema,
                                                    entity.name + "." + field.name));
    fields.set(field.name, std::move(value));
    if (i + 1 < entity.key.size() && comma == std::string_view::npos) {
      return fail(Code::BadRequest, fmt::format("`{}` is no key of {}: expected {} values", text,
                                                entity.name, entity.key.size()));
    }
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return fields;
}

}  // namespace

// --- State ---

MemoryModel::MemoryModel(schema::SchemaPtr from) : schema(std::move(from)) {
  for (const schema::Entity& entity : schema->entities) {
    EntityModel model;
    for (const schema::Field& field : entity.fields) {
      model.types.push_back(scalar_type(field.type, *schema));
    }
    for (const std::string& key : entity.key) model.key.push_back(entity.find_field(key));
    entities.push_back(std::move(model));
  }
}

std::vector<MemoryView::Item> MemoryView::rows(std::string_view entity) const {
  std::vector<Item> items;
  EntityIndex index = schema_.entity_index(entity);
  if (index == kNone) return items;
  for (const auto& [key, row] : state_.tables[index]->rows)
    items.push_back({row->ref, row->fields});
  return items;
}

std::optional<MemoryView::Item> MemoryView::find(std::string_view ref) const {
  const StoredRow* row = state_.find(schema_, ref);
  if (row == nullptr) return std::nullopt;
  return Item{row->ref, row->fields};
}

const StoredRow* MemoryState::find(const schema::Schema& schema, std::string_view ref) const {
  size_t colon = ref.find(':');
  if (colon == std::string_view::npos) return nullptr;
  EntityIndex entity = schema.entity_index(ref.substr(0, colon));
  if (entity == kNone) return nullptr;
  auto found = tables[entity]->rows.find(std::string(ref.substr(colon + 1)));
  return found == tables[entity]->rows.end() ? nullptr : found->second.get();
}

// --- Writing ---

MemoryStore::Impl::Impl(schema::SchemaPtr schema, Token start)
    : model(schema), write_keys(schema), horizon(start) {
  auto state = std::make_shared<MemoryState>();
  state->token = start;
  for (size_t i = 0; i < schema->entities.size(); ++i) {
    state->tables.push_back(std::make_shared<MemoryTable>());
  }
  current = std::move(state);
}

std::shared_ptr<const MemoryState> MemoryStore::Impl::read() const {
  std::lock_guard lock(current_mutex);
  return current;
}

Result<Token> MemoryStore::Impl::write(const std::function<Result<void>(MemoryState&)>& change) {
  std::lock_guard lock(write_mutex);
  if (pending) {  // inside commit(): its token, its fate
    LATTICE_TRY_VOID(change(*pending));
    return pending->token;
  }
  pending = std::make_unique<MemoryState>(*read());
  pending->token.count += 1;
  pending_keys.clear();
  writable.assign(model.entities.size(), nullptr);
  auto done = change(*pending);
  std::shared_ptr<const MemoryState> next = std::move(pending);
  pending = nullptr;
  if (!done) return fail(std::move(done.error()));
  {
    // The keys are known before the state is: a floor is complete up to every token that is seen.
    std::lock_guard history_lock(history_mutex);
    for (const std::string& key : pending_keys) {
      std::vector<uint64_t>& counts = history[key];
      if (counts.empty() || counts.back() != next->token.count) counts.push_back(next->token.count);
    }
  }
  std::lock_guard current_lock(current_mutex);
  current = next;
  return next->token;
}

MemoryTable& MemoryStore::Impl::table(MemoryState& state, EntityIndex entity) {
  if (writable[entity] == nullptr) {
    auto copy = std::make_shared<MemoryTable>(*state.tables[entity]);
    writable[entity] = copy.get();
    state.tables[entity] = std::move(copy);
  }
  return *writable[entity];
}

// What a write to the row emits, with the ranges of links that no member declares.
void MemoryStore::Impl::note_write(const MemoryState& state, EntityIndex entity,
                                   const StoredRow* before, const StoredRow* after) {
  RowImage images[2];
  if (before != nullptr) images[0] = {before->key.data(), before->values.data()};
  if (after != nullptr) images[1] = {after->key.data(), after->values.data()};
  write_keys.append(pending_keys, entity, before ? &images[0] : nullptr,
                    after ? &images[1] : nullptr);
  const std::string& ref = before != nullptr ? before->ref : after->ref;
  for (const auto& [relationship, owners] : *state.links) {
    for (const auto& [owner, members] : owners) {
      if (std::find(members.begin(), members.end(), ref) == members.end()) continue;
      note_link(relationship, owner);
    }
  }
}

void MemoryStore::Impl::note_link(std::string_view relationship, std::string_view owner) {
  size_t colon = owner.find(':');
  const schema::Entity* entity = model.schema->find_entity(owner.substr(0, colon));
  if (entity == nullptr || colon == std::string_view::npos) return;
  schema::EdgeIndex edge = entity->find_relationship(relationship);
  if (edge == kNone || !entity->relationships[edge].collection) return;
  const std::string& name = entity->relationships[edge].collection->name;
  std::string key = name + ":";
  append_key_bytes(key, owner.substr(colon + 1));
  pending_keys.push_back(std::move(key));
  pending_keys.push_back(name + ":*");
}

Result<std::shared_ptr<StoredRow>> MemoryStore::Impl::make_row(EntityIndex entity,
                                                               const Json& fields) const {
  const schema::Entity& declared = model.schema->entities[entity];
  const EntityModel& types = model.entities[entity];
  auto row = std::make_shared<StoredRow>();
  row->values.resize(declared.fields.size());
  row->fields = Json::object();
  if (!fields.is_object()) {
    return fail(Code::BadRequest, fmt::format("{}: expected an object of fields", declared.name));
  }
  for (const auto& [name, json] : fields.as_object()) {
    FieldIndex field = declared.find_field(name);
    if (field == kNone || !declared.fields[field].arguments.empty()) {
      return unknown_field(declared, name);
    }
    if (json.is_null()) continue;
    row->values[field] = value_of_json(json, types.types[field], *model.schema, row->arena);
    row->fields.set(name, json);
  }
  for (size_t i = 0; i < types.key.size(); ++i) {
    const Value& value = row->values[types.key[i]];
    if (value.is_null() || value.kind == Value::Kind::Invalid) {
      return fail(Code::BadRequest,
                  fmt::format("{}: the key field `{}` is missing or no {}", declared.name,
                              declared.key[i], schema::print_type(types.types[types.key[i]].type)));
    }
    row->key.push_back(value);
  }
  for (FieldIndex f = 0; f < declared.fields.size(); ++f) {
    bool is_required = declared.fields[f].is_stored() && !types.types[f].is_optional;
    if (is_required && row->values[f].is_null()) row->values[f] = Value::invalid();
  }
  append_key(row->key_text, row->key.data(), row->key.size());
  row->ref = declared.name + ":" + row->key_text;
  return row;
}

// A shared truth has one version: every member's row follows (§3.8).
void MemoryStore::Impl::share_version(MemoryState& state, EntityIndex entity,
                                      const StoredRow& written) {
  auto root = [&](EntityIndex e) -> const std::string& {
    const schema::Entity& declared = model.schema->entities[e];
    return declared.co_key == schema::Entity::CoKey::Refines ? declared.base : declared.name;
  };
  for (EntityIndex other = 0; other < model.entities.size(); ++other) {
    if (other == entity || root(other) != root(entity)) continue;
    auto found = state.tables[other]->rows.find(written.key_text);
    if (found == state.tables[other]->rows.end()) continue;
    auto row = make_row(other, found->second->fields);
    LATTICE_CHECK(row.has_value(), found->second->ref);
    (*row)->hidden = found->second->hidden;
    (*row)->version = written.version;
    table(state, other).rows[written.key_text] = std::move(*row);
  }
}

Result<void> MemoryStore::Impl::put_row(MemoryState& state, EntityIndex entity, const Json& fields,
                                        const std::optional<std::string>& version) {
  LATTICE_TRY(auto row, make_row(entity, fields));
  MemoryTable& rows = table(state, entity);
  std::shared_ptr<const StoredRow> before;
  if (auto found = rows.rows.find(row->key_text); found != rows.rows.end()) before = found->second;
  if (before) row->hidden = before->hidden;
  row->version = version ? *version : fmt::format("m{}", state.token.count);
  rows.tombstones.erase(row->key_text);
  rows.rows[row->key_text] = row;
  note_write(state, entity, before.get(), row.get());
  if (!version) share_version(state, entity, *row);
  return {};
}

Result<std::pair<EntityIndex, std::string>> MemoryStore::Impl::parse_ref(
    std::string_view ref) const {
  size_t colon = ref.find(':');
  std::string_view type = ref.substr(0, colon);
  EntityIndex entity = model.schema->entity_index(type);
  if (colon == std::string_view::npos || entity == kNone) {
    return unknown_entity(*model.schema, type);
  }
  return std::pair(entity, std::string(ref.substr(colon + 1)));
}

Result<void> MemoryStore::Impl::remove_row(MemoryState& state, EntityIndex entity,
                                           const std::string& key,
                                           const std::optional<std::string>& version) {
  auto found = state.tables[entity]->rows.find(key);
  if (found == state.tables[entity]->rows.end()) {
    return fail(Code::NotFound,
                fmt::format("no row {}:{}", model.schema->entities[entity].name, key));
  }
  std::shared_ptr<const StoredRow> before = found->second;
  MemoryTable& rows = table(state, entity);
  rows.rows.erase(key);
  rows.tombstones[key] = version ? *version : fmt::format("t:{}", state.token.count);
  note_write(state, entity, before.get(), nullptr);
  // A refinement cannot outlive its base.
  for (EntityIndex other = 0; other < model.entities.size(); ++other) {
    const schema::Entity& declared = model.schema->entities[other];
    bool refines = declared.co_key == schema::Entity::CoKey::Refines &&
                   declared.base == model.schema->entities[entity].name;
    if (!refines || !state.tables[other]->rows.contains(key)) continue;
    LATTICE_TRY_VOID(remove_row(state, other, key, version));
  }
  return {};
}

// --- The store ---

MemoryStore::MemoryStore(schema::SchemaPtr schema, std::string domain, Token start)
    : domain_(std::move(domain)), impl_(std::make_unique<Impl>(std::move(schema), start)) {}
MemoryStore::~MemoryStore() = default;

Result<Token> MemoryStore::put(std::string_view entity, const Json& fields,
                               std::optional<std::string> version) {
  EntityIndex index = impl_->model.schema->entity_index(entity);
  if (index == kNone) return unknown_entity(*impl_->model.schema, entity);
  return impl_->write(
      [&](MemoryState& state) { return impl_->put_row(state, index, fields, version); });
}

Result<Token> MemoryStore::update(std::string_view ref, const Json& fields) {
  return impl_->write([&](MemoryState& state) -> Result<void> {
    LATTICE_TRY(auto place, impl_->parse_ref(ref));
    const StoredRow* row = state.find(*impl_->model.schema, ref);
    if (row == nullptr) return fail(Code::NotFound, fmt::format("no row {}", ref));
    Json merged = row->fields;
    for (const auto& [name, value] : fields.as_object()) {
      if (value.is_null()) merged.erase(name);
      if (!value.is_null()) merged.set(name, value);
    }
    return impl_->put_row(state, place.first, merged, {});
  });
}

Result<Token> MemoryStore::remove(std::string_view ref, std::optional<std::string> version) {
  return impl_->write([&](MemoryState& state) -> Result<void> {
    LATTICE_TRY(auto place, impl_->parse_ref(ref));
    return impl_->remove_row(state, place.first, place.second, version);
  });
}

Result<void> MemoryStore::set_tombstone(std::string_view ref, std::string version) {
  auto done = impl_->write([&](MemoryState& state) -> Result<void> {
    LATTICE_TRY(auto place, impl_->parse_ref(ref));
    impl_->table(state, place.first).tombstones[place.second] = std::move(version);
    return {};
  });
  if (!done) return fail(std::move(done.error()));
  return {};
}

Result<Token> MemoryStore::set_hidden(std::string_view ref, std::string_view column,
                                      std::string value) {
  return impl_->write([&](MemoryState& state) -> Result<void> {
    LATTICE_TRY(auto place, impl_->parse_ref(ref));
    const StoredRow* row = state.find(*impl_->model.schema, ref);
    if (row == nullptr) return fail(Code::NotFound, fmt::format("no row {}", ref));
    LATTICE_TRY(auto changed, impl_->make_row(place.first, row->fields));
    changed->hidden = row->hidden;
    changed->hidden[std::string(column)] = std::move(value);
    changed->version = row->version;
    impl_->table(state, place.first).rows[place.second] = changed;
    impl_->note_write(state, place.first, changed.get(), changed.get());
    return {};
  });
}

Result<Token> MemoryStore::link(std::string_view relationship, std::string_view owner,
                                std::vector<std::string> members) {
  return impl_->write([&](MemoryState& state) -> Result<void> {
    LATTICE_TRY(auto place, impl_->parse_ref(owner));
    for (const std::string& member : members) LATTICE_TRY_VOID(impl_->parse_ref(member));
    auto links = std::make_shared<MemoryLinks>(*state.links);
    (*links)[std::string(relationship)][std::string(owner)] = std::move(members);
    state.links = std::move(links);
    impl_->note_link(relationship, owner);
    return {};
  });
}

Result<Token> MemoryStore::commit(const std::function<Result<void>()>& changes) {
  return impl_->write([&](MemoryState&) { return changes(); });
}

void MemoryStore::add_root(std::string_view root, RootHook hook,
                           std::optional<std::vector<std::string>> reads) {
  impl_->roots[std::string(root)] = {std::move(hook), std::move(reads)};
}

void MemoryStore::add_field(std::string_view entity, std::string_view field, FieldHook hook,
                            std::vector<std::string> reads) {
  impl_->fields[fmt::format("{}.{}", entity, field)] = {std::move(hook), std::move(reads)};
}

void MemoryStore::testing_fail_loads(std::string part, Error error) {
  std::lock_guard lock(impl_->failure_mutex);
  impl_->failures.emplace_back(std::move(part), std::move(error));
}

void MemoryStore::testing_clear_failures() {
  std::lock_guard lock(impl_->failure_mutex);
  impl_->failures.clear();
}

Token MemoryStore::token() const {
  return impl_->read()->token;
}

std::vector<std::string> MemoryStore::invalidated_since(Token since) const {
  std::lock_guard lock(impl_->history_mutex);
  std::vector<std::string> keys;
  for (const auto& [key, counts] : impl_->history) {
    if (counts.back() > since.count) keys.push_back(key);
  }
  return keys;
}

Result<uint64_t> MemoryStore::change_counter() {
  return impl_->read()->token.count;
}

LoadCounters MemoryStore::counters() const {
  return {impl_->rounds.load(), impl_->loads.load(), impl_->rows.load()};
}

// --- Data sets ---

Result<void> MemoryStore::Impl::load_rows(MemoryState& state, const Json& rows) {
  for (const auto& [type, by_key] : rows.as_object()) {
    EntityIndex entity = model.schema->entity_index(type);
    if (entity == kNone) return unknown_entity(*model.schema, type);
    for (const auto& [key, row] : by_key.as_object()) {
      LATTICE_TRY(Json fields, parse_key(model.schema->entities[entity], key, *model.schema));
      const Json* given = row.find("fields");
      const Json* version = row.find("ver");
      if (given != nullptr) {
        for (const auto& [name, value] : given->as_object()) fields.set(name, value);
      }
      std::optional<std::string> ver;
      if (version != nullptr) ver = version->as_string();
      LATTICE_TRY_VOID(put_row(state, entity, fields, ver));
    }
  }
  return {};
}

Result<Token> MemoryStore::load_dataset(const Json& dataset) {
  return impl_->write([&](MemoryState& state) -> Result<void> {
    if (const Json* rows = dataset.find("rows")) LATTICE_TRY_VOID(impl_->load_rows(state, *rows));
    if (const Json* links = dataset.find("links")) {
      for (const auto& [relationship, owners] : links->as_object()) {
        for (const auto& [owner, members] : owners.as_object()) {
          std::vector<std::string> refs;
          for (const Json& member : members.as_array()) refs.push_back(member.as_string());
          LATTICE_TRY_VOID(link(relationship, owner, std::move(refs)));
        }
      }
    }
    if (const Json* tombstones = dataset.find("tombstones")) {
      for (const auto& [type, keys] : tombstones->as_object()) {
        for (const auto& [key, version] : keys.as_object()) {
          LATTICE_TRY_VOID(set_tombstone(type + ":" + key, version.as_string()));
        }
      }
    }
    if (const Json* owners = dataset.find("owners")) {
      for (const auto& [type, by_key] : owners->as_object()) {
        if (!by_key.is_object()) continue;
        for (const auto& [key, owner] : by_key.as_object()) {
          std::string ref = type + ":" + key;
          if (state.find(*impl_->model.schema, ref) == nullptr) continue;
          LATTICE_TRY_VOID(set_hidden(ref, kDatasetOwnerColumn, owner.as_string()));
        }
      }
    }
    return {};
  });
}

}  // namespace lattice::store
