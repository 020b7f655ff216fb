// lattice fmt: formats a schema or a query, keeping its comments.
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/flags.h"
#include "cli/sources.h"
#include "query/format.h"
#include "schema/format.h"

namespace lattice::cli {
namespace {

// A schema document begins, after comments and descriptions, with the word `schema`; a query document
// with query, fragment or import.
bool is_query(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    char c = text[at];
    bool comment = c == '#' || text.substr(at, 2) == "--";
    if (comment) {
      at = std::min(text.find('\n', at), text.size());
    } else if (c == '"') {
      while (++at < text.size() && text[at] != '"') at += text[at] == '\\' ? 1 : 0;
      ++at;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',') {
      ++at;
    } else {
      std::string_view rest = text.substr(at);
      return rest.starts_with("query") || rest.starts_with("import") ||
             rest.starts_with("fragment") || rest.starts_with("{");
    }
  }
  return false;
}

}  // namespace

int run_fmt(const Arguments& arguments) {
  std::string file, schema_file;
  bool canonical = false, as_json = false;
  Flags flags("lattice fmt", "Prints a schema or a query, formatted; comments stay.");
  flags.positional("F", "a schema or query document, `-` for standard input", file);
  flags.flag("--canonical", "the canonical text (a query needs --schema for it)", canonical);
  flags.option("--schema", "F", "the schema of a query, for --canonical", schema_file);
  flags.flag("--json", "errors as JSON", as_json);
  if (auto exit = flags.parse(arguments)) return *exit;

  auto document = read_document(file);
  if (!document) return report(document.error(), nullptr, as_json);
  if (is_query(document->text)) {
    if (canonical) {
      if (schema_file.empty()) {
        return report(Error{Code::Usage, "the canonical text of a query depends on its schema: "
                                         "give --schema F", {}, {}, false}, nullptr, as_json);
      }
      return run_canon({file, "--schema", schema_file});
    }
    auto text = query::format_query(document->text);
    if (!text) return report(text.error(), &*document, as_json);
    print(*text);
    return kExitOk;
  }
  if (canonical) {
    auto schema = schema::load_schema(document->text);
    if (!schema) return report(schema.error(), &*document, as_json);
    print((*schema)->canonical_text);
    return kExitOk;
  }
  auto text = schema::format_schema(document->text);
  if (!text) return report(text.error(), &*document, as_json);
  print(*text);
  return kExitOk;
}

}  // namespace lattice::cli
