#include "schema/print.h"

#include "base/json.h"

namespace lattice::schema {

namespace {

// Whether descriptions and annotations are printed: the document has them, plan identity has not.
enum class Annotations : uint8_t { Print, Leave };

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// --- Annotations ---

// The items that stand before a declaration, in the fixed order of §3.9.
std::vector<std::string> annotation_items(const Metadata& metadata) {
  std::vector<std::string> items;
  if (!metadata.description.empty()) items.push_back(quoted(metadata.description));
  for (const DirectiveApplication& use : metadata.directives) {
    std::string& item = items.emplace_back("@" + use.name);
    for (size_t i = 0; i < use.arguments.size(); ++i) {
      item += (i == 0 ? "(" : ", ") + use.arguments[i].first + ": " + use.spelled[i];
    }
    if (!use.arguments.empty()) item += ')';
  }
  if (metadata.break_approved)
    items.push_back("@break(approved: " + quoted(*metadata.break_approved) + ")");
  if (metadata.deprecated) {
    std::string& item =
        items.emplace_back("@deprecated(sunset: " + quoted(metadata.deprecated->sunset));
    if (!metadata.deprecated->note.empty()) item += ", note: " + quoted(metadata.deprecated->note);
    item += ')';
  }
  return items;
}

// On lines of their own, before a top-level declaration.
std::string annotation_lines(const Metadata& metadata, Annotations annotations) {
  if (annotations == Annotations::Leave) return {};
  std::string out;
  for (const std::string& item : annotation_items(metadata)) out += item + "\n";
  return out;
}

// On the line of a member.
std::string annotation_words(const Metadata& metadata, Annotations annotations) {
  if (annotations == Annotations::Leave) return {};
  std::string out;
  for (const std::string& item : annotation_items(metadata)) out += item + " ";
  return out;
}

// --- Shared pieces ---

std::string print_parameters(const std::vector<Parameter>& parameters) {
  if (parameters.empty()) return {};
  std::string out;
  for (const Parameter& parameter : parameters) {
    out += (out.empty() ? "(" : ", ") + parameter.name + ": " + print_type(parameter.type);
    if (!parameter.default_spelled.empty()) out += " = " + parameter.default_spelled;
  }
  return out + ")";
}

std::string print_target(const Target& target) {
  if (!target.name.empty()) return target.name;
  return "(" + join(target.union_, " | ") + ")";
}

std::string print_predicate(const Policy& policy) {
  std::string out;
  for (const Comparison& comparison : policy.all_of) {
    if (!out.empty()) out += " and ";
    out += "caller." + comparison.claim;
    if (comparison.op == Comparison::Op::In) {
      out += " in [" + join(comparison.spelled, ", ") + "]";
    } else {
      out += " = " + (comparison.field.empty() ? join(comparison.spelled, "") : comparison.field);
    }
  }
  return out;
}

std::string print_declared(const std::optional<Policy>& policy, const CachePolicy& cache) {
  std::string out;
  if (policy) out += " " + print_policy(*policy);
  if (cache.declared) out += " cache " + print_cache(cache);
  return out;
}

// What stands behind the link: the window, `grouped by` and `as`, each with a space before it.
std::string print_window(const Collection& collection) {
  std::string out;
  if (collection.paginated) {
    std::vector<std::string> columns;
    for (const OrderColumn& column : collection.keyset) {
      columns.push_back(column.field + (column.descending ? " desc" : " asc"));
    }
    out += " ordered by " + join(columns, ", ");
    if (collection.default_page) out += " page " + std::to_string(*collection.default_page);
  } else if (collection.min != 0) {
    out += " min " + std::to_string(collection.min);
  }
  out += " max " + std::to_string(collection.max);
  if (collection.truncate) out += " truncate";
  if (collection.total == CountPolicy::Exact) out += " total exact";
  if (collection.total == CountPolicy::Estimate) out += " total estimate";
  if (!collection.grouping_is_default) out += " grouped by " + join(collection.grouping, ", ");
  if (collection.named_with_as) out += " as " + collection.name;
  return out;
}

// --- Types ---

std::string print_record(const Constructor& constructor, Annotations annotations) {
  if (constructor.fields.empty()) return "{ }";
  std::string out;
  for (const DataField& field : constructor.fields) {
    out += out.empty() ? "{ " : ", ";
    if (annotations == Annotations::Print && !field.description.empty()) {
      out += quoted(field.description) + " ";
    }
    out += field.name + ": " + print_type(field.type);
  }
  return out + " }";
}

std::string print_constructors(const TypeDeclaration& type, Annotations annotations) {
  std::string out;
  for (const Constructor& constructor : type.constructors) {
    if (!out.empty()) out += " | ";
    out += constructor.name;
    if (!constructor.fields.empty()) out += " " + print_record(constructor, annotations);
  }
  return out;
}

std::string print_type_declaration(const TypeDeclaration& type, Annotations annotations) {
  std::string head = type.name;
  for (const std::string& parameter : type.parameters) head += " " + parameter;
  const std::string openness = type.is_open ? " open = " : " closed = ";
  switch (type.kind) {
    case TypeDeclaration::Kind::Newtype:
      return "newtype " + head + " = " + print_type(type.underlying);
    case TypeDeclaration::Kind::Enum:
      return "enum " + head + openness + join(type.values, " | ");
    case TypeDeclaration::Kind::Data:
      break;
  }
  if (type.is_product)
    return "data " + head + " " + print_record(type.constructors.front(), annotations);
  return "data " + head + openness + print_constructors(type, annotations);
}

// --- Members ---

std::string print_dependency(const Dependency& dependency) {
  static constexpr std::string_view kFunctions[] = {"count", "sum", "min", "max"};
  switch (dependency.kind) {
    case Dependency::Kind::OwnFields:
      return "own(" + join(dependency.own_fields, ", ") + ")";
    case Dependency::Kind::Edge:
      return dependency.edge + " ..." + dependency.fragment;
    case Dependency::Kind::Aggregate:
      break;
  }
  std::string out = dependency.edge + " ";
  out += kFunctions[static_cast<size_t>(dependency.function)];
  if (dependency.function == Dependency::Function::Count) return out;
  return out + "(" + dependency.aggregate_field + ")";
}

std::string print_derivation(const Derivation& derivation) {
  std::vector<std::string> reads;
  for (const Dependency& dependency : derivation.reads)
    reads.push_back(print_dependency(dependency));
  std::string out = " derived reads " + join(reads, ", ");
  if (derivation.declassify_approved) {
    out += " @declassify(approved: " + quoted(*derivation.declassify_approved) + ")";
  }
  return out + (derivation.maintained ? " maintained" : " on read");
}

std::string print_field(const Field& field, Annotations annotations) {
  std::string out = annotation_words(field.metadata, annotations) + field.name +
                    print_parameters(field.arguments) + ": " + print_type(field.type);
  if (field.derivation) out += print_derivation(*field.derivation);
  return out + print_declared(field.declared_policy, field.cache);
}

std::string print_relationship(const Relationship& edge, Annotations annotations) {
  static constexpr std::string_view kWords[] = {"has one ", "has one? ", "has many "};
  std::string out = annotation_words(edge.metadata, annotations);
  out += kWords[static_cast<size_t>(edge.kind)];
  out += edge.name + ": " + print_target(edge.target) + " by ";
  if (edge.collection) {
    out += edge.collection->link + print_window(*edge.collection);
  } else {
    out += edge.link;
  }
  return out + print_declared(edge.declared_policy, edge.cache);
}

// The lines of fields and relationships, without those that are inherited.
std::string print_members(const std::vector<Field>& fields,
                          const std::vector<Relationship>& relationships,
                          const std::vector<std::string>& inherited, Annotations annotations) {
  std::string out;
  for (const Field& field : fields) {
    if (std::find(inherited.begin(), inherited.end(), field.name) != inherited.end()) continue;
    out += "  " + print_field(field, annotations) + "\n";
  }
  for (const Relationship& edge : relationships) {
    out += "  " + print_relationship(edge, annotations) + "\n";
  }
  return out;
}

std::string print_key(const std::vector<std::string>& key) {
  return key.size() == 1 ? key.front() : "(" + join(key, ", ") + ")";
}

std::string print_entity(const Entity& entity, Annotations annotations) {
  std::string out = annotation_lines(entity.metadata, annotations) + "entity " + entity.name;
  switch (entity.co_key) {
    case Entity::CoKey::None:
      out += " by " + print_key(entity.key);
      break;
    case Entity::CoKey::Joins:
      out += " joins " + entity.base;
      break;
    case Entity::CoKey::Refines:
      out += " refines " + entity.base;
      break;
  }
  if (!entity.implements.empty()) out += " implements " + join(entity.implements, ", ");
  out += " {\n";
  out += entity.private_by_default ? "  private by default\n" : "  visible to all by default\n";
  if (entity.elides_hidden_rows) out += "  hidden rows elide\n";
  if (entity.owner) {
    out += "  owner " + entity.owner->field + " is caller";
    if (!entity.owner->claim.empty()) out += "." + entity.owner->claim;
    out += "\n";
  }
  if (entity.cache.declared) out += "  cache " + print_cache(entity.cache) + "\n";
  out += print_members(entity.fields, entity.relationships, entity.inherited_fields, annotations);
  if (entity.fetch) {
    out += "  fetch by " + print_key(entity.key) + ": " + print_policy(*entity.fetch) + "\n";
  }
  return out + "}";
}

std::string print_interface(const Interface& interface, Annotations annotations) {
  return annotation_lines(interface.metadata, annotations) + "interface " + interface.name +
         " {\n" + print_members(interface.fields, interface.relationships, {}, annotations) + "}";
}

std::string print_extension(const Extension& extension) {
  return annotation_lines(extension.metadata, Annotations::Print) + "extend entity " +
         extension.entity + " {\n" +
         print_members(extension.fields, extension.relationships, {}, Annotations::Print) + "}";
}

// --- Fragments, roots, mutations, the rest ---

std::string print_fragment(const Fragment& fragment, Annotations annotations) {
  std::string out = annotation_lines(fragment.metadata, annotations) + "fragment " + fragment.name;
  char separator = '(';
  for (const Parameter& parameter : fragment.parameters) {
    out += separator;
    separator = ',';
    out += "$" + parameter.name + ":" + print_type(parameter.type);
    if (!parameter.default_spelled.empty()) out += "=" + parameter.default_spelled;
  }
  if (!fragment.parameters.empty()) out += ')';
  return out + " on " + fragment.on + " {" + print_selections(fragment.selections) + "}";
}

std::string print_root(const Root& root, Annotations annotations) {
  std::string out = annotation_lines(root.metadata, annotations);
  out += (root.is_list ? "list " : "get ") + root.name + print_parameters(root.parameters) +
         " of " + print_target(root.target);
  if (root.collection) {
    if (!root.collection->link.empty()) out += " by " + root.collection->link;
    out += print_window(*root.collection);
  }
  return out + print_declared(root.policy, root.cache);
}

std::string print_scope(const WriteScope& scope) {
  return scope.name + "(" + (scope.is_new ? "new" : join(scope.arguments, ", ")) + ")";
}

std::string print_scopes(const std::vector<WriteScope>& scopes) {
  std::vector<std::string> parts;
  for (const WriteScope& scope : scopes) parts.push_back(print_scope(scope));
  return join(parts, ", ");
}

std::string print_binding(const Binding& binding) {
  static constexpr std::string_view kVerbs[] = {"PUT", "PATCH", "DELETE", "POST"};
  std::string out = " as ";
  out += kVerbs[static_cast<size_t>(binding.verb)];
  out += " /e/" + binding.entity;
  char separator = '/';
  for (const std::string& argument : binding.key_arguments) {
    out += separator;
    separator = ',';
    out += "{" + argument + "}";
  }
  if (binding.last_writer_wins) out += " last-writer-wins";
  return out;
}

std::string print_mutation(const Mutation& mutation, const Schema& schema) {
  static constexpr std::string_view kEffects[] = {"transactional", "natural", "workflow"};
  std::string out = annotation_lines(mutation.metadata, Annotations::Print);
  out += "mutation " + mutation.name + print_parameters(mutation.parameters) + " returns " +
         mutation.returns + " {\n";
  out += "  allow " +
         (mutation.guard.level == Policy::Level::Claims ? "when " + print_predicate(mutation.guard)
                                                        : print_policy(mutation.guard)) +
         "\n";
  out += "  writes " + print_scopes(mutation.writes) + "\n";
  out += "  invalidates ";
  if (mutation.invalidates_writes) out += mutation.invalidates.empty() ? "writes" : "writes, ";
  out += print_scopes(mutation.invalidates) + "\n";
  out += "  effect ";
  out += kEffects[static_cast<size_t>(mutation.effect)];
  if (!mutation.justification.empty()) out += " " + quoted(mutation.justification);
  out += "\n";
  if (mutation.binding) out += " " + print_binding(*mutation.binding) + "\n";
  if (!mutation.errors.empty()) {
    out += "  errors " + mutation.errors;
    const TypeDeclaration* type =
        mutation.errors_inline ? schema.find_type(mutation.errors) : nullptr;
    if (type != nullptr) {
      out += (type->is_open ? " open = " : " closed = ") +
             print_constructors(*type, Annotations::Print);
    }
    out += "\n";
  }
  if (mutation.batch) {
    out +=
        mutation.batch->all_or_nothing ? "  batch all-or-nothing max " : "  batch best-effort max ";
    out += std::to_string(mutation.batch->items_max);
    if (mutation.batch->binding) out += print_binding(*mutation.batch->binding);
    out += "\n";
  }
  return out + "}";
}

std::string print_directive(const DirectiveDeclaration& directive) {
  std::string out;
  if (!directive.description.empty()) out += quoted(directive.description) + "\n";
  out += "directive @" + directive.name + print_parameters(directive.arguments);
  if (directive.repeatable) out += " repeatable";
  return out + " on " + join(directive.locations, " | ");
}

std::string print_claims(const std::vector<Claim>& claims) {
  std::string out = "claims {\n";
  for (const Claim& claim : claims) out += "  " + claim.name + ": " + print_type(claim.type) + "\n";
  return out + "}";
}

std::string print_schema_line(const Schema& schema) {
  std::string out = annotation_lines(schema.metadata, Annotations::Print) + "schema " + schema.name;
  if (schema.cache.declared) out += " cache " + print_cache(schema.cache);
  return out;
}

}  // namespace

std::string print_policy(const Policy& policy) {
  switch (policy.level) {
    case Policy::Level::Public:
      return "public";
    case Policy::Level::Private:
      return "private";
    case Policy::Level::Claims:
      break;
  }
  return "visible when " + print_predicate(policy);
}

std::string print_cache(const CachePolicy& policy) {
  std::vector<std::string> words;
  if (policy.store == CachePolicy::Storability::NoStore) words.emplace_back("no-store");
  if (policy.store == CachePolicy::Storability::Private) words.emplace_back("private");
  if (policy.revalidate) words.emplace_back("revalidate");
  if (policy.max_age_seconds) {
    int64_t count = *policy.max_age_seconds;
    char unit = 's';
    for (const auto& [seconds, name] :
         {std::pair(86400, 'd'), std::pair(3600, 'h'), std::pair(60, 'm')}) {
      if (count == 0 || count % seconds != 0) continue;
      count /= seconds;
      unit = name;
      break;
    }
    words.push_back("max-age " + std::to_string(count) + unit);
  }
  if (policy.immutable) words.emplace_back("immutable");
  if (policy.no_tenure) words.emplace_back("no-tenure");
  return join(words, ", ");
}

std::string spell_predicate_literal(const Value& literal) {
  const bool is_text = literal.kind == Value::Kind::String || literal.kind == Value::Kind::Enum;
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool is_name = is_text && !literal.text.empty() && literal.text.front() >= 'A' &&
                       literal.text.front() <= 'Z' &&
                       std::all_of(literal.text.begin(), literal.text.end(), is_letter_or_digit);
  if (is_name) return literal.text;
  if (is_text) return quoted(literal.text);
  std::string out;
  append_value(out, literal);
  return out;
}

std::string print_schema(const Schema& schema) {
  std::vector<std::string> blocks{print_schema_line(schema)};
  if (!schema.claims.empty()) blocks.push_back(print_claims(schema.claims));
  for (const auto& directive : schema.directives) blocks.push_back(print_directive(directive));
  for (const TypeDeclaration& type : schema.types) {
    if (type.declared_inline) continue;
    blocks.push_back(annotation_lines(type.metadata, Annotations::Print) +
                     print_type_declaration(type, Annotations::Print));
  }
  for (const auto& interface : schema.interfaces) {
    blocks.push_back(print_interface(interface, Annotations::Print));
  }
  for (const auto& entity : schema.entities)
    blocks.push_back(print_entity(entity, Annotations::Print));
  for (const auto& extension : schema.extensions) blocks.push_back(print_extension(extension));
  for (const auto& fragment : schema.fragments) {
    blocks.push_back(print_fragment(fragment, Annotations::Print));
  }
  for (const auto& root : schema.roots) blocks.push_back(print_root(root, Annotations::Print));
  for (const auto& mutation : schema.mutations) blocks.push_back(print_mutation(mutation, schema));
  return join(blocks, "\n\n") + "\n";
}

std::string print_pertinent(const Entity& entity, const Schema&) {
  return print_entity(entity, Annotations::Leave);
}
std::string print_pertinent(const Interface& interface, const Schema&) {
  return print_interface(interface, Annotations::Leave);
}
std::string print_pertinent(const Root& root, const Schema&) {
  return print_root(root, Annotations::Leave);
}
std::string print_pertinent(const Fragment& fragment, const Schema&) {
  return print_fragment(fragment, Annotations::Leave);
}
std::string print_pertinent(const TypeDeclaration& type, const Schema&) {
  return print_type_declaration(type, Annotations::Leave);
}

}  // namespace lattice::schema
