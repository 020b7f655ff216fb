#include "base/check.h"
#include "exec/execution.h"
#include "exec/windows.h"

namespace lattice::exec {

using plan::Access;
using store::Group;
using store::LoadRequest;
using store::LoadResult;
using store::Row;
using store::Window;

namespace {

// Rows that a hook root may hand over; beyond, its list is cut and the request fails.
constexpr uint32_t kHookRowsMax = 10'000;

const Error kTooManyRows{
    Code::Internal, "more rows than a window in memory looks at", {}, {}, false};

// What a request was for: `items` are facts (Keys) or visits of the parent (Scan of an edge).
struct Load {
  uint32_t node = kNone;
  uint32_t target = kNone;
  uint32_t edge = kNone;
  std::vector<uint32_t> items;
};

class Rounds {
 public:
  explicit Rounds(Execution& run) : run_(run) {}

  Task<Result<void>> run(const std::vector<std::string>& key);

 private:
  Task<Result<void>> load();

  // Prepare: what a node asks for, from the visits of its parent.
  void prepare(uint32_t node);
  void prepare_links(uint32_t node);
  void prepare_scans(uint32_t node);
  void prepare_root_scan(uint32_t node);
  bool bind_matches(uint32_t node, std::span<Value>& matches, uint32_t& absent);
  void prepare_hook(uint32_t node);
  void prepare_root_keys(uint32_t node);
  void prepare_named(uint32_t node, const std::vector<std::string_view>& refs);
  void ask(uint32_t node, uint32_t target, FactIndex fact);
  void send_asked(uint32_t node);

  // Absorb: rows become facts, and facts visits.
  void absorb_keys();
  Task<Result<void>> complete_hooks();
  void absorb(uint32_t node);
  void absorb_links(uint32_t node);
  void absorb_scans(uint32_t node);
  bool absorb_scan_item(uint32_t node, const EdgeCode& edge, EdgeResult& result,
                        std::span<const size_t> loads, size_t item);
  void absorb_root_scan(uint32_t node);
  void absorb_hook_rows(size_t load);
  void absorb_named(uint32_t node);
  void add_members(uint32_t node, const TargetCode& target, std::span<const Row> rows,
                   bool from_scan, EdgeResult& result);
  void fill(FactIndex fact, const Row& row);
  void visit(uint32_t node, const TargetCode& target, FactIndex fact);
  void set_group(EdgeResult& result, const Group& group);
  void fail_edge(FactIndex owner, const EdgeCode& edge, EdgeResult& result, const Error& error);
  void fail_root(uint32_t node, const Error& error);

  Execution& run_;
  std::vector<LoadRequest> requests_;
  std::vector<Load> loads_;
  std::vector<LoadResult> results_;
  std::vector<Load> asked_;                    // Keys under construction, one a target
  std::vector<std::vector<FactIndex>> named_;  // by node: what roots by key asked for, in order
  std::vector<FactIndex> incomplete_;          // hook rows whose row is still to be loaded
  const std::vector<std::string>* key_ = nullptr;
};

// A failed load as a scoped error says it (§9.4.2).
std::pair<Code, bool> code_of(const Error& error) {
  if (error.code == Code::LoaderTimeout) return {Code::LoaderTimeout, true};
  if (error.code == Code::Internal) return {Code::Internal, error.retryable};
  return {Code::UpstreamUnavailable, true};
}

// --- Prepare ---

void Rounds::ask(uint32_t node, uint32_t target, FactIndex index) {
  Fact& fact = run_.facts[index];
  fact.is_noted = true;
  if (fact.state != Fact::State::Named && fact.state != Fact::State::Failed) return;
  fact.state = Fact::State::Pending;
  if (asked_.size() <= target) asked_.resize(target + 1);
  asked_[target].node = node;
  asked_[target].target = target;
  asked_[target].items.push_back(index);
}

void Rounds::send_asked(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  for (Load& load : asked_) {
    if (load.items.empty()) continue;
    uint32_t size = run_.code.entities[code.targets[load.target].entity].key_size;
    std::span<Value> keys = run_.arena.allocate_array<Value>(load.items.size() * size);
    size_t at = 0;
    for (FactIndex fact : load.items) {
      for (uint32_t i = 0; i < size; ++i) keys[at++] = run_.facts[fact].key[i];
    }
    requests_.push_back({.shape = &run_.code.shapes[code.targets[load.target].shape],
                         .frame = run_.frame,
                         .keys = keys,
                         .count = static_cast<uint32_t>(load.items.size()),
                         .window = {}});
    loads_.push_back(std::move(load));
    load = Load{};
  }
}

// To-one: the owners' link fields name the targets.
void Rounds::prepare_links(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  const std::vector<FactIndex>& owners = run_.nodes[code.parent].visits;
  std::vector<EdgeResult>& results = run_.nodes[node].results;
  results.resize(owners.size());
  for (size_t i = 0; i < owners.size(); ++i) {
    uint32_t at = code.edge_of[run_.facts[owners[i]].entity];
    if (at == kNone) continue;
    const EdgeCode& edge = code.edges[at];
    EdgeResult& result = results[i];
    if (!run_.passes(edge.gate, owners[i])) {
      result.state = EdgeResult::State::Hidden;
      continue;
    }
    std::span<Value> key = run_.arena.allocate_array<Value>(edge.link.size());
    bool absent = edge.link.empty();
    for (size_t k = 0; k < edge.link.size(); ++k) {
      key[k] = run_.facts.read(owners[i], edge.link[k]);
      absent |= key[k].is_null() || key[k].kind == Value::Kind::Invalid;
    }
    if (absent) {
      result.state = EdgeResult::State::Absent;
      continue;
    }
    result.state = EdgeResult::State::One;
    result.first = static_cast<uint32_t>(run_.links.size());
    result.count = static_cast<uint32_t>(code.targets.size());
    for (uint32_t t = 0; t < code.targets.size(); ++t) {
      FactIndex fact = run_.facts.find_or_add(code.targets[t].entity, key.data(), false);
      run_.links.push_back(fact);
      ask(node, t, fact);
    }
  }
  send_asked(node);
}

// To-many: one request for each owner type and member type, with every owner in it.
void Rounds::prepare_scans(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  const std::vector<FactIndex>& owners = run_.nodes[code.parent].visits;
  std::vector<EdgeResult>& results = run_.nodes[node].results;
  results.resize(owners.size());
  Window window = run_.nodes[node].window;
  if (code.targets.size() > 1) window = member_window(window);
  std::span<Value> matches;
  uint32_t absent = 0;
  if (!bind_matches(node, matches, absent)) return;
  for (uint32_t e = 0; e < code.edges.size(); ++e) {
    const EdgeCode& edge = code.edges[e];
    uint32_t key_width = edge.is_hidden_link ? run_.code.entities[edge.owner].key_size : 1;
    size_t width = key_width + matches.size();
    std::vector<uint32_t> items;
    items.reserve(owners.size());
    for (uint32_t i = 0; i < owners.size(); ++i) {
      if (run_.facts[owners[i]].entity != edge.owner) continue;
      if (!run_.passes(edge.gate, owners[i])) {
        results[i].state = EdgeResult::State::Hidden;
        continue;
      }
      note_collection(run_, edge.tag, edge.grouping, owners[i]);
      items.push_back(i);
    }
    if (items.empty()) continue;
    std::span<Value> groups = run_.arena.allocate_array<Value>(items.size() * width);
    size_t at = 0;
    for (uint32_t i : items) {
      for (uint32_t k = 0; k < key_width; ++k) groups[at++] = run_.facts[owners[i]].key[k];
      for (const Value& match : matches) groups[at++] = match;
    }
    for (uint32_t t = 0; t < code.targets.size(); ++t) {
      uint32_t shape = edge.shapes[(t << code.optional_matches.size()) + absent];
      requests_.push_back({.shape = &run_.code.shapes[shape],
                           .frame = run_.frame,
                           .keys = groups,
                           .count = static_cast<uint32_t>(items.size()),
                           .window = window});
      loads_.push_back({.node = node, .target = t, .edge = e, .items = items});
    }
  }
}

// The values that arguments give to columns, and the set of those that are absent. False when a
// column is equated with nothing: no row is.
bool Rounds::bind_matches(uint32_t node, std::span<Value>& matches, uint32_t& absent) {
  const NodeCode& code = run_.code.nodes[node];
  const std::vector<SlotIndex>& slots = code.node->access.match_slots;
  std::span<Value> values = run_.arena.allocate_array<Value>(slots.size());
  size_t count = 0;
  for (SlotIndex slot : slots) {
    const Value& value = run_.frame[slot];
    auto optional = std::find(code.optional_matches.begin(), code.optional_matches.end(), slot);
    if (!value.is_null()) {
      values[count++] = value;
    } else if (optional != code.optional_matches.end()) {
      absent |= 1u << (optional - code.optional_matches.begin());
    } else {
      return false;
    }
  }
  matches = values.first(count);
  return true;
}

void Rounds::prepare_root_scan(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  NodeState& state = run_.nodes[node];
  state.root.state = EdgeResult::State::Many;
  state.root.first = static_cast<uint32_t>(run_.links.size());
  if (!code.tag.empty()) note_collection(run_, code.tag, code.grouping, kNone);
  std::span<Value> group;
  uint32_t absent = 0;
  if (!bind_matches(node, group, absent)) return;
  Window window = state.window;
  if (code.node->access.collection == nullptr) {
    window.kind = Window::Kind::All;
    window.limit = 1;  // a `get` by the owner's column
    // No collection covers that scan: whichever row of the type is written may be the caller's.
    for (const TargetCode& target : code.targets) {
      run_.families.push_back(run_.code.entities[target.entity].ref_prefix + "*");
    }
  }
  if (code.targets.size() > 1) window = member_window(window);
  for (uint32_t t = 0; t < code.targets.size(); ++t) {
    const TargetCode& target = code.targets[t];
    if (target.gate != kNone && run_.verdicts[target.gate] == Verdict::Closed) continue;
    requests_.push_back({.shape = &run_.code.shapes[target.scan_shapes[absent]],
                         .frame = run_.frame,
                         .keys = group,
                         .count = 1,
                         .window = window});
    loads_.push_back({.node = node, .target = t, .edge = kNone, .items = {}});
  }
}

void Rounds::prepare_hook(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  if (!code.tag.empty()) note_collection(run_, code.tag, code.grouping, kNone);
  note_reads(run_, run_.snapshot.root_reads(code.node->root));
  Window window;
  window.limit = code.node->is_root_list ? kHookRowsMax : 1;
  requests_.push_back({.shape = &run_.code.shapes[code.root_shape],
                       .frame = run_.frame,
                       .keys = {},
                       .count = 1,
                       .window = window});
  loads_.push_back({.node = node, .target = kNone, .edge = kNone, .items = {}});
}

void Rounds::prepare_root_keys(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  std::span<Value> key = run_.arena.allocate_array<Value>(code.key_slots.size());
  for (size_t i = 0; i < key.size(); ++i) {
    key[i] = run_.frame[code.key_slots[i]];
    if (key[i].is_null()) return;  // an absent key finds nothing
  }
  for (uint32_t t = 0; t < code.targets.size(); ++t) {
    FactIndex fact = run_.facts.find_or_add(code.targets[t].entity, key.data(), false);
    named_[node].push_back(fact);
    ask(node, t, fact);
  }
  send_asked(node);
}

void Rounds::prepare_named(uint32_t node, const std::vector<std::string_view>& refs) {
  const NodeCode& code = run_.code.nodes[node];
  name_refs(run_, node, refs, named_[node]);
  for (FactIndex fact : named_[node]) {
    uint32_t target = code.target_of[run_.facts[fact].entity];
    GateIndex gate = code.targets[target].gate;
    run_.note(fact);
    if (gate != kNone && run_.verdicts[gate] == Verdict::Closed) continue;
    if (code.targets[target].is_wanted) ask(node, target, fact);
  }
  send_asked(node);
}

void Rounds::prepare(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  if (code.node->parent == kNone && code.gate != kNone &&
      run_.verdicts[code.gate] == Verdict::Closed) {
    run_.nodes[node].is_closed = true;
    return;
  }
  switch (code.node->access.kind) {
    case Access::Kind::Keys:
      return prepare_links(node);
    case Access::Kind::Scan:
      return code.parent == kNone ? prepare_root_scan(node) : prepare_scans(node);
    case Access::Kind::RootKeys:
      return prepare_root_keys(node);
    case Access::Kind::Principal:
      return code.key_slots.empty() ? prepare_root_scan(node) : prepare_root_keys(node);
    case Access::Kind::RootHook:
      return prepare_hook(node);
    case Access::Kind::Nodes:
      return prepare_named(node, refs_of(run_, node));
    case Access::Kind::EntityFetch: {
      std::string ref = run_.code.entities[code.targets.front().entity].ref_prefix;
      for (size_t i = 0; i < key_->size(); ++i) ref += (i > 0 ? "," : "") + (*key_)[i];
      return prepare_named(node, {run_.arena.copy(ref)});
    }
  }
}

Task<Result<void>> Rounds::load() {
  results_.clear();
  if (requests_.empty()) co_return Result<void>();
  ++run_.round_count;
  auto loaded = co_await run_.snapshot.load(requests_, run_.arena);
  if (!loaded) co_return fail(std::move(loaded.error()));
  results_ = std::move(*loaded);
  LATTICE_CHECK(results_.size() == requests_.size(), results_.size(), requests_.size());
  co_return Result<void>();
}

// --- Absorb ---

void Rounds::fill(FactIndex index, const Row& row) {
  Fact& fact = run_.facts[index];
  if (fact.state == Fact::State::Loaded) return;
  fact.state = Fact::State::Loaded;
  fact.values = row.values;
  fact.version = row.version;
}

void Rounds::visit(uint32_t node, const TargetCode& target, FactIndex index) {
  Fact& fact = run_.facts[index];
  fact.is_noted = true;
  if (target.parts.empty()) return;
  bool is_new = fact.first_reach == kNone;
  NodeState& state = run_.nodes[node];
  if (!run_.facts.reach(index, node, static_cast<uint32_t>(state.visits.size()))) return;
  state.visits.push_back(index);
  if (is_new) run_.order.push_back(index);
}

void Rounds::fail_edge(FactIndex owner, const EdgeCode& edge, EdgeResult& result,
                       const Error& error) {
  result.state = EdgeResult::State::Failed;
  auto [code, retryable] = code_of(error);
  run_.report({.scope = ScopedError::Scope::Edge,
               .fact = owner,
               .name = run_.code.entities[edge.owner].outputs[edge.output].output->name,
               .code = code,
               .retryable = retryable});
}

void Rounds::fail_root(uint32_t node, const Error& error) {
  run_.nodes[node].root.state = EdgeResult::State::Failed;
  auto [code, retryable] = code_of(error);
  run_.report({.scope = ScopedError::Scope::Root,
               .fact = kNone,
               .name = run_.code.nodes[node].node->name,
               .code = code,
               .retryable = retryable});
}

// Rows by key, for every node of the round: any of them may wait for a key that another one asked
// for.
void Rounds::absorb_keys() {
  for (size_t l = 0; l < loads_.size(); ++l) {
    if (requests_[l].shape->kind != store::LoadShape::Kind::Keys) continue;
    const LoadResult& result = results_[l];
    for (size_t i = 0; i < loads_[l].items.size(); ++i) {
      FactIndex fact = loads_[l].items[i];
      if (result.error) {
        run_.facts[fact].state = Fact::State::Failed;
      } else if (result.groups[i].count == 0) {
        if (run_.facts[fact].state == Fact::State::Pending) {
          run_.facts[fact].state = Fact::State::Missing;
        }
      } else {
        fill(fact, result.rows[result.groups[i].first]);
      }
    }
  }
}

void Rounds::absorb_links(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  const std::vector<FactIndex>& owners = run_.nodes[code.parent].visits;
  for (size_t i = 0; i < owners.size(); ++i) {
    EdgeResult& result = run_.nodes[node].results[i];
    if (result.state != EdgeResult::State::One) continue;
    const EdgeCode& edge = code.edges[code.edge_of[run_.facts[owners[i]].entity]];
    bool failed = false;
    uint32_t found = kNone;
    for (uint32_t c = 0; c < result.count && found == kNone; ++c) {
      Fact::State state = run_.facts[run_.links[result.first + c]].state;
      failed |= state == Fact::State::Failed;
      if (state == Fact::State::Loaded) found = c;
    }
    if (found == kNone) {
      result.state = EdgeResult::State::Dangling;
      if (failed)
        fail_edge(owners[i], edge, result, Error{Code::UpstreamUnavailable, "", {}, {}, true});
      continue;
    }
    FactIndex fact = run_.links[result.first + found];
    const TargetCode& target = code.targets[found];
    if (!run_.passes(target.gate, fact)) {
      result.state = EdgeResult::State::Hidden;
      continue;
    }
    result.first += found;
    result.count = 1;
    visit(node, target, fact);
  }
}

void Rounds::set_group(EdgeResult& result, const Group& group) {
  result.has_previous = group.has_previous;
  result.has_next = group.has_next;
  result.ties_previous = group.ties_previous;
  result.ties_next = group.ties_next;
  result.overflows = group.overflows;
  result.total = group.total;
}

// Members of one type. A row that fails its gate is no member, and nothing tells that it exists.
void Rounds::add_members(uint32_t node, const TargetCode& target, std::span<const Row> rows,
                         bool from_scan, EdgeResult& result) {
  for (const Row& row : rows) {
    FactIndex fact = run_.facts.find_or_add(target.entity, row.key, false);
    fill(fact, row);
    if (!run_.passes(target.gate, fact)) continue;
    if (from_scan) run_.facts[fact].is_from_scan = true;
    run_.links.push_back(fact);
    ++result.count;
    visit(node, target, fact);
  }
}

// A bounded collection over its maximum has no membership to tell (§3.6): its field is left out,
// and nothing is read through it.
bool has_unknown_members(const NodeCode& code, const EdgeResult& result) {
  return code.parent != kNone && result.overflows && !code.window.paginated &&
         !code.window.truncates;
}

// False when the window lies in more rows than are looked at.
bool Rounds::absorb_scan_item(uint32_t node, const EdgeCode& edge, EdgeResult& result,
                              std::span<const size_t> loads, size_t item) {
  const NodeCode& code = run_.code.nodes[node];
  result.state = EdgeResult::State::Many;
  result.first = static_cast<uint32_t>(run_.links.size());
  if (loads.size() == 1) {
    const LoadResult& loaded = results_[loads.front()];
    const Group& group = loaded.groups[item];
    set_group(result, group);
    if (has_unknown_members(code, result)) return true;
    add_members(node, code.targets.front(),
                std::span(loaded.rows).subspan(group.first, group.count), !edge.is_hidden_link,
                result);
    return true;
  }
  std::vector<WindowRow> rows;
  std::vector<MemberGroup> members;
  for (size_t l : loads) {
    const LoadResult& loaded = results_[l];
    const Group& group = loaded.groups[item];
    MemberGroup& member = members.emplace_back(MemberGroup{group, nullptr, nullptr});
    if (group.count > 0) {
      member.first = &loaded.rows[group.first];
      member.last = &loaded.rows[group.first + group.count - 1];
    }
    const TargetCode& target = code.targets[loads_[l].target];
    for (uint32_t r = 0; r < group.count; ++r) {
      rows.push_back({&loaded.rows[group.first + r], &target, loads_[l].target});
    }
    if (group.total) result.total = result.total.value_or(0) + *group.total;
  }
  sort_rows(code, run_.code, rows);
  const Window& window = run_.nodes[node].window;
  WindowView view = merge_windows(code, run_.code, rows, members, window);
  view.group.total = result.total;
  set_group(result, view.group);
  if (has_unknown_members(code, result)) return true;
  if (window.kind == Window::Kind::Around && result.overflows) return false;
  for (size_t r = view.first; r < view.first + view.group.count; ++r) {
    add_members(node, *rows[r].target, {rows[r].row, 1}, !edge.is_hidden_link, result);
  }
  return true;
}

void Rounds::absorb_scans(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  const std::vector<FactIndex>& owners = run_.nodes[code.parent].visits;
  std::vector<EdgeResult>& results = run_.nodes[node].results;
  for (uint32_t e = 0; e < code.edges.size(); ++e) {
    std::vector<size_t> loads;
    const Error* error = nullptr;
    for (size_t l = 0; l < loads_.size(); ++l) {
      if (loads_[l].node != node || loads_[l].edge != e) continue;
      loads.push_back(l);
      if (results_[l].error) error = &*results_[l].error;
    }
    if (loads.empty()) continue;
    const std::vector<uint32_t>& items = loads_[loads.front()].items;
    for (size_t i = 0; i < items.size(); ++i) {
      EdgeResult& result = results[items[i]];
      if (error != nullptr) {
        fail_edge(owners[items[i]], code.edges[e], result, *error);
      } else if (!absorb_scan_item(node, code.edges[e], result, loads, i)) {
        fail_edge(owners[items[i]], code.edges[e], result, kTooManyRows);
      }
    }
  }
}

void Rounds::absorb_root_scan(uint32_t node) {
  NodeState& state = run_.nodes[node];
  std::vector<size_t> loads;
  for (size_t l = 0; l < loads_.size(); ++l) {
    if (loads_[l].node != node) continue;
    if (results_[l].error) return fail_root(node, *results_[l].error);
    loads.push_back(l);
  }
  if (loads.empty()) return;
  EdgeCode plain;  // a root scan goes by declared columns
  if (!absorb_scan_item(node, plain, state.root, loads, 0)) fail_root(node, kTooManyRows);
}

// A hook's rows, windowed; those whose values it did not bring are loaded by key before they count.
void Rounds::absorb_hook_rows(size_t load) {
  uint32_t node = loads_[load].node;
  const NodeCode& code = run_.code.nodes[node];
  const LoadResult& loaded = results_[load];
  if (loaded.error) return fail_root(node, *loaded.error);
  std::vector<WindowRow> rows;
  for (const Row& row : loaded.rows) {
    uint32_t entity = run_.code.entity_of[row.entity];
    uint32_t target = entity == kNone ? kNone : code.target_of[entity];
    LATTICE_CHECK(target != kNone, row.entity);
    rows.push_back({&row, &code.targets[target], target});
  }
  EdgeResult& root = run_.nodes[node].root;
  WindowView view;
  view.group.count = static_cast<uint32_t>(std::min<size_t>(rows.size(), 1));
  if (code.node->is_root_list) {
    if (!loaded.groups.empty() && loaded.groups.front().overflows) {
      return fail_root(node, kTooManyRows);
    }
    view.group.count = static_cast<uint32_t>(rows.size());
    if (code.node->access.collection != nullptr) {
      if (!code.window.descending.empty()) sort_rows(code, run_.code, rows);
      view = select_window(code, run_.code, rows, run_.nodes[node].window);
    }
  }
  set_group(root, view.group);
  for (size_t i = view.first; i < view.first + view.group.count; ++i) {
    const EntityCode& entity = run_.code.entities[rows[i].target->entity];
    FactIndex fact = run_.facts.find_or_add(rows[i].target->entity, rows[i].row->key, false);
    named_[node].push_back(fact);
    bool complete = entity.computed.empty() && entity.hidden_owner_column.empty() &&
                    (rows[i].row->values != nullptr || entity.fields.empty());
    if (complete) {
      fill(fact, *rows[i].row);
    } else {
      ask(node, rows[i].type, fact);
    }
  }
}

Task<Result<void>> Rounds::complete_hooks() {
  std::vector<LoadRequest> requests;
  std::vector<Load> loads;
  std::vector<LoadResult> results;
  size_t count = loads_.size();
  for (size_t l = 0; l < count; ++l) {
    if (requests_[l].shape->kind != store::LoadShape::Kind::Root) continue;
    absorb_hook_rows(l);
    requests.swap(requests_);
    loads.swap(loads_);
    send_asked(loads[l].node);
    if (!requests_.empty()) {
      results = std::move(results_);
      auto loaded = co_await load();
      if (!loaded) co_return fail(std::move(loaded.error()));
      absorb_keys();
      results_ = std::move(results);
    }
    requests.swap(requests_);
    loads.swap(loads_);
    requests.clear();
    loads.clear();
  }
  co_return Result<void>();
}

// Roots by key: the found rows that pass, in the order named.
void Rounds::absorb_named(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  EdgeResult& root = run_.nodes[node].root;
  if (root.state == EdgeResult::State::Failed) return;
  root.state = EdgeResult::State::Many;
  root.first = static_cast<uint32_t>(run_.links.size());
  bool by_ref = code.node->access.kind == Access::Kind::Nodes;
  for (FactIndex fact : named_[node]) {
    const TargetCode& target = code.targets[code.target_of[run_.facts[fact].entity]];
    if (run_.facts[fact].state == Fact::State::Failed) {
      if (!by_ref) return fail_root(node, Error{Code::UpstreamUnavailable, "", {}, {}, true});
      run_.report({.scope = ScopedError::Scope::Entity,
                   .fact = fact,
                   .name = {},
                   .code = Code::UpstreamUnavailable,
                   .retryable = true});
    }
    if (run_.facts[fact].state != Fact::State::Loaded) continue;
    if (!run_.passes(target.gate, fact)) continue;
    if (target.emits_membership) {
      run_.links.push_back(fact);
      ++root.count;
    }
    visit(node, target, fact);
    // One key over several types: the first row found counts.
    if (!by_ref && code.node->access.kind != Access::Kind::RootHook) break;
  }
}

void Rounds::absorb(uint32_t node) {
  const NodeCode& code = run_.code.nodes[node];
  if (run_.nodes[node].is_closed) return;
  switch (code.node->access.kind) {
    case Access::Kind::Keys:
      return absorb_links(node);
    case Access::Kind::Scan:
      return code.parent == kNone ? absorb_root_scan(node) : absorb_scans(node);
    case Access::Kind::Principal:
      return code.key_slots.empty() ? absorb_root_scan(node) : absorb_named(node);
    case Access::Kind::RootKeys:
    case Access::Kind::RootHook:
    case Access::Kind::Nodes:
    case Access::Kind::EntityFetch:
      return absorb_named(node);
  }
}

Task<Result<void>> Rounds::run(const std::vector<std::string>& key) {
  key_ = &key;
  named_.resize(run_.code.nodes.size());
  for (const std::vector<uint32_t>& round : run_.code.rounds) {
    requests_.clear();
    loads_.clear();
    for (uint32_t node : round) prepare(node);
    auto loaded = co_await load();
    if (!loaded) co_return fail(std::move(loaded.error()));
    absorb_keys();
    auto completed = co_await complete_hooks();
    if (!completed) co_return fail(std::move(completed.error()));
    for (uint32_t node : round) absorb(node);
    for (uint32_t node : round) {
      if (run_.code.nodes[node].node->access.kind != Access::Kind::Nodes &&
          run_.code.nodes[node].node->access.kind != Access::Kind::EntityFetch) {
        continue;
      }
      auto found = co_await find_tombstones(run_, node, named_[node]);
      if (!found) co_return fail(std::move(found.error()));
    }
  }
  co_return Result<void>();
}

}  // namespace

Task<Result<void>> run_rounds(Execution& run, const std::vector<std::string>& key) {
  Rounds rounds(run);
  co_return co_await rounds.run(key);
}

}  // namespace lattice::exec
