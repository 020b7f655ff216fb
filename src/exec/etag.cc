// Validators (spec §10.2, §3.7; the input of the hash is pinned in the notes so that independent
// programs agree):
//
//   "m:" + H(cj([planId, {variables}, vc, [[id, ver], ..sorted], witness..]), 12)
//
// The witness appears only when it is not empty. Beside derived values it tells what entity
// versions cannot: where a page stands in its collection, and members that are joined outside their
// rows.
#include "base/blake3.h"
#include "exec/execution.h"

namespace lattice::exec {

namespace {

void append_variables(const Execution& run, std::string& out) {
  Json object = Json::object();
  for (size_t i = 0; i < run.plan.variables.size(); ++i) {
    if (run.bindings.values[i]) object.set(run.plan.variables[i].name, *run.bindings.values[i]);
  }
  append_canonical_json(out, object);
}

struct Versioned {
  std::string_view ref, version;
};

std::vector<Versioned> version_vector(const Execution& run, const Emitted& emitted) {
  std::vector<Versioned> vector;
  vector.reserve(emitted.entities.size() + emitted.elided.size() + run.tombstones.size());
  for (FactIndex fact : emitted.entities) {
    vector.push_back({run.facts[fact].ref, run.facts[fact].version});
  }
  for (FactIndex fact : emitted.elided) vector.push_back({run.facts[fact].ref, {}});
  for (const auto& [fact, version] : run.tombstones) {
    vector.push_back({run.facts[fact].ref, version});
  }
  // Bare refs have no record, but their rows decide order and membership.
  for (FactIndex i = 0; i < run.facts.size(); ++i) {
    const Fact& fact = run.facts[i];
    if (fact.is_listed && !fact.has_record) vector.push_back({fact.ref, fact.version});
  }
  std::sort(vector.begin(), vector.end(),
            [](const Versioned& a, const Versioned& b) { return a.ref < b.ref; });
  return vector;
}

void append_witnesses(std::vector<Witness> witness, std::string& out) {
  std::sort(witness.begin(), witness.end());
  witness.erase(std::unique(witness.begin(), witness.end()), witness.end());
  out += '[';
  bool first = true;
  for (const Witness& triple : witness) {
    out += std::exchange(first, false) ? "[" : ",[";
    append_json_string(out, triple[0]);
    out += ',';
    append_json_string(out, triple[1]);
    out += ',';
    append_json_string(out, triple[2]);
    out += ']';
  }
  out += ']';
}

}  // namespace

std::string make_etag(const Execution& run, const Emitted& emitted) {
  std::string input = "[";
  input.reserve(4096);
  append_json_string(input, run.plan.plan_id);
  input += ',';
  append_variables(run, input);
  input += ',';
  append_json_string(input, run.code.slice == Slice::Pub ? std::string_view() : run.caller.vc);
  input += ",[";
  bool first = true;
  for (const Versioned& entity : version_vector(run, emitted)) {
    input += std::exchange(first, false) ? "[" : ",[";
    append_json_string(input, entity.ref);
    input += ',';
    append_json_string(input, entity.version);
    input += ']';
  }
  input += ']';
  if (!run.witness.empty()) {
    input += ',';
    append_witnesses(run.witness, input);
  }
  input += ']';
  return "m:" + blake3_base64url(input, 12);
}

// Of a point fetch: the version itself, or with a witness a hash over both (§3.7).
std::string make_entity_etag(const Execution& run, std::string_view version) {
  if (run.witness.empty()) return std::string(version);
  std::string input(version);
  input += '\0';
  append_witnesses(run.witness, input);
  return "w:" + blake3_base64url(input, 12);
}

}  // namespace lattice::exec
