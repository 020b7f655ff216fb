#include "store/order.h"

#include <charconv>

namespace lattice::store {

using schema::Primitive;

namespace {

int sign_of(int value) {
  return value < 0 ? -1 : (value > 0 ? 1 : 0);
}

// -1: null, before every constructor; an unknown constructor comes last.
int position_of(const ColumnOrder& order, const Value& value) {
  if (value.kind != Value::Kind::Text) return -1;
  for (size_t i = 0; i < order.constructors.size(); ++i) {
    if (order.constructors[i] == value.text()) return static_cast<int>(i);
  }
  return static_cast<int>(order.constructors.size());
}

int compare_wide(const Value& left, const Value& right) {
  bool texts = left.kind == Value::Kind::Text || right.kind == Value::Kind::Text;
  bool numbers = (left.kind == Value::Kind::Text || left.kind == Value::Kind::Int) &&
                 (right.kind == Value::Kind::Text || right.kind == Value::Kind::Int);
  if (!texts || !numbers) return compare_values(left, right);
  std::string left_digits, right_digits;
  append_key_text(left_digits, left);
  append_key_text(right_digits, right);
  return compare_digits(left_digits, right_digits);
}

// Splits "-12.5" into its integer and fraction digits.
std::pair<std::string_view, std::string_view> split_digits(std::string_view text) {
  size_t dot = text.find('.');
  if (dot == std::string_view::npos) return {text, {}};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

}  // namespace

int compare_digits(std::string_view left, std::string_view right) {
  bool left_minus = left.starts_with('-'), right_minus = right.starts_with('-');
  if (left_minus != right_minus) return left_minus ? -1 : 1;
  if (left_minus) return compare_digits(right.substr(1), left.substr(1));
  auto [left_whole, left_fraction] = split_digits(left);
  auto [right_whole, right_fraction] = split_digits(right);
  if (left_whole.size() != right_whole.size()) {
    return left_whole.size() < right_whole.size() ? -1 : 1;
  }
  if (int sign = left_whole.compare(right_whole)) return sign_of(sign);
  return sign_of(left_fraction.compare(right_fraction));
}

int compare_timestamps(std::string_view left, std::string_view right) {
  // Without the Z a longer fraction follows its own prefix.
  if (left.ends_with('Z')) left.remove_suffix(1);
  if (right.ends_with('Z')) right.remove_suffix(1);
  return sign_of(left.compare(right));
}

int compare_base64url(std::string_view left, std::string_view right) {
  // Six bits a character, first bits first: the alphabet's own order is the bytes' order.
  auto place = [](char c) -> int {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '-' ? 62 : 63;
  };
  size_t size = std::min(left.size(), right.size());
  for (size_t i = 0; i < size; ++i) {
    if (int sign = sign_of(place(left[i]) - place(right[i]))) return sign;
  }
  return sign_of(static_cast<int>(left.size()) - static_cast<int>(right.size()));
}

ColumnOrder column_order(const schema::Type& type, const schema::Schema& schema) {
  ColumnOrder order;
  schema::Type resolved = schema.resolve(type);
  const schema::Type& plain = resolved.without_option();
  if (plain.kind == schema::Type::Kind::Named) {
    const schema::TypeDeclaration* declaration = schema.find_type(plain.name);
    if (declaration != nullptr && declaration->kind == schema::TypeDeclaration::Kind::Enum) {
      order.kind = ColumnOrder::Kind::Enum;
      order.constructors = declaration->values;
    }
    return order;
  }
  if (plain.kind != schema::Type::Kind::Primitive) return order;
  switch (plain.primitive) {
    case Primitive::Timestamp:
      order.kind = ColumnOrder::Kind::Timestamp;
      break;
    case Primitive::I64:
    case Primitive::W64:
    case Primitive::Integer:
    case Primitive::Decimal:
      order.kind = ColumnOrder::Kind::Digits;
      break;
    case Primitive::Bytes:
    case Primitive::Bit:
      order.kind = ColumnOrder::Kind::Bytes;
      break;
    default:
      break;
  }
  return order;
}

int compare_in_order(const ColumnOrder& order, const Value& left, const Value& right) {
  bool texts = left.kind == Value::Kind::Text && right.kind == Value::Kind::Text;
  switch (order.kind) {
    case ColumnOrder::Kind::Plain:
      return compare_values(left, right);
    case ColumnOrder::Kind::Enum:
      return sign_of(position_of(order, left) - position_of(order, right));
    case ColumnOrder::Kind::Timestamp:
      return texts ? compare_timestamps(left.text(), right.text()) : compare_values(left, right);
    case ColumnOrder::Kind::Digits:
      return compare_wide(left, right);
    case ColumnOrder::Kind::Bytes:
      return texts ? compare_base64url(left.text(), right.text()) : compare_values(left, right);
  }
  return 0;
}

}  // namespace lattice::store
