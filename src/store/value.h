// Row values as stores hand them over: small tagged views into the request's arena.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lattice::store {

// A scalar in canonical wire form, not yet JSON: Text is the plain canonical text (an RFC 3339
// timestamp, a lower-case UUID, an enum constructor, the digits of a Decimal or a big Integer), Json is
// a finished canonical fragment of a composite value. Int also carries I64/W64; whether it prints
// quoted is the plan's business (schema::WireForm). Invalid marks stored data that is no value of its
// declared type (§15 lattice:integrity).
// 16 bytes; a view: the text belongs to the arena (or outlives it) and is not owned.
struct Value {
  enum class Kind : uint8_t { Null, Bool, Int, Double, Text, Json, Invalid };
  Kind kind = Kind::Null;
  uint32_t size = 0;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char* data;
  };

  Value() : integer(0) {}
  static Value of_bool(bool value) { Value v; v.kind = Kind::Bool; v.integer = 0; v.boolean = value; return v; }
  static Value of_int(int64_t value) { Value v; v.kind = Kind::Int; v.integer = value; return v; }
  static Value of_double(double value) { Value v; v.kind = Kind::Double; v.number = value; return v; }
  static Value of_text(std::string_view text) { return of_bytes(Kind::Text, text); }
  static Value of_json(std::string_view json) { return of_bytes(Kind::Json, json); }
  static Value invalid() { Value v; v.kind = Kind::Invalid; return v; }

  bool is_null() const { return kind == Kind::Null; }
  std::string_view text() const { return {data, size}; }

 private:
  static Value of_bytes(Kind kind, std::string_view bytes) {
    Value v;
    v.kind = kind;
    v.size = static_cast<uint32_t>(bytes.size());
    v.data = bytes.data();
    return v;
  }
};
static_assert(sizeof(Value) == 16);

// Same kind and same contents; Int equals Double when the numbers are equal. Null equals nothing.
bool equal_values(const Value& left, const Value& right);
// The order of a keyset column (§3.5.3): numbers by value, text by code point. (Enum columns are ordered
// by the position of the constructor: whoever sorts maps them first.) Null sorts first.
int compare_values(const Value& left, const Value& right);
uint64_t hash_value(const Value& value);

// The text that keys, refs and grouping tags are built from: digits, text as it is; never escaped.
void append_key_text(std::string& out, const Value& value);

}  // namespace lattice::store
