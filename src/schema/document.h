// The syntax tree of one IDL document: what the parser saw, before names mean anything (spec §3.4).
//
//   tokens ──parse_document──▶ Document ──elaborate──▶ Schema
//
// Every mention of a name keeps its place (Word), so that a finding can point at the word. Values
// of one document; not shared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/schema.h"
#include "schema/selection.h"
#include "schema/type.h"

namespace lattice::schema::syntax {

// A name as written, and where.
struct Word {
  std::string text;
  Span span;
  bool is_absent() const { return text.empty(); }
};

struct Number {
  uint32_t value = 0;
  Span span;
};

struct ArgumentValue {
  Word name;
  Value value;
};

struct DirectiveUse {
  Word name;
  std::vector<ArgumentValue> arguments;  // in the order written
  Span span;
};

struct Metadata {
  std::optional<Word> description;
  std::vector<DirectiveUse> directives;  // all, the built-in ones too
  Span span;                             // of the first item
  bool is_empty() const { return !description && directives.empty(); }
};

struct Comparison {
  Word claim;
  schema::Comparison::Op op = schema::Comparison::Op::Equal;
  Word field;                   // when it compares with a field
  std::vector<Value> literals;  // when it compares with literals
  Span span;
};

struct Policy {
  schema::Policy::Level level = schema::Policy::Level::Public;
  std::vector<Comparison> all_of;
  Span span;
};

struct CacheClause {
  CachePolicy policy;
  Span span;
};

struct Parameter {
  Word name;
  Type type;
  std::optional<Value> default_value;
};

struct OrderColumn {
  Word field;
  bool descending = false;
};

// The clauses behind `by`, of a relationship or a root.
struct CollectionClauses {
  std::vector<OrderColumn> order;
  std::optional<Number> min;
  std::optional<Number> max;
  std::optional<Number> page;
  bool truncate = false;
  std::optional<CountPolicy> total;
  std::vector<Word> grouping;
  Word shared_name;  // `as`
  Span order_span;
  Span truncate_span;
  Span total_span;
};

struct Target {
  std::vector<Word> names;  // one, or the members of a union
  bool is_union = false;
  Span span;
};

struct Dependency {
  schema::Dependency::Kind kind = schema::Dependency::Kind::OwnFields;
  std::vector<Word> own_fields;
  Word edge;      // or the aggregated relationship
  Word fragment;  // Edge
  schema::Dependency::Function function = schema::Dependency::Function::Count;
  Word aggregate_field;
};

struct Derivation {
  std::vector<Dependency> reads;
  std::optional<DirectiveUse> declassify;
  bool maintained = false;
  Span span;
};

struct Field {
  Metadata metadata;
  Word name;
  std::vector<Parameter> arguments;
  Type type;
  std::optional<Derivation> derivation;
  std::optional<Policy> policy;
  std::optional<CacheClause> cache;
};

struct Relationship {
  Metadata metadata;
  Word name;
  schema::Relationship::Kind kind = schema::Relationship::Kind::One;
  Target target;
  Word link;
  CollectionClauses collection;
  std::optional<Policy> policy;
  std::optional<CacheClause> cache;
};

struct Visibility {
  bool is_private = false;
  Span span;
};

struct Owner {
  Word field;
  Word claim;  // absent: the principal itself
  Span span;
};

struct Fetch {
  std::vector<Word> key;
  Policy policy;
  Span span;
};

// An entity, an interface or an extension: all have members.
struct Entity {
  Metadata metadata;
  Word name;
  std::vector<Word> key;
  schema::Entity::CoKey co_key = schema::Entity::CoKey::None;
  Word base;
  std::vector<Word> implements;
  std::vector<Visibility> visibility;
  std::vector<Span> elides;
  std::vector<Owner> owners;
  std::vector<Fetch> fetches;
  std::vector<CacheClause> caches;
  std::vector<Field> fields;
  std::vector<Relationship> relationships;
};

struct Constructor {
  Word name;
  std::vector<DataField> fields;
};

struct TypeDeclaration {
  Metadata metadata;
  Word name;
  schema::TypeDeclaration::Kind kind = schema::TypeDeclaration::Kind::Newtype;
  std::vector<Word> parameters;
  Type underlying;
  std::vector<Constructor> constructors;
  std::vector<Word> values;
  bool is_brace_form = false;   // `data X { .. }`
  std::optional<bool> is_open;  // the word `open` or `closed`, when written
};

struct Claim {
  Word name;
  Type type;
};

struct DirectiveDeclaration {
  Metadata metadata;
  Word name;
  std::vector<Parameter> arguments;
  bool repeatable = false;
  std::vector<Word> locations;
};

struct Fragment {
  Metadata metadata;
  Word name;
  std::vector<Parameter> parameters;
  Word on;
  std::vector<Selection> selections;
  Span selection_span;
};

struct Root {
  Metadata metadata;
  Word name;
  bool is_list = false;
  std::vector<Parameter> parameters;
  Target target;
  Word link;
  CollectionClauses collection;
  std::vector<Policy> policies;
  std::optional<CacheClause> cache;
};

// One argument of a write scope: `new`, an argument of the mutation, or `Type.field`.
struct ScopeArgument {
  Word head;
  Word field;  // of Type.field
};

struct WriteScope {
  Word name;
  bool is_dotted = false;  // Post.comments
  std::vector<ScopeArgument> arguments;
  Span span;
};

struct Binding {
  Word verb;
  Word entity;
  std::vector<Word> key_arguments;
  bool last_writer_wins = false;
  Span span;
};

struct Batch {
  bool all_or_nothing = false;
  Number items_max;
  std::optional<Binding> binding;
  Span span;
};

struct Invalidation {
  bool writes = false;
  std::vector<WriteScope> scopes;
  Span span;
};

struct Effect {
  schema::Mutation::Effect effect = schema::Mutation::Effect::Transactional;
  Word justification;
  Span span;
};

struct ErrorsClause {
  Word name;
  std::optional<TypeDeclaration> inline_type;
};

struct Mutation {
  Metadata metadata;
  Word name;
  std::vector<Parameter> parameters;
  Word returns;
  std::vector<Policy> guards;
  std::vector<std::vector<WriteScope>> writes;
  std::vector<Invalidation> invalidations;
  std::vector<Effect> effects;
  std::vector<Binding> bindings;
  std::vector<ErrorsClause> errors;
  std::vector<Batch> batches;
};

struct SchemaLine {
  Metadata metadata;
  Word name;
  std::optional<CacheClause> cache;
};

struct Document {
  std::vector<SchemaLine> schema_lines;
  std::vector<Claim> claims;
  std::vector<DirectiveDeclaration> directives;
  std::vector<TypeDeclaration> types;
  std::vector<Entity> interfaces;
  std::vector<Entity> entities;
  std::vector<Entity> extensions;
  std::vector<Fragment> fragments;
  std::vector<Root> roots;
  std::vector<Mutation> mutations;
};

}  // namespace lattice::schema::syntax
