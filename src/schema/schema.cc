#include "schema/schema.h"

#include "base/blake3.h"
#include "base/utf8.h"
#include "schema/elaborate.h"
#include "schema/lex.h"
#include "schema/parse.h"
#include "schema/print.h"
#include "schema/selection_parser.h"

namespace lattice::schema {

namespace {

// The position of `name` in a vector sorted by name, or kNone.
template <class T>
uint32_t index_of(const std::vector<T>& sorted, std::string_view name) {
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [](const T& element, std::string_view wanted) { return element.name < wanted; });
  if (found == sorted.end() || found->name != name) return kNone;
  return static_cast<uint32_t>(found - sorted.begin());
}

template <class T>
const T* find_in(const std::vector<T>& sorted, std::string_view name) {
  const uint32_t index = index_of(sorted, name);
  return index == kNone ? nullptr : &sorted[index];
}

using TypeArguments = std::map<std::string_view, Type>;

Type resolve_type(const Schema& schema, const Type& type, const TypeArguments& bound) {
  if (type.kind == Type::Kind::Parameter) {
    const auto argument = bound.find(type.name);
    return argument == bound.end() ? type : argument->second;
  }
  Type resolved = type;
  for (Type& argument : resolved.arguments) argument = resolve_type(schema, argument, bound);
  if (type.kind != Type::Kind::Named) return resolved;
  const TypeDeclaration* declaration = schema.find_type(type.name);
  if (declaration == nullptr || declaration->kind != TypeDeclaration::Kind::Newtype)
    return resolved;
  TypeArguments inner;
  for (size_t i = 0; i < declaration->parameters.size() && i < resolved.arguments.size(); ++i) {
    inner.emplace(declaration->parameters[i], resolved.arguments[i]);
  }
  Type underlying = resolve_type(schema, declaration->underlying, inner);
  Type& core = underlying.is_option() ? underlying.arguments.front() : underlying;
  core.refinements.insert(core.refinements.end(), type.refinements.begin(), type.refinements.end());
  underlying.span = type.span;
  return underlying;
}

// What is wrong with the bytes, before anything is read.
std::vector<Diagnostic> check_bytes(std::string_view text) {
  const auto finding = [](size_t begin, size_t end, std::string message, std::string_view rule) {
    const Span span{static_cast<uint32_t>(std::min<size_t>(begin, UINT32_MAX)),
                    static_cast<uint32_t>(std::min<size_t>(end, UINT32_MAX))};
    return std::vector<Diagnostic>{
        {Severity::Error, std::move(message), span, {}, std::string(rule)}};
  };
  if (text.size() > kDocumentBytesMax) {
    return finding(kDocumentBytesMax, text.size(),
                   "the document has " + std::to_string(text.size()) + " bytes; at most " +
                       std::to_string(kDocumentBytesMax) + " are read",
                   "limit");
  }
  if (const size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
    return finding(bad, bad + 1, "the document is not well-formed UTF-8", "encoding");
  }
  return {};
}

}  // namespace

FieldIndex Entity::find_field(std::string_view field) const {
  return index_of(fields, field);
}
EdgeIndex Entity::find_relationship(std::string_view edge) const {
  return index_of(relationships, edge);
}

FieldIndex Interface::find_field(std::string_view field) const {
  return index_of(fields, field);
}
EdgeIndex Interface::find_relationship(std::string_view edge) const {
  return index_of(relationships, edge);
}

const Entity* Schema::find_entity(std::string_view name) const {
  return find_in(entities, name);
}
EntityIndex Schema::entity_index(std::string_view name) const {
  return index_of(entities, name);
}
const Interface* Schema::find_interface(std::string_view name) const {
  return find_in(interfaces, name);
}
const TypeDeclaration* Schema::find_type(std::string_view name) const {
  return find_in(types, name);
}
const Root* Schema::find_root(std::string_view name) const {
  return find_in(roots, name);
}
const Fragment* Schema::find_fragment(std::string_view name) const {
  return find_in(fragments, name);
}
const Mutation* Schema::find_mutation(std::string_view name) const {
  return find_in(mutations, name);
}
const Claim* Schema::find_claim(std::string_view name) const {
  return find_in(claims, name);
}
const DirectiveDeclaration* Schema::find_directive(std::string_view name) const {
  return find_in(directives, name);
}

Type Schema::resolve(const Type& type) const {
  return resolve_type(*this, type, {});
}

WireForm Schema::wire_form(const Type& type) const {
  const Type resolved = resolve(type);
  const Type& core = resolved.without_option();
  if (core.kind == Type::Kind::Named) {
    const TypeDeclaration* declaration = find_type(core.name);
    const bool is_enum = declaration != nullptr && declaration->kind == TypeDeclaration::Kind::Enum;
    return is_enum ? WireForm::Text : WireForm::Json;
  }
  if (core.kind != Type::Kind::Primitive) return WireForm::Json;
  switch (core.primitive) {
    case Primitive::Bool:
      return WireForm::Bool;
    case Primitive::I8:
    case Primitive::I16:
    case Primitive::I32:
    case Primitive::W8:
    case Primitive::W16:
    case Primitive::W32:
    case Primitive::F32:
    case Primitive::F64:
      return WireForm::Number;
    case Primitive::I64:
    case Primitive::W64:
    case Primitive::Integer:
      return WireForm::WideInteger;
    case Primitive::Json:
      return WireForm::Json;
    default:
      return WireForm::Text;
  }
}

std::vector<std::string> claims_of(const Policy& policy) {
  std::set<std::string> names;
  for (const Comparison& comparison : policy.all_of) names.insert(comparison.claim);
  return {names.begin(), names.end()};
}

Result<SchemaPtr> load_schema(std::string_view text, const SchemaOptions& options) {
  std::vector<Diagnostic> diagnostics = check_bytes(text);
  if (!diagnostics.empty()) return fail(error_of(Code::SchemaInvalid, std::move(diagnostics)));
  syntax::Document document = parse_document(text, diagnostics);
  if (!diagnostics.empty()) return fail(error_of(Code::SchemaInvalid, std::move(diagnostics)));
  std::shared_ptr<Schema> schema = elaborate(std::move(document), options, diagnostics);
  if (!diagnostics.empty()) return fail(error_of(Code::SchemaInvalid, std::move(diagnostics)));
  schema->canonical_text = print_schema(*schema);
  schema->hash = "s" + blake3_base64url(schema->canonical_text, 16);
  return SchemaPtr(std::move(schema));
}

}  // namespace lattice::schema
