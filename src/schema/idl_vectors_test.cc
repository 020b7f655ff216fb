// The outside vectors of the IDL and of values, through load_schema and value.h.
#include <doctest/doctest.h>

#include "base/blake3.h"
#include "base/diagnostic.h"
#include "schema/print.h"
#include "schema/schema.h"
#include "schema/value.h"
#include "tests/support/schemas.h"
#include "tests/support/vectors.h"

namespace lattice::schema {
namespace {

using testing::failed;
using testing::text_of;
using testing::Verdict;

std::string idl_of(const Json& vector) {
  if (const Json* idl = vector.find("idl")) return idl->as_string();
  return *testing::vector_schema_text(text_of(vector, "schema"));
}

TEST_CASE("vectors: canonical IDL (§3.4, §7.1)") {
  testing::run_vectors("idl-canonical.json", [](const Json& vector) -> Verdict {
    const std::string idl = idl_of(vector);
    auto schema = load_schema(idl);
    if (!schema) return failed(render_error(schema.error(), "schema", idl));
    const std::string canonical = vector.find("canonical") != nullptr
                                      ? text_of(vector, "canonical")
                                      : *testing::read_shared("conformance/protocol/fixtures/" +
                                                              text_of(vector, "canonicalFixture"));
    Verdict verdict = testing::expect_equal((*schema)->canonical_text, canonical);
    if (verdict.kind != Verdict::Kind::Passed) return verdict;
    verdict = testing::expect_equal((*schema)->hash, text_of(vector, "schemaHash"));
    if (verdict.kind != Verdict::Kind::Passed) return verdict;
    auto again = load_schema(canonical);
    if (!again) return failed(render_error(again.error(), "canonical", canonical));
    return testing::expect_equal((*again)->canonical_text, canonical);
  });
}

TEST_CASE("vectors: IDL that is accepted") {
  testing::run_vectors("idl-accepts.json", [](const Json& vector) -> Verdict {
    const std::string idl = idl_of(vector);
    auto schema = load_schema(idl);
    if (!schema) return failed(render_error(schema.error(), "schema", idl));
    auto again = load_schema((*schema)->canonical_text);
    if (!again) return failed(render_error(again.error(), "canonical", (*schema)->canonical_text));
    return testing::expect_equal((*again)->canonical_text, (*schema)->canonical_text);
  });
}

TEST_CASE("vectors: IDL that is refused, with the offender named") {
  testing::run_vectors("idl-rejections.json", [](const Json& vector) -> Verdict {
    const std::string idl = idl_of(vector);
    auto schema = load_schema(idl);
    if (schema) return failed("accepted");
    if (schema.error().diagnostics.empty()) return failed("no diagnostics");
    std::string text;
    for (const Diagnostic& diagnostic : schema.error().diagnostics) {
      text += diagnostic.message + "\n";
      if (diagnostic.span.end > idl.size()) return failed("a span outside the text");
    }
    for (const Json& mention : vector.find("mentions")->as_array()) {
      if (text.find(mention.as_string()) == std::string::npos) {
        return failed("no mention of " + mention.as_string() + " in\n" + text);
      }
    }
    return testing::passed();
  });
}

// The value of an `encode` case: {"hex"}, {"bits"} and {"uuid"} name raw values.
Json raw_value(const Json& in) {
  if (const Json* bits = in.find("bits")) return Json(*encode_bits(bits->as_string()));
  if (const Json* uuid = in.find("uuid")) return *uuid;
  return in;
}

TEST_CASE("vectors: values (§3.5.2, §3.5.3)") {
  testing::run_vectors("values.json", [](const Json& vector) -> Verdict {
    std::string idl = "schema v.example\n";
    if (const Json* declarations = vector.find("declarations"))
      idl += declarations->as_string() + "\n";
    idl += "entity Probe by id { visible to all by default id: Text value: " +
           text_of(vector, "type") + " }\n";
    auto schema = load_schema(idl);
    const bool rejects = vector.find("reject") != nullptr;
    const std::string& position = text_of(vector, "position");
    if (position == "type") {
      return rejects == !schema ? testing::passed() : failed("the type is judged wrongly");
    }
    if (!schema) return failed(render_error(schema.error(), "schema", idl));
    const Entity& probe = (*schema)->entities.front();
    const Type& type = probe.fields[probe.find_field("value")].type;
    const Json& in = *vector.find("in");
    auto value = position == "input" ? check_input(in, type, **schema, "input")
                                     : canonicalize_value(raw_value(in), type, **schema, "value");
    if (rejects) {
      if (value) return failed("accepted as " + to_json(*value));
      return value.error().message.empty() ? failed("no message") : testing::passed();
    }
    if (!value) return failed(value.error().message);
    const Json& canonical = *vector.find("canonical");
    if (canonical.is_null()) return value->is_null() ? testing::passed() : failed(to_json(*value));
    return testing::expect_equal(to_json(*value), canonical.as_string());
  });
}

// Loads `idl`, which must be a schema whose canonical text is its own.
SchemaPtr load_stable(const std::string& idl) {
  auto schema = load_schema(idl);
  REQUIRE_MESSAGE(schema.has_value(), render_error(schema.error(), "schema", idl));
  auto again = load_schema((*schema)->canonical_text);
  REQUIRE_MESSAGE(again.has_value(),
                  render_error(again.error(), "canonical", (*schema)->canonical_text));
  CHECK((*again)->canonical_text == (*schema)->canonical_text);
  return *schema;
}

// The cases of a vector file that another layer proves; none without the shared folder.
Json::Array cases_of(std::string_view file) {
  auto text = testing::read_shared("conformance/protocol/vectors/" + std::string(file));
  if (!text) return {};
  auto cases = parse_json(*text);
  REQUIRE(cases.has_value());
  return cases->as_array();
}

TEST_CASE("vectors: the schemas that other layers are judged by load") {
  for (const char* file : {"compat.json", "plan-identity.json"}) {
    for (const Json& vector : cases_of(file)) {
      CAPTURE(text_of(vector, "name"));
      for (const char* member : {"baseline", "candidate", "before", "after"}) {
        const Json* idl = vector.find(member);
        if (idl != nullptr && idl->is_string()) load_stable(idl->as_string());
      }
    }
  }
  for (const Json& vector : cases_of("fusion.json")) {
    const Json* fused = vector.find("fused");
    if (fused == nullptr) continue;
    CAPTURE(text_of(vector, "name"));
    for (const auto& [name, module] : vector.find("modules")->as_object()) {
      load_stable(module.as_string());
    }
    const SchemaPtr schema = load_stable(fused->as_string());
    CHECK(schema->canonical_text == fused->as_string());
    CHECK(schema->hash == text_of(vector, "schemaHash"));
  }
}

TEST_CASE("vectors: schema hashes (§5.1)") {
  testing::run_vectors("hashes.json", [](const Json& vector) -> Verdict {
    if (text_of(vector, "kind") != "schema") return testing::not_mine();
    auto schema = load_schema(text_of(vector, "input"));
    if (!schema) return failed(schema.error().message);
    return testing::expect_equal((*schema)->hash, text_of(vector, "hash"));
  });
}

}  // namespace
}  // namespace lattice::schema
