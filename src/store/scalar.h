// A declared type as stores see it: which scalar it is, and JSON ↔ Value.
//
//   PostId? ──scalar_type──▶ {Uuid, optional}      {"amount":"1.50",..} : Money ──▶ Json
//   {"amount":"1.5",..}
//
// Newtypes and options are resolved away once, when a store is opened. Immutable; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/arena.h"
#include "base/json.h"
#include "schema/schema.h"
#include "store/order.h"
#include "store/value.h"

namespace lattice::store {

struct ScalarType {
  enum class Kind : uint8_t {
    Bool,
    Int,   // I8 .. W32: JSON numbers within [min, max]
    Wide,  // I64, W64, Integer
    Decimal,
    Float,  // F32, F64
    Text,   // Text, Cursor, EntityRef
    Enum,
    Uuid,
    Bytes,  // and Bit: base64url text
    Timestamp,
    Date,
    TimeOfDay,
    Duration,
    Composite,  // data, lists, sets, maps, Json
  } kind = Kind::Text;
  bool is_optional = false;
  bool is_f32 = false;
  bool is_open = false;  // Enum: constructors that the schema does not know are values too
  schema::Primitive primitive = schema::Primitive::Text;
  uint32_t size = 0;        // of Bytes n and Bit n; 0: any
  int64_t min = INT64_MIN;  // Int and Wide; W64 and Integer go beyond max as digits
  int64_t max = INT64_MAX;
  bool is_unbounded = false;  // Integer
  ColumnOrder order;          // Enum: its constructors
  schema::Type type;          // resolved, without the option
};

ScalarType scalar_type(const schema::Type& type, const schema::Schema& schema);

// The canonical value of a wire-like JSON value: null and absent are Null; what is no value of the
// type is Invalid. Texts are copied into `arena`. An empty list in a [T]+ is kept: emission reports
// it.
Value value_of_json(const Json& json, const ScalarType& type, const schema::Schema& schema,
                    Arena& arena);

// The wire JSON of a value of `type` (null for Null and Invalid).
Json json_of_value(const Value& value, const ScalarType& type);

// Canonical digits as a value: Int when they fit in 64 bits, else Text. `digits` is borrowed.
Value value_of_digits(std::string_view digits);

}  // namespace lattice::store
