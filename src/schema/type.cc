#include "schema/type.h"

namespace lattice::schema {

namespace {

struct PrimitiveName {
  std::string_view name;
  Primitive primitive;
};
constexpr PrimitiveName kPrimitives[] = {
    {"Bool", Primitive::Bool},
    {"I8", Primitive::I8},
    {"I16", Primitive::I16},
    {"I32", Primitive::I32},
    {"W8", Primitive::W8},
    {"W16", Primitive::W16},
    {"W32", Primitive::W32},
    {"I64", Primitive::I64},
    {"W64", Primitive::W64},
    {"Integer", Primitive::Integer},
    {"Decimal", Primitive::Decimal},
    {"F32", Primitive::F32},
    {"F64", Primitive::F64},
    {"Text", Primitive::Text},
    {"Bytes", Primitive::Bytes},
    {"Bit", Primitive::Bit},
    {"Uuid", Primitive::Uuid},
    {"Timestamp", Primitive::Timestamp},
    {"Date", Primitive::Date},
    {"TimeOfDay", Primitive::TimeOfDay},
    {"Duration", Primitive::Duration},
    {"Cursor", Primitive::Cursor},
    {"Json", Primitive::Json},
    {"EntityRef", Primitive::EntityRef},
    {"String", Primitive::Text},
    {"Int", Primitive::I32},
    {"Float", Primitive::F64},
    {"Boolean", Primitive::Bool},
};

// Whether a type must stand in parentheses as an argument of Set, Map, Vec or a generic type.
bool needs_parentheses(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Primitive:
      return type.size != 0;
    case Type::Kind::Named:
      return !type.arguments.empty();
    case Type::Kind::Parameter:
    case Type::Kind::List:
    case Type::Kind::NonEmptyList:
      return false;
    default:
      return true;
  }
}

void append_type(std::string& out, const Type& type);

void append_argument(std::string& out, const Type& type) {
  out += ' ';
  if (!needs_parentheses(type)) return append_type(out, type);
  out += '(';
  append_type(out, type);
  out += ')';
}

void append_refinements(std::string& out, const std::vector<Refinement>& refinements) {
  static constexpr std::string_view kWords[] = {"len ", "min ", "max ", "match "};
  std::string_view separator = "(";
  for (const Refinement& refinement : refinements) {
    out += separator;
    separator = ", ";
    out += kWords[static_cast<size_t>(refinement.kind)];
    out += refinement.spelled;
  }
  if (!refinements.empty()) out += ')';
}

void append_type(std::string& out, const Type& type) {
  switch (type.kind) {
    case Type::Kind::Primitive:
      out += primitive_name(type.primitive);
      if (type.size != 0) out += ' ' + std::to_string(type.size);
      break;
    case Type::Kind::Named:
    case Type::Kind::Parameter:
      out += type.name;
      break;
    case Type::Kind::Option:
      append_type(out, type.arguments.front());
      out += '?';
      return;
    case Type::Kind::List:
    case Type::Kind::NonEmptyList:
      out += '[';
      append_type(out, type.arguments.front());
      out += type.kind == Type::Kind::List ? "]" : "]+";
      return;
    case Type::Kind::Vec:
      out += "Vec " + std::to_string(type.size);
      break;
    case Type::Kind::Set:
      out += "Set";
      break;
    case Type::Kind::Map:
      out += "Map";
      break;
  }
  for (const Type& argument : type.arguments) append_argument(out, argument);
  append_refinements(out, type.refinements);
}

}  // namespace

std::string_view primitive_name(Primitive primitive) {
  for (const PrimitiveName& row : kPrimitives) {
    if (row.primitive == primitive) return row.name;  // aliases stand last
  }
  return "";
}

std::optional<Primitive> find_primitive(std::string_view name) {
  for (const PrimitiveName& row : kPrimitives) {
    if (row.name == name) return row.primitive;
  }
  return std::nullopt;
}

bool same_type(const Type& left, const Type& right) {
  if (left.kind != right.kind || left.size != right.size || left.name != right.name) return false;
  if (left.kind == Type::Kind::Primitive && left.primitive != right.primitive) return false;
  return std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                    right.arguments.end(), same_type);
}

std::string print_type(const Type& type) {
  std::string out;
  append_type(out, type);
  return out;
}

}  // namespace lattice::schema
