// The shared vectors and goldens of §4 and §5.
#include <doctest/doctest.h>

#include "query/inline.h"
#include "query/query.h"
#include "tests/support/vectors.h"

namespace lattice::query {
namespace {

using lattice::testing::expect_equal;
using lattice::testing::failed;
using lattice::testing::passed;
using lattice::testing::text_of;
using lattice::testing::Verdict;

// A schema of the vectors by name, or one written in the case itself; loaded once.
schema::SchemaPtr schema_of(const Json& vector) {
  static std::map<std::string, schema::SchemaPtr> loaded;
  std::string name;
  std::string text;
  if (const Json* idl = vector.find("idl")) {
    name = text = idl->as_string();
  } else {
    name = text_of(vector, "schema");
    if (loaded.contains(name)) return loaded[name];
    const std::string folder = name.find('/') == std::string::npos ? "fixtures/" : "vectors/";
    text = *lattice::testing::read_shared("conformance/protocol/" + folder + name + ".lattice");
  }
  auto schema = schema::load_schema(text);
  REQUIRE_MESSAGE(schema.has_value(), name << ": " << schema.error().message);
  return loaded[name] = *schema;
}

ImportLoader imports_of(const Json& vector) {
  const Json* imports = vector.find("imports");
  return [imports](std::string_view path) -> std::optional<std::string> {
    const Json* text = imports == nullptr ? nullptr : imports->find(path);
    if (text == nullptr) return std::nullopt;
    return text->as_string();
  };
}

Verdict expect_canonical(const schema::Schema& schema, std::string_view text,
                         const ImportLoader& imports, const Json& vector) {
  const std::string& wanted = text_of(vector, "canonical");
  auto query = compile_query(text, schema, {}, imports);
  if (!query) return failed(query.error().message);
  if (query->canonical != wanted) return expect_equal(query->canonical, wanted);
  if (query->hash != text_of(vector, "hash")) {
    return expect_equal(query->hash, text_of(vector, "hash"));
  }
  auto again = compile_query(wanted, schema);
  if (!again) return failed("its canonical text: " + again.error().message);
  return expect_equal(again->canonical, wanted);
}

TEST_CASE("canonicalization vectors") {
  lattice::testing::run_vectors("canonicalization.json", [](const Json& vector) {
    return expect_canonical(*schema_of(vector), text_of(vector, "query"), imports_of(vector), vector);
  });
}

TEST_CASE("query rejection vectors") {
  lattice::testing::run_vectors("query-rejections.json", [](const Json& vector) -> Verdict {
    auto query = compile_query(text_of(vector, "query"), *schema_of(vector), {}, imports_of(vector));
    if (query) return failed("accepted as " + query->canonical);
    const Error& error = query.error();
    if (error.wire_code() != text_of(vector, "code")) {
      return expect_equal(error.wire_code(), text_of(vector, "code"));
    }
    if (error.diagnostics.empty()) return failed("no diagnostics");
    std::string all;
    for (const Diagnostic& diagnostic : error.diagnostics) all += diagnostic.message + "\n";
    const Json* mentions = vector.find("mentions");
    if (mentions == nullptr) return passed();
    for (const Json& word : mentions->as_array()) {
      if (all.find(word.as_string()) == std::string::npos) {
        return failed("`" + word.as_string() + "` is not mentioned in: " + all);
      }
    }
    return passed();
  });
}

TEST_CASE("compression vectors: the query in d") {
  lattice::testing::run_vectors("compression.json", [](const Json& vector) -> Verdict {
    if (vector.find("canonical") == nullptr) return lattice::testing::not_mine();
    const Json* dictionary = vector.find("dictionary");
    auto text = decode_inline(text_of(vector, "d"),
                              dictionary == nullptr ? "" : dictionary->as_string());
    if (!text) return failed(text.error().message);
    return expect_canonical(*schema_of(vector), *text, {}, vector);
  });
}

TEST_CASE("hash vectors: queries and dictionaries") {
  lattice::testing::run_vectors("hashes.json", [](const Json& vector) -> Verdict {
    const std::string& kind = text_of(vector, "kind");
    if (kind == "query") {
      return expect_equal(query_hash(text_of(vector, "input")), text_of(vector, "hash"));
    }
    if (kind == "dictionary") {
      return expect_equal(dictionary_hash(text_of(vector, "input")), text_of(vector, "hash"));
    }
    return lattice::testing::not_mine();
  });
}

Value value_of(const Json& json) {
  Value value;
  if (json.is_bool()) {
    value.kind = Value::Kind::Boolean;
    value.boolean = json.as_bool();
  } else if (json.is_string()) {
    value.kind = Value::Kind::String;
    value.text = json.as_string();
  } else {
    value.text = canonical_json(json);
  }
  return value;
}

TEST_CASE("field key vectors") {
  lattice::testing::run_vectors("field-keys.json", [](const Json& vector) -> Verdict {
    Selection field;
    field.name = text_of(vector, "field");
    for (const auto& [name, value] : vector.find("arguments")->as_object()) {
      if (!value.is_null()) field.arguments.push_back({name, value_of(value), {}});
    }
    std::ranges::sort(field.arguments, {}, &Argument::name);
    return expect_equal(schema::print_selections({field}), text_of(vector, "key"));
  });
}

TEST_CASE("golden queries") {
  struct Golden {
    std::string_view file;
    std::string_view schema;
  };
  for (const Golden& golden : {Golden{"hero", "starwars"}, Golden{"feedpage", "blog"},
                               Golden{"search", "starwars"}}) {
    const auto text = lattice::testing::read_shared("conformance/protocol/fixtures/golden/" +
                                                    std::string(golden.file) + ".canonical.txt");
    if (!text) return;
    const size_t line_end = text->find('\n');
    const std::string canonical = text->substr(0, line_end);
    const std::string hash = text->substr(line_end + 1, 22);
    const auto schema = schema_of(Json::object({{"schema", golden.schema}}));
    auto query = compile_query(canonical, *schema);
    REQUIRE_MESSAGE(query.has_value(), query.error().message);
    CHECK(query->canonical == canonical);
    CHECK(query->hash == hash);
  }
}

}  // namespace
}  // namespace lattice::query
