#include "exec/facts.h"

namespace lattice::exec {

namespace {

constexpr size_t kSlotsAtFirst = 256;  // a power of two

// Visible ASCII without what JSON or a key would escape.
bool is_plain_text(std::string_view text) {
  for (unsigned char c : text) {
    if (c <= 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == ',' || c == '%' || c == '*') {
      return false;
    }
  }
  return true;
}

uint64_t hash_key(uint32_t entity, const Value* key, uint32_t size) {
  uint64_t hash = (entity + 1) * 0x9E3779B97F4A7C15ull;
  for (uint32_t i = 0; i < size; ++i) {
    hash ^= store::hash_value(key[i]);
    hash *= 0xFF51AFD7ED558CCDull;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

FactTable::FactTable(const SliceCode& code, Arena& arena) : code_(code), arena_(arena) {
  slots_.assign(kSlotsAtFirst, kNone);
  facts_.reserve(kSlotsAtFirst / 2);
  reaches_.reserve(kSlotsAtFirst / 2);
}

FactIndex FactTable::find_or_add(uint32_t entity, const Value* key, bool copies_key) {
  uint32_t size = code_.entities[entity].key_size;
  uint64_t hash = hash_key(entity, key, size);
  size_t mask = slots_.size() - 1;
  size_t at = hash & mask;
  for (; slots_[at] != kNone; at = (at + 1) & mask) {
    const Fact& fact = facts_[slots_[at]];
    if (fact.hash != hash || fact.entity != entity) continue;
    bool same = true;
    for (uint32_t i = 0; i < size && same; ++i) same = store::equal_values(fact.key[i], key[i]);
    if (same) return slots_[at];
  }
  FactIndex index = static_cast<FactIndex>(facts_.size());
  slots_[at] = index;
  Fact& fact = facts_.emplace_back();
  fact.entity = entity;
  fact.hash = hash;
  fact.key = key;
  if (copies_key) {
    std::span<Value> own = arena_.allocate_array<Value>(size);
    std::copy(key, key + size, own.begin());
    fact.key = own.data();
  }
  name(fact);
  if (facts_.size() * 2 > slots_.size()) grow();
  return index;
}

void FactTable::name(Fact& fact) {
  const EntityCode& entity = code_.entities[fact.entity];
  scratch_ = entity.ref_prefix;
  for (uint32_t i = 0; i < entity.key_size; ++i) {
    if (i > 0) scratch_ += ',';
    store::append_key_text(scratch_, fact.key[i]);
  }
  fact.is_plain = is_plain_text(scratch_);
  fact.ref = arena_.copy(scratch_);
}

void FactTable::grow() {
  slots_.assign(slots_.size() * 2, kNone);
  size_t mask = slots_.size() - 1;
  for (FactIndex i = 0; i < facts_.size(); ++i) {
    size_t at = facts_[i].hash & mask;
    while (slots_[at] != kNone) at = (at + 1) & mask;
    slots_[at] = i;
  }
}

bool FactTable::reach(FactIndex index, uint32_t node, uint32_t visit) {
  Fact& fact = facts_[index];
  for (uint32_t r = fact.first_reach; r != kNone; r = reaches_[r].next) {
    if (reaches_[r].node == node) return false;
  }
  uint32_t made = static_cast<uint32_t>(reaches_.size());
  reaches_.push_back({node, visit, kNone});
  if (fact.first_reach == kNone) {
    fact.first_reach = made;
  } else {
    reaches_[fact.last_reach].next = made;
  }
  fact.last_reach = made;
  return true;
}

}  // namespace lattice::exec
