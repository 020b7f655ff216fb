#include "query/literal.h"

#include "base/diagnostic.h"
#include "query/findings.h"
#include "schema/value.h"

namespace lattice::query {

using schema::Primitive;
using schema::Schema;
using schema::Type;
using schema::TypeDeclaration;
using schema::Value;

namespace {

enum class LiteralForm : uint8_t { Boolean, Number, WideInteger, String, Anything };

LiteralForm form_of(Primitive primitive) {
  switch (primitive) {
    case Primitive::Bool: return LiteralForm::Boolean;
    case Primitive::I8:
    case Primitive::I16:
    case Primitive::I32:
    case Primitive::W8:
    case Primitive::W16:
    case Primitive::W32:
    case Primitive::F32:
    case Primitive::F64: return LiteralForm::Number;
    case Primitive::I64:
    case Primitive::W64:
    case Primitive::Integer: return LiteralForm::WideInteger;
    case Primitive::Json: return LiteralForm::Anything;
    case Primitive::Decimal:
    case Primitive::Text:
    case Primitive::Bytes:
    case Primitive::Bit:
    case Primitive::Uuid:
    case Primitive::Timestamp:
    case Primitive::Date:
    case Primitive::TimeOfDay:
    case Primitive::Duration:
    case Primitive::Cursor:
    case Primitive::EntityRef: return LiteralForm::String;
  }
  return LiteralForm::Anything;
}

std::string describe(const Value& value) {
  std::string text;
  append_value(text, value);
  if (text.size() > 40) {
    size_t cut = 36;
    while ((static_cast<uint8_t>(text[cut]) & 0xC0) == 0x80) --cut;
    text = text.substr(0, cut) + "...";
  }
  return "`" + text + "`";
}

class LiteralReader {
 public:
  LiteralReader(const Schema& schema, std::string_view path)
      : schema_(schema), path_(path) {}

  Result<Json> read(const Value& literal, const Type& declared);

 private:
  Result<Json> read_primitive(const Value& literal, const Type& type);
  Result<Json> read_named(const Value& literal, const Type& type);
  Result<Json> read_enum(const Value& literal, const TypeDeclaration& declaration);
  Result<Json> read_list(const Value& literal, const Type& type);
  std::unexpected<Error> misfit(const Value& literal, std::string expected) const {
    return fail(Code::CompileRejected,
                std::string(path_) + ": " + describe(literal) + " where " + expected, literal.span);
  }

  const Schema& schema_;
  std::string_view path_;
};

Result<Json> LiteralReader::read(const Value& literal, const Type& declared) {
  if (literal.kind == Value::Kind::Variable) {
    return fail(Code::CompileRejected,
                std::string(path_) + ": the variable $" + literal.text +
                    " cannot stand inside a list; pass the whole list in a variable",
                literal.span);
  }
  const Type resolved = schema_.resolve(declared);
  const Type& type = resolved.without_option();
  switch (type.kind) {
    case Type::Kind::Primitive: return read_primitive(literal, type);
    case Type::Kind::Named: return read_named(literal, type);
    case Type::Kind::List:
    case Type::Kind::NonEmptyList:
    case Type::Kind::Vec:
    case Type::Kind::Set: return read_list(literal, type);
    case Type::Kind::Map:
    case Type::Kind::Parameter:
    case Type::Kind::Option: break;
  }
  return misfit(literal, "a value of " + print_type(declared) +
                             " is wanted, which has no literal: pass it in a variable");
}

Result<Json> LiteralReader::read_primitive(const Value& literal, const Type& type) {
  const std::string name = print_type(type);
  switch (form_of(type.primitive)) {
    case LiteralForm::Boolean:
      if (literal.kind == Value::Kind::Boolean) return Json(literal.boolean);
      return misfit(literal, name + " wants `true` or `false`");
    case LiteralForm::Number:
      if (literal.kind == Value::Kind::Number) return literal_to_json(literal);
      return misfit(literal, name + " wants a number");
    case LiteralForm::WideInteger:
      if (literal.kind == Value::Kind::String) return Json(literal.text);
      if (literal.kind == Value::Kind::Number &&
          literal.text.find_first_of(".e") == std::string::npos) {
        return Json(literal.text);
      }
      return misfit(literal, name + " wants a whole number");
    case LiteralForm::String:
      if (literal.kind == Value::Kind::String) return Json(literal.text);
      return misfit(literal, name + " wants a string");
    case LiteralForm::Anything: return literal_to_json(literal);
  }
  return Json();
}

Result<Json> LiteralReader::read_named(const Value& literal, const Type& type) {
  const TypeDeclaration* declaration = schema_.find_type(type.name);
  if (declaration != nullptr && declaration->kind == TypeDeclaration::Kind::Enum) {
    return read_enum(literal, *declaration);
  }
  return misfit(literal, "a value of " + print_type(type) +
                             " is wanted, which has no literal: pass it in a variable");
}

Result<Json> LiteralReader::read_enum(const Value& literal, const TypeDeclaration& declaration) {
  const std::vector<std::string_view> values(declaration.values.begin(), declaration.values.end());
  const bool is_value =
      std::find(values.begin(), values.end(), std::string_view(literal.text)) != values.end();
  if (literal.kind == Value::Kind::Enum) {
    if (is_value) return Json(literal.text);
    return misfit(literal, declaration.name + " wants " + list_names(values) +
                               did_you_mean(literal.text, values));
  }
  if (literal.kind == Value::Kind::String && is_value) {
    return misfit(literal, "the enum " + declaration.name + " wants its value bare: `" +
                               literal.text + "`");
  }
  return misfit(literal, declaration.name + " wants " + list_names(values));
}

Result<Json> LiteralReader::read_list(const Value& literal, const Type& type) {
  if (literal.kind != Value::Kind::List) {
    return misfit(literal, print_type(type) + " wants a list in brackets");
  }
  Json::Array items;
  items.reserve(literal.list.size());
  for (const Value& item : literal.list) {
    LATTICE_TRY(Json read_item, read(item, type.arguments.front()));
    items.push_back(std::move(read_item));
  }
  return Json(std::move(items));
}

bool is_enum(const Type& type, const Schema& schema) {
  if (type.kind != Type::Kind::Named) return false;
  const TypeDeclaration* declaration = schema.find_type(type.name);
  return declaration != nullptr && declaration->kind == TypeDeclaration::Kind::Enum;
}

}  // namespace

Result<Json> literal_value(const Value& literal, const Type& type, const Schema& schema,
                           std::string_view path) {
  LATTICE_TRY(const Json value, LiteralReader(schema, path).read(literal, type));
  auto checked = schema::check_input(value, type, schema, path);
  if (checked) return checked;
  return fail(Code::CompileRejected, checked.error().message, literal.span);
}

std::optional<Value> literal_of(const Json& value, const Type& declared, const Schema& schema) {
  Value out;
  const Type resolved = schema.resolve(declared);
  const Type& type = resolved.without_option();
  if (value.is_bool()) {
    out.kind = Value::Kind::Boolean;
    out.boolean = value.as_bool();
  } else if (value.is_number()) {
    out.kind = Value::Kind::Number;
    out.text = canonical_json(value);
  } else if (value.is_string()) {
    out.kind = is_enum(type, schema) ? Value::Kind::Enum : Value::Kind::String;
    out.text = value.as_string();
  } else if (value.is_array()) {
    out.kind = Value::Kind::List;
    for (const Json& item : value.as_array()) {
      auto literal = literal_of(item, type.arguments.empty() ? type : type.arguments.front(), schema);
      if (!literal) return std::nullopt;
      out.list.push_back(std::move(*literal));
    }
  } else {
    return std::nullopt;
  }
  return out;
}

}  // namespace lattice::query
