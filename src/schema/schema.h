// The schema: one IDL document, elaborated (spec §3).
//
//   text ──lex──▶ tokens ──parse──▶ Document ──elaborate──▶ Schema ──print──▶ canonical text, hash
//
//   LATTICE_TRY(auto schema, schema::load_schema(text));   // all four
//   schema->find_entity("Post")->fields                    // sorted by name
//
// A Schema is immutable and shared by pointer; any number of threads may read it. Declarations are
// sorted by name; an index (EntityIndex, FieldIndex, ...) is a 0-based position in its vector, and
// stable for the life of the Schema. Every static check of §3 has passed when a Schema exists.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "schema/selection.h"
#include "schema/type.h"

namespace lattice::schema {

using EntityIndex = uint32_t;
using FieldIndex = uint32_t;  // within its entity
using EdgeIndex = uint32_t;   // within its entity or interface
inline constexpr uint32_t kNone = UINT32_MAX;

// --- Metadata (§3.9, §17) ---

struct DirectiveApplication {
  std::string name;
  std::vector<std::pair<std::string, Json>> arguments;  // sorted by name
  std::vector<std::string> spelled;                     // canonical spelling of each value
  Span span;
};
struct Metadata {
  std::string description;
  std::vector<DirectiveApplication> directives;  // sorted as printed
  std::optional<std::string> break_approved;     // @break(approved: "..")
  struct Deprecation { std::string sunset, note; };
  std::optional<Deprecation> deprecated;
};

// --- Policies (§3.1, §8.1) ---

// One conjunct of `visible when`. Exactly one of `field` and `literals` is used.
struct Comparison {
  std::string claim;              // caller.<claim>
  enum class Op : uint8_t { Equal, In } op = Op::Equal;
  std::string field;              // the entity's own field, when it compares with one
  std::vector<Json> literals;     // wire values, when it compares with literals
  std::vector<std::string> spelled;  // canonical spelling of each literal
};
struct Policy {
  enum class Level : uint8_t { Public, Claims, Private } level = Level::Public;
  std::vector<Comparison> all_of;  // Level::Claims only
};
std::vector<std::string> claims_of(const Policy& policy);  // sorted, unique
std::string print_policy(const Policy& policy);            // "visible when caller.org = orgId"

// --- Cache policy (§10.9) ---

struct CachePolicy {
  enum class Storability : uint8_t { Shared, Private, NoStore } store = Storability::Shared;
  std::optional<int64_t> max_age_seconds;
  bool revalidate = false;
  bool immutable = false;
  bool no_tenure = false;
  bool declared = false;  // a clause was written
};

// --- Parameters ---

struct Parameter {
  std::string name;
  Type type;
  std::optional<Json> default_value;  // wire value
  std::string default_spelled;        // canonical spelling, "" without a default
  Span span;
};

// --- Entities ---

struct Dependency {
  enum class Kind : uint8_t { OwnFields, Edge, Aggregate } kind = Kind::OwnFields;
  std::vector<std::string> own_fields;
  std::string edge;      // Edge: to-one; Aggregate: the to-many relationship
  std::string fragment;  // Edge
  enum class Function : uint8_t { Count, Sum, Min, Max } function = Function::Count;
  std::string aggregate_field;  // Sum, Min, Max
};
struct Derivation {
  std::vector<Dependency> reads;  // declaration order is identity
  bool maintained = false;        // else on read
  std::optional<std::string> declassify_approved;
};

struct Field {
  std::string name;
  Type type;
  std::vector<Parameter> arguments;     // in the order written
  std::optional<Policy> declared_policy;
  Policy policy;                        // declared, else the entity's default
  std::optional<Derivation> derivation;
  CachePolicy cache;
  Metadata metadata;
  Span span;

  bool is_stored() const { return !derivation.has_value() && arguments.empty(); }
};

// What an edge or a root leads to: one entity, an interface, or an inline union.
struct Target {
  std::string name;                 // entity or interface; empty for a union
  std::vector<std::string> union_;  // member names in the order written
  std::vector<EntityIndex> members; // concrete entities, sorted by name
  bool is_abstract() const { return name.empty() || members.size() != 1 || is_interface; }
  bool is_interface = false;
};

struct OrderColumn {
  std::string field;
  bool descending = false;
  bool operator==(const OrderColumn&) const = default;
};

enum class CountPolicy : uint8_t { None, Exact, Estimate };

struct Collection {
  std::string name;  // tag family: "Post.comments", "feed", or the `as` name
  bool named_with_as = false;
  std::string link;                   // field of the target that points back; parameter-backed: ""
  bool link_is_declared = true;       // false: no member of the target declares the link column
  std::vector<std::string> grouping;  // default: the link (parameter-backed: every parameter)
  bool grouping_is_default = true;
  bool paginated = false;
  // Bounded
  uint32_t min = 0;
  uint32_t max = 0;  // also the page cap of a paginated one (maxPage)
  bool truncate = false;
  // Paginated
  std::vector<OrderColumn> keyset;
  std::optional<uint32_t> default_page;
  CountPolicy total = CountPolicy::None;
};

struct Relationship {
  std::string name;
  enum class Kind : uint8_t { One, OneOptional, Many } kind = Kind::One;
  Target target;
  std::string link;  // to-one: the field of this entity that holds the key
  std::optional<Collection> collection;  // Kind::Many
  std::optional<Policy> declared_policy;
  Policy policy;  // declared, else the entity's default visibility
  CachePolicy cache;
  Metadata metadata;
  Span span;
};

struct OwnerBinding {  // `owner <field> is caller` / `owner <field> is caller.<claim>`
  std::string field;
  std::string claim;  // empty: the principal itself
};

struct Entity {
  std::string name;
  std::vector<std::string> key;  // field names in declaration order
  bool private_by_default = false;
  bool elides_hidden_rows = false;  // `hidden rows elide`
  std::optional<OwnerBinding> owner;
  std::vector<std::string> implements;  // sorted
  enum class CoKey : uint8_t { None, Joins, Refines } co_key = CoKey::None;
  std::string base;  // of a co-keyed entity
  std::vector<Field> fields;                // sorted by name; inherited key fields included
  std::vector<Relationship> relationships;  // sorted by name
  std::vector<std::string> inherited_fields;  // key fields that came from the base, not printed
  std::optional<Policy> fetch;              // `fetch by`; absent: no fetch by ref
  CachePolicy cache;
  Metadata metadata;
  Span span;

  FieldIndex find_field(std::string_view name) const;        // kNone when there is none
  EdgeIndex find_relationship(std::string_view name) const;  // kNone when there is none
};

struct Interface {
  std::string name;
  std::vector<Field> fields;                // sorted by name
  std::vector<Relationship> relationships;  // sorted by name
  std::vector<EntityIndex> members;         // sorted by name
  Metadata metadata;
  Span span;

  FieldIndex find_field(std::string_view name) const;        // kNone when there is none
  EdgeIndex find_relationship(std::string_view name) const;  // kNone when there is none
};

// --- Named types ---

struct TypeDeclaration {
  std::string name;
  enum class Kind : uint8_t { Newtype, Data, Enum } kind = Kind::Newtype;
  std::vector<std::string> parameters;      // of a generic declaration
  Type underlying;                          // Newtype
  std::vector<Constructor> constructors;    // Data; fields in the order written
  bool is_product = false;                  // Data in brace form: one constructor named as the type
  bool is_open = false;                     // Data sums and enums
  std::vector<std::string> values;          // Enum, in declaration order (semantic)
  bool declared_inline = false;             // in the `errors` clause of a mutation, printed there
  Metadata metadata;
  Span span;
};

struct Claim {
  std::string name;
  Type type;
};

// --- Fragments, roots, mutations ---

// A selection set in the query language, in the order written.
struct Fragment {
  std::string name;
  std::vector<Parameter> parameters;
  std::string on;         // entity or interface
  std::vector<Selection> selections;
  Metadata metadata;
  Span span;            // of the declaration
  Span selection_span;  // of the selection in the source
};

struct Root {
  std::string name;
  bool is_list = false;  // `list`; else `get`
  std::vector<Parameter> parameters;
  Target target;
  std::optional<Collection> collection;  // list roots
  Policy policy;
  CachePolicy cache;
  Metadata metadata;
  Span span;
};

struct WriteScope {
  bool is_collection = false;
  std::string name;      // entity or collection
  // T(arg): the argument's name; feed(Post.orgId): "Post.orgId". One for each key or grouping
  // field, in their order; none for T(new).
  std::vector<std::string> arguments;
  bool is_new = false;   // T(new): a row that the effect creates
};
struct Binding {
  enum class Verb : uint8_t { Put, Patch, Delete, Post } verb = Verb::Put;
  std::string entity;
  std::vector<std::string> key_arguments;  // of /e/T/{arg}; empty for a collection URL
  bool last_writer_wins = false;
};
struct BatchPolicy {
  bool all_or_nothing = false;
  uint32_t items_max = 0;
  std::optional<Binding> binding;  // the collection URL
};
struct Mutation {
  std::string name;
  std::vector<Parameter> parameters;
  std::string returns;
  Policy guard;
  std::vector<WriteScope> writes;
  bool invalidates_writes = true;
  std::vector<WriteScope> invalidates;  // beyond the write set
  enum class Effect : uint8_t { Transactional, Natural, Workflow } effect = Effect::Transactional;
  std::string justification;
  std::optional<Binding> binding;
  std::optional<BatchPolicy> batch;
  std::string errors;  // name of the declared sum; empty: none
  bool errors_inline = false;
  Metadata metadata;
  Span span;
};

struct DirectiveDeclaration {
  std::string name;
  std::vector<Parameter> arguments;
  bool repeatable = false;
  std::vector<std::string> locations;  // SCHEMA, TYPE, ... in the fixed order
  std::string description;
  Span span;
};

// `extend entity X { ... }` of a module (§18.1); kept for fusion, not folded into X.
struct Extension {
  std::string entity;
  std::vector<Field> fields;
  std::vector<Relationship> relationships;
  Metadata metadata;
  Span span;
};

class Schema {
 public:
  std::string name;  // api.example.com
  Metadata metadata;
  CachePolicy cache;
  std::vector<Claim> claims;                      // each vector sorted by name
  std::vector<DirectiveDeclaration> directives;
  std::vector<TypeDeclaration> types;
  std::vector<Interface> interfaces;
  std::vector<Entity> entities;
  std::vector<Extension> extensions;
  std::vector<Fragment> fragments;
  std::vector<Root> roots;
  std::vector<Mutation> mutations;

  std::string canonical_text;          // §3.4, §7.1
  std::string hash;                    // "s" + 22 characters (§5.1)
  std::vector<Diagnostic> warnings;    // lint-level findings of elaboration

  const Entity* find_entity(std::string_view name) const;
  EntityIndex entity_index(std::string_view name) const;  // kNone when there is none
  const Interface* find_interface(std::string_view name) const;
  const TypeDeclaration* find_type(std::string_view name) const;
  const Root* find_root(std::string_view name) const;
  const Fragment* find_fragment(std::string_view name) const;
  const Mutation* find_mutation(std::string_view name) const;
  const Claim* find_claim(std::string_view name) const;
  const DirectiveDeclaration* find_directive(std::string_view name) const;

  // Newtypes resolved away, options kept: `PostId?` gives `Uuid?`; refinements are gathered.
  Type resolve(const Type& type) const;
  WireForm wire_form(const Type& type) const;
};

using SchemaPtr = std::shared_ptr<const Schema>;

struct SchemaOptions {
  uint32_t page_default_max = 100;  // maxPageDefault: the bound of a collection that names none
};

// Parses, elaborates, prints and hashes one IDL document.
// Errors: lattice:schema-invalid with every diagnostic found, spans in `text`.
Result<SchemaPtr> load_schema(std::string_view text, const SchemaOptions& options = {});

}  // namespace lattice::schema
