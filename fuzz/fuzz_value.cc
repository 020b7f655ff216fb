// The canonical form of a value is its own canonical form, and the URL form of one reads back. The
// first byte picks the type, the rest is the value, as JSON or as it stands in a URL.
#include "base/json.h"
#include "fuzz/fuzz.h"
#include "schema/schema.h"
#include "schema/value.h"

namespace lattice {

namespace {

const schema::SchemaPtr& probe_schema() {
  static const schema::SchemaPtr schema =
      schema::load_schema(
          "schema fuzz.example\n"
          "newtype Tag = Text(min 1, max 4, match \"^[a-z]*$\")\n"
          "enum Role closed = Admin | Editor\n"
          "data Item { name: Text, tags: [Tag]+, role: Role?, next: Item?, any: Json? }\n"
          "data Pay open = Card { last: Text(len 4), pin: Bit 12 } | Cash\n"
          "data Box a { it: a, more: Set a }\n"
          "entity E by id { visible to all by default id: Text\n"
          "a: I8 b: W32 c: I64(min -5) d: Integer e: Decimal(max 0.1) f: F32 g: F64 h: Bytes i: "
          "Bytes 3\n"
          "j: Bit 12 k: Uuid l: Timestamp m: Date n: TimeOfDay o: Duration p: Json q: [Tag]+ r: "
          "Set Text\n"
          "s: Map Text I8 t: Map I8 Text u: Vec 2 F64 v: Item w: Pay x: Box (Map I64 Role)? y: "
          "Bool\n"
          "z: Role }")
          .value();
  return schema;
}

}  // namespace

void fuzz(std::string_view input) {
  if (input.empty()) return;
  const schema::Schema& schema = *probe_schema();
  const auto& fields = schema.entities.front().fields;
  const schema::Type& type = fields[static_cast<uint8_t>(input[0]) % fields.size()].type;
  const std::string_view text = input.substr(1);

  if (auto json = parse_json(text)) {
    auto value = schema::check_input(*json, type, schema, "v");
    if (value) {
      const std::string canonical = to_json(*value);
      auto again = schema::check_input(parse_json(canonical).value(), type, schema, "v");
      FUZZ_REQUIRE(again.has_value());
      FUZZ_REQUIRE(to_json(*again) == canonical);
      auto own = schema::canonicalize_value(*json, type, schema, "v");
      FUZZ_REQUIRE(own.has_value());
      FUZZ_REQUIRE(to_json(*own) == canonical);
    } else {
      FUZZ_REQUIRE(value.error().code == Code::BadRequest);
    }
  }
  auto value = schema::parse_url_value(text, type, schema, "v");
  if (!value) return;
  const std::string printed = schema::print_url_value(*value, type, schema);
  auto again = schema::parse_url_value(printed, type, schema, "v");
  FUZZ_REQUIRE(again.has_value());
  FUZZ_REQUIRE(to_json(*again) == to_json(*value));
}

}  // namespace lattice
