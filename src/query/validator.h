// The rules of §4.8 for one document: the state that the validate_*.cc files share.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "query/site.h"
#include "query/validate.h"

namespace lattice::query {

// The variables that values may name: a fragment's parameters, then the query's.
using Scope = std::map<std::string, const Variable*, std::less<>>;

// The slots of the parameters of a local fragment. Owns the types that the slots point to.
struct FragmentSlots {
  std::vector<schema::Parameter> parameters;
  Slots slots;
};
FragmentSlots fragment_slots(const FragmentDefinition& fragment, const schema::Schema& schema);

class Validator {
 public:
  Validator(const Document& document, const schema::Schema& schema, const QueryLimits& limits,
            Findings& findings)
      : document_(document), schema_(schema), limits_(limits), findings_(findings) {}

  void run();
  // The selections of a set alone, outside any document: a mask.
  void check_selections(const std::vector<Selection>& selections, const Site& site);

 private:
  // validate.cc: the document as a whole
  void check_query(const QueryDefinition& query);
  void check_fragment(const FragmentDefinition& fragment);
  void check_fragment_names();
  void check_variables(const std::vector<Variable>& variables, bool of_query);
  void check_variable_type(const Variable& variable);
  void check_variable_uses(const QueryDefinition& query);
  void collect_uses(const std::vector<Selection>& selections,
                    std::vector<const FragmentDefinition*>& reached,
                    std::set<std::string_view>& used);
  void check_spread_graph();
  enum class Mark : uint8_t { Unseen, Open, Done };
  void walk_spreads(uint32_t fragment, std::vector<Mark>& marks, std::vector<uint32_t>& path);
  void walk_selections(const std::vector<Selection>& selections, std::vector<Mark>& marks,
                       std::vector<uint32_t>& path);

  // validate_selections.cc: fields, edges, spreads on their sites
  void check_roots(const std::vector<Selection>& selections);
  void check_root(const Selection& selection);
  void check_nodes_root(const Selection& selection);
  void check_field(const Selection& selection, const Site& site);
  void check_edge(const Selection& selection, const schema::Relationship& edge, const Site& site);
  void check_depth(const Selection& selection, const schema::Relationship& edge, const Site& site);
  void check_inline(const Selection& selection, const Site& site);
  void check_spread(const Selection& selection, const Site& site);
  void report_unknown_field(const Selection& selection, const Site& site);
  void warn_deprecated(const schema::Metadata& metadata, std::string_view what,
                       const Selection& selection);

  // validate_arguments.cc: arguments, values, directives
  // `what` names the owner in messages: "`feed`", "`...UserAvatar`", "@track".
  void check_arguments(const std::vector<Argument>& arguments, const Slots& slots,
                       std::string_view what, Span at);
  void check_window(const std::vector<Argument>& arguments, const Slots& slots,
                    std::string_view what, Span at);
  void report_unknown_argument(const Argument& argument, const Slots& slots, std::string_view what);
  void check_value(const Argument& argument, const Slot& slot, const Slots& slots);
  void check_variable(const Argument& argument, const Slot& slot, const Slots& slots);
  void check_refs(const Argument& argument);
  void check_page_size(const Value& value, std::string_view name, const Slots& slots);
  void check_directives(const std::vector<Directive>& directives, std::string_view location);
  void check_directive(const Directive& directive, std::string_view location);

  const Document& document_;
  const schema::Schema& schema_;
  const QueryLimits& limits_;
  Findings& findings_;
  Scope scope_;
  std::set<std::string, std::less<>> parameters_used_;  // of the fragment being checked
  std::set<const FragmentDefinition*> reached_;         // from the query
  std::map<const FragmentDefinition*, FragmentSlots> fragment_slots_;
  bool literals_only_ = false;                          // inside a directive
};

// Whether a fragment on `fragment` can be spread on `site`: they have an entity in common.
bool can_overlap(const Site& fragment, const Site& site);

// The declared type of a variable; nullopt when its name is no type that a variable may have.
std::optional<schema::Type> variable_type(const Variable& variable, const schema::Schema& schema);

}  // namespace lattice::query
