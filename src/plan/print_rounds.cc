#include <algorithm>

#include "plan/plan.h"

namespace lattice::plan {
namespace {

std::string print_slot(const Plan& plan, SlotIndex index) {
  if (index == kNone) return "nothing";
  const Slot& slot = plan.slots[index];
  switch (slot.kind) {
    case Slot::Kind::Literal:
      return to_json(slot.literal);
    case Slot::Kind::Variable:
      return "$" + slot.name;
    case Slot::Kind::Claim:
      return "caller." + slot.name;
    case Slot::Kind::Principal:
      return "caller";
  }
  return "?";
}

std::string print_gate(const Plan& plan, const Gate& gate, const schema::Entity& entity) {
  if (gate.denied) return "  denied";
  std::string out;
  for (const GateTerm& term : gate.all_of) {
    out += out.empty() ? "  if " : " and ";
    out += print_slot(plan, term.claim);
    if (term.field != kNone) out += " = " + entity.fields[term.field].name;
    if (!term.hidden_column.empty()) out += " = column " + term.hidden_column;
    if (term.any_of.empty()) continue;
    out += " among";
    for (const SlotIndex literal : term.any_of) out += " " + print_slot(plan, literal);
  }
  return out;
}

std::string_view access_name(Access::Kind kind) {
  static constexpr std::string_view kNames[] = {
      "by key", "scan", "by key of arguments", "hook", "the caller's", "refs", "by key given"};
  return kNames[static_cast<size_t>(kind)];
}

std::string print_page(const Plan& plan, const PageArguments& page) {
  std::string out;
  const auto add = [&](std::string_view name, SlotIndex slot) {
    if (slot != kNone) out += " " + std::string(name) + " " + print_slot(plan, slot);
  };
  add("first", page.first);
  add("last", page.last);
  add("after", page.after);
  add("before", page.before);
  add("around", page.around);
  return out;
}

void append_access(std::string& out, const Plan& plan, const Access& access) {
  out += "      " + std::string(access_name(access.kind));
  if (access.collection != nullptr) {
    if (!access.tag_by_owner_type) out += " " + access.collection_tag;
    for (size_t i = 0; i < access.collection->keyset.size(); ++i) {
      const schema::OrderColumn& column = access.collection->keyset[i];
      out += (i == 0 ? " by " : ", ") + column.field + (column.descending ? " desc" : " asc");
    }
    out += print_page(plan, access.page);
  }
  for (const SlotIndex ref : access.ref_slots) out += " " + print_slot(plan, ref);
  for (size_t i = 0; i < access.match_fields.size(); ++i) {
    out += (i == 0 ? ", where " : " and ") + access.match_fields[i] + " = " +
           print_slot(plan, access.match_slots[i]);
  }
  if (access.match_fields.empty()) {
    for (size_t i = 0; i < access.argument_slots.size(); ++i) {
      out += (i == 0 ? " of " : ", ") + print_slot(plan, access.argument_slots[i]);
    }
  }
  for (size_t i = 0; i < access.grouping_slots.size(); ++i) {
    out += (i == 0 ? ", tag " + access.collection_tag + ":" : ",") +
           print_slot(plan, access.grouping_slots[i]);
  }
  out += '\n';
}

// How an edge finds its members, for the part of one owner.
std::string print_edge(const Plan& plan, const EdgePart& edge) {
  using Source = EdgePart::GroupingSource;
  const schema::Entity& owner = plan.schema->entities[edge.owner];
  std::string out;
  if (edge.collection == nullptr) {
    for (const FieldIndex field : edge.link_fields) {
      out += (out.empty() ? "  link " : ",") + owner.fields[field].name;
    }
    return out;
  }
  out = "  tag " + edge.collection_tag + ":";
  for (size_t i = 0; i < edge.grouping.size(); ++i) {
    const Source& source = edge.grouping[i];
    if (i > 0) out += ',';
    if (source.kind == Source::Kind::OwnerKey) out += "{" + owner.key.front() + "}";
    if (source.kind == Source::Kind::OwnerField) out += "{" + owner.fields[source.field].name + "}";
    if (source.kind == Source::Kind::Argument) out += print_slot(plan, source.slot);
    if (source.kind == Source::Kind::Unknown) out += "?";
  }
  return out;
}

std::string print_key(const Output& output) {
  if (!output.has_bound_arguments) return output.wire_key.substr(1, output.wire_key.size() - 3);
  std::string out = output.name + "(";
  for (size_t i = 0; i < output.key_arguments.size(); ++i) {
    const KeyArgument& argument = output.key_arguments[i];
    if (i > 0) out += ',';
    out += argument.name + ":";
    schema::append_value(out, argument.value);
    if (argument.erased_value) out += " unless " + to_json(*argument.erased_value);
  }
  return out + ")";
}

void append_type(std::string& out, const Plan& plan, const TypePart& type) {
  const schema::Entity& entity = plan.schema->entities[type.entity];
  out += "      " + std::string(slice_name(type.slice)) + "  " + entity.name +
         print_gate(plan, type.gate, entity) + '\n';
  const TypeOutputs* outputs = plan.outputs_of(type.entity);
  for (const FieldPart& part : type.parts) {
    const Output& output = outputs->outputs[part.output];
    out += "        " + std::string(slice_name(part.slice)) + "  " + print_key(output);
    if (part.child != kNone) {
      out += " -> [" + std::to_string(part.child) + "]" + print_edge(plan, plan.edges[output.edge]);
    }
    out += print_gate(plan, part.gate, entity);
    if (part.deferred) out += "  deferred";
    out += '\n';
  }
}

void append_node(std::string& out, const Plan& plan, uint32_t index) {
  const Node& node = plan.nodes[index];
  out += "  [" + std::to_string(index) + "] " + node.path + ": " + node.loader + ", at most " +
         std::to_string(node.fanout_max) + (node.fanout_max == 1 ? " row\n" : " rows\n");
  append_access(out, plan, node.access);
  for (const TypePart& type : node.types) append_type(out, plan, type);
}

}  // namespace

std::string print_rounds(const Plan& plan) {
  std::string out;
  for (size_t round = 0; round < plan.loaders.size(); ++round) {
    out += "round " + std::to_string(round) + '\n';
    for (const Plan::Loader& loader : plan.loaders[round]) {
      if (loader.node != kNone) {
        append_node(out, plan, loader.node);
      } else {
        out += "  [-] " + loader.name + ", at most " + std::to_string(loader.fanout_max) +
               (loader.fanout_max == 1 ? " row\n" : " rows\n");
      }
    }
  }
  for (const SliceProgram& program : plan.slices) {
    if (program.is_empty) continue;
    out += std::string(slice_name(static_cast<Slice>(&program - plan.slices.data()))) + " visits";
    for (const auto& round : program.rounds) {
      for (const uint32_t node : round) out += " [" + std::to_string(node) + "]";
    }
    out += '\n';
    for (const Projection& projection : program.projections) {
      const schema::Entity& entity = plan.schema->entities[projection.entity];
      out += "  " + entity.name + (projection.whole_rows ? " *" : "");
      for (const FieldIndex field : projection.fields) out += " " + entity.fields[field].name;
      if (!projection.hidden_owner_column.empty()) out += " +" + projection.hidden_owner_column;
      out += '\n';
    }
  }
  return out;
}

}  // namespace lattice::plan
