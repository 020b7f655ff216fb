#include <fmt/format.h>

#include "base/blake3.h"
#include "base/check.h"
#include "exec/execution.h"

namespace lattice::exec {

using Presence = SliceResult::Presence;

namespace {

// On-read fields over an aggregate (§3.7): one request a field, with every entity that shows it.
struct DerivedLoad {
  uint32_t derived = kNone;
  std::vector<FactIndex> facts;
};

void collect_derived(Execution& run, std::vector<DerivedLoad>& loads) {
  loads.resize(run.code.derived.size());
  for (FactIndex fact : run.order) {
    for (uint32_t r = run.facts[fact].first_reach; r != kNone; r = run.facts.reach_at(r).next) {
      const NodeCode& node = run.code.nodes[run.facts.reach_at(r).node];
      const EntityCode& entity = run.code.entities[run.facts[fact].entity];
      for (const PartCode& part : node.targets[node.target_of[run.facts[fact].entity]].parts) {
        uint32_t derived = entity.outputs[part.output].derived;
        if (!part.is_emitted || derived == kNone || !run.passes(part.gate, fact)) continue;
        std::vector<FactIndex>& facts = loads[derived].facts;
        if (facts.empty() || facts.back() != fact) facts.push_back(fact);
      }
    }
  }
  for (uint32_t i = 0; i < loads.size(); ++i) loads[i].derived = i;
  std::erase_if(loads, [](const DerivedLoad& load) { return load.facts.empty(); });
}

void absorb_derived(Execution& run, const DerivedLoad& load, const store::LoadResult& result) {
  const DerivedCode& code = run.code.derived[load.derived];
  const plan::EdgePart& edge = code.read->edge;
  for (size_t i = 0; i < load.facts.size(); ++i) {
    FactIndex fact = load.facts[i];
    DerivedValue value{.derived = load.derived,
                       .value = {},
                       .failed = result.error.has_value(),
                       .next = run.facts[fact].first_derived};
    note_collection(run, edge.collection_tag, code.grouping, fact);
    if (value.failed) {
      run.report({.scope = ScopedError::Scope::Field,
                  .fact = fact,
                  .name = run.code.entities[code.entity].outputs[code.output].output->name,
                  .code = Code::UpstreamUnavailable,
                  .retryable = true});
    } else {
      value.value = result.aggregates[i];
      std::string wire;
      if (!append_wire(wire, value.value, code.form.wire)) wire = "null";
      run.witness.push_back({"a", raw_collection_key(run, edge.collection_tag, code.grouping, fact),
                             blake3_base64url(wire, 12)});
    }
    run.facts[fact].first_derived = static_cast<uint32_t>(run.derived.size());
    run.derived.push_back(value);
  }
}

Task<Result<void>> load_derived(Execution& run) {
  std::vector<DerivedLoad> loads;
  collect_derived(run, loads);
  if (loads.empty()) co_return Result<void>();
  std::vector<store::LoadRequest> requests;
  for (const DerivedLoad& load : loads) {
    std::span<Value> groups = run.arena.allocate_array<Value>(load.facts.size());
    for (size_t i = 0; i < load.facts.size(); ++i) groups[i] = run.facts[load.facts[i]].key[0];
    requests.push_back({.shape = &run.code.shapes[run.code.derived[load.derived].shape],
                        .frame = run.frame,
                        .keys = groups,
                        .count = static_cast<uint32_t>(load.facts.size()),
                        .window = {}});
  }
  ++run.round_count;
  auto loaded = co_await run.snapshot.load(requests, run.arena);
  if (!loaded) co_return fail(std::move(loaded.error()));
  LATTICE_CHECK(loaded->size() == loads.size(), loaded->size());
  for (size_t i = 0; i < loads.size(); ++i) absorb_derived(run, loads[i], (*loaded)[i]);
  co_return Result<void>();
}

// Fields that the store computes may read other tables than their row's.
void note_computed(Execution& run) {
  std::vector<bool> seen(run.code.entities.size(), false);
  for (FactIndex fact : run.order) {
    uint32_t index = run.facts[fact].entity;
    if (seen[index]) continue;
    seen[index] = true;
    const EntityCode& entity = run.code.entities[index];
    for (const store::Computed& computed : entity.computed) {
      note_reads(run, run.snapshot.computed_reads(entity.entity, computed.field));
    }
  }
}

// §9.4.5: when every root failed, nothing useful can be said, and the problem is the whole
// request's.
std::optional<Error> whole_failure(const Execution& run) {
  size_t asked = 0, failed = 0;
  for (uint32_t root : run.code.roots) {
    asked += run.nodes[root].is_closed ? 0 : 1;
    failed += run.nodes[root].root.state == EdgeResult::State::Failed ? 1 : 0;
  }
  if (failed == 0 || failed < asked || run.errors.empty()) return std::nullopt;
  return Error{run.errors.front().code,
               fmt::format("root `{}` could not be loaded", run.errors.front().name),
               {},
               {},
               run.errors.front().retryable};
}

// A point fetch whose other entities have versions of their own needs them in its validator.
void witness_others(Execution& run, const Emitted& emitted, FactIndex fetched) {
  for (FactIndex fact : emitted.entities) {
    if (fact == fetched) continue;
    run.witness.push_back(
        {"e", std::string(run.facts[fact].ref), std::string(run.facts[fact].version)});
  }
}

void finish_entity_fetch(Execution& run, const Emitted& emitted, SliceResult& result) {
  FactIndex fetched = kNone;
  const EdgeResult& root = run.nodes[run.code.roots.front()].root;
  if (root.count > 0) fetched = run.links[root.first];
  if (!run.tombstones.empty()) {
    result.presence = Presence::Tombstone;
    result.version = run.tombstones.front().second;
    result.etag = result.version;
    return;
  }
  if (fetched == kNone) {
    bool missing = run.facts.size() == 0 || run.facts[0].state != Fact::State::Loaded;
    result.presence = missing ? Presence::Absent : Presence::Hidden;
    return;
  }
  const Fact& fact = run.facts[fetched];
  if (!fact.has_record) result.presence = Presence::Hidden;
  result.version = std::string(fact.version);
  witness_others(run, emitted, fetched);
  result.etag = make_entity_etag(run, fact.version);
}

void finish(Execution& run, Emitted emitted, SliceResult& result) {
  if (run.plan.is_entity_fetch) {
    finish_entity_fetch(run, emitted, result);
  } else {
    result.etag = make_etag(run, emitted);
  }
  result.has_witness = !run.witness.empty();
  result.degraded = !run.errors.empty();
  result.entity_count = emitted.entities.size();
  result.round_count = run.round_count;
  result.body = std::move(emitted.body);
  std::string etag;
  append_json_string(etag, result.etag);
  result.body.insert(emitted.etag_at, etag);
  if (!run.options.is_page_section) {
    result.body += R"({"kind":"end","complete":true,"etag":)" + etag + "}\n";
  }
  make_keys(run, result);
  result.token = run.snapshot.token();
  result.floor = result.coarsened_to_uncacheable ? result.token : run.snapshot.floor(result.keys);
}

}  // namespace

Task<Result<SliceResult>> execute_slice(const Program& program, Slice slice,
                                        const Bindings& bindings, const Caller& caller,
                                        store::Snapshot& snapshot, const ExecOptions& options,
                                        std::vector<std::string> key) {
  LATTICE_CHECK(bindings.values.size() == program.plan().variables.size(), bindings.values.size());
  const Program::Compiled& compiled = program.compiled();
  const SliceCode& code = options.includes_lower_slices && program.plan().is_entity_fetch
                              ? compiled.covering[static_cast<size_t>(slice)]
                              : compiled.slices[static_cast<size_t>(slice)];
  Execution run(program, code, bindings, caller, snapshot, options);
  auto bound = bind_frame(run);
  if (!bound) co_return fail(std::move(bound.error()));
  decide_gates(run);
  auto ran = co_await run_rounds(run, key);
  if (!ran) co_return fail(std::move(ran.error()));
  auto derived = co_await load_derived(run);
  if (!derived) co_return fail(std::move(derived.error()));
  if (auto failure = whole_failure(run)) co_return fail(std::move(*failure));
  note_computed(run);
  SliceResult result;
  finish(run, emit_records(run), result);
  co_return result;
}

}  // namespace lattice::exec
