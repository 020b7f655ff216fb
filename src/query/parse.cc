// Documents (spec §4.8): definitions and imports; selection sets are schema/selection_parser's.
#include "base/utf8.h"
#include "query/document.h"
#include "schema/selection_parser.h"
#include "schema/type.h"

namespace lattice::query {

namespace {

using schema::SelectionParser;
using schema::Token;
using schema::TokenKind;

constexpr size_t kPathBytesMax = 1024;

class DocumentReader {
 public:
  DocumentReader(const QueryLimits& limits, const ImportLoader& imports, Findings& findings,
                 Document& document)
      : limits_(limits), imports_(imports), findings_(findings), document_(document) {}

  void read(std::string_view text, std::string path, Span imported_at);

 private:
  bool read_definition(SelectionParser& parser);
  bool read_query(SelectionParser& parser);
  bool read_fragment(SelectionParser& parser);
  bool read_import(SelectionParser& parser);
  bool read_variables(SelectionParser& parser, std::vector<Variable>& out);
  bool read_variable(SelectionParser& parser, Variable& out);
  void load(const std::string& path, Span at);

  const QueryLimits& limits_;
  const ImportLoader& imports_;
  Findings& findings_;
  Document& document_;
  uint32_t base_ = 0;                // where the next text begins
  std::vector<std::string> open_;    // paths being read, outermost first
  std::set<std::string, std::less<>> seen_;
  std::vector<std::pair<std::string, Span>> pending_;  // imports of the text being read
};

void DocumentReader::read(std::string_view text, std::string path, Span imported_at) {
  if (text.size() > limits_.document_bytes_max - std::min<size_t>(base_, limits_.document_bytes_max)) {
    findings_.report(imported_at,
                     "the document and its imports are longer than " +
                         std::to_string(limits_.document_bytes_max) + " bytes",
                     "document-size");
    return;
  }
  const Source source{std::move(path), base_, static_cast<uint32_t>(text.size())};
  base_ += source.size + 1;  // so that the end of one text is not the beginning of the next
  document_.sources.push_back(source);
  if (const size_t invalid = find_invalid_utf8(text); invalid != std::string_view::npos) {
    const uint32_t begin = source.base + static_cast<uint32_t>(invalid);
    findings_.report({begin, begin + 1},
                     "byte " + std::to_string(invalid) + " is not well-formed UTF-8", "encoding");
    return;
  }
  SelectionParser parser(text, 0,
                         {.nesting_max = limits_.nesting_max,
                          .diagnostics_max = limits_.diagnostics_max,
                          .span_base = source.base});
  pending_.clear();
  while (!parser.at(TokenKind::End) && read_definition(parser)) {}
  findings_.add(std::move(parser.diagnostics()));
  const auto imports = std::exchange(pending_, {});
  for (const auto& [import_path, at] : imports) load(import_path, at);
}

// Reads the import `path`, unless it has been read already.
void DocumentReader::load(const std::string& path, Span at) {
  if (std::find(open_.begin(), open_.end(), path) != open_.end()) {
    std::string chain;
    for (auto it = std::find(open_.begin(), open_.end(), path); it != open_.end(); ++it) {
      chain += *it + " → ";
    }
    findings_.report(at, "imports go in a circle: " + chain + path, "import-cycle");
    return;
  }
  if (seen_.contains(path)) return;
  if (path.size() > kPathBytesMax) {
    findings_.report(at, "the path of an import is longer than " + std::to_string(kPathBytesMax) +
                             " bytes",
                     "unresolved-import");
    return;
  }
  if (seen_.size() >= limits_.imports_max) {
    findings_.report(at, "more than " + std::to_string(limits_.imports_max) + " imports",
                     "import-count");
    return;
  }
  seen_.insert(path);
  const std::optional<std::string> text = imports_ ? imports_(path) : std::nullopt;
  if (!text) {
    findings_.report(at, "the import \"" + path + "\" cannot be found", "unresolved-import");
    return;
  }
  open_.push_back(path);
  read(*text, path, at);
  open_.pop_back();
}

bool DocumentReader::read_definition(SelectionParser& parser) {
  if (parser.at_word("query")) return read_query(parser);
  if (parser.at_word("fragment")) return read_fragment(parser);
  if (parser.at_word("import")) return read_import(parser);
  const Token& token = parser.peek();
  std::string message = "expected `query`, `fragment` or `import`, found " + describe_token(token);
  if (token.kind == TokenKind::BraceOpen) message += ": a query begins with the word `query`";
  if (token.text == "mutation") message += ": a mutation is called by its own URL, not in a query";
  if (token.text == "subscription") message += ": any query can be followed live";
  parser.report(token.span, std::move(message), "syntax");
  return false;
}

// QueryDef = "query" [ Name ] [ VarDefs ] { Directive } SelectionSet
bool DocumentReader::read_query(SelectionParser& parser) {
  QueryDefinition query;
  query.span = parser.take().span;
  if (parser.at(TokenKind::Name)) query.name = parser.take().text;
  if (parser.at(TokenKind::ParenOpen) && !read_variables(parser, query.variables)) return false;
  while (parser.at(TokenKind::At)) {
    Directive directive;
    directive.span = parser.take().span;
    if (!parser.parse_directive(directive)) return false;
    if (!directive.name.empty()) query.directives.push_back(std::move(directive));
  }
  const bool complete = parser.parse_selection_set(query.selections);
  if (!open_.empty()) {
    parser.report(query.span, "an imported document holds fragments, not a query", "query-count");
  } else if (document_.query) {
    parser.report(query.span, "a document holds exactly one query: this is a second one",
                  "query-count");
  } else {
    document_.query = std::move(query);
  }
  return complete;
}

// FragmentDef = "fragment" Name [ VarDefs ] "on" Name SelectionSet
bool DocumentReader::read_fragment(SelectionParser& parser) {
  parser.take();
  FragmentDefinition fragment;
  Token token;
  if (!parser.expect(TokenKind::Name, "the name of the fragment", &token)) return false;
  if (schema::is_reserved_word(token.text)) {
    parser.report(token.span, "`" + token.text + "` is reserved and names no fragment", "reserved");
  }
  fragment.name = std::move(token.text);
  fragment.name_span = token.span;
  if (parser.at(TokenKind::ParenOpen) && !read_variables(parser, fragment.parameters)) return false;
  if (!parser.at_word("on")) {
    parser.report(parser.peek().span,
                  "expected `on` and the type of `" + fragment.name + "`, found " +
                      describe_token(parser.peek()),
                  "syntax");
    return false;
  }
  parser.take();
  if (!parser.expect(TokenKind::Name, "the type of the fragment", &token)) return false;
  fragment.on = std::move(token.text);
  fragment.on_span = token.span;
  const bool complete = parser.parse_selection_set(fragment.selections);
  document_.fragment_index.emplace(fragment.name,
                                   static_cast<uint32_t>(document_.fragments.size()));
  document_.fragments.push_back(std::move(fragment));
  return complete;
}

// Import = "import" StringValue
bool DocumentReader::read_import(SelectionParser& parser) {
  parser.take();
  Token path;
  if (!parser.expect(TokenKind::String, "the path of the import in quotes", &path)) return false;
  pending_.emplace_back(std::move(path.text), path.span);
  return true;
}

// VarDefs = "(" VarDef { VarDef } ")"
bool DocumentReader::read_variables(SelectionParser& parser, std::vector<Variable>& out) {
  const Token open = parser.take();
  if (parser.at(TokenKind::ParenClose)) {
    parser.report({open.span.begin, parser.peek().span.end},
                  "this list of variables is empty: leave out `()`", "syntax");
  }
  while (!parser.at(TokenKind::ParenClose)) {
    if (out.size() == limits_.variables_max) {
      parser.report(parser.peek().span,
                    "more than " + std::to_string(limits_.variables_max) + " variables",
                    "variable-count");
      return false;
    }
    if (!read_variable(parser, out.emplace_back())) return false;
  }
  parser.take();
  return true;
}

// VarDef = Variable ":" Name [ "?" ] [ "=" Value ]
bool DocumentReader::read_variable(SelectionParser& parser, Variable& out) {
  Value variable;
  if (!parser.parse_variable(variable)) return false;
  out.name = std::move(variable.text);
  out.span = variable.span;
  if (schema::is_reserved_word(out.name)) {
    parser.report(out.span, "`" + out.name + "` is reserved and names no variable", "reserved");
  }
  if (!parser.expect(TokenKind::Colon, "`:` and the type of $" + out.name)) return false;
  if (parser.at(TokenKind::BracketOpen)) {
    parser.report(parser.peek().span,
                  "the type of a variable is a name: a newtype in the schema can name a list",
                  "syntax");
    return false;
  }
  Token type;
  if (!parser.expect(TokenKind::Name, "the type of $" + out.name, &type)) return false;
  out.type = std::move(type.text);
  out.type_span = type.span;
  if (const auto primitive = schema::find_primitive(out.type)) {
    out.type = schema::primitive_name(*primitive);  // Int → I32
  }
  if (parser.at(TokenKind::Question)) {
    out.optional = true;
    out.type_span.end = parser.take().span.end;
  }
  if (!parser.at(TokenKind::Equals)) return true;
  parser.take();
  return parser.parse_value(out.default_value.emplace());
}

}  // namespace

const FragmentDefinition* Document::find_fragment(std::string_view name) const {
  const auto it = fragment_index.find(name);
  return it == fragment_index.end() ? nullptr : &fragments[it->second];
}

Document parse_document(std::string_view text, const QueryLimits& limits,
                        const ImportLoader& imports, Findings& findings) {
  Document document;
  DocumentReader(limits, imports, findings, document).read(text, "", {0, 0});
  return document;
}

}  // namespace lattice::query
