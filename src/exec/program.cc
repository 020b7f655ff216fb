#include "exec/program.h"

#include <fmt/format.h>

#include "base/check.h"

namespace lattice::exec {

using plan::Access;
using plan::EdgePart;
using plan::FieldPart;
using plan::Plan;
using plan::TypePart;

namespace {

bool is_key_field(const EntityCode& entity, FieldIndex field) {
  const std::string& name = entity.declaration->fields[field].name;
  return std::find(entity.declaration->key.begin(), entity.declaration->key.end(), name) !=
         entity.declaration->key.end();
}

// --- Which nodes and entities a slice has to do with ---

class SliceCompiler {
 public:
  SliceCompiler(const Plan& plan, Slice slice, bool covers, SliceCode& code)
      : plan_(plan), slice_(slice), covers_(covers), code_(code) {}

  Result<void> compile();

 private:
  bool is_emitted(Slice slice) const { return slice == slice_ || (covers_ && slice < slice_); }

  void choose_nodes();
  void add_entity(EntityIndex entity);
  uint32_t entity_at(EntityIndex entity) const { return code_.entity_of[entity]; }

  // Pass 1: what must be loaded of each entity.
  void need(uint32_t entity, FieldIndex field);
  void need(uint32_t entity, const plan::Gate& gate);
  void need_node(const NodeCode& node);
  void need_output(uint32_t entity, const plan::Output& output);
  void need_edge(uint32_t entity, const plan::Output& output);

  // Pass 2: indexes.
  GateIndex make_gate(uint32_t entity, const plan::Gate& gate);
  void make_outputs(EntityCode& entity);
  void make_node(NodeCode& node);
  void make_window(NodeCode& node);
  void make_parts(NodeCode& node, TargetCode& target, const TypePart& part);
  void make_edge(NodeCode& child, uint32_t owner, const FieldPart& part);
  void make_root(NodeCode& node);
  void make_optional_matches(NodeCode& node);
  Result<void> make_derived(const TargetCode& target);
  std::vector<GroupingCode> make_grouping(uint32_t owner, const EdgePart& edge) const;

  const Plan& plan_;
  Slice slice_;
  bool covers_;
  SliceCode& code_;
  std::vector<uint32_t> node_of_;  // by node of the plan: index in code_.nodes
};

void SliceCompiler::choose_nodes() {
  std::vector<bool> chosen(plan_.nodes.size(), false);
  for (size_t i = 0; i < plan::kSliceCount; ++i) {
    if (!is_emitted(static_cast<Slice>(i))) continue;
    for (const auto& round : plan_.slices[i].rounds) {
      for (uint32_t node : round) chosen[node] = true;
    }
    code_.is_empty = code_.is_empty && plan_.slices[i].is_empty;
  }
  node_of_.assign(plan_.nodes.size(), kNone);
  code_.entity_of.assign(plan_.schema->entities.size(), kNone);
  for (uint32_t i = 0; i < plan_.nodes.size(); ++i) {
    if (!chosen[i]) continue;
    node_of_[i] = static_cast<uint32_t>(code_.nodes.size());
    const plan::Node& node = plan_.nodes[i];
    NodeCode& made = code_.nodes.emplace_back();
    made.node = &node;
    if (node.parent != kNone) {
      made.parent = node_of_[node.parent];
      LATTICE_CHECK(made.parent != kNone, i);
    }
    for (const TypePart& type : node.types) add_entity(type.entity);
    if (code_.rounds.size() <= node.round) code_.rounds.resize(node.round + 1);
    code_.rounds[node.round].push_back(node_of_[i]);
    if (node.parent == kNone) code_.roots.push_back(node_of_[i]);
  }
  std::stable_sort(code_.roots.begin(), code_.roots.end(), [&](uint32_t a, uint32_t b) {
    return code_.nodes[a].node->name < code_.nodes[b].node->name;
  });
}

void SliceCompiler::add_entity(EntityIndex index) {
  if (code_.entity_of[index] != kNone) return;
  code_.entity_of[index] = static_cast<uint32_t>(code_.entities.size());
  EntityCode& entity = code_.entities.emplace_back();
  entity.entity = index;
  entity.declaration = &plan_.schema->entities[index];
  entity.ref_prefix = entity.declaration->name + ":";
  entity.key_size = static_cast<uint32_t>(entity.declaration->key.size());
  for (const std::string& name : entity.declaration->key) {
    FieldIndex field = entity.declaration->find_field(name);
    const schema::Type& type = entity.declaration->fields[field].type;
    entity.key_forms.push_back(scalar_form(type, *plan_.schema));
    entity.key_orders.push_back(store::column_order(type, *plan_.schema));
  }
}

// --- Pass 1 ---

void SliceCompiler::need(uint32_t entity, FieldIndex field) {
  EntityCode& code = code_.entities[entity];
  if (is_key_field(code, field)) return;
  auto at = std::lower_bound(code.fields.begin(), code.fields.end(), field);
  if (at == code.fields.end() || *at != field) code.fields.insert(at, field);
}

void SliceCompiler::need(uint32_t entity, const plan::Gate& gate) {
  for (const plan::GateTerm& term : gate.all_of) {
    if (term.field != kNone) need(entity, term.field);
    if (!term.hidden_column.empty()) {
      std::string& hidden = code_.entities[entity].hidden_owner_column;
      LATTICE_CHECK(hidden.empty() || hidden == term.hidden_column, hidden, term.hidden_column);
      hidden = term.hidden_column;
    }
  }
}

void SliceCompiler::need_output(uint32_t entity, const plan::Output& output) {
  if (output.is_edge) return;
  if (output.derived != kNone) {
    for (FieldIndex field : plan_.derived[output.derived].own_fields) need(entity, field);
    for (const plan::HiddenRead& read : plan_.derived[output.derived].reads) {
      for (const auto& source : read.edge.grouping) {
        if (source.field != kNone) need(entity, source.field);
      }
    }
    return;
  }
  if (!output.is_computed()) {
    need(entity, output.field);
    return;
  }
  auto& computed = code_.entities[entity].computed;
  for (const store::Computed& known : computed) {
    if (known.field == output.field && known.arguments == output.argument_slots) return;
  }
  computed.push_back({output.field, output.argument_slots});
}

void SliceCompiler::need_edge(uint32_t entity, const plan::Output& output) {
  const EdgePart& edge = plan_.edges[output.edge];
  for (FieldIndex field : edge.link_fields) need(entity, field);
  for (const auto& source : edge.grouping) {
    if (source.field != kNone) need(entity, source.field);
  }
}

void SliceCompiler::need_node(const NodeCode& node) {
  const Access& access = node.node->access;
  for (const TypePart& type : node.node->types) {
    uint32_t entity = entity_at(type.entity);
    const schema::Entity& declaration = *code_.entities[entity].declaration;
    need(entity, type.gate);
    if (access.collection != nullptr) {
      for (const schema::OrderColumn& column : access.collection->keyset) {
        need(entity, declaration.find_field(column.field));
      }
    }
    const plan::TypeOutputs* outputs = plan_.outputs_of(type.entity);
    for (const FieldPart& part : type.parts) {
      const plan::Output& output = outputs->outputs[part.output];
      bool leads_on = part.child != kNone && node_of_[part.child] != kNone;
      if (!is_emitted(part.slice) && !leads_on) continue;
      need(entity, part.gate);
      if (is_emitted(part.slice)) need_output(entity, output);
      if (output.is_edge && leads_on) need_edge(entity, output);
    }
  }
}

// --- Pass 2 ---

GateIndex SliceCompiler::make_gate(uint32_t entity, const plan::Gate& gate) {
  if (gate.is_open()) return kNone;
  GateCode made;
  made.is_denied = gate.denied;
  for (const plan::GateTerm& term : gate.all_of) {
    GateTerm compiled{.column = {}, .slot = term.claim, .any_of = term.any_of};
    if (!term.is_on_row()) {
      made.caller.push_back(std::move(compiled));
      continue;
    }
    const EntityCode& code = code_.entities[entity];
    compiled.column =
        term.field != kNone
            ? source_of(code, term.field)
            : Source{Source::From::Values,
                     static_cast<uint16_t>(code.fields.size() + code.computed.size())};
    made.rows.push_back(std::move(compiled));
  }
  code_.gates.push_back(std::move(made));
  return static_cast<GateIndex>(code_.gates.size() - 1);
}

void SliceCompiler::make_outputs(EntityCode& entity) {
  const plan::TypeOutputs* outputs = plan_.outputs_of(entity.entity);
  if (outputs == nullptr) return;
  for (const plan::Output& output : outputs->outputs) {
    OutputCode& made = entity.outputs.emplace_back();
    made.output = &output;
    entity.has_bound_keys |= output.has_bound_arguments;
    if (output.has_bound_arguments) made.bound_key = code_.bound_key_count++;
    if (output.is_edge || output.derived != kNone) continue;
    if (!output.is_computed()) {
      if (is_key_field(entity, output.field) ||
          std::binary_search(entity.fields.begin(), entity.fields.end(), output.field)) {
        made.source = source_of(entity, output.field);
      }
      continue;
    }
    for (size_t i = 0; i < entity.computed.size(); ++i) {
      const store::Computed& computed = entity.computed[i];
      if (computed.field == output.field && computed.arguments == output.argument_slots) {
        made.source = {Source::From::Values, static_cast<uint16_t>(entity.fields.size() + i)};
      }
    }
  }
  code_.outputs_max = std::max(code_.outputs_max, static_cast<uint32_t>(outputs->outputs.size()));
}

void SliceCompiler::make_parts(NodeCode& node, TargetCode& target, const TypePart& part) {
  const plan::TypeOutputs* outputs = plan_.outputs_of(part.entity);
  for (const FieldPart& field : part.parts) {
    uint32_t child = field.child == kNone ? kNone : node_of_[field.child];
    bool emitted = is_emitted(field.slice);
    if (!emitted && child == kNone) continue;
    PartCode made{.output = field.output,
                  .gate = make_gate(target.entity, field.gate),
                  .child = child,
                  .is_emitted = emitted};
    target.parts.push_back(made);
    if (outputs->outputs[field.output].is_edge && child != kNone) {
      make_edge(code_.nodes[child], target.entity, field);
      code_.nodes[child].edges.back().gate = made.gate;
      code_.nodes[child].edges.back().is_emitted = emitted;
    }
  }
  std::stable_sort(target.parts.begin(), target.parts.end(),
                   [](const PartCode& a, const PartCode& b) { return a.output < b.output; });
  target.is_bare = part.parts.empty();
  bool concerns = !target.parts.empty() || target.emits_membership;
  target.is_wanted = node.node->access.kind != Access::Kind::Nodes || concerns;
}

std::vector<GroupingCode> SliceCompiler::make_grouping(uint32_t owner, const EdgePart& edge) const {
  std::vector<GroupingCode> grouping;
  using Kind = EdgePart::GroupingSource::Kind;
  for (const auto& source : edge.grouping) {
    GroupingCode made;
    if (source.kind == Kind::OwnerKey) made.column = {Source::From::Key, 0};
    if (source.kind == Kind::OwnerField) {
      made.column = source_of(code_.entities[owner], source.field);
    }
    if (source.kind == Kind::Argument) made.slot = source.slot;
    grouping.push_back(made);
  }
  return grouping;
}

void SliceCompiler::make_edge(NodeCode& child, uint32_t owner, const FieldPart& part) {
  const plan::Output& output = plan_.outputs_of(code_.entities[owner].entity)->outputs[part.output];
  const EdgePart& edge = plan_.edges[output.edge];
  EdgeCode made;
  made.owner = owner;
  made.output = part.output;
  for (FieldIndex field : edge.link_fields) {
    made.link.push_back(source_of(code_.entities[owner], field));
  }
  if (edge.collection != nullptr) {
    made.tag = edge.collection_tag;
    made.grouping = make_grouping(owner, edge);
    made.is_hidden_link = !edge.collection->link_is_declared;
  }
  if (child.edge_of.empty()) child.edge_of.assign(code_.entities.size(), kNone);
  child.edge_of[owner] = static_cast<uint32_t>(child.edges.size());
  child.edges.push_back(std::move(made));
}

void SliceCompiler::make_window(NodeCode& node) {
  const schema::Collection* collection = node.node->access.collection;
  if (collection == nullptr) return;
  WindowCode& window = node.window;
  window.page = node.node->access.page;
  window.paginated = collection->paginated;
  window.truncates = collection->truncate;
  window.wants_total = collection->total != schema::CountPolicy::None;
  window.min = collection->min;
  window.max = collection->max;
  window.default_size = collection->default_page.value_or(collection->max);
  window.keyset_hash = keyset_hash(collection->keyset);
  if (node.node->types.empty()) return;
  const schema::Entity& target = plan_.schema->entities[node.node->types.front().entity];
  for (const schema::OrderColumn& column : collection->keyset) {
    const schema::Type& type = target.fields[target.find_field(column.field)].type;
    window.keyset_forms.push_back(scalar_form(type, *plan_.schema));
    window.descending.push_back(column.descending);
    window.orders.push_back(store::column_order(type, *plan_.schema));
  }
}

void SliceCompiler::make_root(NodeCode& node) {
  const Access& access = node.node->access;
  node.gate = make_gate(kNone, node.node->gate);
  node.tag = access.collection_tag;
  for (SlotIndex slot : access.grouping_slots) node.grouping.push_back({{}, slot});
  if (access.kind == Access::Kind::RootKeys || access.kind == Access::Kind::Principal) {
    const schema::Entity& target = plan_.schema->entities[node.node->types.front().entity];
    for (const std::string& name : target.key) {
      for (size_t i = 0; i < access.match_fields.size(); ++i) {
        if (access.match_fields[i] == name) node.key_slots.push_back(access.match_slots[i]);
      }
    }
    if (node.key_slots.size() != target.key.size()) node.key_slots.clear();
  }
}

// Arguments that a request may leave out: then they are no condition of the scan.
void SliceCompiler::make_optional_matches(NodeCode& node) {
  for (SlotIndex slot : node.node->access.match_slots) {
    if (plan_.slots[slot].kind != plan::Slot::Kind::Variable) continue;
    const query::Variable& variable = plan_.variables[slot];
    bool may_be_absent = variable.optional || plan_.variable_types[slot].is_option();
    if (may_be_absent && !variable.default_value) node.optional_matches.push_back(slot);
  }
}

void SliceCompiler::make_node(NodeCode& node) {
  if (node.node->access.kind == Access::Kind::Scan) make_optional_matches(node);
  node.target_of.assign(code_.entities.size(), kNone);
  if (node.edge_of.empty()) node.edge_of.assign(code_.entities.size(), kNone);
  make_window(node);
  if (node.node->parent == kNone) make_root(node);
  for (const TypePart& type : node.node->types) {
    TargetCode target;
    target.entity = entity_at(type.entity);
    target.gate = make_gate(target.entity, type.gate);
    for (const plan::GateTerm& term : type.gate.all_of) target.has_row_gate |= term.is_on_row();
    // A point fetch names its row in whichever slice answers (§6.7).
    bool is_named = is_emitted(type.slice) || node.node->access.kind == Access::Kind::EntityFetch;
    target.emits_membership = node.node->parent == kNone && is_named;
    node.emits_membership |= target.emits_membership;
    if (node.node->access.collection != nullptr) {
      const EntityCode& entity = code_.entities[target.entity];
      for (const schema::OrderColumn& column : node.node->access.collection->keyset) {
        target.keyset.push_back(source_of(entity, entity.declaration->find_field(column.field)));
      }
    }
    make_parts(node, target, type);
    node.target_of[target.entity] = static_cast<uint32_t>(node.targets.size());
    node.targets.push_back(std::move(target));
  }
  if (node.node->types.empty()) {
    node.emits_membership = node.node->parent == kNone && is_emitted(node.node->slice);
  }
}

// On-read fields over one aggregate are the aggregate; what needs a compute function is refused by
// the planner (Plan::unsupported).
Result<void> SliceCompiler::make_derived(const TargetCode& target) {
  for (const PartCode& part : target.parts) {
    EntityCode& entity = code_.entities[target.entity];
    OutputCode& output = entity.outputs[part.output];
    if (!part.is_emitted || output.output->derived == kNone || output.derived != kNone) continue;
    const plan::DerivedPart& derived = plan_.derived[output.output->derived];
    if (derived.reads.size() != 1 || !derived.own_fields.empty() ||
        derived.reads.front().kind != plan::HiddenRead::Kind::Aggregate) {
      return fail(Code::NotSupported,
                  fmt::format("{}.{} is derived by a compute function, which this version does not "
                              "run",
                              entity.declaration->name, output.output->name));
    }
    output.derived = static_cast<uint32_t>(code_.derived.size());
    DerivedCode& made = code_.derived.emplace_back();
    made.entity = target.entity;
    made.output = part.output;
    made.read = &derived.reads.front();
    made.grouping = make_grouping(target.entity, made.read->edge);
    made.form = scalar_form(entity.declaration->fields[derived.field].type, *plan_.schema);
  }
  return {};
}

Result<void> SliceCompiler::compile() {
  code_.slice = slice_;
  choose_nodes();
  for (const NodeCode& node : code_.nodes) need_node(node);
  for (EntityCode& entity : code_.entities) make_outputs(entity);
  for (NodeCode& node : code_.nodes) make_node(node);
  for (const NodeCode& node : code_.nodes) {
    for (const TargetCode& target : node.targets) LATTICE_TRY_VOID(make_derived(target));
  }
  return make_shapes(plan_, code_);
}

// A literal cursor of the text: a variable's is checked when it is bound.
Result<void> check_literal_cursors(const Plan& plan) {
  for (const plan::Node& node : plan.nodes) {
    const plan::PageArguments& page = node.access.page;
    for (SlotIndex slot : {page.after, page.before, page.around}) {
      if (slot == kNone || plan.slots[slot].kind != plan::Slot::Kind::Literal) continue;
      if (!plan.slots[slot].literal.is_string() || node.access.collection == nullptr) continue;
      uint32_t key_size =
          static_cast<uint32_t>(plan.schema->entities[node.targets.front()].key.size());
      LATTICE_TRY_VOID(decode_cursor(node.access.collection->keyset, key_size,
                                     plan.slots[slot].literal.as_string()));
    }
  }
  return {};
}

void make_frame(const Plan& plan, Program::Compiled& compiled) {
  compiled.frame.resize(plan.slots.size());
  compiled.slot_variables.assign(plan.slots.size(), kNone);
  for (size_t i = 0; i < plan.slots.size(); ++i) {
    const plan::Slot& slot = plan.slots[i];
    compiled.slot_forms.push_back(scalar_form(slot.type, *plan.schema));
    if (slot.kind == plan::Slot::Kind::Literal) {
      compiled.frame[i] = to_value(slot.literal, compiled.slot_forms[i], compiled.arena);
    }
    if (slot.kind != plan::Slot::Kind::Variable) continue;
    for (uint32_t v = 0; v < plan.variables.size(); ++v) {
      if (plan.variables[v].name == slot.name) compiled.slot_variables[i] = v;
    }
  }
}

}  // namespace

Source source_of(const EntityCode& entity, FieldIndex field) {
  const std::string& name = entity.declaration->fields[field].name;
  for (size_t i = 0; i < entity.declaration->key.size(); ++i) {
    if (entity.declaration->key[i] == name) {
      return {Source::From::Key, static_cast<uint16_t>(i)};
    }
  }
  auto at = std::lower_bound(entity.fields.begin(), entity.fields.end(), field);
  LATTICE_CHECK(at != entity.fields.end() && *at == field, entity.declaration->name, name);
  return {Source::From::Values, static_cast<uint16_t>(at - entity.fields.begin())};
}

Result<void> compile_slice(const Plan& plan, Slice slice, bool covers, SliceCode& code) {
  return SliceCompiler(plan, slice, covers, code).compile();
}

Program::Program(plan::PlanPtr plan)
    : plan_(std::move(plan)), compiled_(std::make_unique<Compiled>()) {}
Program::~Program() = default;

Result<ProgramPtr> Program::compile(plan::PlanPtr plan) {
  if (!plan->unsupported.empty()) {
    Error error{
        Code::NotSupported, plan->unsupported.front().message, plan->unsupported, {}, false};
    return fail(std::move(error));
  }
  LATTICE_TRY_VOID(check_literal_cursors(*plan));
  std::shared_ptr<Program> program(new Program(std::move(plan)));
  Compiled& compiled = *program->compiled_;
  make_frame(program->plan(), compiled);
  for (size_t i = 0; i < plan::kSliceCount; ++i) {
    Slice slice = static_cast<Slice>(i);
    LATTICE_TRY_VOID(compile_slice(program->plan(), slice, false, compiled.slices[i]));
    if (!program->plan().is_entity_fetch) continue;
    LATTICE_TRY_VOID(compile_slice(program->plan(), slice, true, compiled.covering[i]));
  }
  return program;
}

}  // namespace lattice::exec
