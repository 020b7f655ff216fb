#include <fmt/format.h>

#include "exec/execution.h"
#include "exec/wire_key.h"

namespace lattice::exec {

using plan::Slot;

Execution::Execution(const Program& made, const SliceCode& slice, const Bindings& bound,
                     const Caller& from, store::Snapshot& view, const ExecOptions& how)
    : program(made),
      plan(made.plan()),
      code(slice),
      bindings(bound),
      caller(from),
      snapshot(view),
      options(how),
      facts(slice, arena),
      nodes(slice.nodes.size()) {}

void Execution::report(ScopedError error) {
  for (const ScopedError& known : errors) {
    if (known.scope == error.scope && known.fact == error.fact && known.name == error.name) return;
  }
  errors.push_back(error);
}

namespace {

const Json* json_of(const Execution& run, SlotIndex slot) {
  uint32_t variable = run.program.compiled().slot_variables[slot];
  if (variable == kNone) return nullptr;
  const auto& bound = run.bindings.values[variable];
  return bound ? &*bound : nullptr;
}

Value resolve_slot(Execution& run, SlotIndex index) {
  const Slot& slot = run.plan.slots[index];
  ScalarForm form = run.program.compiled().slot_forms[index];
  switch (slot.kind) {
    case Slot::Kind::Literal:
      return run.program.compiled().frame[index];
    case Slot::Kind::Variable: {
      const Json* json = json_of(run, index);
      return json ? to_value(*json, form, run.arena) : Value();
    }
    case Slot::Kind::Claim: {
      const Json* claim = run.caller.claims ? run.caller.claims->find(slot.name) : nullptr;
      return claim ? to_value(*claim, form, run.arena) : Value();
    }
    case Slot::Kind::Principal: {
      if (!run.caller.principal) return {};
      // The subject compares with a key or owner column of that column's type.
      auto value = parse_key_text(*run.caller.principal, slot.type, *run.plan.schema, run.arena);
      return value.value_or(Value());
    }
  }
  return {};
}

// --- Wire keys with bound arguments (§9.1) ---

std::string render_key(const Execution& run, const plan::Output& output) {
  std::string key;
  append_json_string(key,
                     print_wire_key(output, [&](SlotIndex slot) { return json_of(run, slot); }));
  key += ':';
  return key;
}

void bind_keys(Execution& run) {
  run.keys_bound.resize(run.code.bound_key_count);
  for (const EntityCode& entity : run.code.entities) {
    for (const OutputCode& output : entity.outputs) {
      if (output.bound_key == kNone) continue;
      run.keys_bound[output.bound_key] = run.arena.copy(render_key(run, *output.output));
    }
  }
}

// --- Windows (§3.6) ---

Result<store::Boundary> bind_boundary(Execution& run, const NodeCode& node, const Value& cursor) {
  const schema::Collection& collection = *node.node->access.collection;
  const EntityCode& target = run.code.entities[node.targets.front().entity];
  LATTICE_TRY(Json::Array values, decode_cursor(collection.keyset, target.key_size, cursor.text()));
  std::span<Value> bound = run.arena.allocate_array<Value>(values.size());
  size_t keyset_size = collection.keyset.size();
  for (size_t i = 0; i < values.size(); ++i) {
    ScalarForm form =
        i < keyset_size ? node.window.keyset_forms[i] : target.key_forms[i - keyset_size];
    Value value = to_value(values[i], form, run.arena);
    if (value.kind == Value::Kind::Text) value = Value::of_text(run.arena.copy(value.text()));
    bound[i] = value;
  }
  return store::Boundary{.values = bound, .has_key = values.size() > keyset_size};
}

Result<void> bind_window(Execution& run, const NodeCode& node, store::Window& window) {
  const WindowCode& code = node.window;
  window.wants_total = code.wants_total && node.node->parent != kNone;
  if (!code.paginated) {
    window.kind = store::Window::Kind::All;
    window.limit = code.max;
    return {};
  }
  auto value = [&](SlotIndex slot) { return slot == kNone ? Value() : run.frame[slot]; };
  window.kind = store::Window::Kind::Forward;
  window.limit = code.default_size;
  Value last = value(code.page.last);
  Value cursor = value(code.page.after);
  if (Value first = value(code.page.first); first.kind == Value::Kind::Int) {
    window.limit = static_cast<uint32_t>(std::clamp<int64_t>(first.integer, 0, code.max));
  } else if (last.kind == Value::Kind::Int) {
    window.kind = store::Window::Kind::Backward;
    window.limit = static_cast<uint32_t>(std::clamp<int64_t>(last.integer, 0, code.max));
    cursor = value(code.page.before);
  }
  if (Value around = value(code.page.around); !around.is_null()) {
    window.kind = store::Window::Kind::Around;
    window.limit = code.default_size;
    cursor = around;
  }
  if (cursor.is_null()) return {};
  LATTICE_TRY(window.boundary, bind_boundary(run, node, cursor));
  return {};
}

}  // namespace

Result<void> bind_frame(Execution& run) {
  run.frame = run.arena.allocate_array<Value>(run.plan.slots.size());
  for (SlotIndex i = 0; i < run.plan.slots.size(); ++i) run.frame[i] = resolve_slot(run, i);
  bind_keys(run);
  for (size_t i = 0; i < run.code.nodes.size(); ++i) {
    const NodeCode& node = run.code.nodes[i];
    if (node.node->access.collection == nullptr || node.targets.empty()) continue;
    LATTICE_TRY_VOID(bind_window(run, node, run.nodes[i].window));
  }
  return {};
}

}  // namespace lattice::exec
