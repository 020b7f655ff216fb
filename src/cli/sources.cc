#include "cli/sources.h"

namespace lattice::cli {

std::expected<LoadedSchema, DocumentError> load_schema_file(std::string_view path) {
  auto document = read_document(path);
  if (!document) {
    return std::unexpected(DocumentError{std::move(document.error()), {std::string(path), ""}});
  }
  auto schema = schema::load_schema(document->text);
  if (!schema) {
    return std::unexpected(DocumentError{std::move(schema.error()), std::move(*document)});
  }
  return LoadedSchema{std::move(*document), std::move(*schema)};
}

query::ImportLoader imports_of(const Document& document) {
  size_t slash = document.name.rfind('/');
  std::string folder = slash == std::string::npos ? "" : document.name.substr(0, slash + 1);
  return [folder](std::string_view path) -> std::optional<std::string> {
    auto imported = read_document(path.starts_with('/') ? std::string(path)
                                                        : folder + std::string(path));
    if (!imported) return std::nullopt;
    return std::move(imported->text);
  };
}

Result<query::Query> compile_document(const Document& document, const schema::Schema& schema) {
  return query::compile_query(document.text, schema, {}, imports_of(document));
}

}  // namespace lattice::cli
