#include "store/aggregate.h"

#include <algorithm>

#include "base/check.h"

namespace lattice::store {

namespace {

__extension__ typedef __int128 Wide;
constexpr uint32_t kScaleMax = 18;

// value * 10^power; false when it leaves 128 bits.
bool scale_up(Wide& value, uint32_t power) {
  for (; power > 0; --power) {
    if (__builtin_mul_overflow(value, Wide{10}, &value)) return false;
  }
  return true;
}

std::string print_digits(Wide value, uint32_t scale) {
  bool negative = value < 0;
  std::string digits;
  do {
    int digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (negative ? -digit : digit));
    value /= 10;
    if (scale > 0 && digits.size() == scale) digits += '.';
  } while (value != 0 || digits.size() <= scale);
  if (digits.back() == '.') digits += '0';
  std::reverse(digits.begin(), digits.end());
  if (digits.find('.') != std::string::npos) {
    while (digits.back() == '0') digits.pop_back();
    if (digits.back() == '.') digits.pop_back();
  }
  return negative ? "-" + digits : digits;
}

}  // namespace

void Aggregator::add_digits(std::string_view digits) {
  bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  size_t dot = digits.find('.');
  uint32_t scale =
      dot == std::string_view::npos ? 0 : static_cast<uint32_t>(digits.size() - dot - 1);
  Wide number = 0;
  bool fits = scale <= kScaleMax;
  for (char c : digits) {
    if (c == '.' || !fits) continue;
    fits = !__builtin_mul_overflow(number, Wide{10}, &number) &&
           !__builtin_add_overflow(number, Wide{c - '0'}, &number);
  }
  if (negative) number = -number;
  if (fits && scale > scale_) {
    fits = scale_up(digits_, scale - scale_);
    scale_ = scale;
  } else if (fits && scale < scale_) {
    fits = scale_up(number, scale_ - scale);
  }
  if (!fits || __builtin_add_overflow(digits_, number, &digits_)) is_spoilt_ = true;
}

void Aggregator::add(const Value& value) {
  if (function_ == Function::Count) {
    ++count_;
    return;
  }
  if (value.is_null()) return;
  if (value.kind == Value::Kind::Invalid) {
    is_spoilt_ = true;
    return;
  }
  ++count_;
  if (function_ == Function::Sum) {
    if (value.kind == Value::Kind::Double) {
      sum_ += value.number;
    } else {
      std::string digits;
      append_key_text(digits, value);
      add_digits(digits);
    }
    return;
  }
  if (count_ == 1) {
    best_ = value;
    return;
  }
  int sign = compare_in_order(type_->order, value, best_);
  if (function_ == Function::Min ? sign < 0 : sign > 0) best_ = value;
}

Value Aggregator::finish(Arena& arena) const {
  if (function_ == Function::Count) return Value::of_int(static_cast<int64_t>(count_));
  if (is_spoilt_) return Value::invalid();
  if (function_ == Function::Sum) {
    if (type_->kind == ScalarType::Kind::Float) return Value::of_double(sum_);
    std::string digits = print_digits(digits_, scale_);
    if (type_->kind == ScalarType::Kind::Decimal) return Value::of_text(arena.copy(digits));
    return value_of_digits(arena.copy(digits));
  }
  if (best_.kind == Value::Kind::Text) return Value::of_text(arena.copy(best_.text()));
  return best_;
}

}  // namespace lattice::store
