#include "store/value.h"

#include <bit>
#include <charconv>
#include <cmath>

#include "base/json.h"

namespace lattice::store {

namespace {

// Kinds of one rank compare by contents; ranks keep the order total.
int rank_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
      return 0;
    case Value::Kind::Invalid:
      return 1;
    case Value::Kind::Bool:
      return 2;
    case Value::Kind::Int:
    case Value::Kind::Double:
      return 3;
    case Value::Kind::Text:
      return 4;
    case Value::Kind::Json:
      return 5;
  }
  return 0;
}

int sign_of(auto left, auto right) {
  return left < right ? -1 : (left > right ? 1 : 0);
}

constexpr double kInt64Bound = 9223372036854775808.0;  // 2^63

// Exact: an int64 near a large double does not compare by its rounded double.
int compare_int_double(int64_t left, double right) {
  if (std::isnan(right) || right >= kInt64Bound) return -1;
  if (right < -kInt64Bound) return 1;
  double whole = std::trunc(right);
  if (int sign = sign_of(left, static_cast<int64_t>(whole))) return sign;
  return sign_of(whole, right);
}

int compare_numbers(const Value& left, const Value& right) {
  bool left_int = left.kind == Value::Kind::Int, right_int = right.kind == Value::Kind::Int;
  if (left_int && right_int) return sign_of(left.integer, right.integer);
  if (left_int) return compare_int_double(left.integer, right.number);
  if (right_int) return -compare_int_double(right.integer, left.number);
  return sign_of(left.number, right.number);
}

uint64_t mix(uint64_t value) {
  value ^= value >> 30;
  value *= 0xbf58476d1ce4e5b9u;
  value ^= value >> 27;
  value *= 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace

bool equal_values(const Value& left, const Value& right) {
  if (left.is_null() || left.kind == Value::Kind::Invalid) return false;
  return rank_of(left) == rank_of(right) && compare_values(left, right) == 0;
}

int compare_values(const Value& left, const Value& right) {
  int rank = rank_of(left);
  if (int sign = sign_of(rank, rank_of(right))) return sign;
  switch (left.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return 0;
    case Value::Kind::Bool:
      return sign_of(left.boolean, right.boolean);
    case Value::Kind::Int:
    case Value::Kind::Double:
      return compare_numbers(left, right);
    case Value::Kind::Text:
    case Value::Kind::Json:
      return sign_of(left.text().compare(right.text()), 0);
  }
  return 0;
}

uint64_t hash_value(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
      return 0x9e3779b97f4a7c15u;
    case Value::Kind::Invalid:
      return 0x3c6ef372fe94f82au;
    case Value::Kind::Bool:
      return mix(value.boolean ? 3 : 2);
    case Value::Kind::Int:
      return mix(static_cast<uint64_t>(value.integer));
    case Value::Kind::Double: {
      double number = value.number;
      bool is_integer = number == std::trunc(number) && std::abs(number) < kInt64Bound;
      if (is_integer) return mix(static_cast<uint64_t>(static_cast<int64_t>(number)));
      return mix(std::bit_cast<uint64_t>(number));
    }
    case Value::Kind::Text:
    case Value::Kind::Json:
      return mix(std::hash<std::string_view>{}(value.text()));
  }
  return 0;
}

void append_key_text(std::string& out, const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return;
    case Value::Kind::Bool:
      out += value.boolean ? "true" : "false";
      return;
    case Value::Kind::Int:
      append_json_number(out, value.integer);
      return;
    case Value::Kind::Double:
      append_json_number(out, value.number);
      return;
    case Value::Kind::Text:
    case Value::Kind::Json:
      out += value.text();
      return;
  }
}

}  // namespace lattice::store
