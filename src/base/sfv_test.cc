#include "base/sfv.h"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/vectors.h"

namespace lattice {
namespace {

using Field = std::variant<SfvItem, SfvList, SfvDictionary>;

std::string base32_decode(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  int bit_count = 0;
  for (char c : text) {
    if (c == '=') break;
    bits = bits << 5 | static_cast<uint32_t>(c >= 'A' ? c - 'A' : c - '2' + 26);
    bit_count += 5;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes += static_cast<char>(bits >> bit_count & 0xff);
  }
  return bytes;
}

// The suite's JSON as our values. Its decimals are rounded to thousandths here, half to even.
SfvBare bare_of(const Json& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int64()) return value.as_int64();
  if (value.is_double()) {
    return SfvDecimal{static_cast<int64_t>(std::nearbyint(value.as_double() * 1000))};
  }
  if (value.is_string()) return value.as_string();
  const std::string& type = testing::text_of(value, "__type");
  const std::string& text = testing::text_of(value, "value");
  if (type == "token") return SfvToken{text};
  LATTICE_CHECK(type == "binary", type);
  return SfvBytes{base32_decode(text)};
}

SfvParameters parameters_of(const Json& value) {
  SfvParameters parameters;
  for (const Json& pair : value.as_array()) {
    parameters.emplace_back(pair.as_array()[0].as_string(), bare_of(pair.as_array()[1]));
  }
  return parameters;
}

SfvItem item_of(const Json& value) {
  return {bare_of(value.as_array()[0]), parameters_of(value.as_array()[1])};
}

SfvMember member_of(const Json& value) {
  if (!value.as_array()[0].is_array()) return item_of(value);
  SfvInnerList list;
  for (const Json& item : value.as_array()[0].as_array()) list.items.push_back(item_of(item));
  list.parameters = parameters_of(value.as_array()[1]);
  return list;
}

Field field_of(const Json& value, std::string_view type) {
  if (type == "item") return item_of(value);
  if (type == "list") {
    SfvList list;
    for (const Json& member : value.as_array()) list.push_back(member_of(member));
    return list;
  }
  SfvDictionary dictionary;
  for (const Json& pair : value.as_array()) {
    dictionary.emplace_back(pair.as_array()[0].as_string(), member_of(pair.as_array()[1]));
  }
  return dictionary;
}

template <class T>
Result<Field> as_field(Result<T> parsed) {
  if (!parsed) return fail(parsed.error());
  return Field(std::move(*parsed));
}

Result<Field> parse_field(std::string_view text, std::string_view type) {
  if (type == "item") return as_field(parse_sfv_item(text));
  if (type == "list") return as_field(parse_sfv_list(text));
  return as_field(parse_sfv_dictionary(text));
}

Result<std::string> serialize_field(const Field& field) {
  return std::visit([](const auto& held) { return serialize_sfv(held); }, field);
}

bool has_flag(const Json& vector, std::string_view name) {
  const Json* flag = vector.find(name);
  return flag != nullptr && flag->as_bool();
}

std::string joined(const Json& lines) {
  std::string field;
  for (const Json& line : lines.as_array()) {
    if (&line != &lines.as_array().front()) field += ", ";
    field += line.as_string();
  }
  return field;
}

// A case with `raw` parses (or must not); every expected value prints as `canonical`, or as `raw`.
void run_case(const Json& vector) {
  const std::string& type = testing::text_of(vector, "header_type");
  bool must_fail = has_flag(vector, "must_fail");
  const Json* raw = vector.find("raw");
  const Json* expected = vector.find("expected");
  if (raw != nullptr) {
    auto parsed = parse_field(joined(*raw), type);
    if (must_fail) {
      CHECK(!parsed.has_value());
      if (!parsed) CHECK(parsed.error().code == Code::Encoding);
      return;
    }
    if (!parsed && has_flag(vector, "can_fail")) return;
    REQUIRE_MESSAGE(parsed.has_value(), parsed.error().message);
    CHECK((*parsed == field_of(*expected, type)));
  }
  auto printed = serialize_field(field_of(*expected, type));
  CHECK(printed.has_value() == !must_fail);
  if (must_fail || !printed) return;
  const Json* canonical = vector.find("canonical");
  CHECK(*printed == joined(canonical != nullptr ? *canonical : *raw));
}

TEST_CASE("the HTTP working group's structured field suite") {
  auto folder = testing::find_shared("conformance/external/structured-field-tests");
  if (!folder) return;
  int case_count = 0;
  for (const char* part : {"", "serialisation-tests"}) {
    for (const auto& entry : std::filesystem::directory_iterator(*folder / part)) {
      if (entry.path().extension() != ".json") continue;
      auto cases = parse_json(testing::read_file(entry.path()));
      REQUIRE(cases.has_value());
      for (const Json& vector : cases->as_array()) {
        CAPTURE(entry.path().filename().string());
        CAPTURE(testing::text_of(vector, "name"));
        run_case(vector);
        ++case_count;
      }
    }
  }
  CHECK(case_count == 792 + 387);
  MESSAGE("structured fields: " << case_count << " cases");
}

TEST_CASE("byte sequences read without padding, and print with it") {
  CHECK((parse_sfv_item(":aGk=:").value().value == SfvBare(SfvBytes{"hi"})));
  CHECK((parse_sfv_item(":aGk:").value().value == SfvBare(SfvBytes{"hi"})));
  CHECK((parse_sfv_item("::").value().value == SfvBare(SfvBytes{""})));
  CHECK(serialize_sfv(SfvItem{SfvBytes{"h"}, {}}).value() == ":aA==:");
  CHECK(serialize_sfv(SfvItem{SfvBytes{"\xff\xfe\xfd\xfc"}, {}}).value() == "://79/A==:");
  for (const char* broken : {":a:", ":aGk==:", ":a=Gk:", ":aGk", ":aG-k:", ":====:", ":aG k:"}) {
    CAPTURE(broken);
    CHECK(!parse_sfv_item(broken).has_value());
  }
}

TEST_CASE("larger fields than the RFC obliges us to read are refused") {
  std::string list = "1";
  for (int i = 1; i < 1024; ++i) list += ",1";
  CHECK(parse_sfv_list(list).value().size() == 1024);
  CHECK(!parse_sfv_list(list + ",1").has_value());
  std::string dictionary = "a0";
  for (int i = 1; i < 1024; ++i) dictionary += ",a" + std::to_string(i);
  CHECK(parse_sfv_dictionary(dictionary).value().size() == 1024);
  CHECK(parse_sfv_dictionary(dictionary + ",a0=2").value().size() == 1024);
  CHECK(!parse_sfv_dictionary(dictionary + ",b").has_value());
}

TEST_CASE("a repeated key keeps its place and gets the later value") {
  auto dictionary = parse_sfv_dictionary("a=1, b=2, a=3;x").value();
  CHECK(serialize_sfv(dictionary).value() == "a=3;x, b=2");
}

TEST_CASE("an error names the offset") {
  auto parsed = parse_sfv_dictionary("a=1, b=\"x");
  REQUIRE(!parsed.has_value());
  CHECK(parsed.error().message ==
        "structured field: expected `\"` at the end of a string at offset 9");
}

}  // namespace
}  // namespace lattice
