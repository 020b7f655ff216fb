#include "exec/wire_key.h"

#include "base/check.h"

namespace lattice::exec {

namespace {

void append_argument_value(std::string& out, const Json& value, bool is_enum) {
  if (value.is_array()) {
    out += '[';
    bool is_first = true;
    for (const Json& item : value.as_array()) {
      if (!std::exchange(is_first, false)) out += ',';
      append_argument_value(out, item, is_enum);
    }
    out += ']';
    return;
  }
  if (is_enum && value.is_string()) {
    out += value.as_string();
    return;
  }
  append_canonical_json(out, value);
}

}  // namespace

std::string print_wire_key(const plan::Output& output,
                           const std::function<const Json*(plan::SlotIndex)>& value_of) {
  if (!output.has_bound_arguments) {
    auto quoted =
        parse_json(std::string_view(output.wire_key).substr(0, output.wire_key.size() - 1));
    LATTICE_CHECK(quoted.has_value(), output.wire_key);
    return quoted->as_string();
  }
  auto bound = [&](const plan::KeyArgument& argument) {
    return argument.slot == plan::kNone ? nullptr : value_of(argument.slot);
  };
  bool has_after = false;
  for (const plan::KeyArgument& argument : output.key_arguments) {
    if (argument.name != "after") continue;
    has_after = argument.slot == plan::kNone || bound(argument) != nullptr;
  }
  std::string arguments;
  for (const plan::KeyArgument& argument : output.key_arguments) {
    std::string value;
    if (argument.slot == plan::kNone) {
      schema::append_value(value, argument.value);
    } else {
      const Json* given = bound(argument);
      if (!given) continue;
      bool stays = argument.stays_beside_after && has_after;
      if (argument.erased_value && *argument.erased_value == *given && !stays) continue;
      append_argument_value(value, *given, argument.is_enum);
    }
    arguments += arguments.empty() ? "(" : ",";
    arguments += argument.name;
    arguments += ':';
    arguments += value;
  }
  if (!arguments.empty()) arguments += ')';
  return output.name + arguments;
}

}  // namespace lattice::exec
