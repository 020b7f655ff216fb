#include "exec/scalar.h"

#include "schema/value.h"

namespace lattice::exec {

using schema::Primitive;
using schema::WireForm;
using store::Value;

ScalarForm scalar_form(const schema::Type& type, const schema::Schema& schema) {
  ScalarForm form;
  form.wire = schema.wire_form(type);
  schema::Type resolved = schema.resolve(type);
  const schema::Type& plain = resolved.without_option();
  if (plain.kind == schema::Type::Kind::Primitive) {
    form.is_float = plain.primitive == Primitive::F32 || plain.primitive == Primitive::F64;
    form.is_jcs = plain.primitive == Primitive::Json;
  }
  return form;
}

namespace {

// Integers stand in Int whenever they fit, else as digits.
Value integer_of_digits(std::string_view digits) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc() && end == digits.data() + digits.size()) return Value::of_int(number);
  return Value::of_text(digits);
}

Value number_value(const Json& json, bool is_float) {
  if (!json.is_number()) return {};
  if (is_float) return Value::of_double(json.as_double());
  if (json.is_int64()) return Value::of_int(json.as_int64());
  if (json.is_integer()) return Value::of_text(json.as_big_integer().digits);
  double number = json.as_double();
  if (number != std::floor(number) || std::abs(number) > 9.0e15) return {};
  return Value::of_int(static_cast<int64_t>(number));
}

}  // namespace

Value to_value(const Json& json, ScalarForm form, Arena& arena) {
  switch (form.wire) {
    case WireForm::Bool:
      return json.is_bool() ? Value::of_bool(json.as_bool()) : Value();
    case WireForm::Number:
      return number_value(json, form.is_float);
    case WireForm::WideInteger:
      return json.is_string() ? integer_of_digits(json.as_string()) : number_value(json, false);
    case WireForm::Text:
      return json.is_string() ? Value::of_text(json.as_string()) : Value();
    case WireForm::Json:
      if (json.is_null()) return {};
      return Value::of_json(arena.copy(form.is_jcs ? jcs(json) : canonical_json(json)));
  }
  return {};
}

Json to_wire(const Value& value, ScalarForm form) {
  switch (value.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return nullptr;
    case Value::Kind::Bool:
      return value.boolean;
    case Value::Kind::Int:
      if (form.wire == WireForm::WideInteger) return std::to_string(value.integer);
      return value.integer;
    case Value::Kind::Double:
      return value.number;
    case Value::Kind::Text:
      return value.text();
    case Value::Kind::Json: {
      auto parsed = parse_json(value.text());
      return parsed ? *std::move(parsed) : Json();
    }
  }
  return nullptr;
}

std::optional<Value> parse_key_text(std::string_view text, const schema::Type& type,
                                    const schema::Schema& schema, Arena& arena) {
  auto json = schema::parse_url_value(text, type, schema, "key");
  if (!json || json->is_null()) return std::nullopt;
  Value value = to_value(*json, scalar_form(type, schema), arena);
  if (value.is_null()) return std::nullopt;
  if (value.kind == Value::Kind::Text) value = Value::of_text(arena.copy(value.text()));
  return value;
}

}  // namespace lattice::exec
