#include "store/sqlite/codec.h"

#include <doctest/doctest.h>

#include "base/random.h"

namespace lattice::store {

namespace {

using Encoding = Form::Encoding;

schema::SchemaPtr test_schema() {
  static const schema::SchemaPtr schema = [] {
    auto loaded = schema::load_schema(R"(schema codec.example
enum Mood open = Calm | Loud
enum Role closed = Reader | Boss
data Money = Money { amount: Decimal, currency: Text }
entity Row by id {
  visible to all by default
  id: Text
  bool: Bool
  i8: I8
  w32: W32
  i64: I64
  w64: W64
  big: Integer
  decimal: Decimal
  f32: F32
  f64: F64
  text: Text?
  mood: Mood
  role: Role
  uuid: Uuid
  bytes: Bytes
  four: Bytes 4
  bits: Bit 12
  timestamp: Timestamp
  date: Date
  time: TimeOfDay
  duration: Duration
  money: Money
  list: [Text]
  some: [Text]+
  json: Json
}
)");
    REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
    return *loaded;
  }();
  return schema;
}

ScalarType type_of(std::string_view field) {
  const schema::Entity& row = *test_schema()->find_entity("Row");
  return scalar_type(row.fields[row.find_field(field)].type, *test_schema());
}

std::string decoded(std::string_view field, const Cell& cell) {
  static Arena arena;
  Value value = decode_cell(cell, type_of(field), *test_schema(), arena);
  if (value.is_null()) return "null";
  if (value.kind == Value::Kind::Invalid) return "invalid";
  std::string text;
  append_key_text(text, value);
  return text;
}
std::string decoded(std::string_view field, std::string_view text) {
  return decoded(field, Cell::of_text(text));
}

}  // namespace

TEST_CASE("booleans are 0 and 1") {
  CHECK(decoded("bool", Cell::of_integer(1)) == "true");
  CHECK(decoded("bool", Cell::of_integer(0)) == "false");
  CHECK(decoded("bool", Cell::of_integer(2)) == "invalid");
  CHECK(decoded("bool", "true") == "invalid");
}

TEST_CASE("integers stay in their range [3.5.3]") {
  CHECK(decoded("i8", Cell::of_integer(-128)) == "-128");
  CHECK(decoded("i8", Cell::of_integer(128)) == "invalid");
  CHECK(decoded("i8", Cell::of_real(5.0)) == "5");
  CHECK(decoded("i8", Cell::of_real(5.5)) == "invalid");
  CHECK(decoded("w32", Cell::of_integer(4294967295)) == "4294967295");
  CHECK(decoded("w32", Cell::of_integer(-1)) == "invalid");
  CHECK(decoded("i64", Cell::of_integer(INT64_MIN)) == "-9223372036854775808");
  CHECK(decoded("i64", "9223372036854775808") == "invalid");
  CHECK(decoded("w64", "18446744073709551615") == "18446744073709551615");
  CHECK(decoded("w64", "18446744073709551616") == "invalid");
  CHECK(decoded("w64", Cell::of_integer(-1)) == "invalid");
  CHECK(decoded("big", "-100000000000000000000") == "-100000000000000000000");
  CHECK(decoded("i64", "12x") == "invalid");
}

TEST_CASE("decimals lose no digit and have no exponent [3.5.3]") {
  CHECK(decoded("decimal", Cell::of_real(0.99)) == "0.99");
  CHECK(decoded("decimal", Cell::of_real(-0.0)) == "0");
  CHECK(decoded("decimal", Cell::of_real(1e21)) == "1000000000000000000000");
  CHECK(decoded("decimal", Cell::of_real(1e-7)) == "0.0000001");
  CHECK(decoded("decimal", Cell::of_integer(12)) == "12");
  CHECK(decoded("decimal", "1.50") == "1.5");
  CHECK(decoded("decimal", Cell::of_real(HUGE_VAL)) == "invalid");
  CHECK(decoded("decimal", Cell::of_blob("1")) == "invalid");
}

TEST_CASE("floats are finite and fit") {
  CHECK(decoded("f64", Cell::of_real(0.1)) == "0.1");
  CHECK(decoded("f64", Cell::of_integer(3)) == "3");
  CHECK(decoded("f64", Cell::of_real(HUGE_VAL)) == "invalid");
  CHECK(decoded("f32", Cell::of_real(1e39)) == "invalid");
  CHECK(decoded("f64", "0.1") == "invalid");
}

TEST_CASE("texts are NFC; absent is legal for options alone") {
  CHECK(decoded("text", "plain") == "plain");
  CHECK(decoded("text", "e\xcc\x81") == "\xc3\xa9");
  CHECK(decoded("text", "\xff") == "invalid");
  CHECK(decoded("text", Cell::of_integer(17)) == "17");
  CHECK(decoded("text", Cell::of_blob("x")) == "invalid");
  CHECK(decoded("text", Cell()) == "null");
  CHECK(decoded("id", Cell()) == "invalid");
}

TEST_CASE("enums: an open one may hold a constructor that the schema does not know [3.5.4]") {
  CHECK(decoded("mood", "Loud") == "Loud");
  CHECK(decoded("mood", "Newer") == "Newer");
  CHECK(decoded("mood", "no name") == "invalid");
  CHECK(decoded("role", "Boss") == "Boss");
  CHECK(decoded("role", "Newer") == "invalid");
}

TEST_CASE("uuids in four spellings") {
  const char* wire = "0a0b0c0d-1111-4222-8333-444455556666";
  CHECK(decoded("uuid", wire) == wire);
  CHECK(decoded("uuid", "0A0B0C0D-1111-4222-8333-444455556666") == wire);
  CHECK(decoded("uuid", "0a0b0c0d111142228333444455556666") == wire);
  CHECK(decoded("uuid", Cell::of_blob(std::string_view(
                            "\x0a\x0b\x0c\x0d\x11\x11\x42\x22\x83\x33\x44\x44\x55\x55\x66\x66", 16))) ==
        wire);
  CHECK(decoded("uuid", "0a0b0c0d-1111-4222-8333-44445555666") == "invalid");
  CHECK(decoded("uuid", "0a0b0c0d+1111-4222-8333-444455556666") == "invalid");
  CHECK(decoded("uuid", Cell::of_blob("short")) == "invalid");
}

TEST_CASE("bytes and bits are base64url of their length") {
  CHECK(decoded("bytes", Cell::of_blob("\xff\xfe")) == "__4");
  CHECK(decoded("four", Cell::of_blob("abcd")) == "YWJjZA");
  CHECK(decoded("four", Cell::of_blob("abc")) == "invalid");
  CHECK(decoded("bits", Cell::of_blob("\xab\xc0")) == "q8A");
  CHECK(decoded("bits", Cell::of_blob("\xab\xcd")) == "invalid");  // padding that is not zero
  CHECK(decoded("bytes", "text") == "invalid");
}

TEST_CASE("timestamps in the forms that databases use") {
  const char* wire = "2026-01-02T03:04:05Z";
  CHECK(decoded("timestamp", "2026-01-02 03:04:05") == wire);
  CHECK(decoded("timestamp", "2026-01-02T03:04:05Z") == wire);
  CHECK(decoded("timestamp", "2026-01-02T03:04:05") == wire);
  CHECK(decoded("timestamp", Cell::of_integer(1767323045)) == wire);
  CHECK(decoded("timestamp", "2026-01-02 03:04:05.120") == "2026-01-02T03:04:05.12Z");
  CHECK(decoded("timestamp", "2026-01-02 03:04:05.000") == wire);
  CHECK(decoded("timestamp", "2026-02-30 03:04:05") == "invalid");
  CHECK(decoded("timestamp", "2026-01-02 25:04:05") == "invalid");
  CHECK(decoded("timestamp", Cell::of_integer(1767323045000)) == "invalid");  // not milliseconds
  CHECK(decoded("timestamp", Cell::of_integer(0)) == "1970-01-01T00:00:00Z");
  CHECK(decoded("timestamp", Cell::of_integer(-1)) == "1969-12-31T23:59:59Z");
  CHECK(decoded("timestamp", "now") == "invalid");
}

TEST_CASE("composites are canonical JSON") {
  CHECK(decoded("money", R"({"currency":"EUR","amount":"1.50"})") ==
        R"({"amount":"1.5","currency":"EUR"})");
  CHECK(decoded("list", R"(["b", "a"])") == R"(["b","a"])");
  CHECK(decoded("some", "[]") == "[]");  // emission reports it
  CHECK(decoded("list", "[1]") == "invalid");
  CHECK(decoded("list", "no json") == "invalid");
  CHECK(decoded("json", R"({"b":1.0,"a":[null]})") == R"({"a":[null],"b":1})");
}

// Every form that a type can have gives back what it was given, and sorts as the type does.
TEST_CASE("forms are exact, and order-preserving where they say so") {
  const schema::Schema& schema = *test_schema();
  struct Case {
    const char* field;
    std::vector<const char*> values;  // in the type's order
  };
  const Case cases[] = {
      {"timestamp",
       {"1969-12-31T23:59:59Z", "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.125Z",
        "2026-01-02T03:04:05.5Z", "2026-01-02T03:04:06Z"}},
      {"uuid",
       {"00000000-0000-4000-8000-000000000000", "0a000000-0000-4000-8000-000000000000",
        "a0000000-0000-4000-8000-000000000000", "ff000000-0000-4000-8000-000000000000"}},
      {"text", {"", "10", "9", "B", "a", "ab"}},
      {"decimal", {"-10.5", "-9", "0", "0.25", "9", "10"}},
      {"bytes", {"AA", "-A", "_A"}},
  };
  for (const Case& one : cases) {
    ScalarType type = type_of(one.field);
    for (Form form : possible_forms(type)) {
      std::vector<Cell> cells;
      std::vector<std::string> scratch(one.values.size());
      for (size_t i = 0; i < one.values.size(); ++i) {
        Cell cell;
        if (!encode_cell(Value::of_text(one.values[i]), type, form, scratch[i], cell)) continue;
        Arena arena;
        Value back = decode_cell(cell, type, schema, arena);
        bool is_said = back.kind != Value::Kind::Invalid;  // else a place between two values
        if (is_said && conforms(cell, type, form, schema)) CHECK(back.text() == one.values[i]);
        cells.push_back(cell);
      }
      if (!preserves_order(type, form)) continue;
      for (size_t i = 0; i + 1 < cells.size(); ++i) {
        INFO(one.field, " ", static_cast<int>(form.encoding), " ", form.separator, " ",
             static_cast<int>(form.digits), " ", i);
        bool is_number = cells[i].type == Cell::Type::Integer || cells[i].type == Cell::Type::Real;
        auto number = [](const Cell& c) { return c.type == Cell::Type::Real ? c.real : double(c.integer); };
        CHECK((is_number ? number(cells[i]) < number(cells[i + 1]) : cells[i].bytes < cells[i + 1].bytes));
      }
    }
  }
}

TEST_CASE("sort keys sort as the type does") {
  SeededRandom random(7);
  ScalarType type = type_of("decimal");
  for (int i = 0; i < 2000; ++i) {
    auto digits = [&] {
      std::string text = random.below(2) ? "-" : "";
      text += std::to_string(random.below(1000));
      if (random.below(2)) text += "." + std::to_string(1 + random.below(9));
      return text == "-0" ? std::string("0") : text;
    };
    std::string left = digits(), right = digits(), left_key, right_key;
    Cell a = sort_key(Value::of_text(left), type, left_key);
    Cell b = sort_key(Value::of_text(right), type, right_key);
    INFO(left, " ", right);
    CHECK((compare_digits(left, right) < 0) == (a.bytes < b.bytes));
    CHECK((compare_digits(left, right) == 0) == (a.bytes == b.bytes));
  }
}

TEST_CASE("a form is chosen by what it gives back exactly") {
  const schema::Schema& schema = *test_schema();
  ScalarType type = type_of("timestamp");
  Form spaced{Encoding::TimestampText, ' ', Form::Zone::None, 0};
  CHECK(conforms(Cell::of_text("2026-01-02 03:04:05"), type, spaced, schema));
  CHECK_FALSE(conforms(Cell::of_text("2026-01-02T03:04:05Z"), type, spaced, schema));
  CHECK_FALSE(conforms(Cell::of_text("2026-01-02 03:04:05.000"), type, spaced, schema));
  CHECK_FALSE(conforms(Cell::of_integer(1), type, spaced, schema));
  CHECK(conforms(Cell(), type, spaced, schema));
}

}  // namespace lattice::store
