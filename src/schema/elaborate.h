// Elaboration: names get their meaning, and every static check of §3 and §11 is made.
//
//   Document ──elaborate──▶ Schema (without its canonical text), and the findings on the way
//
// The driver in elaborate.cc runs the steps in order; each kind of declaration has a file of its
// own. Declarations are sorted by name first, so the order of the source cannot matter. A finding
// does not stop the work: what is wrong is left out or replaced by something harmless.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.h"
#include "schema/document.h"
#include "schema/schema.h"

namespace lattice::schema {

// Null only together with findings. Errors go to `diagnostics`, lint to the schema's warnings.
std::shared_ptr<Schema> elaborate(syntax::Document document, const SchemaOptions& options,
                                  std::vector<Diagnostic>& diagnostics);

class Elaborator {
 public:
  Elaborator(syntax::Document document, const SchemaOptions& options,
             std::vector<Diagnostic>& diagnostics);
  std::shared_ptr<Schema> run();

 private:
  using Names = std::vector<std::string_view>;

  // --- The driver, findings, metadata (elaborate.cc) ---
  void report(Span span, std::string message, std::string_view rule);
  void warn(Span span, std::string message, std::string_view rule);
  bool is_full() const;
  // "; did you mean `title`?" or "", from lists of names or of declarations with names. Costs
  // nothing once there are as many findings as there may be.
  template <class... Lists>
  std::string suggest(std::string_view word, const Lists&... lists) const {
    if (is_full()) return {};
    Names names;
    (add_names(names, lists), ...);
    return did_you_mean(word, names);
  }
  template <class T>
  static void add_names(Names& out, const std::vector<T>& declarations) {
    for (const T& declaration : declarations) {
      if constexpr (std::is_convertible_v<const T&, std::string_view>) {
        out.push_back(declaration);
      } else {
        out.push_back(declaration.name);
      }
    }
  }
  void sort_document();
  void declare_names();
  void declare(const syntax::Word& name, std::string_view what);
  void elaborate_schema_line();
  void elaborate_claims();
  void elaborate_directives();
  void elaborate_all_metadata();
  Metadata elaborate_metadata(const syntax::Metadata& metadata, std::string_view location,
                              const std::string& label);
  void apply_break(Metadata& out, const syntax::DirectiveUse& use, const std::string& label);
  void apply_deprecated(Metadata& out, const syntax::DirectiveUse& use, std::string_view location,
                        const std::string& label);
  std::string builtin_text(const syntax::DirectiveUse& use, std::string_view argument,
                           bool required);
  void apply_directive(Metadata& out, const syntax::DirectiveUse& use, std::string_view location,
                       const std::string& label);
  void check_missing_arguments(const DirectiveDeclaration& declaration,
                               const DirectiveApplication& applied, const std::string& label);
  std::vector<Parameter> elaborate_parameters(std::vector<syntax::Parameter>& parameters,
                                              const std::string& label);

  // --- Types (elaborate_types.cc) ---
  void elaborate_types();
  void elaborate_type_declaration(syntax::TypeDeclaration& in, TypeDeclaration& out);
  void elaborate_constructors(syntax::TypeDeclaration& in, TypeDeclaration& out);
  void elaborate_enum(const syntax::TypeDeclaration& in, TypeDeclaration& out);
  void bind_type(Type& type, const std::vector<std::string>& parameters, const std::string& label);
  void bind_named(Type& type, const std::vector<std::string>& parameters, const std::string& label);
  bool expands_within_limits(const Type& type);
  bool count_parts(const Type& type, const std::map<std::string_view, uint32_t>& sizes,
                   uint32_t& parts, uint32_t depth);
  void check_type(const Type& type, const std::string& label);
  void check_elements(const Type& type, const std::string& label);
  void check_refinements(const Type& type, const std::string& label);
  void check_refinement_bounds(const Type& type, const std::string& label);
  void elaborate_type(Type& type, const std::string& label);  // bind and check
  bool is_scalar(const Type& type) const;                     // resolves newtypes
  bool is_optional(const Type& type) const;
  bool is_orderable(const Type& type) const;
  bool is_numeric(const Type& type) const;
  bool same_resolved(const Type& left, const Type& right) const;  // options stripped

  // --- Entities and interfaces (elaborate_entities.cc) ---
  void elaborate_entities();
  void elaborate_members(syntax::Entity& in, Entity& out);
  Field elaborate_field(syntax::Field& in, const std::string& owner, bool private_by_default);
  void check_entity_clauses(const syntax::Entity& in, Entity& out);
  void check_no_entity_clauses(const syntax::Entity& in, std::string_view what);
  void elaborate_key(const syntax::Entity& in, Entity& out);
  void inherit_key(const syntax::Entity& in, Entity& out);
  const Field* find_key_field(const Entity& entity,
                              size_t position) const;  // null: reported before
  void elaborate_fetch(const syntax::Entity& in, Entity& out);
  void elaborate_owner(const syntax::Entity& in, Entity& out);
  void sync_bodies();
  void collect_members();
  void check_implementations();
  void check_implementation(const Entity& entity, const syntax::Word& name);
  void check_interface_field(const syntax::Word& at, const Entity& entity, const Field& wanted,
                             const std::string& interface);
  void check_interface_edge(const syntax::Word& at, const Entity& entity,
                            const Relationship& wanted, const std::string& interface);

  // --- Targets, relationships, collections, roots (elaborate_collections.cc) ---
  struct MemberField {
    uint32_t declaring_count = 0;
    uint32_t member_count = 0;
    const Field* field = nullptr;  // one of them
    bool is_everywhere() const { return declaring_count == member_count && field != nullptr; }
  };
  // Who declares a relationship or root.
  struct Declarer {
    std::string label;               // Post.comments, root feed
    const Entity* entity = nullptr;  // whose fields and key it may mention
    bool is_interface = false;
    bool is_extension = false;
    const std::vector<Parameter>* parameters = nullptr;  // of a root
  };
  Target elaborate_target(const syntax::Target& in, const std::string& label);
  MemberField find_member_field(const Target& target, std::string_view name) const;
  Names member_field_names(const Target& target) const;  // none once the findings are full
  Names member_names(const Target& target) const;
  void elaborate_relationships();
  void elaborate_relationships_of(syntax::Entity& in, Entity& out, Declarer declarer);
  Relationship elaborate_relationship(syntax::Relationship& in, const Entity& owner,
                                      const Declarer& declarer);
  void check_to_one_link(const syntax::Relationship& in, const Relationship& edge,
                         const Declarer& declarer);
  void check_to_many_link(const syntax::Word& link, const Target& target, Collection& out,
                          const Declarer& declarer);
  Collection elaborate_collection(const syntax::CollectionClauses& in, const syntax::Word& link,
                                  const Target& target, const Declarer& declarer, Span span);
  void elaborate_window(const syntax::CollectionClauses& in, Collection& out,
                        const Declarer& declarer, Span span);
  void elaborate_keyset(const syntax::CollectionClauses& in, const Target& target, Collection& out,
                        const Declarer& declarer);
  void check_keyset_column(const syntax::OrderColumn& column, const Target& target,
                           const std::string& label);
  void note_ties(const syntax::CollectionClauses& in, const Target& target, const Collection& out,
                 const std::string& label);
  void elaborate_grouping(const syntax::CollectionClauses& in, const Target& target,
                          Collection& out, const Declarer& declarer);
  void elaborate_roots();
  void elaborate_root(syntax::Root& in, Root& out);
  void check_collection_names();

  // --- Policies and cache (elaborate_policies.cc) ---
  // Where bare names of a predicate are looked up.
  struct PolicyScope {
    std::string label;
    const Entity* entity = nullptr;
    const Target* target = nullptr;
    bool may_be_foreign = false;  // extensions: a field may be the owner's
  };
  Policy elaborate_policy(const syntax::Policy& in, const PolicyScope& scope);
  void elaborate_comparison(const syntax::Comparison& in, const PolicyScope& scope, Policy& out);
  void check_compared_field(const syntax::Comparison& in, const Claim& claim,
                            const PolicyScope& scope);
  const Claim* find_claim(const syntax::Word& name, const std::string& label);
  void elaborate_member_policies();
  void elaborate_policies_of(const syntax::Entity& in, Entity& out, bool is_extension);

  // --- Derived fields (elaborate_derived.cc) ---
  struct Level {
    bool is_private = false;
    std::set<std::string> claims;
    void join(const Policy& policy);
    bool covers(const Level& other) const;
    std::string print() const;
  };
  void elaborate_derivations();
  void elaborate_derivation(const syntax::Field& in, const Entity& entity, Field& out,
                            bool is_extension);
  bool elaborate_dependency(const syntax::Dependency& in, const Entity& entity, Dependency& out,
                            const std::string& label, bool is_extension);
  bool check_own_fields(const syntax::Dependency& in, const Entity& entity,
                        const std::string& label, bool is_extension);
  bool check_edge_dependency(const syntax::Dependency& in, const Entity& entity,
                             const std::string& label, bool is_extension);
  bool check_aggregate(const syntax::Dependency& in, const Entity& entity, const std::string& label,
                       bool is_extension);
  bool check_plain_selections(const syntax::Word& at, const Fragment& fragment,
                              const std::string& label);
  void check_maintained(const syntax::Field& in, const Entity& entity, const Field& field);
  void check_information_flow(const syntax::Field& in, const Entity& entity, const Field& field);
  void join_dependency(Level& level, const Dependency& dependency, const Entity& entity) const;
  void join_selections(Level& level, const std::vector<Selection>& selections, const Target& target,
                       std::set<std::string>& visited) const;

  // --- Fragments (elaborate_fragments.cc) ---
  struct SelectionScope {
    const Fragment* fragment = nullptr;
    std::set<std::string>* used_variables = nullptr;
    std::string label;
  };
  void elaborate_fragments();
  void check_fragment(const Fragment& fragment);
  void check_selections(const std::vector<Selection>& selections, const Target& target,
                        const SelectionScope& scope);
  void check_selected_field(const Selection& selection, const Target& target,
                            const SelectionScope& scope);
  void check_selected_edge(const Selection& selection, const Relationship& edge,
                           const Target& target, const SelectionScope& scope);
  void check_spread(const Selection& selection, const Target& target, const SelectionScope& scope);
  void check_inline(const Selection& selection, const Target& target, const SelectionScope& scope);
  void check_arguments(const Selection& selection, const std::vector<Parameter>& parameters,
                       const SelectionScope& scope);
  void check_argument(const Value& value, const Parameter& parameter, const Type& type,
                      const SelectionScope& scope);
  void check_variable(const Value& variable, const Parameter& slot, const Type& type,
                      const SelectionScope& scope);
  std::vector<Parameter> edge_parameters(const Relationship& edge) const;
  void check_paging(const Selection& selection, const Collection& collection,
                    const SelectionScope& scope);
  void check_query_directives(const std::vector<Directive>& directives, std::string_view location,
                              const SelectionScope& scope);
  void check_fragment_cycles();
  bool is_subtype(const Target& site, std::string_view on) const;
  Target target_named(std::string_view name) const;
  // What a selection on `target` may name: an interface's own members, or what every entity of a
  // union declares alike. Null when there is no such member.
  const Relationship* find_target_edge(const Target& target, std::string_view name) const;
  const Field* find_target_field(const Target& target, std::string_view name) const;

  // --- Mutations (elaborate_mutations.cc) ---
  void elaborate_mutations();
  void elaborate_mutation(syntax::Mutation& in, Mutation& out);
  void elaborate_guard(const syntax::Mutation& in, Mutation& out);
  void elaborate_effect(const syntax::Mutation& in, Mutation& out);
  void elaborate_scopes(const syntax::Mutation& in, Mutation& out);
  WriteScope elaborate_scope(const syntax::WriteScope& in, const Mutation& mutation);
  void check_entity_scope(const syntax::WriteScope& in, const Entity& entity,
                          const Mutation& mutation);
  void check_collection_scope(const syntax::WriteScope& in, const Collection& collection,
                              const Target& target, const Mutation& mutation);
  void check_scope_argument(const syntax::ScopeArgument& in, const Collection& collection,
                            size_t position, const Target& target, const Mutation& mutation);
  void elaborate_errors(syntax::Mutation& in, Mutation& out);
  void elaborate_binding(const syntax::Mutation& in, Mutation& out);
  Binding elaborate_one_binding(const syntax::Binding& in, const Mutation& mutation);
  void check_binding(const syntax::Binding& in, const Binding& binding, const Mutation& mutation);
  void check_binding_body(const syntax::Binding& in, const Binding& binding,
                          const Mutation& mutation);
  void check_patch_body(const syntax::Binding& in, const std::vector<const Parameter*>& body,
                        const Mutation& mutation);
  void elaborate_batch(const syntax::Mutation& in, Mutation& out);
  void check_shapes();
  const TypeDeclaration* record_of(const Type& type) const;

  syntax::Document document_;
  const SchemaOptions& options_;
  std::vector<Diagnostic>& diagnostics_;
  std::shared_ptr<Schema> schema_;
  std::map<std::string, std::string_view, std::less<>> declared_;  // name → what it is
  // Interfaces and extensions have members as entities have; they are elaborated in this form and
  // copied to the schema by sync_bodies. Parallel to the document's vectors.
  std::vector<Entity> interface_bodies_;
  std::vector<Entity> extension_bodies_;
  // Answers of find_member_field for interfaces, by `Interface.field`.
  mutable std::map<std::string, MemberField> member_fields_;
  bool fragments_end_ = true;  // no cycles, no endless nesting
  // By tag family: one of its collections, and what is in it. Borrowed from the schema.
  std::map<std::string, std::pair<const Collection*, const Target*>, std::less<>> collections_;
};

}  // namespace lattice::schema
