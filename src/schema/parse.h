// The grammar of the IDL (spec §3.4, §3.5.2, §3.9, §10.9, §11), as one recursive-descent parser.
//
//   text ──lex_document──▶ tokens ──parse_document──▶ Document, and the findings on the way
//
// A function that returns false has recorded why; its caller hands that on to the nearest place
// that can start again: the next member on a line of its own, or the next declaration. So one pass
// finds many mistakes. Clause words (`max`, `total`, `private`) stay usable as field names: they
// are clauses only when no `:` or `(` follows.
#pragma once

#include <map>
#include <string_view>
#include <vector>

#include "schema/document.h"
#include "schema/lex.h"

namespace lattice::schema {

// Parses `text`, which has at most kDocumentBytesMax bytes. Findings go to `diagnostics`.
syntax::Document parse_document(std::string_view text, std::vector<Diagnostic>& diagnostics);

class IdlParser {
 public:
  IdlParser(std::string_view text, std::vector<Diagnostic>& diagnostics);
  syntax::Document parse();

 private:
  using Kind = IdlTokenKind;

  // --- The cursor (parse.cc) ---
  const IdlToken& peek(size_t ahead = 0) const;
  const IdlToken& take();
  std::string_view text_of(const IdlToken& token) const;
  bool at(Kind kind) const { return peek().kind == kind; }
  bool at_word(std::string_view word, size_t ahead = 0) const;
  bool at_clause(std::string_view word) const;  // the word, and it is no member's name
  bool accept(Kind kind);
  bool accept_word(std::string_view word);
  bool expect(Kind kind, std::string_view wanted);
  bool expect_word(std::string_view word, std::string_view context);
  bool expect_name(syntax::Word& out, std::string_view wanted);
  bool expect_number(syntax::Number& out, std::string_view wanted);
  bool expect_string(syntax::Word& out, std::string_view wanted);
  bool fail_at(Span span, std::string message, std::string_view rule = "syntax");
  bool fail_expected(std::string_view wanted);
  Span span_from(uint32_t begin) const { return {begin, end_of_taken_}; }
  bool is_full() const { return diagnostics_.size() >= kFindingsMax; }

  // --- Declarations and recovery (parse.cc) ---
  bool parse_declaration();
  bool parse_declaration_after(syntax::Metadata metadata);
  bool parse_schema_line(syntax::Metadata metadata);
  bool at_declaration(size_t ahead) const;
  void skip_to_declaration();
  void skip_to_member(uint16_t block_depth);
  void scan_generic_types();

  // --- Shared pieces (parse_shared.cc) ---
  bool parse_metadata(syntax::Metadata& out);
  bool parse_directive_use(syntax::DirectiveUse& out);
  bool parse_value(Value& out);
  bool parse_list_value(Value& out);
  bool parse_parameters(std::vector<syntax::Parameter>& out, bool with_dollar);
  bool parse_parameter(syntax::Parameter& out, bool with_dollar);
  bool at_policy() const;
  bool parse_policy(syntax::Policy& out);
  bool parse_predicate(syntax::Policy& out);
  bool parse_comparison(syntax::Comparison& out);
  bool parse_cache_clause(syntax::CacheClause& out);
  bool parse_cache_word(CachePolicy& policy);
  bool parse_max_age(CachePolicy& out);
  bool begins_member(size_t ahead) const;
  bool has_room(size_t count, size_t count_max, std::string_view what);
  bool parse_name_list(std::vector<syntax::Word>& out, std::string_view wanted);

  // --- Types (parse_types.cc) ---
  bool parse_type(Type& out);
  bool parse_type_core(Type& out);
  bool parse_type_atom(Type& out);
  bool parse_list_type(Type& out);
  bool parse_named_type(Type& out, bool is_atom);
  bool parse_type_arguments(Type& out, size_t count);
  bool parse_size(Type& out);
  bool parse_refinements(Type& out);
  bool parse_refinement(Refinement& out);
  bool at_refinements() const;
  bool parse_newtype(syntax::Metadata metadata);
  bool parse_data(syntax::Metadata metadata);
  bool parse_enum(syntax::Metadata metadata);
  bool parse_type_head(syntax::TypeDeclaration& out);
  bool parse_constructors(std::vector<syntax::Constructor>& out);
  bool parse_record(syntax::Constructor& out);
  bool parse_openness(syntax::TypeDeclaration& out);

  // --- Entities (parse_entities.cc) ---
  bool parse_entity(syntax::Metadata metadata);
  bool parse_entity_header(syntax::Entity& out);
  bool parse_interface(syntax::Metadata metadata);
  bool parse_extension(syntax::Metadata metadata);
  bool parse_entity_body(syntax::Entity& out);
  bool parse_member(syntax::Entity& out);
  bool parse_entity_clause(syntax::Entity& out, bool& taken);
  bool parse_member_cache(std::optional<syntax::CacheClause>& out, size_t member_begin,
                          const syntax::Word& member);
  bool parse_owner(syntax::Entity& out);
  bool parse_fetch(syntax::Entity& out);
  bool parse_field(syntax::Entity& out, syntax::Metadata metadata);
  bool parse_derivation(syntax::Derivation& out);
  bool parse_dependency(syntax::Dependency& out);
  bool parse_aggregate(syntax::Dependency& out);
  bool parse_relationship(syntax::Entity& out, syntax::Metadata metadata);
  bool parse_target(syntax::Target& out);
  bool parse_key(std::vector<syntax::Word>& out);
  bool parse_collection_clause(syntax::CollectionClauses& out, bool& taken);
  bool parse_order(syntax::CollectionClauses& out);

  // --- Claims, directives, fragments, roots, mutations (parse_operations.cc) ---
  bool parse_claims(const syntax::Metadata& metadata);
  bool parse_directive(syntax::Metadata metadata);
  bool parse_fragment(syntax::Metadata metadata);
  bool parse_root(syntax::Metadata metadata, bool is_list);
  bool parse_root_clause(syntax::Root& out, bool& taken);
  bool parse_mutation(syntax::Metadata metadata);
  bool parse_mutation_clause(syntax::Mutation& out);
  bool parse_allow(syntax::Mutation& out);
  bool parse_scopes(std::vector<syntax::WriteScope>& out);
  bool parse_scope(syntax::WriteScope& out);
  bool parse_invalidates(syntax::Mutation& out);
  bool parse_effect(syntax::Mutation& out);
  bool parse_binding(syntax::Binding& out);
  bool parse_batch(syntax::Mutation& out);
  bool parse_errors(syntax::Mutation& out);

  std::string_view text_;
  std::vector<Diagnostic>& diagnostics_;
  std::vector<IdlToken> tokens_;
  size_t index_ = 0;
  uint32_t end_of_taken_ = 0;
  std::map<std::string, size_t, std::less<>> generic_types_;  // name → number of parameters
  syntax::Document document_;
};

}  // namespace lattice::schema
