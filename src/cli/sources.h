// Schema and query files, as every command loads them.
#pragma once

#include <expected>

#include "cli/document.h"
#include "query/query.h"
#include "schema/schema.h"

namespace lattice::cli {

// An error together with the text that it points into.
struct DocumentError {
  Error error;
  Document document;
};

std::expected<LoadedSchema, DocumentError> load_schema_file(std::string_view path);

// Reads imports relative to the document's folder.
query::ImportLoader imports_of(const Document& document);

// Compiles a query; its imports are read relative to the document's folder.
Result<query::Query> compile_document(const Document& document, const schema::Schema& schema);

}  // namespace lattice::cli
