#include "exec/exec.h"

#include <fmt/format.h>

#include "base/base64url.h"
#include "exec/scalar.h"
#include "schema/value.h"

namespace lattice::exec {

using plan::Access;
using plan::Plan;
using plan::Slot;
using plan::SlotIndex;

namespace {

// A rejection that a variable causes: the origin never caches it (decisions, "rejections").
std::unexpected<Error> reject(std::string_view variable, Error error) {
  error.details.emplace_back("variable", std::string(variable));
  return fail(std::move(error));
}

std::unexpected<Error> reject(std::string_view variable, std::string message) {
  return reject(variable, Error{Code::BadRequest, std::move(message), {}, {}, false});
}

bool is_variable(const Plan& plan, SlotIndex slot, std::string_view name) {
  return slot != schema::kNone && plan.slots[slot].kind == Slot::Kind::Variable &&
         plan.slots[slot].name == name;
}

// A variable that the nodes root reads holds a list of refs (§14.4).
bool is_ref_list(const Plan& plan, std::string_view name) {
  for (const plan::Node& node : plan.nodes) {
    if (node.access.kind != Access::Kind::Nodes) continue;
    for (SlotIndex slot : node.access.ref_slots) {
      if (is_variable(plan, slot, name)) return true;
    }
  }
  return false;
}

Result<Json> check_refs(const Plan& plan, std::string_view name, const Json& value) {
  if (!value.is_array()) {
    return reject(name, fmt::format("variable ${}: expected a JSON array of refs such as "
                                    "[\"Post:17\"]",
                                    name));
  }
  for (const Json& item : value.as_array()) {
    if (!item.is_string()) {
      return reject(
          name, fmt::format("variable ${}: every item must be a ref such as \"Post:17\"", name));
    }
  }
  if (value.as_array().size() > plan.budgets.round_fanout_max) {
    return reject(name, fmt::format("variable ${}: {} refs, maxRoundFanout allows {}", name,
                                    value.as_array().size(), plan.budgets.round_fanout_max));
  }
  return value;
}

// The list in a URL: raw JSON, or base64url of canonical JSON, with or without the `b64:` prefix.
Result<Json> parse_url_refs(const Plan& plan, std::string_view name, std::string_view text) {
  std::string decoded;
  if (!text.starts_with('[')) {
    auto bytes = base64url_decode(text.starts_with("b64:") ? text.substr(4) : text);
    if (!bytes) {
      return reject(name, fmt::format("variable ${}: expected a JSON array of refs, or its "
                                      "base64url form",
                                      name));
    }
    decoded = *std::move(bytes);
    text = decoded;
  }
  auto json = parse_json(text);
  if (!json) {
    return reject(name, fmt::format("variable ${}: expected a JSON array of refs", name));
  }
  return check_refs(plan, name, *json);
}

// §3.2: the cursor belongs to the collection's current keyset, and its values to the columns'
// types.
Result<void> check_cursor(const Plan& plan, const plan::Node& node, std::string_view name,
                          const Json& value) {
  if (!value.is_string() || node.access.collection == nullptr) return {};
  const schema::Schema& schema = *plan.schema;
  const auto& keyset = node.access.collection->keyset;
  if (node.targets.empty()) return {};
  const schema::Entity& target = schema.entities[node.targets.front()];
  auto values = decode_cursor(keyset, static_cast<uint32_t>(target.key.size()), value.as_string());
  if (!values) return reject(name, std::move(values.error()));
  for (size_t i = 0; i < values->size(); ++i) {
    const std::string& field = i < keyset.size() ? keyset[i].field : target.key[i - keyset.size()];
    schema::FieldIndex index = target.find_field(field);
    if (index == schema::kNone) continue;
    const schema::Type& type = target.fields[index].type;
    auto checked = schema::check_input((*values)[i], type, schema, field);
    if (!checked) {
      return reject(name, Error{Code::CompileRejected,
                                fmt::format("malformed cursor: {}", checked.error().message),
                                {},
                                {},
                                false});
    }
  }
  return {};
}

Result<void> check_page_size(const plan::Node& node, std::string_view argument,
                             std::string_view name, const Json& value) {
  if (!value.is_int64() || node.access.collection == nullptr) return {};
  int64_t most = node.access.collection->max;
  if (value.as_int64() >= 0 && value.as_int64() <= most) return {};
  return reject(name, fmt::format("variable ${}: `{}` of {} must be 0 to {}, not {}", name,
                                  argument, node.path, most, value.as_int64()));
}

// What the places that use a variable ask of its value, beyond its type.
Result<void> check_uses(const Plan& plan, std::string_view name, const Json& value) {
  for (const plan::Node& node : plan.nodes) {
    const plan::PageArguments& page = node.access.page;
    for (SlotIndex slot : {page.after, page.before, page.around}) {
      if (is_variable(plan, slot, name)) {
        LATTICE_TRY_VOID(check_cursor(plan, node, name, value));
      }
    }
    if (is_variable(plan, page.first, name)) {
      LATTICE_TRY_VOID(check_page_size(node, "first", name, value));
    }
    if (is_variable(plan, page.last, name)) {
      LATTICE_TRY_VOID(check_page_size(node, "last", name, value));
    }
  }
  return {};
}

std::optional<size_t> find_variable(const Plan& plan, std::string_view name) {
  for (size_t i = 0; i < plan.variables.size(); ++i) {
    if (plan.variables[i].name == name) return i;
  }
  return std::nullopt;
}

std::unexpected<Error> unknown_parameter(const Plan& plan, std::string_view name) {
  std::string known;
  for (const query::Variable& variable : plan.variables) {
    known += (known.empty() ? "" : ", ") + variable.name;
  }
  return reject(name, fmt::format("unknown parameter `{}`; the query's variables: {}", name,
                                  known.empty() ? "none" : known));
}

std::string path_of(const query::Variable& variable) {
  return "$" + variable.name;
}

// The value of a variable that was not given.
Result<std::optional<Json>> default_of(const Plan& plan, size_t index) {
  const query::Variable& variable = plan.variables[index];
  if (!variable.default_value) {
    if (variable.optional || plan.variable_types[index].is_option()) return std::nullopt;
    return reject(variable.name,
                  fmt::format("variable ${} of type {} is missing", variable.name, variable.type));
  }
  Json literal = schema::literal_to_json(*variable.default_value);
  LATTICE_TRY(Json checked, schema::canonicalize_value(literal, plan.variable_types[index],
                                                       *plan.schema, path_of(variable)));
  return checked;
}

Result<void> finish(const Plan& plan, Bindings& bindings) {
  for (size_t i = 0; i < plan.variables.size(); ++i) {
    if (!bindings.values[i]) {
      LATTICE_TRY(bindings.values[i], default_of(plan, i));
    }
    if (bindings.values[i]) {
      LATTICE_TRY_VOID(check_uses(plan, plan.variables[i].name, *bindings.values[i]));
    }
  }
  return {};
}

}  // namespace

Result<Bindings> bind_variables(
    const Plan& plan, const std::vector<std::pair<std::string, std::string>>& parameters) {
  Bindings bindings;
  bindings.values.resize(plan.variables.size());
  for (const auto& [name, text] : parameters) {
    auto index = find_variable(plan, name);
    if (!index) return unknown_parameter(plan, name);
    if (bindings.values[*index])
      return reject(name, fmt::format("variable ${} is given twice", name));
    if (is_ref_list(plan, name)) {
      LATTICE_TRY(bindings.values[*index], parse_url_refs(plan, name, text));
      continue;
    }
    auto value = schema::parse_url_value(text, plan.variable_types[*index].without_option(),
                                         *plan.schema, path_of(plan.variables[*index]));
    if (!value) return reject(name, std::move(value.error()));
    bindings.values[*index] = *std::move(value);
  }
  LATTICE_TRY_VOID(finish(plan, bindings));
  return bindings;
}

Result<Bindings> bind_json(const Plan& plan, const Json& object) {
  Bindings bindings;
  bindings.values.resize(plan.variables.size());
  if (object.is_null()) {
    LATTICE_TRY_VOID(finish(plan, bindings));
    return bindings;
  }
  if (!object.is_object()) return fail(Code::BadRequest, "variables must be a JSON object");
  for (const auto& [name, given] : object.as_object()) {
    auto index = find_variable(plan, name);
    if (!index) return unknown_parameter(plan, name);
    if (given.is_null()) continue;
    if (is_ref_list(plan, name)) {
      LATTICE_TRY(bindings.values[*index], check_refs(plan, name, given));
      continue;
    }
    auto value = schema::check_input(given, plan.variable_types[*index].without_option(),
                                     *plan.schema, path_of(plan.variables[*index]));
    if (!value) return reject(name, std::move(value.error()));
    bindings.values[*index] = *std::move(value);
  }
  LATTICE_TRY_VOID(finish(plan, bindings));
  return bindings;
}

std::vector<std::pair<std::string, std::string>> print_bindings(const Plan& plan,
                                                                const Bindings& bindings) {
  std::vector<std::pair<std::string, std::string>> printed;
  for (size_t i = 0; i < plan.variables.size(); ++i) {
    if (!bindings.values[i]) continue;
    const query::Variable& variable = plan.variables[i];
    if (variable.default_value) {
      auto standing = default_of(plan, i);
      if (standing && *standing == bindings.values[i]) continue;
    }
    std::string text =
        is_ref_list(plan, variable.name)
            ? base64url_encode(canonical_json(*bindings.values[i]))
            : schema::print_url_value(*bindings.values[i], plan.variable_types[i].without_option(),
                                      *plan.schema);
    printed.emplace_back(variable.name, std::move(text));
  }
  std::sort(printed.begin(), printed.end());
  return printed;
}

}  // namespace lattice::exec
