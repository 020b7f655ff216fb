#include "store/value.h"

#include <doctest/doctest.h>

#include "store/order.h"

namespace lattice::store {

TEST_CASE("null equals nothing, and sorts first") {
  CHECK_FALSE(equal_values(Value(), Value()));
  CHECK_FALSE(equal_values(Value::invalid(), Value::invalid()));
  CHECK(compare_values(Value(), Value::of_int(-5)) < 0);
  CHECK(compare_values(Value(), Value()) == 0);
}

TEST_CASE("an integer equals a real of the same number, exactly") {
  CHECK(equal_values(Value::of_int(3), Value::of_double(3.0)));
  CHECK_FALSE(equal_values(Value::of_int(3), Value::of_double(3.5)));
  CHECK(compare_values(Value::of_int(3), Value::of_double(3.5)) < 0);
  CHECK(compare_values(Value::of_double(-3.5), Value::of_int(-3)) < 0);
  // 2^53 + 1 has no double; its neighbour is not it.
  CHECK(compare_values(Value::of_int(9007199254740993), Value::of_double(9007199254740992.0)) > 0);
  CHECK(compare_values(Value::of_int(INT64_MAX), Value::of_double(9223372036854775808.0)) < 0);
  CHECK(hash_value(Value::of_int(3)) == hash_value(Value::of_double(3.0)));
}

TEST_CASE("texts compare by code point") {
  CHECK(compare_values(Value::of_text("B"), Value::of_text("a")) < 0);
  CHECK(compare_values(Value::of_text("a"), Value::of_text("ab")) < 0);
  CHECK_FALSE(equal_values(Value::of_text("1"), Value::of_json("1")));
  CHECK_FALSE(equal_values(Value::of_text("1"), Value::of_int(1)));
}

TEST_CASE("key texts are never escaped") {
  std::string out;
  append_key_text(out, Value::of_int(-7));
  append_key_text(out, Value::of_text(" a,b*"));
  append_key_text(out, Value::of_bool(true));
  append_key_text(out, Value());
  append_key_text(out, Value::of_double(2.0));
  CHECK(out == "-7 a,b*true2");
}

TEST_CASE("digits compare by value, whatever their length [3.5.3]") {
  CHECK(compare_digits("9", "10") < 0);
  CHECK(compare_digits("-9", "-10") > 0);
  CHECK(compare_digits("-1", "1") < 0);
  CHECK(compare_digits("1.25", "1.3") < 0);
  CHECK(compare_digits("1.2", "1.25") < 0);
  CHECK(compare_digits("-1.2", "-1.25") > 0);
  CHECK(compare_digits("18446744073709551616", "18446744073709551615") > 0);
  CHECK(compare_digits("0", "0") == 0);
}

TEST_CASE("timestamps compare by time, with and without fractions") {
  CHECK(compare_timestamps("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.5Z") < 0);
  CHECK(compare_timestamps("2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.25Z") > 0);
  CHECK(compare_timestamps("2026-01-01T00:00:01Z", "2026-01-01T00:00:00.999Z") > 0);
}

TEST_CASE("base64url texts compare as their bytes do") {
  CHECK(compare_base64url("-A", "_A") < 0);  // f8 < fc
  CHECK(compare_base64url("zw", "0A") < 0);  // cf < d0
  CHECK(compare_base64url("AA", "AAA") < 0);
}

TEST_CASE("enums compare by declaration; unknown ones last, null first [3.6]") {
  ColumnOrder order{ColumnOrder::Kind::Enum, {"Low", "High"}};
  CHECK(compare_in_order(order, Value::of_text("Low"), Value::of_text("High")) < 0);
  CHECK(compare_in_order(order, Value::of_text("Newer"), Value::of_text("High")) > 0);
  CHECK(compare_in_order(order, Value(), Value::of_text("Low")) < 0);
}

}  // namespace lattice::store
