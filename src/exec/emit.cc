// Records (spec §9.1–§9.4): manifest, entities in first-reach order, errors, end, into one buffer.
#include "base/base64url.h"
#include "base/blake3.h"
#include "base/check.h"
#include "exec/execution.h"

namespace lattice::exec {

using plan::Output;
using schema::WireForm;

bool append_wire(std::string& out, const Value& value, WireForm form) {
  switch (value.kind) {
    case Value::Kind::Text:
      if (form == WireForm::Number) {
        out += value.text();
      } else {
        append_json_string(out, value.text());
      }
      return true;
    case Value::Kind::Int:
      if (form == WireForm::WideInteger) out += '"';
      append_json_number(out, value.integer);
      if (form == WireForm::WideInteger) out += '"';
      return true;
    case Value::Kind::Double:
      if (!std::isfinite(value.number)) return false;
      append_json_number(out, value.number);
      return true;
    case Value::Kind::Bool:
      out += value.boolean ? "true" : "false";
      return true;
    case Value::Kind::Json:
      out += value.text();
      return true;
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return false;
  }
  return false;
}

namespace {

class Emitter {
 public:
  explicit Emitter(Execution& run) : run_(run), chosen_(run.code.outputs_max) {}

  Emitted emit();

 private:
  // What one output of the entity under way comes from.
  struct Chosen {
    uint32_t stamp = 0;  // of the entity that it belongs to
    const NodeCode* child = nullptr;
    const EdgeCode* edge = nullptr;
    EdgeResult* result = nullptr;
  };

  void emit_manifest();
  void emit_entity(FactIndex fact);
  void choose(FactIndex fact);
  void choose_part(FactIndex fact, const Reach& reach, const PartCode& part);
  bool emit_output(FactIndex fact, uint32_t output, bool& first);
  bool emit_field(FactIndex fact, const OutputCode& output);
  bool emit_edge(FactIndex fact, const OutputCode& output, const Chosen& chosen);
  bool emit_one(FactIndex fact, const OutputCode& output, const Chosen& chosen);
  void emit_bounded(const EdgeResult& result);
  void emit_page(const Chosen& chosen);
  void append_cursor(const Chosen& chosen, FactIndex fact, bool ties);
  std::string_view key_of(const OutputCode& output) const;
  bool repeats_key(const EntityCode& entity, uint32_t index) const;
  void append_ref(FactIndex fact);
  void append_text(std::string_view text, bool is_plain);
  void report(FactIndex fact, const OutputCode& output, ScopedError::Scope scope, Code code);
  void witness_edge(FactIndex fact, const Chosen& chosen, size_t from);
  void emit_errors();

  std::string& out() { return emitted_.body; }

  Execution& run_;
  Emitted emitted_;
  std::vector<Chosen> chosen_;
  std::vector<uint32_t> chosen_outputs_;  // of the entity under way, ascending
  uint32_t stamp_ = 0;
  bool has_visible_part_ = false;
  bool has_part_ = false;
};

void Emitter::append_text(std::string_view text, bool is_plain) {
  if (is_plain) {
    out() += '"';
    out() += text;
    out() += '"';
  } else {
    append_json_string(out(), text);
  }
}

void Emitter::append_ref(FactIndex index) {
  Fact& fact = run_.facts[index];
  fact.is_listed = true;
  append_text(fact.ref, fact.is_plain);
}

void Emitter::report(FactIndex fact, const OutputCode& output, ScopedError::Scope scope,
                     Code code) {
  run_.report({.scope = scope,
               .fact = fact,
               .name = output.output->name,
               .code = code,
               .retryable = false});
}

// --- Manifest (§9.2) ---

void Emitter::emit_manifest() {
  std::string& o = out();
  o += R"({"kind":"manifest")";
  if (!run_.plan.is_entity_fetch) {
    o += R"(,"query":)";
    append_json_string(o, run_.plan.query_hash);
    o += R"(,"plan":)";
    append_json_string(o, run_.plan.plan_id);
  }
  o += R"(,"slice":")";
  o += plan::slice_name(run_.code.slice);
  o += R"(","root":{)";
  bool first = true;
  for (uint32_t index : run_.code.roots) {
    const NodeCode& node = run_.code.nodes[index];
    const NodeState& state = run_.nodes[index];
    if (!node.emits_membership || state.is_closed ||
        state.root.state == EdgeResult::State::Failed) {
      continue;
    }
    if (!std::exchange(first, false)) o += ',';
    append_json_string(o, run_.plan.is_entity_fetch ? std::string_view("node")
                                                    : std::string_view(node.node->name));
    o += ":[";
    for (uint32_t i = 0; i < state.root.count; ++i) {
      if (i > 0) o += ',';
      append_ref(run_.links[state.root.first + i]);
    }
    if (run_.plan.is_entity_fetch && !run_.tombstones.empty()) {
      append_ref(run_.tombstones.front().first);
    }
    o += ']';
  }
  o += R"(},"etag":)";
  emitted_.etag_at = o.size();
  o += "}\n";
}

// --- Entities (§9.1) ---

void Emitter::choose_part(FactIndex fact, const Reach& reach, const PartCode& part) {
  if (!part.is_emitted) return;
  has_part_ = true;
  if (!run_.passes(part.gate, fact)) return;
  Chosen& chosen = chosen_[part.output];
  const NodeCode* child = part.child == kNone ? nullptr : &run_.code.nodes[part.child];
  EdgeResult* result = nullptr;
  if (child != nullptr) {
    result = &run_.nodes[part.child].results[reach.visit];
    if (result->state == EdgeResult::State::Hidden) return;
  }
  has_visible_part_ = true;
  if (chosen.stamp == stamp_) {
    // The same edge through another node: a failure gives way to an answer.
    bool better = chosen.result != nullptr && chosen.result->state == EdgeResult::State::Failed;
    if (!better) return;
  } else {
    chosen.stamp = stamp_;
    chosen_outputs_.push_back(part.output);
  }
  chosen.child = child;
  chosen.result = result;
  chosen.edge = child ? &child->edges[child->edge_of[run_.facts[fact].entity]] : nullptr;
}

void Emitter::choose(FactIndex fact) {
  ++stamp_;
  chosen_outputs_.clear();
  has_visible_part_ = has_part_ = false;
  uint32_t reaches = 0;
  for (uint32_t r = run_.facts[fact].first_reach; r != kNone; ++reaches) {
    const Reach& reach = run_.facts.reach_at(r);
    const NodeCode& node = run_.code.nodes[reach.node];
    const TargetCode& target = node.targets[node.target_of[run_.facts[fact].entity]];
    for (const PartCode& part : target.parts) choose_part(fact, reach, part);
    r = reach.next;
  }
  // One node's parts ascend by themselves.
  if (reaches > 1) std::sort(chosen_outputs_.begin(), chosen_outputs_.end());
}

void Emitter::emit_entity(FactIndex index) {
  choose(index);
  if (!has_part_) return;  // passed through: its fields are other slices'
  Fact& fact = run_.facts[index];
  std::string& o = out();
  if (!has_visible_part_) {
    if (!run_.code.entities[fact.entity].declaration->elides_hidden_rows) return;
    o += R"({"kind":"elided","id":)";
    append_text(fact.ref, fact.is_plain);
    o += "}\n";
    fact.has_record = true;
    emitted_.elided.push_back(index);
    return;
  }
  fact.has_record = true;
  emitted_.entities.push_back(index);
  bool unchanged = run_.options.refs_only ||
                   (run_.options.have && run_.options.have->holds(fact.ref, fact.version));
  o += unchanged ? R"({"kind":"unchanged","id":)" : R"({"kind":"entity","id":)";
  append_text(fact.ref, fact.is_plain);
  o += R"(,"ver":)";
  append_json_string(o, fact.version);
  size_t fields_at = o.size();
  o += R"(,"fields":{)";
  bool first = true;
  for (uint32_t output : chosen_outputs_) emit_output(index, output, first);
  o += '}';
  if (unchanged) o.resize(fields_at);  // edges had to be looked at for errors and witnesses
  o += "}\n";
}

std::string_view Emitter::key_of(const OutputCode& output) const {
  return output.bound_key == kNone ? std::string_view(output.output->wire_key)
                                   : run_.keys_bound[output.bound_key];
}

// A variable may be bound to what another output has as a literal: one key, one answer.
bool Emitter::repeats_key(const EntityCode& entity, uint32_t index) const {
  for (uint32_t earlier : chosen_outputs_) {
    if (earlier == index) return false;
    if (key_of(entity.outputs[earlier]) == key_of(entity.outputs[index])) return true;
  }
  return false;
}

bool Emitter::emit_output(FactIndex fact, uint32_t index, bool& first) {
  const EntityCode& entity = run_.code.entities[run_.facts[fact].entity];
  const OutputCode& output = entity.outputs[index];
  if (entity.has_bound_keys && repeats_key(entity, index)) return false;
  size_t at = out().size();
  if (!first) out() += ',';
  out() += key_of(output);
  bool written =
      output.output->is_edge ? emit_edge(fact, output, chosen_[index]) : emit_field(fact, output);
  if (!written) {
    out().resize(at);
    return false;
  }
  first = false;
  return true;
}

bool Emitter::emit_field(FactIndex fact, const OutputCode& output) {
  const Output& field = *output.output;
  Value value;
  if (output.derived != kNone) {
    uint32_t at = run_.facts[fact].first_derived;
    while (at != kNone && run_.derived[at].derived != output.derived) at = run_.derived[at].next;
    if (at == kNone || run_.derived[at].failed) return false;
    value = run_.derived[at].value;
  } else {
    value = run_.facts.read(fact, output.source);
  }
  if (value.is_null() && field.is_optional) return false;
  if (!append_wire(out(), value, field.wire_form)) {
    report(fact, output, ScopedError::Scope::Field, Code::Integrity);
    return false;
  }
  if (field.nonempty_list && value.kind == Value::Kind::Json && value.text() == "[]") {
    report(fact, output, ScopedError::Scope::Field, Code::Integrity);
  }
  return true;
}

bool Emitter::emit_one(FactIndex fact, const OutputCode& output, const Chosen& chosen) {
  const EdgeResult& result = *chosen.result;
  bool required = chosen.child->node->kind == schema::Relationship::Kind::One;
  if (result.state != EdgeResult::State::One) {
    if (!required) return false;
    report(fact, output, ScopedError::Scope::Edge, Code::Cardinality);
    if (result.state != EdgeResult::State::Dangling || result.count != 1) return false;
  }
  out() += R"({"$ref":)";
  append_ref(run_.links[result.first]);
  out() += '}';
  return true;
}

bool Emitter::emit_edge(FactIndex fact, const OutputCode& output, const Chosen& chosen) {
  LATTICE_CHECK(chosen.result != nullptr, output.output->name);
  const EdgeResult& result = *chosen.result;
  using State = EdgeResult::State;
  if (result.state == State::Failed || result.state == State::Unvisited) return false;
  if (result.state != State::Many) return emit_one(fact, output, chosen);
  size_t from = out().size();
  const WindowCode& window = chosen.child->window;
  if (window.paginated) {
    emit_page(chosen);
  } else {
    if (result.overflows && !window.truncates) {
      report(fact, output, ScopedError::Scope::Edge, Code::CollectionOverflow);
      return false;
    }
    if (result.count < window.min) {
      report(fact, output, ScopedError::Scope::Edge, Code::CollectionUnderflow);
    }
    emit_bounded(result);
  }
  witness_edge(fact, chosen, from);
  return true;
}

void Emitter::emit_bounded(const EdgeResult& result) {
  out() += '[';
  for (uint32_t i = 0; i < result.count; ++i) {
    if (i > 0) out() += ',';
    append_ref(run_.links[result.first + i]);
  }
  out() += ']';
}

void Emitter::emit_page(const Chosen& chosen) {
  const EdgeResult& result = *chosen.result;
  std::string& o = out();
  o += R"({"$page":{"items":[)";
  for (uint32_t i = 0; i < result.count; ++i) {
    if (i > 0) o += ',';
    o += R"({"$ref":)";
    append_ref(run_.links[result.first + i]);
    o += '}';
  }
  o += R"(],"next":)";
  if (result.has_next && result.count > 0) {
    append_cursor(chosen, run_.links[result.first + result.count - 1], result.ties_next);
  } else {
    o += "null";
  }
  o += R"(,"prev":)";
  if (result.has_previous && result.count > 0) {
    append_cursor(chosen, run_.links[result.first], result.ties_previous);
  } else {
    o += "null";
  }
  if (chosen.child->window.wants_total && result.total) {
    o += R"(,"total":)";
    append_json_number(o, static_cast<int64_t>(*result.total));
  }
  o += "}}";
}

// §3.2, with the key values after the columns when the page ends inside a group of equals.
void Emitter::append_cursor(const Chosen& chosen, FactIndex fact, bool ties) {
  const NodeCode& node = *chosen.child;
  uint32_t entity = run_.facts[fact].entity;
  const TargetCode& target = node.targets[node.target_of[entity]];
  std::string& payload = run_.scratch;
  payload = "[";
  append_json_string(payload, node.window.keyset_hash);
  for (size_t i = 0; i < target.keyset.size(); ++i) {
    payload += ',';
    Value value = run_.facts.read(fact, target.keyset[i]);
    if (!append_wire(payload, value, node.window.keyset_forms[i].wire)) payload += "null";
  }
  const EntityCode& code = run_.code.entities[entity];
  for (uint32_t i = 0; ties && i < code.key_size; ++i) {
    payload += ',';
    append_wire(payload, run_.facts[fact].key[i], code.key_forms[i].wire);
  }
  payload += ']';
  out() += "\"cur_";
  append_base64url(out(), payload);
  out() += '"';
}

// Entity versions do not tell where a page ends, nor members that are joined outside their rows. A
// point fetch has no version vector at all.
void Emitter::witness_edge(FactIndex fact, const Chosen& chosen, size_t from) {
  const EdgeResult& result = *chosen.result;
  bool whole = chosen.edge->is_hidden_link || run_.plan.is_entity_fetch;
  bool ends = chosen.child->window.paginated &&
              (result.has_next || result.has_previous || result.total.has_value());
  if (!whole && !ends) return;
  std::string_view value = std::string_view(out()).substr(from);
  run_.witness.push_back({whole ? "m" : "p",
                          raw_collection_key(run_, chosen.edge->tag, chosen.edge->grouping, fact),
                          blake3_base64url(value, 12)});
}

// --- Errors and the end ---

void Emitter::emit_errors() {
  std::string& o = out();
  for (const ScopedError& error : run_.errors) {
    o += R"({"kind":"error","scope":)";
    switch (error.scope) {
      case ScopedError::Scope::Entity:
        append_json_string(o, run_.facts[error.fact].ref);
        break;
      case ScopedError::Scope::Root:
        o += R"({"$tag":"Root","root":)";
        append_json_string(o, error.name);
        o += '}';
        break;
      case ScopedError::Scope::Field:
      case ScopedError::Scope::Edge:
        o += error.scope == ScopedError::Scope::Edge ? R"({"$tag":"Edge","entity":)"
                                                     : R"({"$tag":"Field","entity":)";
        append_json_string(o, run_.facts[error.fact].ref);
        o += R"(,"field":)";
        append_json_string(o, error.name);
        o += '}';
        break;
    }
    o += R"(,"code":)";
    append_json_string(o, code_row(error.code).wire);
    o += error.retryable ? ",\"retryable\":true}\n" : ",\"retryable\":false}\n";
  }
}

Emitted Emitter::emit() {
  out().reserve(1024 + run_.order.size() * 192);
  emit_manifest();
  for (FactIndex fact : run_.order) emit_entity(fact);
  for (const auto& [fact, version] : run_.tombstones) {
    out() += R"({"kind":"tombstone","id":)";
    append_text(run_.facts[fact].ref, run_.facts[fact].is_plain);
    out() += R"(,"ver":)";
    append_json_string(out(), version);
    out() += "}\n";
    run_.facts[fact].has_record = true;
  }
  emit_errors();
  return std::move(emitted_);
}

}  // namespace

Emitted emit_records(Execution& run) {
  return Emitter(run).emit();
}

}  // namespace lattice::exec
