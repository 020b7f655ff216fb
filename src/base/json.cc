#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/utf8.h"

namespace lattice {

Json::Json(uint64_t value) {
  if (value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    value_ = static_cast<int64_t>(value);
  } else {
    value_ = BigInteger{std::to_string(value)};
  }
}

bool Json::as_bool() const {
  LATTICE_CHECK(is_bool(), value_.index());
  return std::get<bool>(value_);
}

int64_t Json::as_int64() const {
  LATTICE_CHECK(is_int64(), value_.index());
  return std::get<int64_t>(value_);
}

double Json::as_double() const {
  LATTICE_CHECK(is_number(), value_.index());
  if (is_double()) return std::get<double>(value_);
  if (is_int64()) return static_cast<double>(std::get<int64_t>(value_));
  const std::string& digits = as_big_integer().digits;
  double value = 0;
  auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  LATTICE_CHECK(status == std::errc() && std::isfinite(value), digits);
  return value;
}

const BigInteger& Json::as_big_integer() const {
  LATTICE_CHECK(std::holds_alternative<BigInteger>(value_), value_.index());
  return std::get<BigInteger>(value_);
}

const std::string& Json::as_string() const {
  LATTICE_CHECK(is_string(), value_.index());
  return std::get<std::string>(value_);
}

const Json::Array& Json::as_array() const {
  LATTICE_CHECK(is_array(), value_.index());
  return std::get<Array>(value_);
}

Json::Array& Json::as_array() {
  LATTICE_CHECK(is_array(), value_.index());
  return std::get<Array>(value_);
}

const Json::Object& Json::as_object() const {
  LATTICE_CHECK(is_object(), value_.index());
  return std::get<Object>(value_);
}

Json::Object& Json::as_object() {
  LATTICE_CHECK(is_object(), value_.index());
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  for (const Member& member : *object) {
    if (member.first == key) return &member.second;
  }
  return nullptr;
}

Json* Json::find(std::string_view key) {
  return const_cast<Json*>(static_cast<const Json*>(this)->find(key));
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object();
  Object& object = as_object();
  if (Json* held = find(key)) {
    *held = std::move(value);
    return *held;
  }
  return object.emplace_back(std::string(key), std::move(value)).second;
}

bool Json::erase(std::string_view key) {
  auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return false;
  auto at = std::find_if(object->begin(), object->end(),
                         [&](const Member& member) { return member.first == key; });
  if (at == object->end()) return false;
  object->erase(at);
  return true;
}

void Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  as_array().push_back(std::move(value));
}

}  // namespace lattice
