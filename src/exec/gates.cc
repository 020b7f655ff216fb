#include "exec/execution.h"

namespace lattice::exec {

namespace {

bool caller_passes(const Execution& run, const GateTerm& term) {
  if (term.slot == kNone) return false;
  const Value& claim = run.frame[term.slot];
  if (claim.is_null()) return false;
  return std::any_of(term.any_of.begin(), term.any_of.end(), [&](SlotIndex literal) {
    return store::equal_values(claim, run.frame[literal]);
  });
}

bool row_passes(const Execution& run, const GateTerm& term, FactIndex fact) {
  Value held = run.facts.read(fact, term.column);
  if (held.is_null()) return false;
  if (term.any_of.empty()) {
    return term.slot != kNone && store::equal_values(held, run.frame[term.slot]);
  }
  return std::any_of(term.any_of.begin(), term.any_of.end(), [&](SlotIndex literal) {
    return store::equal_values(held, run.frame[literal]);
  });
}

}  // namespace

// Once a request: what looks at the caller alone. A row term whose claim is absent can never pass.
void decide_gates(Execution& run) {
  run.verdicts.reserve(run.code.gates.size());
  for (const GateCode& gate : run.code.gates) {
    bool open = !gate.is_denied;
    for (const GateTerm& term : gate.caller) open = open && caller_passes(run, term);
    for (const GateTerm& term : gate.rows) {
      if (term.any_of.empty()) open = open && term.slot != kNone && !run.frame[term.slot].is_null();
    }
    run.verdicts.push_back(!open               ? Verdict::Closed
                           : gate.rows.empty() ? Verdict::Open
                                               : Verdict::AskRow);
  }
}

bool Execution::passes(GateIndex gate, FactIndex fact) const {
  if (gate == kNone) return true;
  switch (verdicts[gate]) {
    case Verdict::Closed:
      return false;
    case Verdict::Open:
      return true;
    case Verdict::AskRow:
      break;
  }
  const GateCode& asked = code.gates[gate];
  return std::all_of(asked.rows.begin(), asked.rows.end(),
                     [&](const GateTerm& term) { return row_passes(*this, term, fact); });
}

}  // namespace lattice::exec
