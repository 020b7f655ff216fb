// The driver: order of the steps, names, metadata, claims and directive declarations.
#include "schema/elaborate.h"

#include "base/diagnostic.h"
#include "schema/lex.h"
#include "schema/selection_parser.h"
#include "schema/value.h"

namespace lattice::schema {

namespace {

constexpr std::string_view kLocations[] = {"SCHEMA",   "TYPE",         "INTERFACE", "ENTITY",
                                           "FIELD",    "RELATIONSHIP", "FRAGMENT",  "ROOT",
                                           "MUTATION", "QUERY",        "SELECTION", "SPREAD"};
constexpr std::string_view kReservedDirectives[] = {"break", "deprecated", "declassify", "depth",
                                                    "defer"};

template <class T>
void sort_by_name(std::vector<T>& declarations) {
  std::stable_sort(declarations.begin(), declarations.end(),
                   [](const T& left, const T& right) { return left.name.text < right.name.text; });
}

bool contains(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string print_application(const DirectiveApplication& application) {
  std::string out = application.name;
  for (size_t i = 0; i < application.arguments.size(); ++i) {
    out += ' ' + application.arguments[i].first + ' ' + application.spelled[i];
  }
  return out;
}

}  // namespace

std::shared_ptr<Schema> elaborate(syntax::Document document, const SchemaOptions& options,
                                  std::vector<Diagnostic>& diagnostics) {
  return Elaborator(std::move(document), options, diagnostics).run();
}

Elaborator::Elaborator(syntax::Document document, const SchemaOptions& options,
                       std::vector<Diagnostic>& diagnostics)
    : document_(std::move(document)),
      options_(options),
      diagnostics_(diagnostics),
      schema_(std::make_shared<Schema>()) {}

std::shared_ptr<Schema> Elaborator::run() {
  sort_document();
  declare_names();
  elaborate_schema_line();
  elaborate_types();
  elaborate_claims();
  elaborate_directives();
  elaborate_entities();
  elaborate_relationships();
  elaborate_member_policies();
  sync_bodies();
  check_implementations();
  elaborate_fragments();
  elaborate_roots();
  check_collection_names();
  elaborate_derivations();
  elaborate_mutations();
  elaborate_all_metadata();
  sync_bodies();
  return schema_;
}

// --- Findings ---

bool Elaborator::is_full() const {
  return diagnostics_.size() >= kFindingsMax;
}

void Elaborator::report(Span span, std::string message, std::string_view rule) {
  if (is_full()) return;
  diagnostics_.push_back({Severity::Error, std::move(message), span, {}, std::string(rule)});
}

void Elaborator::warn(Span span, std::string message, std::string_view rule) {
  if (schema_->warnings.size() >= kFindingsMax) return;
  schema_->warnings.push_back({Severity::Warning, std::move(message), span, {}, std::string(rule)});
}

// --- Names ---

void Elaborator::sort_document() {
  // A sum that a mutation declares in its `errors` clause is a type like others.
  for (syntax::Mutation& mutation : document_.mutations) {
    for (syntax::ErrorsClause& errors : mutation.errors) {
      if (errors.inline_type) document_.types.push_back(*errors.inline_type);
    }
  }
  sort_by_name(document_.claims);
  sort_by_name(document_.directives);
  sort_by_name(document_.types);
  sort_by_name(document_.interfaces);
  sort_by_name(document_.entities);
  sort_by_name(document_.extensions);
  sort_by_name(document_.fragments);
  sort_by_name(document_.roots);
  sort_by_name(document_.mutations);
}

void Elaborator::declare(const syntax::Word& name, std::string_view what) {
  const char first = name.text.front();
  if (first < 'A' || first > 'Z') {
    report(name.span, "`" + name.text + "`: the name of a type begins with a capital letter",
           "name");
  }
  if (find_primitive(name.text) || name.text == "Vec" || name.text == "Set" || name.text == "Map") {
    report(name.span, "`" + name.text + "` is the name of a built-in type", "duplicate");
  }
  const auto [before, is_new] = declared_.emplace(name.text, what);
  if (is_new) return;
  report(name.span,
         "`" + name.text + "` is declared twice (as " + std::string(before->second) + " and as " +
             std::string(what) + ")",
         "duplicate");
}

void Elaborator::declare_names() {
  for (const auto& type : document_.types) declare(type.name, "a type");
  for (const auto& interface : document_.interfaces) declare(interface.name, "an interface");
  for (const auto& entity : document_.entities) declare(entity.name, "an entity");

  // Sorted vectors without doubles: the first declaration of a name stays.
  const auto drop_doubles = [&](auto& declarations, std::string_view what) {
    const auto is_double = [&](const auto& left, const auto& right) {
      if (left.name.text != right.name.text) return false;
      if (!what.empty()) {
        report(right.name.span, std::string(what) + " `" + right.name.text + "` is declared twice",
               "duplicate");
      }
      return true;
    };
    declarations.erase(std::unique(declarations.begin(), declarations.end(), is_double),
                       declarations.end());
  };
  drop_doubles(document_.types, "");
  drop_doubles(document_.interfaces, "");
  drop_doubles(document_.entities, "");
  drop_doubles(document_.claims, "claim");
  drop_doubles(document_.directives, "directive");
  drop_doubles(document_.extensions, "an extension of");
  drop_doubles(document_.fragments, "fragment");
  drop_doubles(document_.roots, "root");
  drop_doubles(document_.mutations, "mutation");

  for (const auto& entity : document_.entities) {
    Entity& out = schema_->entities.emplace_back();
    out.name = entity.name.text;
    out.span = entity.name.span;
  }
  for (const auto& interface : document_.interfaces) {
    Interface& out = schema_->interfaces.emplace_back();
    out.name = interface.name.text;
    out.span = interface.name.span;
  }
}

void Elaborator::elaborate_schema_line() {
  if (document_.schema_lines.empty()) {
    report({0, 0}, "the document has no schema line: begin with `schema <name>`", "schema-line");
    return;
  }
  for (size_t i = 1; i < document_.schema_lines.size(); ++i) {
    report(document_.schema_lines[i].name.span, "a document has one schema line", "schema-line");
  }
  const syntax::SchemaLine& line = document_.schema_lines.front();
  schema_->name = line.name.text;
  if (line.cache) schema_->cache = line.cache->policy;
}

// --- Claims, directives, parameters ---

void Elaborator::elaborate_claims() {
  for (syntax::Claim& in : document_.claims) {
    const std::string label = "claim " + in.name.text;
    elaborate_type(in.type, label);
    if (!is_scalar(in.type) || is_optional(in.type)) {
      report(
          in.type.span,
          label + " has the type " + print_type(in.type) + "; a claim is one scalar or enum value",
          "claim-type");
    }
    schema_->claims.push_back({in.name.text, in.type});
  }
}

void Elaborator::elaborate_directives() {
  for (syntax::DirectiveDeclaration& in : document_.directives) {
    const std::string label = "directive @" + in.name.text;
    if (contains(kReservedDirectives, in.name.text)) {
      report(in.name.span, "@" + in.name.text + " is built in and cannot be declared", "directive");
    }
    DirectiveDeclaration out;
    out.name = in.name.text;
    out.span = in.name.span;
    out.repeatable = in.repeatable;
    if (in.metadata.description) out.description = in.metadata.description->text;
    if (!in.metadata.directives.empty()) {
      report(in.metadata.directives.front().span, label + " takes no directives itself",
             "directive");
    }
    out.arguments = elaborate_parameters(in.arguments, label);
    std::set<std::string_view> wanted;
    for (const syntax::Word& location : in.locations) {
      if (!contains(kLocations, location.text)) {
        report(location.span,
               "`" + location.text + "` is no place for a directive" +
                   did_you_mean(location.text, kLocations),
               "directive");
      } else if (!wanted.insert(location.text).second) {
        report(location.span, label + " lists " + location.text + " twice", "directive");
      }
    }
    for (const std::string_view location : kLocations) {
      if (wanted.contains(location)) out.locations.emplace_back(location);
    }
    schema_->directives.push_back(std::move(out));
  }
}

std::vector<Parameter> Elaborator::elaborate_parameters(std::vector<syntax::Parameter>& parameters,
                                                        const std::string& label) {
  std::vector<Parameter> out;
  std::set<std::string_view> names;
  for (syntax::Parameter& in : parameters) {
    const std::string place = label + " (" + in.name.text + ")";
    if (!names.insert(in.name.text).second) {
      report(in.name.span, label + " has two parameters `" + in.name.text + "`", "duplicate");
    }
    elaborate_type(in.type, place);
    Parameter& parameter = out.emplace_back();
    parameter.name = in.name.text;
    parameter.type = in.type;
    parameter.span = in.name.span;
    if (!in.default_value) continue;
    auto value = check_literal(*in.default_value, in.type, *schema_, place);
    if (value) {
      parameter.default_value = std::move(*value);
    } else {
      report(in.default_value->span, value.error().message, "default");
    }
    append_value(parameter.default_spelled, *in.default_value);
  }
  return out;
}

// --- Metadata (§3.9, §17.3, §17.5) ---

void Elaborator::elaborate_all_metadata() {
  if (!document_.schema_lines.empty()) {
    schema_->metadata =
        elaborate_metadata(document_.schema_lines.front().metadata, "SCHEMA", "the schema line");
  }
  const auto members = [&](syntax::Entity& in, Entity& out) {
    for (const syntax::Field& field : in.fields) {
      const FieldIndex index = out.find_field(field.name.text);
      if (index == kNone) continue;
      out.fields[index].metadata =
          elaborate_metadata(field.metadata, "FIELD", in.name.text + "." + field.name.text);
    }
    for (const syntax::Relationship& edge : in.relationships) {
      const EdgeIndex index = out.find_relationship(edge.name.text);
      if (index == kNone) continue;
      out.relationships[index].metadata =
          elaborate_metadata(edge.metadata, "RELATIONSHIP", in.name.text + "." + edge.name.text);
    }
  };
  const auto all = [&](auto& inputs, auto& outputs, std::string_view location,
                       std::string_view what) {
    for (size_t i = 0; i < outputs.size() && i < inputs.size(); ++i) {
      outputs[i].metadata =
          elaborate_metadata(inputs[i].metadata, location, std::string(what) + inputs[i].name.text);
      if constexpr (std::is_same_v<decltype(inputs[i]), syntax::Entity&>)
        members(inputs[i], outputs[i]);
    }
  };
  all(document_.types, schema_->types, "TYPE", "type ");
  all(document_.interfaces, interface_bodies_, "INTERFACE", "interface ");
  all(document_.entities, schema_->entities, "ENTITY", "entity ");
  all(document_.extensions, extension_bodies_, "ENTITY", "extend entity ");
  all(document_.fragments, schema_->fragments, "FRAGMENT", "fragment ");
  all(document_.roots, schema_->roots, "ROOT", "root ");
  all(document_.mutations, schema_->mutations, "MUTATION", "mutation ");
}

Metadata Elaborator::elaborate_metadata(const syntax::Metadata& in, std::string_view location,
                                        const std::string& label) {
  Metadata out;
  if (in.description) out.description = in.description->text;
  for (const syntax::DirectiveUse& use : in.directives) {
    if (use.name.text == "break") {
      apply_break(out, use, label);
    } else if (use.name.text == "deprecated") {
      apply_deprecated(out, use, location, label);
    } else if (use.name.text == "declassify") {
      report(use.span, "@declassify stands inside a derived field, behind its read set",
             "directive");
    } else if (contains(kReservedDirectives, use.name.text)) {
      report(use.span, "@" + use.name.text + " belongs into queries", "directive");
    } else {
      apply_directive(out, use, location, label);
    }
  }
  std::stable_sort(out.directives.begin(), out.directives.end(),
                   [](const DirectiveApplication& left, const DirectiveApplication& right) {
                     return print_application(left) < print_application(right);
                   });
  return out;
}

// The string that a built-in directive gives for `argument`; reports what does not fit.
std::string Elaborator::builtin_text(const syntax::DirectiveUse& use, std::string_view argument,
                                     bool required) {
  std::string out;
  bool found = false;
  for (const syntax::ArgumentValue& given : use.arguments) {
    if (given.name.text != argument) continue;
    if (found) {
      report(given.name.span, "@" + use.name.text + " gives `" + given.name.text + "` twice",
             "directive");
    }
    if (given.value.kind != Value::Kind::String) {
      report(given.value.span,
             "@" + use.name.text + " takes a string for `" + given.name.text + "`", "directive");
    }
    found = true;
    out = given.value.text;
  }
  if (required && (!found || out.empty())) {
    report(use.span, "@" + use.name.text + " needs `" + std::string(argument) + ": \"..\"`",
           "directive");
  }
  return out;
}

void Elaborator::apply_break(Metadata& out, const syntax::DirectiveUse& use,
                             const std::string& label) {
  if (out.break_approved) report(use.span, label + " has @break twice", "directive");
  for (const syntax::ArgumentValue& given : use.arguments) {
    if (given.name.text == "approved") continue;
    report(given.name.span, "@break has no argument `" + given.name.text + "`", "directive");
  }
  out.break_approved = builtin_text(use, "approved", true);
}

void Elaborator::apply_deprecated(Metadata& out, const syntax::DirectiveUse& use,
                                  std::string_view location, const std::string& label) {
  if (location != "FIELD" && location != "RELATIONSHIP" && location != "ROOT" &&
      location != "MUTATION") {
    report(use.span,
           "@deprecated stands on fields, relationships, roots and mutations, not on " + label,
           "directive");
  }
  if (out.deprecated) report(use.span, label + " has @deprecated twice", "directive");
  for (const syntax::ArgumentValue& given : use.arguments) {
    if (given.name.text == "sunset" || given.name.text == "note") continue;
    report(given.name.span, "@deprecated has no argument `" + given.name.text + "`", "directive");
  }
  out.deprecated.emplace();
  out.deprecated->sunset = builtin_text(use, "sunset", true);
  out.deprecated->note = builtin_text(use, "note", false);
  if (!out.deprecated->sunset.empty() && !canonical_date(out.deprecated->sunset)) {
    report(use.span,
           "the sunset of @deprecated is a date such as \"2027-01-31\", not \"" +
               out.deprecated->sunset + "\"",
           "directive");
  }
}

void Elaborator::apply_directive(Metadata& out, const syntax::DirectiveUse& use,
                                 std::string_view location, const std::string& label) {
  const DirectiveDeclaration* declaration = schema_->find_directive(use.name.text);
  if (declaration == nullptr) {
    report(use.span,
           label + " has the undeclared directive @" + use.name.text +
               suggest(use.name.text, schema_->directives),
           "directive");
    return;
  }
  const std::string name = "@" + use.name.text;
  if (std::find(declaration->locations.begin(), declaration->locations.end(), location) ==
      declaration->locations.end()) {
    report(use.span, name + " on " + label + ": it is not declared for " + std::string(location),
           "directive");
  }
  if (!declaration->repeatable &&
      std::any_of(out.directives.begin(), out.directives.end(),
                  [&](const auto& before) { return before.name == use.name.text; })) {
    report(use.span, name + " stands twice on " + label + " and is not repeatable", "directive");
  }
  DirectiveApplication applied{use.name.text, {}, {}, use.span};
  std::map<std::string, std::pair<Json, std::string>> sorted;
  for (const syntax::ArgumentValue& given : use.arguments) {
    const auto parameter =
        std::find_if(declaration->arguments.begin(), declaration->arguments.end(),
                     [&](const Parameter& candidate) { return candidate.name == given.name.text; });
    if (parameter == declaration->arguments.end()) {
      report(given.name.span,
             name + " has no argument `" + given.name.text + "`" +
                 suggest(given.name.text, declaration->arguments),
             "directive");
      continue;
    }
    auto value =
        check_literal(given.value, parameter->type, *schema_, name + " " + given.name.text);
    if (!value) report(given.value.span, value.error().message, "directive");
    std::string spelled;
    append_value(spelled, given.value);
    const bool is_new =
        sorted.try_emplace(given.name.text, value ? std::move(*value) : Json(), spelled).second;
    if (!is_new) {
      report(given.name.span, name + " on " + label + " gives `" + given.name.text + "` twice",
             "directive");
    }
  }
  for (auto& [argument, value] : sorted) {
    applied.arguments.emplace_back(argument, std::move(value.first));
    applied.spelled.push_back(std::move(value.second));
  }
  check_missing_arguments(*declaration, applied, label);
  out.directives.push_back(std::move(applied));
}

void Elaborator::check_missing_arguments(const DirectiveDeclaration& declaration,
                                         const DirectiveApplication& applied,
                                         const std::string& label) {
  for (const Parameter& parameter : declaration.arguments) {
    if (parameter.default_value || is_optional(parameter.type)) continue;
    const bool is_given =
        std::any_of(applied.arguments.begin(), applied.arguments.end(),
                    [&](const auto& argument) { return argument.first == parameter.name; });
    if (is_given) continue;
    report(applied.span,
           "@" + declaration.name + " on " + label + " lacks the argument `" + parameter.name + "`",
           "directive");
  }
}

}  // namespace lattice::schema
