// Canonical arguments (spec §5.1 steps 1 and 2).
#include "base/check.h"
#include "base/utf8.h"
#include "query/expand.h"
#include "query/literal.h"

namespace lattice::query {

namespace {

// `value` with the parameters of a fragment replaced; nullopt when it names one that is left out.
std::optional<Value> substitute(const Value& value, const Bindings& bindings) {
  if (value.kind != Value::Kind::Variable) return value;
  const auto found = bindings.find(value.text);
  return found == bindings.end() ? std::optional<Value>(value) : found->second;
}

bool equals_default(const Value& value, const Slot& slot, const Slots& slots,
                    const schema::Schema& schema) {
  if (value.kind == Value::Kind::Variable) return false;
  if (slot.role == Slot::Role::Page) {
    return slot.name == "first" && slots.collection->default_page &&
           value.text == std::to_string(*slots.collection->default_page);
  }
  if (slot.default_value == nullptr) return false;
  const auto read = literal_value(value, *slot.type, schema, slot.name);
  return read && canonical_json(*read) == canonical_json(*slot.default_value);
}

}  // namespace

Value normalize_value(Value value) {
  if (value.kind == Value::Kind::String) {
    auto text = to_nfc(value.text);
    LATTICE_CHECK(text.has_value(), value.text);
    value.text = std::move(*text);
  }
  for (Value& item : value.list) item = normalize_value(std::move(item));
  return value;
}

std::vector<Argument> normalize_arguments(const std::vector<Argument>& arguments, const Slots& slots,
                                          const Bindings& bindings, const schema::Schema& schema) {
  std::vector<Argument> bound;
  for (const Argument& argument : arguments) {
    auto value = substitute(argument.value, bindings);
    if (!value) continue;
    const bool is_limit = argument.name == "limit" && slots.limit_is_first();
    bound.push_back({is_limit ? "first" : argument.name, normalize_value(std::move(*value)),
                     argument.span});
  }
  // `first` beside `after` stays, so that rule 6 of §4.8 holds for the canonical text too.
  const bool has_after = std::ranges::any_of(bound, [&](const Argument& argument) {
    const Slot* slot = slots.find(argument.name);
    return slot != nullptr && slot->role == Slot::Role::Cursor && argument.name == "after";
  });
  std::erase_if(bound, [&](const Argument& argument) {
    const Slot* slot = slots.find(argument.name);
    if (slot == nullptr || (slot->role == Slot::Role::Page && has_after)) return false;
    return equals_default(argument.value, *slot, slots, schema);
  });
  std::ranges::stable_sort(bound, {}, &Argument::name);
  return bound;
}

}  // namespace lattice::query
