// Any text is a schema or refused with findings inside it, and canonical text is its own canonical
// text.
#include "base/utf8.h"
#include "fuzz/fuzz.h"
#include "schema/lex.h"
#include "schema/schema.h"

namespace lattice {

void fuzz(std::string_view input) {
  auto schema = schema::load_schema(input);
  if (!schema) {
    const Error& error = schema.error();
    FUZZ_REQUIRE(error.code == Code::SchemaInvalid);
    FUZZ_REQUIRE(!error.diagnostics.empty());
    FUZZ_REQUIRE(error.diagnostics.size() <= schema::kFindingsMax);
    for (const Diagnostic& diagnostic : error.diagnostics) {
      FUZZ_REQUIRE(diagnostic.span.begin <= diagnostic.span.end);
      FUZZ_REQUIRE(diagnostic.span.end <= input.size());
      FUZZ_REQUIRE(is_valid_utf8(diagnostic.message) || !is_valid_utf8(input));
    }
    return;
  }
  const std::string& canonical = (*schema)->canonical_text;
  auto again = schema::load_schema(canonical);
  FUZZ_REQUIRE(again.has_value());
  FUZZ_REQUIRE((*again)->canonical_text == canonical);
}

}  // namespace lattice
