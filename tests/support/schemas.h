// Schemas that tests plan and compile against: those of the vectors ("blog", "schemas/proj"), and
// our own under tests/corpus/schemas.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schema/schema.h"
#include "tests/support/shared.h"

namespace lattice::testing {

// The text of the schema that a vector names; nullopt: no shared folder.
inline std::optional<std::string> vector_schema_text(std::string_view name) {
  const std::string folder = name.starts_with("schemas/") ? "vectors/" : "fixtures/";
  return read_shared("conformance/protocol/" + folder + std::string(name) + ".lattice");
}

// Loads a text that must be a schema.
inline schema::SchemaPtr load_good_schema(std::string_view text) {
  auto schema = schema::load_schema(text);
  REQUIRE_MESSAGE(schema.has_value(), schema.error().message);
  return *schema;
}

// "blog" → tests/corpus/schemas/blog.lattice
inline schema::SchemaPtr load_corpus_schema(std::string_view name) {
  return load_good_schema(
      read_file(repository_folder() / "tests/corpus/schemas" / (std::string(name) + ".lattice")));
}

}  // namespace lattice::testing
