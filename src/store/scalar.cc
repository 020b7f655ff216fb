#include "store/scalar.h"

#include <charconv>

#include "base/check.h"
#include "schema/value.h"

namespace lattice::store {

using schema::Primitive;
using Kind = ScalarType::Kind;

namespace {

void set_range(ScalarType& out, Kind kind, int64_t min, int64_t max) {
  out.kind = kind;
  out.min = min;
  out.max = max;
}

void set_primitive(ScalarType& out, Primitive primitive) {
  out.primitive = primitive;
  switch (primitive) {
    case Primitive::Bool:
      out.kind = Kind::Bool;
      return;
    case Primitive::I8:
      return set_range(out, Kind::Int, INT8_MIN, INT8_MAX);
    case Primitive::I16:
      return set_range(out, Kind::Int, INT16_MIN, INT16_MAX);
    case Primitive::I32:
      return set_range(out, Kind::Int, INT32_MIN, INT32_MAX);
    case Primitive::W8:
      return set_range(out, Kind::Int, 0, UINT8_MAX);
    case Primitive::W16:
      return set_range(out, Kind::Int, 0, UINT16_MAX);
    case Primitive::W32:
      return set_range(out, Kind::Int, 0, UINT32_MAX);
    case Primitive::I64:
      return set_range(out, Kind::Wide, INT64_MIN, INT64_MAX);
    case Primitive::W64:
      return set_range(out, Kind::Wide, 0, INT64_MAX);
    case Primitive::Integer:
      out.kind = Kind::Wide;
      out.is_unbounded = true;
      return;
    case Primitive::Decimal:
      out.kind = Kind::Decimal;
      return;
    case Primitive::F32:
      out.is_f32 = true;
      out.kind = Kind::Float;
      return;
    case Primitive::F64:
      out.kind = Kind::Float;
      return;
    case Primitive::Text:
    case Primitive::Cursor:
    case Primitive::EntityRef:
      out.kind = Kind::Text;
      return;
    case Primitive::Bytes:
    case Primitive::Bit:
      out.kind = Kind::Bytes;
      return;
    case Primitive::Uuid:
      out.kind = Kind::Uuid;
      return;
    case Primitive::Timestamp:
      out.kind = Kind::Timestamp;
      return;
    case Primitive::Date:
      out.kind = Kind::Date;
      return;
    case Primitive::TimeOfDay:
      out.kind = Kind::TimeOfDay;
      return;
    case Primitive::Duration:
      out.kind = Kind::Duration;
      return;
    case Primitive::Json:
      out.kind = Kind::Composite;
      return;
  }
}

// Our canonical JSON of a composite: RFC 8785 for type Json, §5.1 for the rest.
std::string composite_text(const Json& json, const ScalarType& type) {
  return type.primitive == Primitive::Json ? jcs(json) : canonical_json(json);
}

Value scalar_of_canonical(const Json& json, const ScalarType& type, Arena& arena) {
  switch (type.kind) {
    case Kind::Bool:
      return json.is_bool() ? Value::of_bool(json.as_bool()) : Value::invalid();
    case Kind::Int:
      if (json.is_int64()) return Value::of_int(json.as_int64());
      if (json.is_double()) return Value::of_int(static_cast<int64_t>(json.as_double()));
      return Value::invalid();
    case Kind::Float:
      return json.is_number() ? Value::of_double(json.as_double()) : Value::invalid();
    case Kind::Wide:
      return json.is_string() ? value_of_digits(arena.copy(json.as_string())) : Value::invalid();
    case Kind::Composite:
      return Value::of_json(arena.copy(composite_text(json, type)));
    default:
      return json.is_string() ? Value::of_text(arena.copy(json.as_string())) : Value::invalid();
  }
}

}  // namespace

ScalarType scalar_type(const schema::Type& type, const schema::Schema& schema) {
  ScalarType out;
  schema::Type resolved = schema.resolve(type);
  out.is_optional = resolved.is_option();
  out.type = resolved.without_option();
  out.order = column_order(out.type, schema);
  if (out.order.kind == ColumnOrder::Kind::Enum) {
    out.kind = Kind::Enum;
    out.is_open = schema.find_type(out.type.name)->is_open;
  } else if (out.type.kind == schema::Type::Kind::Primitive) {
    out.size = out.type.size;
    set_primitive(out, out.type.primitive);
  } else {
    out.kind = Kind::Composite;
  }
  return out;
}

Value value_of_digits(std::string_view digits) {
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  auto [stop, error] = std::from_chars(digits.data(), end, number);
  return error == std::errc() && stop == end ? Value::of_int(number) : Value::of_text(digits);
}

Value value_of_json(const Json& json, const ScalarType& type, const schema::Schema& schema,
                    Arena& arena) {
  if (json.is_null()) return {};
  auto canonical = schema::canonicalize_value(json, type.type, schema, "value");
  if (canonical) return scalar_of_canonical(*canonical, type, arena);
  bool is_empty_list = type.type.kind == schema::Type::Kind::NonEmptyList && json.is_array() &&
                       json.as_array().empty();
  return is_empty_list ? Value::of_json("[]") : Value::invalid();
}

Json json_of_value(const Value& value, const ScalarType& type) {
  switch (value.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return nullptr;
    case Value::Kind::Bool:
      return value.boolean;
    case Value::Kind::Int:
      if (type.kind == Kind::Wide) return std::to_string(value.integer);
      return value.integer;
    case Value::Kind::Double:
      return value.number;
    case Value::Kind::Text:
      return value.text();
    case Value::Kind::Json: {
      auto parsed = parse_json(value.text());
      return parsed ? std::move(*parsed) : Json();
    }
  }
  return nullptr;
}

}  // namespace lattice::store
