#include "schema/value.h"

#include <doctest/doctest.h>

#include "schema/scalars.h"
#include "tests/support/schemas.h"

namespace lattice::schema {
namespace {

constexpr std::string_view kDeclarations =
    "schema t.example\n"
    "newtype Tag = Text(min 2, max 4, match \"^[a-z]+$\")\n"
    "enum Role closed = Admin | Editor\n"
    "data Item { name: Text, tags: [Tag]+, role: Role?, next: Item? }\n"
    "data Box a { it: a, more: [a] }\n"
    "data Pay open = Card { last: Text(len 4) } | Cash\n";

// `position` is "input" or "encode"; the value, or the message of the refusal.
std::string judge(std::string_view type, std::string_view json,
                  std::string_view position = "input") {
  const auto schema = testing::load_good_schema(
      std::string(kDeclarations) +
      "entity E by id { visible to all by default id: Text x: " + std::string(type) + " }");
  auto value = parse_json(json);
  REQUIRE_MESSAGE(value.has_value(), std::string(json));
  const Type& of = schema->entities[0].fields[1].type;
  auto checked = position == "input" ? check_input(*value, of, *schema, "input")
                                     : canonicalize_value(*value, of, *schema, "row");
  if (checked) return to_json(*checked);
  CHECK(checked.error().code == (position == "input" ? Code::BadRequest : Code::Integrity));
  REQUIRE(checked.error().details.size() == 1);
  CHECK(checked.error().message.starts_with(checked.error().details[0].second));
  return "error: " + checked.error().message;
}

TEST_CASE("refusals name the path, what was expected and what was found") {
  CHECK(judge("Item", R"({"name":"a","tags":["ab","x"]})") ==
        "error: input.tags[1]: expected at least 2 characters, found 1");
  CHECK(judge("Item", R"({"name":"a","tags":["ab"],"next":{"name":"b","tags":[]}})") ==
        "error: input.next.tags: expected at least one element, found an empty list");
  CHECK(judge("Item", R"({"name":"a","tags":["ab"],"role":"Boss"})") ==
        "error: input.role: expected a value of Role (Admin, Editor), found \"Boss\"");
  CHECK(judge("Item", R"({"name":"a","tags":["ab"],"rol":1})") ==
        "error: input: Item has no member \"rol\"");
  CHECK(judge("Item", R"({"name":"a"})") ==
        "error: input: the member `tags: [Tag]+` of Item is missing");
  CHECK(judge("Item", R"({"name":null,"tags":["ab"]})") ==
        "error: input.name: expected a string, found nothing");
  CHECK(judge("Map Role I8", R"({"Admin":1,"Editor":200})") ==
        "error: input[\"Editor\"]: expected I8 (-128 to 127), found 200");
  CHECK(judge("Map Role I8", R"({"Boss":1})")
            .starts_with("error: input[\"Boss\"]: expected a value of"));
  CHECK(judge("Map I8 Text", R"([[1,"a"],[2]])") ==
        "error: input: expected a list of [key, value] pairs (Map I8 Text), found a list");
  CHECK(judge("Map I8 Text", R"([[1,"a"],[1,"b"]])") == "error: input: the key 1 is given twice");
  CHECK(judge("Pay", R"({"$tag":"Gold"})") == "error: input: Pay has no constructor \"Gold\"");
  CHECK(judge("Pay", R"({"last":"1234"})") ==
        "error: input: expected a \"$tag\" that names a constructor of Pay");
  CHECK(judge("Text", "\"" + std::string(100, 'x') + "\"") == "\"" + std::string(100, 'x') + "\"");
  CHECK(judge("I32", "\"" + std::string(100, 'x') + "\"").ends_with("found a longer string"));
}

TEST_CASE("values come out in canonical form (§3.5.3)") {
  CHECK(judge("Item", R"({"tags":["ab"],"role":null,"name":"a"})") ==
        R"({"name":"a","tags":["ab"]})");
  CHECK(judge("Box (Set I32)", R"({"more":[[2,10,2]],"it":[]})") == R"({"it":[],"more":[[10,2]]})");
  CHECK(judge("Pay?", "null") == "null");
  CHECK(judge("Set Text", R"(["a","a!"])") == R"(["a!","a"])");  // by encoding, quotes and all
  CHECK(judge("Map Text I8", R"({"a!":1,"a":2})") == R"({"a":2,"a!":1})");
  CHECK(judge("Map I64 I8", R"({"10":1,"9":2})") == R"({"10":1,"9":2})");
  CHECK(judge("F32", "0.1") == "0.1");
  CHECK(judge("F32", "0.10000000149011612") == "0.1");
  CHECK(judge("F32", "1e39").starts_with("error: input: expected a number that F32 can hold"));
  CHECK(judge("F64", "5") == "5");
  CHECK(judge("F64", "-0.0") == "0");
  CHECK(judge("I32", "-0.0") == "0");
  CHECK(judge("I32", "1e3") == "1000");
  CHECK(judge("Text", "\"e\\u0301\"") == "\"\u00e9\"");
  CHECK(judge("Json", R"({"b":9007199254740993,"a":null,"c":[1.50,-0.0]})") ==
        R"({"a":null,"b":9007199254740992,"c":[1.5,0]})");
  CHECK(judge("Bit 12", "\"qqA\"") == "\"qqA\"");
  CHECK(judge("Bit 12", "\"qq8\"").find("must be zero") != std::string::npos);
}

TEST_CASE("spellings that mean the same are normalised, other notations are refused") {
  CHECK(judge("Uuid", "\"F47AC10B-58CC-4372-A567-0E02B2C3D479\"") ==
        "\"f47ac10b-58cc-4372-a567-0e02b2c3d479\"");
  CHECK(judge("Timestamp", "\"2026-01-02T03:04:05.500Z\"") == "\"2026-01-02T03:04:05.5Z\"");
  CHECK(judge("Decimal", "\"01.50\"") == "\"1.5\"");
  CHECK(judge("I64", "\"-00\"") == "\"0\"");
  for (const char* bad :
       {"\"2026-01-02T03:04:05+00:00\"", "\"2026-01-02 03:04:05Z\"", "\"2026-01-02\"",
        "\"2026-13-02T03:04:05Z\"", "\"2026-01-02T24:00:00Z\"", "5", "\"\""}) {
    CHECK(judge("Timestamp", bad).starts_with("error: input: expected a timestamp in UTC"));
  }
  for (const char* bad : {"\"1e3\"", "\"+1\"", "\".5\"", "\"5.\"", "\"\"", "\"1,5\"", "1.5"}) {
    CHECK(judge("Decimal", bad).starts_with("error: input: expected a decimal"));
  }
  CHECK(judge("Uuid", "\"f47ac10b58cc4372a5670e02b2c3d479\"").starts_with("error"));
  CHECK(judge("Bytes", "\"_w==\"").starts_with("error"));
}

TEST_CASE("refinements on numbers compare exactly") {
  CHECK(judge("Decimal(max 0.1)", "\"0.10000000000000000000001\"") ==
        "error: input: expected at most 0.1, found \"0.10000000000000000000001\"");
  CHECK(judge("I64(min 9007199254740993)", "\"9007199254740992\"").starts_with("error"));
  CHECK(judge("I64(min 9007199254740993)", "\"9007199254740993\"") == "\"9007199254740993\"");
  CHECK(judge("I32(min -5, max 5)", "-5") == "-5");
  CHECK(judge("I32(min -5, max 5)", "6") == "error: input: expected at most 5, found 6");
  CHECK(judge("F64(min 0.5)", "0.25") == "error: input: expected at least 0.5, found 0.25");
  CHECK(judge("Bytes(max 2)", "\"AAAA\"") == "error: input: expected at most 2 bytes, found 3");
}

TEST_CASE("our own rows are read leniently (§3.5.3)") {
  CHECK(judge("Timestamp", "\"2026-01-02 03:04:05\"", "encode") == "\"2026-01-02T03:04:05Z\"");
  CHECK(judge("Bool", "1", "encode") == "true");
  CHECK(judge("I64", "5", "encode") == "\"5\"");
  CHECK(judge("Decimal", "1.5", "encode") == "\"1.5\"");
  CHECK(judge("Bool", "2", "encode") == "error: row: expected true or false, found 2");
}

TEST_CASE("timestamps move to UTC over days, months and years") {
  CHECK(canonical_timestamp("2026-01-01T00:30:00+02:00") == "2025-12-31T22:30:00Z");
  CHECK(canonical_timestamp("2024-02-28T23:30:00-01") == "2024-02-29T00:30:00Z");
  CHECK(canonical_timestamp("2026-12-31T23:59:59.999-0001") == "2027-01-01T00:00:59.999Z");
  CHECK(canonical_timestamp("2026-01-02") == "2026-01-02T00:00:00Z");
  CHECK(canonical_timestamp("2026-01-02 03:04:05.123000+00") == "2026-01-02T03:04:05.123Z");
  CHECK_FALSE(canonical_timestamp("0000-01-01T00:00:00+01:00").has_value());
  CHECK_FALSE(canonical_timestamp("9999-12-31T23:59:59-01:00").has_value());
  CHECK_FALSE(canonical_timestamp("2026-02-29T00:00:00Z").has_value());
  CHECK_FALSE(canonical_timestamp("2026-01-02T03:04:05Zx").has_value());
  CHECK(canonical_date("2009-01-01 00:00:00") == "2009-01-01");
  CHECK_FALSE(canonical_date("2009-01-01 00:00:01").has_value());
  CHECK(canonical_time_of_day("12:30") == "12:30:00");
}

TEST_CASE("durations have minimal digits and ordered units") {
  CHECK(canonical_duration("PT01.50S") == "PT1.5S");
  CHECK(canonical_duration("P1Y0M02DT0H") == "P1Y2D");
  CHECK(canonical_duration("P0D") == "PT0S");
  CHECK(canonical_duration("P2W") == "P2W");
  CHECK(canonical_duration("PT0,5H") == "PT0.5H");
  for (const char* bad :
       {"P", "PT", "P1", "P1D2Y", "P1YT", "PT1.5H3M", "P1H", "1D", "P-1D", "PT1S "}) {
    CHECK_FALSE_MESSAGE(canonical_duration(bad).has_value(), bad);
  }
}

TEST_CASE("decimals and integers have one spelling, and compare by value") {
  CHECK(canonical_decimal("1.2e3") == "1200");
  CHECK(canonical_decimal("12e-4") == "0.0012");
  CHECK(canonical_decimal("+.50") == "0.5");
  CHECK(canonical_decimal("-0.00") == "0");
  CHECK(canonical_decimal("5.") == "5");
  CHECK_FALSE(canonical_decimal("1e999999").has_value());
  CHECK_FALSE(canonical_decimal("1e99999999999").has_value());
  CHECK_FALSE(canonical_decimal(std::string(20'000, '1')).has_value());
  CHECK_FALSE(canonical_decimal("0x10").has_value());
  CHECK(canonical_integer("+007") == "7");
  CHECK_FALSE(canonical_integer("7.0").has_value());
  CHECK(compare_decimals("10", "9.5") > 0);
  CHECK(compare_decimals("-10", "-9.5") < 0);
  CHECK(compare_decimals("1.5", "1.45") > 0);
  CHECK(compare_decimals("1", "1.01") < 0);
  CHECK(compare_decimals("-1", "0") < 0);
  CHECK(compare_decimals("0.5", "0.5") == 0);
}

TEST_CASE("UUIDs of stores and bits") {
  CHECK(canonical_uuid("{F47AC10B-58CC-4372-A567-0E02B2C3D479}") ==
        "f47ac10b-58cc-4372-a567-0e02b2c3d479");
  CHECK(canonical_uuid("f47ac10b58cc4372a5670e02b2c3d479") ==
        "f47ac10b-58cc-4372-a567-0e02b2c3d479");
  CHECK_FALSE(canonical_uuid("f47ac10b-58cc-4372-a567-0e02b2c3d47g").has_value());
  CHECK(encode_bits("101010101010") == "qqA");
  CHECK(encode_bits("") == "");
  CHECK_FALSE(encode_bits("102").has_value());
}

// --- URLs ---

TEST_CASE("values in URLs: text verbatim, numbers as literals, composite as base64url (§6.1)") {
  const auto schema = testing::load_good_schema(
      std::string(kDeclarations) +
      "newtype Tags = [Tag]+ entity E by id { visible to all by default id: "
      "Text n: I32 w: I64 b: Bool t: Timestamp r: Role l: Tags j: Json o: F64? }");
  const auto type_of = [&](std::string_view name) {
    const Entity& entity = schema->entities[0];
    return entity.fields[entity.find_field(name)].type;
  };
  const auto read = [&](std::string_view name, std::string_view text) {
    auto value = parse_url_value(text, type_of(name), *schema, name);
    return value ? to_json(*value) : "error: " + value.error().message;
  };
  CHECK(read("id", "true") == "\"true\"");
  CHECK(read("id", "") == "\"\"");
  CHECK(read("n", "-5") == "-5");
  CHECK(read("n", "\"5\"").starts_with("error: n: expected I32"));
  CHECK(read("n", "5x").starts_with("error: n: expected I32"));
  CHECK(read("w", "9223372036854775807") == "\"9223372036854775807\"");
  CHECK(read("b", "true") == "true");
  CHECK(read("b", "null").find("leave the parameter out") != std::string::npos);
  CHECK(read("r", "Boss").starts_with("error: r: expected a value of Role"));
  CHECK(read("o", "0.5") == "0.5");
  for (const char* form : {R"(["ab","cd"])", "WyJhYiIsImNkIl0", "b64:WyJhYiIsImNkIl0"}) {
    CHECK(read("l", form) == R"(["ab","cd"])");
  }
  CHECK(read("l", "WyJhYiIsImNkIl0=").find("base64url") != std::string::npos);
  CHECK(read("l", "[]").find("at least one element") != std::string::npos);
  CHECK(read("id", "\xff").find("UTF-8") != std::string::npos);
  CHECK(print_url_value(Json("a b"), type_of("id"), *schema) == "a b");
  CHECK(print_url_value(Json(5), type_of("n"), *schema) == "5");
  CHECK(print_url_value(Json("5"), type_of("w"), *schema) == "5");
  CHECK(print_url_value(Json::array({"ab", "cd"}), type_of("l"), *schema) == "WyJhYiIsImNkIl0");
}

TEST_CASE("wire forms decide how a stored scalar is rendered") {
  const auto schema = testing::load_good_schema(
      std::string(kDeclarations) +
      "entity E by id { visible to all by default id: Text a: Bool? b: W32 c: "
      "Integer d: Role e: Pay f: Json g: Tag h: Decimal i: [Text] }");
  const auto form = [&](FieldIndex index) {
    return schema->wire_form(schema->entities[0].fields[index].type);
  };
  CHECK(form(0) == WireForm::Bool);
  CHECK(form(1) == WireForm::Number);
  CHECK(form(2) == WireForm::WideInteger);
  CHECK(form(3) == WireForm::Text);
  CHECK(form(4) == WireForm::Json);
  CHECK(form(5) == WireForm::Json);
  CHECK(form(6) == WireForm::Text);
  CHECK(form(7) == WireForm::Text);
  CHECK(form(8) == WireForm::Json);
}

}  // namespace
}  // namespace lattice::schema
