// The type language (spec §3.5): field types, arguments, variables, inputs.
// Types are values, immutable after elaboration; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lattice::schema {

enum class Primitive : uint8_t {
  Bool, I8, I16, I32, W8, W16, W32, I64, W64, Integer, Decimal, F32, F64, Text, Bytes, Bit, Uuid,
  Timestamp, Date, TimeOfDay, Duration, Cursor, Json, EntityRef,
};
std::string_view primitive_name(Primitive primitive);
std::optional<Primitive> find_primitive(std::string_view name);  // also String, Int, Float, Boolean

// Text(len 4), Text(min 1, max 20), Text(match "^x"), I32(min 0): checked at input boundaries, not
// structural, printed in the order written (§3.5.2).
struct Refinement {
  enum class Kind : uint8_t { Len, Min, Max, Match } kind = Kind::Len;
  Json bound;           // a number; the pattern text for Match
  std::string spelled;  // canonical spelling of the bound
};

struct Type {
  enum class Kind : uint8_t {
    Primitive,     // primitive, size for Bytes n / Bit n
    Named,         // name: a newtype, data or enum; arguments when the constructor takes some
    Parameter,     // name: a type parameter inside a generic declaration
    Option,        // T?
    List,          // [T]
    NonEmptyList,  // [T]+
    Vec,           // Vec n T
    Set,           // Set T
    Map,           // Map K V
  };
  Kind kind = Kind::Primitive;
  schema::Primitive primitive = schema::Primitive::Text;
  std::string name;
  uint32_t size = 0;             // n of Bytes n, Bit n, Vec n; 0: none
  std::vector<Type> arguments;   // element type(s)
  std::vector<Refinement> refinements;
  Span span;

  bool is_option() const { return kind == Kind::Option; }
  const Type& without_option() const { return is_option() ? arguments.front() : *this; }
};

// Structural equality, spans ignored.
bool same_type(const Type& left, const Type& right);
// Canonical spelling: "[Text]+?", "Map UserId Bool", "Text(min 1, max 20)".
std::string print_type(const Type& type);

struct DataField {
  std::string name;
  Type type;
  std::string description;
  Span span;
};
struct Constructor {
  std::string name;
  std::vector<DataField> fields;
  Span span;
};

// How values of a type look on the wire; decides how a stored scalar is rendered (§3.5.3).
enum class WireForm : uint8_t {
  Bool,         // true / false
  Number,       // JSON number: I8..W32, F32, F64
  WideInteger,  // decimal string: I64, W64, Integer
  Text,         // JSON string: Text, Uuid, Timestamp, Decimal, enums, Bytes, ...
  Json,         // anything composite: a canonical JSON fragment
};

}  // namespace lattice::schema
