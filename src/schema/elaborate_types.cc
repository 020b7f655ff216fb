// Named types and the rules of the type language (spec §3.5.2).
#include <re2/re2.h>

#include "base/diagnostic.h"
#include "schema/elaborate.h"
#include "schema/selection_parser.h"

namespace lattice::schema {

namespace {

// How many parts a type may have when its newtypes are written out.
constexpr uint32_t kTypePartsMax = 256;

bool is_text(const Type& type) {
  return type.kind == Type::Kind::Primitive && type.primitive == Primitive::Text;
}
bool is_bytes(const Type& type) {
  return type.kind == Type::Kind::Primitive && type.primitive == Primitive::Bytes;
}
bool is_whole_number(Primitive primitive) {
  return primitive >= Primitive::I8 && primitive <= Primitive::Integer;
}
bool is_number(Primitive primitive) {
  return primitive >= Primitive::I8 && primitive <= Primitive::F64;
}

}  // namespace

// --- Declarations ---

void Elaborator::elaborate_types() {
  for (const syntax::TypeDeclaration& in : document_.types) {
    TypeDeclaration& out = schema_->types.emplace_back();
    out.name = in.name.text;
    out.kind = in.kind;
    out.span = in.name.span;
    for (const syntax::Word& parameter : in.parameters) out.parameters.push_back(parameter.text);
  }
  for (const syntax::Mutation& mutation : document_.mutations) {
    for (const syntax::ErrorsClause& errors : mutation.errors) {
      const TypeDeclaration* type = schema_->find_type(errors.name.text);
      if (!errors.inline_type || type == nullptr || type->span != errors.name.span) continue;
      schema_->types[static_cast<size_t>(type - schema_->types.data())].declared_inline = true;
    }
  }
  for (size_t i = 0; i < schema_->types.size(); ++i) {
    elaborate_type_declaration(document_.types[i], schema_->types[i]);
  }
  // Newtypes must end before anything can be resolved.
  for (TypeDeclaration& type : schema_->types) {
    if (type.kind != TypeDeclaration::Kind::Newtype || expands_within_limits(type.underlying))
      continue;
    report(type.span,
           "newtype " + type.name + " contains itself, or has more than " +
               std::to_string(kTypePartsMax) + " parts when written out",
           "type-size");
    type.underlying = Type{};
    type.parameters.clear();
  }
  if (!diagnostics_.empty()) return;  // what follows relies on sound newtypes
  for (const TypeDeclaration& type : schema_->types) {
    if (type.kind == TypeDeclaration::Kind::Newtype)
      check_type(type.underlying, "newtype " + type.name);
    for (const Constructor& constructor : type.constructors) {
      for (const DataField& field : constructor.fields) {
        check_type(field.type, constructor.name + "." + field.name);
      }
    }
  }
}

void Elaborator::elaborate_type_declaration(syntax::TypeDeclaration& in, TypeDeclaration& out) {
  std::set<std::string_view> names;
  for (const syntax::Word& parameter : in.parameters) {
    if (parameter.text.front() >= 'A' && parameter.text.front() <= 'Z') {
      report(parameter.span,
             "the type parameter `" + parameter.text + "` begins with a small letter", "name");
    }
    if (!names.insert(parameter.text).second) {
      report(parameter.span, "the type parameter `" + parameter.text + "` stands twice",
             "duplicate");
    }
  }
  switch (in.kind) {
    case TypeDeclaration::Kind::Newtype:
      bind_type(in.underlying, out.parameters, "newtype " + out.name);
      out.underlying = std::move(in.underlying);
      return;
    case TypeDeclaration::Kind::Data:
      return elaborate_constructors(in, out);
    case TypeDeclaration::Kind::Enum:
      return elaborate_enum(in, out);
  }
}

void Elaborator::elaborate_constructors(syntax::TypeDeclaration& in, TypeDeclaration& out) {
  const bool is_single = in.constructors.size() == 1;
  out.is_product = in.is_brace_form ||
                   (is_single && in.constructors.front().name.text == in.name.text && !in.is_open);
  out.is_open = in.is_open.value_or(false);
  if (in.is_brace_form && in.is_open) {
    report(in.name.span, "the record " + out.name + " is neither open nor closed", "openness");
  } else if (!out.is_product && !in.is_open) {
    report(in.name.span, "the sum " + out.name + " says `open` or `closed` before `=`", "openness");
  }
  std::set<std::string_view> names;
  for (syntax::Constructor& constructor : in.constructors) {
    if (!names.insert(constructor.name.text).second) {
      report(constructor.name.span,
             out.name + " has two constructors `" + constructor.name.text + "`", "duplicate");
    }
    std::set<std::string_view> fields;
    for (DataField& field : constructor.fields) {
      if (!fields.insert(field.name).second) {
        report(field.span, constructor.name.text + " has two members `" + field.name + "`",
               "duplicate");
      }
      bind_type(field.type, out.parameters, constructor.name.text + "." + field.name);
    }
    out.constructors.push_back(
        {constructor.name.text, std::move(constructor.fields), constructor.name.span});
  }
}

void Elaborator::elaborate_enum(const syntax::TypeDeclaration& in, TypeDeclaration& out) {
  if (!in.parameters.empty()) {
    report(in.parameters.front().span, "the enum " + out.name + " takes no parameters", "openness");
  }
  if (!in.is_open) {
    report(in.name.span, "the enum " + out.name + " says `open` or `closed` before `=`",
           "openness");
  }
  out.is_open = in.is_open.value_or(false);
  std::set<std::string_view> names;
  for (const syntax::Word& value : in.values) {
    if (!names.insert(value.text).second) {
      report(value.span, out.name + " has the value `" + value.text + "` twice", "duplicate");
    }
    if (is_reserved_word(value.text) || value.text == "null") {
      report(value.span, "`" + value.text + "` is reserved and names no value of " + out.name,
             "name");
    }
    out.values.push_back(value.text);
  }
}

// --- Names in types ---

void Elaborator::elaborate_type(Type& type, const std::string& label) {
  const size_t before = diagnostics_.size();
  bind_type(type, {}, label);
  if (!expands_within_limits(type)) {
    report(type.span,
           label + ": the type has more than " + std::to_string(kTypePartsMax) +
               " parts when its newtypes are written out",
           "type-size");
    const Span span = type.span;
    type = Type{};
    type.span = span;
  }
  if (diagnostics_.size() == before) check_type(type, label);
}

// Gives every name in `type` its meaning; an unknown one is reported and becomes Text.
void Elaborator::bind_type(Type& type, const std::vector<std::string>& parameters,
                           const std::string& label) {
  for (Type& argument : type.arguments) bind_type(argument, parameters, label);
  if (type.kind == Type::Kind::Named) bind_named(type, parameters, label);
  if (type.kind == Type::Kind::Primitive && type.primitive == Primitive::EntityRef) {
    report(type.span, label + ": EntityRef is the protocol's own and cannot be declared", "type");
  }
}

void Elaborator::bind_named(Type& type, const std::vector<std::string>& parameters,
                            const std::string& label) {
  const bool is_parameter =
      std::find(parameters.begin(), parameters.end(), type.name) != parameters.end();
  if (is_parameter && type.arguments.empty() && type.refinements.empty()) {
    type.kind = Type::Kind::Parameter;
    return;
  }
  const TypeDeclaration* declaration = schema_->find_type(type.name);
  if (declaration != nullptr && declaration->parameters.size() == type.arguments.size()) return;
  if (declaration != nullptr) {
    report(type.span,
           label + ": " + type.name + " takes " + std::to_string(declaration->parameters.size()) +
               " type arguments, found " + std::to_string(type.arguments.size()),
           "type");
  } else if (schema_->find_entity(type.name) != nullptr ||
             schema_->find_interface(type.name) != nullptr) {
    report(type.span,
           label + ": " + type.name +
               " is an entity or interface, not a value; use `has "
               "one` or `has many`",
           "type");
  } else {
    Names primitives;
    for (const std::string_view primitive :
         {"Bool",  "I8",   "I16",       "I32",     "W8",        "W16",      "W32",
          "I64",   "W64",  "Integer",   "Decimal", "F32",       "F64",      "Text",
          "Bytes", "Uuid", "Timestamp", "Date",    "TimeOfDay", "Duration", "Json"}) {
      primitives.push_back(primitive);
    }
    report(type.span,
           label + ": there is no type `" + type.name + "`" +
               suggest(type.name, schema_->types, primitives),
           "unknown-type");
  }
  const Span span = type.span;
  type = Type{};
  type.span = span;
}

bool Elaborator::expands_within_limits(const Type& type) {
  uint32_t parts = 0;
  return count_parts(type, {}, parts, 0);
}

// Counts the parts of `type` with its newtypes written out; false when there are too many. `sizes`
// are the parts of the type parameters.
bool Elaborator::count_parts(const Type& type, const std::map<std::string_view, uint32_t>& sizes,
                             uint32_t& parts, uint32_t depth) {
  if (++parts > kTypePartsMax || depth > kTypePartsMax) return false;
  if (type.kind == Type::Kind::Parameter) {
    const auto size = sizes.find(type.name);
    if (size != sizes.end()) parts += size->second;
    return parts <= kTypePartsMax;
  }
  std::vector<uint32_t> argument_sizes;
  for (const Type& argument : type.arguments) {
    const uint32_t before = parts;
    if (!count_parts(argument, sizes, parts, depth + 1)) return false;
    argument_sizes.push_back(parts - before);
  }
  if (type.kind != Type::Kind::Named) return true;
  const TypeDeclaration* declaration = schema_->find_type(type.name);
  if (declaration == nullptr || declaration->kind != TypeDeclaration::Kind::Newtype) return true;
  std::map<std::string_view, uint32_t> inner;
  for (size_t i = 0; i < declaration->parameters.size() && i < argument_sizes.size(); ++i) {
    inner.emplace(declaration->parameters[i], argument_sizes[i]);
  }
  return count_parts(declaration->underlying, inner, parts, depth + 1);
}

// --- Rules ---

void Elaborator::check_type(const Type& type, const std::string& label) {
  for (const Type& argument : type.arguments) check_type(argument, label);
  check_elements(type, label);
  check_refinements(type, label);
}

void Elaborator::check_elements(const Type& type, const std::string& label) {
  if (type.kind == Type::Kind::Named) return;  // its arguments are checked where it uses them
  for (size_t i = 0; i < type.arguments.size(); ++i) {
    const Type& argument = type.arguments[i];
    if (!schema_->resolve(argument).is_option()) continue;
    if (type.kind == Type::Kind::Option) {
      report(type.span, label + ": " + print_type(argument) + " is optional already", "type");
    } else {
      report(argument.span,
             label + ": an element cannot be optional; its absence is its absence from " +
                 print_type(type),
             "optional-element");
    }
  }
  if (type.kind != Type::Kind::Map) return;
  const Type& key = type.arguments.front();
  if (key.kind != Type::Kind::Parameter && !is_scalar(key)) {
    report(key.span, label + ": a map key is a scalar or an enum, not " + print_type(key),
           "map-key");
  }
}

void Elaborator::check_refinements(const Type& type, const std::string& label) {
  if (type.refinements.empty()) return;
  const Type resolved = schema_->resolve(type);
  const Type& core = resolved.without_option();
  const bool is_primitive = core.kind == Type::Kind::Primitive;
  const bool counts = is_text(core) || is_bytes(core);
  for (const Refinement& refinement : type.refinements) {
    using Kind = Refinement::Kind;
    const bool fits = refinement.kind == Kind::Len ? counts
                      : refinement.kind == Kind::Match
                          ? is_text(core)
                          : counts || (is_primitive && is_number(core.primitive));
    if (!fits) {
      report(type.span,
             label + ": " + print_type(type) +
                 ": len is for Text and Bytes, match for "
                 "Text, min and max for those and numbers",
             "refinement");
      return;
    }
    if (refinement.kind == Kind::Match) {
      RE2::Options options;
      options.set_log_errors(false);
      options.set_max_mem(1 << 20);
      const RE2 pattern(refinement.bound.as_string(), options);
      if (!pattern.ok()) {
        report(type.span,
               label + ": the pattern " + refinement.spelled + " is wrong: " + pattern.error(),
               "refinement");
      }
      continue;
    }
    const bool whole = counts || is_whole_number(core.primitive);
    if ((whole && !refinement.bound.is_integer()) || (counts && refinement.bound.as_double() < 0)) {
      report(type.span,
             label + ": the bound " + refinement.spelled + " is no " +
                 (counts ? "length" : "whole number"),
             "refinement");
    }
  }
  check_refinement_bounds(core, label);
}

void Elaborator::check_refinement_bounds(const Type& type, const std::string& label) {
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  for (const Refinement& refinement : type.refinements) {
    if (refinement.kind == Refinement::Kind::Match) continue;
    const double bound = refinement.bound.as_double();
    if (refinement.kind != Refinement::Kind::Max) least = std::max(least, bound);
    if (refinement.kind != Refinement::Kind::Min) greatest = std::min(greatest, bound);
  }
  if (least > greatest) {
    report(type.span, label + ": no value has all the bounds of " + print_type(type), "refinement");
  }
}

// --- What a type is good for ---

bool Elaborator::is_scalar(const Type& type) const {
  const Type resolved = schema_->resolve(type);
  const Type& core = resolved.without_option();
  if (core.kind == Type::Kind::Primitive) return core.primitive != Primitive::Json;
  if (core.kind != Type::Kind::Named) return false;
  const TypeDeclaration* declaration = schema_->find_type(core.name);
  return declaration != nullptr && declaration->kind == TypeDeclaration::Kind::Enum;
}

bool Elaborator::is_optional(const Type& type) const {
  return schema_->resolve(type).is_option();
}

bool Elaborator::is_orderable(const Type& type) const {
  if (!is_scalar(type)) return false;
  const Type resolved = schema_->resolve(type);
  const Type& core = resolved.without_option();
  return core.kind != Type::Kind::Primitive ||
         (core.primitive != Primitive::Bytes && core.primitive != Primitive::Bit &&
          core.primitive != Primitive::Cursor && core.primitive != Primitive::Duration);
}

bool Elaborator::is_numeric(const Type& type) const {
  const Type resolved = schema_->resolve(type);
  const Type& core = resolved.without_option();
  return core.kind == Type::Kind::Primitive && is_number(core.primitive);
}

bool Elaborator::same_resolved(const Type& left, const Type& right) const {
  const Type resolved_left = schema_->resolve(left);
  const Type resolved_right = schema_->resolve(right);
  return same_type(resolved_left.without_option(), resolved_right.without_option());
}

}  // namespace lattice::schema
