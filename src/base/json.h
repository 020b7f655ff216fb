// JSON as a tree, and the two canonical renderings (spec §5.1, §3.5.3).
//
//   {"b":1,"a":[1.50]}  ──parse_json──▶ Json ──canonical_json──▶ {"a":[1.5],"b":1}
//
// canonical_json is the function that hashes, claims and cursors use: object keys by code point,
// ECMAScript rendering of doubles, integers as plain digits whatever their size. jcs is RFC 8785,
// for values of type `Json`: keys by UTF-16 unit, every number a double.
//
// Json is a value: copy it, move it, compare it. Any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace lattice {

// An integer beyond int64, as its normal decimal digits with an optional sign.
struct BigInteger {
  std::string digits;
  bool operator==(const BigInteger&) const = default;
};

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in the order written; keys are unique

  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  Json(double value) : value_(value) {}
  Json(int value) : value_(static_cast<int64_t>(value)) {}
  Json(unsigned value) : value_(static_cast<int64_t>(value)) {}
  Json(int64_t value) : value_(value) {}
  Json(uint64_t value);
  Json(BigInteger value) : value_(std::move(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  static Json array(std::initializer_list<Json> items = {}) { return Json(Array(items)); }
  static Json object(std::initializer_list<Member> members = {}) { return Json(Object(members)); }

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_bool() const { return std::holds_alternative<bool>(value_); }
  bool is_integer() const { return is_int64() || std::holds_alternative<BigInteger>(value_); }
  bool is_int64() const { return std::holds_alternative<int64_t>(value_); }
  bool is_double() const { return std::holds_alternative<double>(value_); }
  bool is_number() const { return is_integer() || is_double(); }
  bool is_string() const { return std::holds_alternative<std::string>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The held value; a wrong kind is a failed check.
  bool as_bool() const;
  int64_t as_int64() const;
  double as_double() const;  // of any number; an integer beyond the range of a double is a bug
  const BigInteger& as_big_integer() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Object& as_object() const;
  Object& as_object();

  // The member `key` of an object; null when absent or when this is no object.
  const Json* find(std::string_view key) const;
  Json* find(std::string_view key);
  // Sets or replaces a member of an object (null becomes an empty object first).
  Json& set(std::string_view key, Json value);
  // Removes a member; false when it was not there.
  bool erase(std::string_view key);
  void push_back(Json value);

  // Becomes an empty string, array or object, and hands it out to be filled.
  std::string& emplace_string() { return value_.emplace<std::string>(); }
  Array& emplace_array() { return value_.emplace<Array>(); }
  Object& emplace_object() { return value_.emplace<Object>(); }

  bool operator==(const Json&) const = default;  // member order counts

 private:
  std::variant<std::monostate, bool, int64_t, double, BigInteger, std::string, Array, Object>
      value_;
};

struct JsonLimits {
  uint32_t depth_max = 128;
  size_t bytes_max = 16 << 20;
  // 308 digits are always within the range of a double: jcs can print whatever was read.
  size_t integer_digits_max = 308;
};

// RFC 8259 text, strictly: UTF-8, no duplicate keys, no lone surrogates, nothing after the value.
// A number that is written without fraction or exponent is an integer of any size; others are
// doubles; a double that would be infinite is an error.
// Errors: lattice:encoding with the byte span of the offender.
Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Compact text in the order held; numbers as in canonical_json.
std::string to_json(const Json& value);
void append_json(std::string& out, const Json& value);
// Indented with two spaces, for people.
std::string to_pretty_json(const Json& value);

// §5.1: hashes, claims, cursors. Doubles that are integers print without a fraction; -0 prints 0.
std::string canonical_json(const Json& value);
void append_canonical_json(std::string& out, const Json& value);
// RFC 8785 for values of type Json (§3.5.3).
std::string jcs(const Json& value);
void append_jcs(std::string& out, const Json& value);

// The pieces that every writer shares. Strings: `\" \\ \n \t \r \b \f`, other controls `\u00xx`,
// all else raw. Doubles: ECMAScript Number::toString, finite only (a failed check otherwise).
void append_json_string(std::string& out, std::string_view text);
void append_json_number(std::string& out, double value);
void append_json_number(std::string& out, int64_t value);

}  // namespace lattice
