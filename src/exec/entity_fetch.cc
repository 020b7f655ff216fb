// Entities by the refs that a caller names: the nodes root (§14.4) and point fetches (§6.7).
//
// The answers for an unknown type, an absent row, a denied type and a hidden row look alike:
// nothing; and the key of every ref that was named travels, whichever of these it was.
#include "base/percent.h"
#include "exec/execution.h"

namespace lattice::exec {

namespace {

// "Type:key" with both halves nonempty.
std::optional<std::pair<std::string_view, std::string_view>> split_ref(std::string_view ref) {
  size_t colon = ref.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == ref.size()) {
    return std::nullopt;
  }
  return std::pair(ref.substr(0, colon), ref.substr(colon + 1));
}

// One text a key field. A comma inside the last text field of a single-column key belongs to it.
std::vector<std::string_view> split_key(std::string_view key, size_t count) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < count) {
    size_t comma = key.find(',');
    if (comma == std::string_view::npos) break;
    parts.push_back(key.substr(0, comma));
    key.remove_prefix(comma + 1);
  }
  parts.push_back(key);
  return parts;
}

std::span<Value> parse_key(Execution& run, const EntityCode& entity, std::string_view text) {
  std::vector<std::string_view> parts = split_key(text, entity.key_size);
  if (parts.size() != entity.key_size) return {};
  std::span<Value> key = run.arena.allocate_array<Value>(entity.key_size);
  for (size_t i = 0; i < parts.size(); ++i) {
    FieldIndex field = entity.declaration->find_field(entity.declaration->key[i]);
    auto value = parse_key_text(parts[i], entity.declaration->fields[field].type, *run.plan.schema,
                                run.arena);
    if (!value) return {};
    key[i] = *value;
  }
  return key;
}

}  // namespace

std::vector<std::string_view> refs_of(const Execution& run, uint32_t node) {
  std::vector<std::string_view> refs;
  for (SlotIndex slot : run.code.nodes[node].node->access.ref_slots) {
    uint32_t variable = run.program.compiled().slot_variables[slot];
    const Json* json = &run.plan.slots[slot].literal;
    if (variable != kNone) {
      const auto& bound = run.bindings.values[variable];
      if (!bound) continue;
      json = &*bound;
    }
    if (json->is_string()) refs.push_back(json->as_string());
    if (!json->is_array()) continue;
    for (const Json& item : json->as_array()) {
      if (item.is_string()) refs.push_back(item.as_string());
    }
  }
  return refs;
}

void name_refs(Execution& run, uint32_t node, const std::vector<std::string_view>& refs,
               std::vector<FactIndex>& named) {
  const NodeCode& code = run.code.nodes[node];
  for (std::string_view ref : refs) {
    auto halves = split_ref(ref);
    if (!halves) continue;
    EntityIndex index = run.plan.schema->entity_index(halves->first);
    if (index == kNone) continue;
    uint32_t entity = run.code.entity_of[index];
    if (entity != kNone && code.target_of[entity] != kNone) {
      std::span<Value> key = parse_key(run, run.code.entities[entity], halves->second);
      if (!key.empty()) {
        named.push_back(run.facts.find_or_add(entity, key.data(), false));
        continue;
      }
    }
    std::string travelling(halves->first);
    travelling += ':';
    append_key_bytes(travelling, halves->second);
    run.named_keys.push_back(std::move(travelling));
  }
}

// A deleted row has nothing that a row gate could compare, so only claims-only and public gates
// tell of the deletion (§14.4).
Task<Result<void>> find_tombstones(Execution& run, uint32_t node,
                                   const std::vector<FactIndex>& named) {
  const NodeCode& code = run.code.nodes[node];
  for (FactIndex index : named) {
    const Fact& fact = run.facts[index];
    const TargetCode& target = code.targets[code.target_of[fact.entity]];
    bool told = target.emits_membership && !target.has_row_gate &&
                fact.state == Fact::State::Missing && run.passes(target.gate, index);
    bool known = std::any_of(run.tombstones.begin(), run.tombstones.end(),
                             [&](const auto& known) { return known.first == index; });
    if (!told || known) continue;
    const EntityCode& entity = run.code.entities[fact.entity];
    auto version = co_await run.snapshot.find_tombstone(
        entity.entity, std::span<const Value>(fact.key, entity.key_size));
    if (!version) co_return fail(std::move(version.error()));
    if (*version) run.tombstones.emplace_back(index, std::move(**version));
  }
  co_return Result<void>();
}

}  // namespace lattice::exec
