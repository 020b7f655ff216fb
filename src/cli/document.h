// Texts that commands read, and how they report what is wrong with them.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "schema/schema.h"

namespace lattice::cli {

struct Document {
  std::string name;  // as the user gave it, for messages
  std::string text;
};

// A file, or `-` for standard input. Errors: lattice:io naming the file and the reason.
Result<Document> read_document(std::string_view path);
// The same, or the text itself when the argument holds a brace.
Result<Document> read_query(std::string_view argument);
// The schema of a file.
struct LoadedSchema {
  Document document;
  schema::SchemaPtr schema;
};

// Prints `error` for a person on standard error (with line, column and caret when it points into
// `document`), or as one JSON object on standard output; returns the exit code that belongs to it.
int report(const Error& error, const Document* document, bool as_json);
// Warnings, on standard error.
void report_warnings(const std::vector<Diagnostic>& warnings, const Document& document);

// Prints and flushes; a closed pipe is not an error.
void print(std::string_view text);

}  // namespace lattice::cli
