#include "store/memory/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "store/aggregate.h"
#include "store/window.h"

namespace lattice::store {

namespace {

using Rows = std::vector<const StoredRow*>;

Value copy_value(const Value& value, Arena& arena) {
  Value copy = value;
  bool is_text = value.kind == Value::Kind::Text || value.kind == Value::Kind::Json;
  if (is_text) copy.data = arena.copy(value.text()).data();
  return copy;
}

// The tuple as a look-up text; false when it holds a null, which equals nothing.
bool append_tuple(std::string& out, std::span<const Value> values) {
  for (const Value& value : values) {
    if (value.is_null() || value.kind == Value::Kind::Invalid) return false;
    append_key_text(out, value);
    out += '\0';
  }
  return true;
}

int compare_order(const MemoryModel& model, const LoadShape& shape, size_t column,
                  const Value& left, const Value& right) {
  const Ordering& ordering = shape.order[column];
  const ColumnOrder& order = model.entities[shape.entity].types[ordering.field].order;
  int sign = compare_in_order(order, left, right);
  return ordering.descending ? -sign : sign;
}

// Where `row` stands to a boundary: by the keyset, then by the key when the boundary has one.
int compare_boundary(const MemoryModel& model, const LoadShape& shape, const StoredRow& row,
                     const Boundary& boundary) {
  for (size_t i = 0; i < shape.keyset_size; ++i) {
    int sign = compare_order(model, shape, i, row.values[shape.order[i].field], boundary.values[i]);
    if (sign != 0) return sign;
  }
  if (!boundary.has_key) return 0;
  // The key's values follow the keyset in the key's own order; the rows break ties in that of
  // `order`.
  const std::vector<FieldIndex>& key = model.entities[shape.entity].key;
  for (size_t i = shape.keyset_size; i < shape.order.size(); ++i) {
    auto at = std::find(key.begin(), key.end(), shape.order[i].field);
    LATTICE_CHECK(at != key.end(), shape.order[i].field);
    const Value& value = boundary.values[shape.keyset_size + static_cast<size_t>(at - key.begin())];
    if (int sign = compare_order(model, shape, i, row.values[*at], value)) return sign;
  }
  return 0;
}

}  // namespace

Token MemorySnapshot::floor(std::span<const std::string> keys) {
  uint64_t newest = store_.horizon.count;
  std::lock_guard lock(store_.history_mutex);
  for (const std::string& key : keys) {
    auto found = store_.history.find(key);
    if (found == store_.history.end()) continue;
    const std::vector<uint64_t>& counts = found->second;
    auto after = std::upper_bound(counts.begin(), counts.end(), state_->token.count);
    if (after != counts.begin()) newest = std::max(newest, *std::prev(after));
  }
  return {state_->token.epoch, newest};
}

const std::vector<std::string>* MemorySnapshot::root_reads(uint32_t root) const {
  const schema::Root& declared = schema().roots[root];
  auto found = store_.roots.find(declared.name);
  if (found == store_.roots.end() || !found->second.reads) return nullptr;
  return &*found->second.reads;
}

const std::vector<std::string>* MemorySnapshot::computed_reads(EntityIndex entity,
                                                               FieldIndex field) const {
  const schema::Entity& declared = schema().entities[entity];
  auto found = store_.fields.find(declared.name + "." + declared.fields[field].name);
  return found == store_.fields.end() ? nullptr : &found->second.reads;
}

Task<Result<std::optional<std::string>>> MemorySnapshot::find_tombstone(
    EntityIndex entity, std::span<const Value> key) {
  std::string text;
  append_key(text, key.data(), key.size());
  const auto& tombstones = state_->tables[entity]->tombstones;
  auto found = tombstones.find(text);
  std::optional<std::string> version;
  if (found != tombstones.end()) version = found->second;
  co_return version;
}

Task<Result<std::vector<LoadResult>>> MemorySnapshot::load(std::span<const LoadRequest> requests,
                                                           Arena& arena) {
  std::vector<LoadResult> results;
  results.reserve(requests.size());
  store_.rounds.fetch_add(1, std::memory_order_relaxed);
  store_.loads.fetch_add(requests.size(), std::memory_order_relaxed);
  for (const LoadRequest& request : requests) {
    auto loaded = load_one(request, arena);
    if (loaded) {
      store_.rows.fetch_add(loaded->rows.size(), std::memory_order_relaxed);
      results.push_back(std::move(*loaded));
    } else {
      results.push_back({.rows = {}, .groups = {}, .aggregates = {}, .error = loaded.error()});
    }
  }
  co_return results;
}

Result<LoadResult> MemorySnapshot::load_one(const LoadRequest& request, Arena& arena) {
  {
    std::lock_guard lock(store_.failure_mutex);
    for (const auto& [part, error] : store_.failures) {
      if (request.shape->loader.find(part) != std::string::npos) return fail(error);
    }
  }
  switch (request.shape->kind) {
    case LoadShape::Kind::Keys:
      return load_keys(request, arena);
    case LoadShape::Kind::Scan:
      return load_scan(request, arena);
    case LoadShape::Kind::Aggregate:
      return load_aggregate(request, arena);
    case LoadShape::Kind::Root:
      return load_root(request, arena);
  }
  return LoadResult();
}

Json MemorySnapshot::arguments_of(const std::vector<schema::Parameter>& parameters,
                                  const std::vector<plan::SlotIndex>& slots,
                                  std::span<const Value> frame) const {
  Json arguments = Json::object();
  for (size_t i = 0; i < slots.size() && i < parameters.size(); ++i) {
    if (slots[i] == kNone || frame[slots[i]].is_null()) continue;
    ScalarType type = scalar_type(parameters[i].type, schema());
    arguments.set(parameters[i].name, json_of_value(frame[slots[i]], type));
  }
  return arguments;
}

Result<Value> MemorySnapshot::compute(const StoredRow& row, EntityIndex entity,
                                      const Computed& computed, std::span<const Value> frame,
                                      Arena& arena) const {
  const schema::Field& field = schema().entities[entity].fields[computed.field];
  std::string name = schema().entities[entity].name + "." + field.name;
  auto found = store_.fields.find(name);
  if (found == store_.fields.end()) {
    return fail(Code::NotSupported, fmt::format("nothing computes {}", name));
  }
  Json json =
      found->second.hook(row.fields, arguments_of(field.arguments, computed.arguments, frame));
  return value_of_json(json, store_.model.entities[entity].types[computed.field], schema(), arena);
}

Result<Row> MemorySnapshot::copy_row(const StoredRow& row, EntityIndex entity,
                                     const std::vector<FieldIndex>& fields, const LoadShape& shape,
                                     std::span<const Value> frame, Arena& arena) const {
  bool has_owner = !shape.hidden_owner_column.empty();
  std::span<Value> key = arena.allocate_array<Value>(row.key.size());
  for (size_t i = 0; i < key.size(); ++i) key[i] = copy_value(row.key[i], arena);
  size_t count = fields.size() + shape.computed.size() + (has_owner ? 1 : 0);
  std::span<Value> values = arena.allocate_array<Value>(count);
  size_t at = 0;
  for (FieldIndex field : fields) values[at++] = copy_value(row.values[field], arena);
  for (const Computed& computed : shape.computed) {
    LATTICE_TRY(values[at++], compute(row, entity, computed, frame, arena));
  }
  if (has_owner) {
    auto found = row.hidden.find(shape.hidden_owner_column);
    if (found != row.hidden.end()) values[at] = Value::of_text(arena.copy(found->second));
  }
  return Row{.entity = entity,
             .key = key.data(),
             .values = values.data(),
             .version = arena.copy(row.version)};
}

// --- Keys ---

Result<LoadResult> MemorySnapshot::load_keys(const LoadRequest& request, Arena& arena) {
  const LoadShape& shape = *request.shape;
  size_t size = store_.model.entities[shape.entity].key.size();
  const auto& rows = state_->tables[shape.entity]->rows;
  LoadResult out;
  out.groups.resize(request.count);
  std::string text;
  for (uint32_t i = 0; i < request.count; ++i) {
    out.groups[i].first = static_cast<uint32_t>(out.rows.size());
    text.clear();
    append_key(text, &request.keys[i * size], size);
    auto found = rows.find(text);
    if (found == rows.end()) continue;
    LATTICE_TRY(Row row,
                copy_row(*found->second, shape.entity, shape.fields, shape, request.frame, arena));
    out.rows.push_back(row);
    out.groups[i].count = 1;
  }
  return out;
}

// --- Scans ---

bool MemorySnapshot::passes(const plan::Gate& gate, const StoredRow& row,
                            std::span<const Value> frame) const {
  if (gate.denied) return false;
  for (const plan::GateTerm& term : gate.all_of) {
    const Value& claim = frame[term.claim];
    bool holds = false;
    if (term.field != kNone) {
      holds = equal_values(row.values[term.field], claim);
    } else if (!term.hidden_column.empty()) {
      auto found = row.hidden.find(term.hidden_column);
      holds = found != row.hidden.end() && equal_values(Value::of_text(found->second), claim);
    } else {
      holds = std::any_of(term.any_of.begin(), term.any_of.end(),
                          [&](plan::SlotIndex slot) { return equal_values(claim, frame[slot]); });
    }
    if (!holds) return false;
  }
  return true;
}

std::vector<Rows> MemorySnapshot::linked_rows(const LoadRequest& request) const {
  const LoadShape& shape = *request.shape;
  const schema::Entity& owner = schema().entities[shape.owner];
  std::vector<Rows> groups(request.count);
  std::string relationship;
  for (const schema::Relationship& edge : owner.relationships) {
    if (edge.collection && edge.collection->name == shape.hidden_link) relationship = edge.name;
  }
  auto owners = state_->links->find(relationship);
  if (owners == state_->links->end()) return groups;
  std::string prefix = schema().entities[shape.entity].name + ":";
  for (uint32_t i = 0; i < request.count; ++i) {
    std::string ref = owner.name + ":";
    append_key(ref, &request.keys[i * owner.key.size()], owner.key.size());
    auto members = owners->second.find(ref);
    if (members == owners->second.end()) continue;
    for (const std::string& member : members->second) {
      const StoredRow* row = member.starts_with(prefix) ? state_->find(schema(), member) : nullptr;
      if (row != nullptr && passes(shape.gate, *row, request.frame)) groups[i].push_back(row);
    }
  }
  return groups;
}

// The rows of every group that pass the gate, in no order. Equal groups get the same rows.
std::vector<Rows> MemorySnapshot::group_rows(const LoadRequest& request) const {
  const LoadShape& shape = *request.shape;
  if (!shape.hidden_link.empty()) return linked_rows(request);
  std::vector<Rows> groups(request.count);
  std::unordered_map<std::string, std::vector<uint32_t>> wanted;
  size_t size = shape.match.size();
  for (uint32_t i = 0; i < request.count; ++i) {
    std::string tuple;
    if (append_tuple(tuple, request.keys.subspan(i * size, size))) wanted[tuple].push_back(i);
  }
  std::string tuple;
  std::vector<Value> values(size);
  for (const auto& [key, row] : state_->tables[shape.entity]->rows) {
    tuple.clear();
    for (size_t m = 0; m < size; ++m) values[m] = row->values[shape.match[m]];
    if (!append_tuple(tuple, values)) continue;
    auto found = wanted.find(tuple);
    if (found == wanted.end() || !passes(shape.gate, *row, request.frame)) continue;
    for (uint32_t i : found->second) groups[i].push_back(row.get());
  }
  return groups;
}

void MemorySnapshot::sort(Rows& rows, const LoadShape& shape) const {
  std::stable_sort(rows.begin(), rows.end(), [&](const StoredRow* left, const StoredRow* right) {
    for (size_t i = 0; i < shape.order.size(); ++i) {
      FieldIndex field = shape.order[i].field;
      int sign = compare_order(store_.model, shape, i, left->values[field], right->values[field]);
      if (sign != 0) return sign < 0;
    }
    return false;
  });
}

Result<void> MemorySnapshot::append_window(const LoadRequest& request, Rows rows, LoadResult& out,
                                           Arena& arena) {
  const LoadShape& shape = *request.shape;
  const Window& window = request.window;
  sort(rows, shape);
  Place place;
  if (window.boundary) {
    auto side = [&](const StoredRow* row) {
      return compare_boundary(store_.model, shape, *row, *window.boundary);
    };
    auto low = std::partition_point(rows.begin(), rows.end(),
                                    [&](const StoredRow* row) { return side(row) < 0; });
    auto high =
        std::partition_point(low, rows.end(), [&](const StoredRow* row) { return side(row) == 0; });
    place = {static_cast<size_t>(low - rows.begin()), static_cast<size_t>(high - rows.begin())};
  }
  WindowRange range = select_window(window, rows.size(), place);
  Group group = describe_window(window, rows.size(), range, [&](size_t i) {
    if (shape.keyset_size == 0) return false;  // without a declared order no cursor stands anywhere
    for (size_t k = 0; k < shape.keyset_size; ++k) {
      FieldIndex field = shape.order[k].field;
      const Value& left = rows[i]->values[field];
      if (compare_order(store_.model, shape, k, left, rows[i + 1]->values[field]) != 0)
        return false;
    }
    return true;
  });
  group.first = static_cast<uint32_t>(out.rows.size());
  if (window.wants_total) group.total = rows.size();
  for (size_t i = range.begin; i < range.end; ++i) {
    LATTICE_TRY(Row row,
                copy_row(*rows[i], shape.entity, shape.fields, shape, request.frame, arena));
    out.rows.push_back(row);
  }
  out.groups.push_back(group);
  return {};
}

Result<LoadResult> MemorySnapshot::load_scan(const LoadRequest& request, Arena& arena) {
  LoadResult out;
  for (Rows& rows : group_rows(request)) {
    LATTICE_TRY_VOID(append_window(request, std::move(rows), out, arena));
  }
  return out;
}

Result<LoadResult> MemorySnapshot::load_aggregate(const LoadRequest& request, Arena& arena) {
  const LoadShape& shape = *request.shape;
  bool has_field = shape.aggregate_field != kNone;
  const ScalarType* type =
      has_field ? &store_.model.entities[shape.entity].types[shape.aggregate_field] : nullptr;
  LoadResult out;
  for (const Rows& rows : group_rows(request)) {
    Aggregator aggregator(shape.function, type);
    for (const StoredRow* row : rows) {
      aggregator.add(has_field ? row->values[shape.aggregate_field] : Value());
    }
    out.aggregates.push_back(aggregator.finish(arena));
  }
  return out;
}

// --- Roots ---

// The rows that a root's hook names; without a hook and parameters, a list is every row of its
// targets.
Result<Rows> MemorySnapshot::hook_rows(const LoadRequest& request) const {
  const LoadShape& shape = *request.shape;
  const schema::Root& root = schema().roots[shape.root];
  Rows rows;
  auto found = store_.roots.find(root.name);
  if (found == store_.roots.end()) {
    if (!root.is_list || !root.parameters.empty()) {
      return fail(Code::NotSupported,
                  fmt::format("nothing finds the rows of root `{}`", root.name));
    }
    for (EntityIndex target : shape.targets) {
      for (const auto& [key, row] : state_->tables[target]->rows) rows.push_back(row.get());
    }
    return rows;
  }
  LATTICE_TRY(auto refs,
              found->second.hook(MemoryView(*state_, schema()),
                                 arguments_of(root.parameters, shape.arguments, request.frame)));
  for (const std::string& ref : refs) {
    const StoredRow* row = state_->find(schema(), ref);
    if (row != nullptr) rows.push_back(row);
  }
  return rows;
}

Result<LoadResult> MemorySnapshot::load_root(const LoadRequest& request, Arena& arena) {
  const LoadShape& shape = *request.shape;
  LATTICE_TRY(Rows rows, hook_rows(request));
  LoadResult out;
  Group group;
  for (const StoredRow* row : rows) {
    if (out.rows.size() == request.window.limit) {
      group.overflows = group.has_next = true;
      break;
    }
    EntityIndex entity = schema().entity_index(row->ref.substr(0, row->ref.find(':')));
    auto at = std::find(shape.targets.begin(), shape.targets.end(), entity);
    if (at == shape.targets.end()) {
      return fail(Code::Internal, fmt::format("root `{}` gave {}, which is none of its types",
                                              schema().roots[shape.root].name, row->ref));
    }
    const auto& fields = shape.target_fields[static_cast<size_t>(at - shape.targets.begin())];
    LATTICE_TRY(Row copy, copy_row(*row, entity, fields, shape, request.frame, arena));
    out.rows.push_back(copy);
  }
  group.count = static_cast<uint32_t>(out.rows.size());
  out.groups.push_back(group);
  return out;
}

Task<Result<std::unique_ptr<Snapshot>>> MemoryStore::open_snapshot() {
  co_return std::unique_ptr<Snapshot>(new MemorySnapshot(*impl_, impl_->read()));
}

}  // namespace lattice::store
