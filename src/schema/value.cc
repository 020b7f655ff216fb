// One walk over a value and its type serves both directions: Strict for callers, Lenient for our
// own.
#include "schema/value.h"

#include <re2/re2.h>

#include "base/base64url.h"
#include "base/check.h"
#include "base/utf8.h"
#include "schema/scalars.h"

namespace lattice::schema {

namespace {

// What messages call a value: the value itself when it is short, else its kind.
std::string describe_value(const Json& value) {
  constexpr size_t kShownMax = 60;
  if (value.is_null()) return "nothing";
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  const std::string text = to_json(value);
  if (text.size() <= kShownMax) return text;
  return value.is_string() ? "a longer string" : "a longer number";
}

// Compiled patterns of `match`, a few per thread: schemas have few, and compiling one takes a
// while.
const RE2& compiled_pattern(const std::string& pattern) {
  constexpr size_t kPatternsMax = 256;
  thread_local std::unordered_map<std::string, std::unique_ptr<RE2>> patterns;
  if (const auto found = patterns.find(pattern); found != patterns.end()) return *found->second;
  if (patterns.size() >= kPatternsMax) patterns.clear();
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  return *patterns.emplace(pattern, std::make_unique<RE2>(pattern, options)).first->second;
}

// `type` with the parameters of a generic declaration replaced.
Type substitute(const Type& type, const std::vector<std::string>& parameters,
                const std::vector<Type>& arguments) {
  if (type.kind == Type::Kind::Parameter) {
    for (size_t i = 0; i < parameters.size() && i < arguments.size(); ++i) {
      if (parameters[i] == type.name) return arguments[i];
    }
    return type;
  }
  Type out = type;
  for (Type& argument : out.arguments) argument = substitute(argument, parameters, arguments);
  return out;
}

class ValueChecker {
 public:
  ValueChecker(const Schema& schema, Spelling spelling, std::string_view path)
      : schema_(schema), spelling_(spelling), path_(path) {}

  // `type` need not be resolved.
  Result<Json> check(const Json& value, const Type& type) {
    return check_resolved(value, schema_.resolve(type));
  }

 private:
  std::unexpected<Error> mismatch(std::string_view wanted, const Json& value) const {
    return refuse("expected " + std::string(wanted) + ", found " + describe_value(value));
  }
  std::unexpected<Error> refuse(const std::string& message) const {
    const Code code = spelling_ == Spelling::Strict ? Code::BadRequest : Code::Integrity;
    auto refusal = fail(code, (path_.empty() ? "" : path_ + ": ") + message);
    refusal.error().details.emplace_back("path", path_);
    return refusal;
  }
  bool is_lenient() const { return spelling_ == Spelling::Lenient; }

  Result<Json> check_resolved(const Json& value, const Type& type);
  Result<Json> check_at(std::string_view step, const Json& value, const Type& type);
  Result<Json> check_primitive(const Json& value, const Type& type);
  Result<Json> check_bool(const Json& value);
  Result<Json> check_small_integer(const Json& value, Primitive primitive);
  Result<Json> check_wide_integer(const Json& value, Primitive primitive);
  Result<Json> check_decimal(const Json& value);
  Result<Json> check_float(const Json& value, Primitive primitive);
  Result<Json> check_text(const Json& value);
  Result<Json> check_packed(const Json& value, const Type& type);
  Result<Json> check_spelled(const Json& value, Primitive primitive);
  Result<Json> check_json(const Json& value);
  Result<Json> check_named(const Json& value, const Type& type);
  Result<Json> check_record(const Json::Object& members, const Constructor& constructor,
                            const TypeDeclaration& declaration, const Type& type);
  Result<Json> check_list(const Json& value, const Type& type);
  Result<Json> check_set(const Json& value, const Type& type);
  Result<Json> check_map(const Json& value, const Type& type);
  Result<Json> check_pairs(const Json& value, const Type& type);
  Result<void> check_refinements(const Json& value, const Type& type);
  Result<void> check_length(const Refinement& refinement, size_t length, std::string_view unit);
  Result<void> check_bound(const Refinement& refinement, const Json& value, const Type& type);
  bool has_string_form(const Type& type) const;

  const Schema& schema_;
  Spelling spelling_;
  std::string path_;
};

Result<Json> ValueChecker::check_resolved(const Json& value, const Type& type) {
  switch (type.kind) {
    case Type::Kind::Option:
      if (value.is_null()) return Json();
      return check_resolved(value, type.arguments.front());
    case Type::Kind::Primitive: {
      LATTICE_TRY(auto checked, check_primitive(value, type));
      LATTICE_TRY_VOID(check_refinements(checked, type));
      return checked;
    }
    case Type::Kind::Named:
      return check_named(value, type);
    case Type::Kind::List:
    case Type::Kind::NonEmptyList:
    case Type::Kind::Vec:
      return check_list(value, type);
    case Type::Kind::Set:
      return check_set(value, type);
    case Type::Kind::Map:
      return check_map(value, type);
    case Type::Kind::Parameter:
      break;
  }
  LATTICE_CHECK(type.kind != Type::Kind::Parameter, type.name);  // generic declarations are applied
  return Json();
}

// Checks a part of a value; the path has `step` meanwhile.
Result<Json> ValueChecker::check_at(std::string_view step, const Json& value, const Type& type) {
  const size_t length = path_.size();
  path_ += step;
  auto checked = check(value, type);
  path_.resize(length);
  return checked;
}

// --- Scalars ---

Result<Json> ValueChecker::check_primitive(const Json& value, const Type& type) {
  switch (type.primitive) {
    case Primitive::Bool:
      return check_bool(value);
    case Primitive::I8:
    case Primitive::I16:
    case Primitive::I32:
    case Primitive::W8:
    case Primitive::W16:
    case Primitive::W32:
      return check_small_integer(value, type.primitive);
    case Primitive::I64:
    case Primitive::W64:
    case Primitive::Integer:
      return check_wide_integer(value, type.primitive);
    case Primitive::Decimal:
      return check_decimal(value);
    case Primitive::F32:
    case Primitive::F64:
      return check_float(value, type.primitive);
    case Primitive::Text:
    case Primitive::Cursor:
      return check_text(value);
    case Primitive::Bytes:
    case Primitive::Bit:
      return check_packed(value, type);
    case Primitive::Json:
      return check_json(value);
    default:
      return check_spelled(value, type.primitive);
  }
}

Result<Json> ValueChecker::check_bool(const Json& value) {
  if (value.is_bool()) return value;
  if (is_lenient() && value.is_int64() && (value.as_int64() == 0 || value.as_int64() == 1)) {
    return Json(value.as_int64() == 1);
  }
  return mismatch("true or false", value);
}

Result<Json> ValueChecker::check_small_integer(const Json& value, Primitive primitive) {
  struct Range {
    int64_t least;
    int64_t greatest;
  };
  static constexpr Range kRanges[] = {{INT8_MIN, INT8_MAX},   {INT16_MIN, INT16_MAX},
                                      {INT32_MIN, INT32_MAX}, {0, UINT8_MAX},
                                      {0, UINT16_MAX},        {0, UINT32_MAX}};
  const Range range = kRanges[static_cast<size_t>(primitive) - static_cast<size_t>(Primitive::I8)];
  const std::string wanted = std::string(primitive_name(primitive)) + " (" +
                             std::to_string(range.least) + " to " + std::to_string(range.greatest) +
                             ")";
  int64_t number = 0;
  if (value.is_int64()) {
    number = value.as_int64();
  } else if (value.is_double()) {  // 1.0 is the integer 1
    const double real = value.as_double();
    if (std::trunc(real) != real || std::abs(real) > 4e9) return mismatch(wanted, value);
    number = static_cast<int64_t>(real);
  } else {
    return mismatch(wanted, value);
  }
  if (number < range.least || number > range.greatest) return mismatch(wanted, value);
  return Json(number);
}

Result<Json> ValueChecker::check_wide_integer(const Json& value, Primitive primitive) {
  const std::string wanted = std::string(primitive_name(primitive)) + " as a string of digits";
  std::optional<std::string> digits;
  if (value.is_string()) digits = parse_integer(value.as_string(), spelling_);
  if (value.is_integer() && is_lenient()) digits = parse_integer(to_json(value), spelling_);
  if (!digits) return mismatch(wanted, value);
  if (primitive == Primitive::Integer) return Json(std::move(*digits));
  const bool is_signed = primitive == Primitive::I64;
  const std::string_view least = is_signed ? "-9223372036854775808" : "0";
  const std::string_view greatest = is_signed ? "9223372036854775807" : "18446744073709551615";
  if (compare_decimals(*digits, least) < 0 || compare_decimals(*digits, greatest) > 0) {
    return mismatch(wanted, value);
  }
  return Json(std::move(*digits));
}

Result<Json> ValueChecker::check_decimal(const Json& value) {
  std::optional<std::string> spelled;
  if (value.is_string()) spelled = parse_decimal(value.as_string(), spelling_);
  if (value.is_number() && is_lenient()) spelled = parse_decimal(to_json(value), spelling_);
  if (spelled) return Json(std::move(*spelled));
  return mismatch("a decimal number as a string, such as \"12.5\"", value);
}

// Every number prints as the shortest digits that give it back, and -0 is 0.
Result<Json> ValueChecker::check_float(const Json& value, Primitive primitive) {
  if (!value.is_number())
    return mismatch(std::string(primitive_name(primitive)) + ", a number", value);
  double real = value.as_double();
  if (primitive == Primitive::F32) {
    const auto single = static_cast<float>(real);
    if (std::isfinite(single)) {
      std::array<char, 64> buffer;
      const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), single);
      LATTICE_CHECK(error == std::errc{});
      std::from_chars(buffer.data(), end, real);
    } else {
      real = std::numeric_limits<double>::infinity();
    }
  }
  if (!std::isfinite(real)) {
    return mismatch("a number that " + std::string(primitive_name(primitive)) + " can hold", value);
  }
  return Json(real == 0 ? 0.0 : real);
}

Result<Json> ValueChecker::check_text(const Json& value) {
  if (!value.is_string()) return mismatch("a string", value);
  auto normal = to_nfc(value.as_string());
  if (!normal) return refuse("the text is not well-formed UTF-8");
  return Json(std::move(*normal));
}

// Bytes and bits: base64url without padding, of the declared length.
Result<Json> ValueChecker::check_packed(const Json& value, const Type& type) {
  const bool is_bits = type.primitive == Primitive::Bit;
  const std::string wanted = print_type(type) + " as base64url without padding";
  if (!value.is_string()) return mismatch(wanted, value);
  auto bytes = base64url_decode(value.as_string());
  if (!bytes) return mismatch(wanted, value);
  const size_t byte_count = is_bits ? (type.size + 7) / 8 : type.size;
  if (type.size != 0 && bytes->size() != byte_count) {
    return refuse("expected " + print_type(type) + " (" + std::to_string(byte_count) +
                  " bytes), found " + std::to_string(bytes->size()) + " bytes");
  }
  if (is_bits && type.size % 8 != 0) {
    const auto spare = static_cast<uint8_t>(0xFF >> (type.size % 8));
    if ((static_cast<uint8_t>(bytes->back()) & spare) != 0) {
      return refuse("the bits behind the " + std::to_string(type.size) + " of " + print_type(type) +
                    " must be zero");
    }
  }
  return value;
}

// Uuid, the temporal types and entity references: strings of a certain notation.
Result<Json> ValueChecker::check_spelled(const Json& value, Primitive primitive) {
  static constexpr std::string_view kWanted[] = {
      "a UUID such as \"f47ac10b-58cc-4372-a567-0e02b2c3d479\"",
      "a timestamp in UTC such as \"2026-01-31T12:00:00Z\"", "a date such as \"2026-01-31\"",
      "a time of day such as \"12:30:00\"", "an ISO 8601 duration such as \"PT1.5S\""};
  const std::string text = value.is_string() ? value.as_string() : std::string();
  std::optional<std::string> spelled;
  std::string_view wanted = "an entity reference such as \"Post:17\"";
  switch (primitive) {
    case Primitive::Uuid:
      spelled = parse_uuid(text, spelling_);
      wanted = kWanted[0];
      break;
    case Primitive::Timestamp:
      spelled = parse_timestamp(text, spelling_);
      wanted = kWanted[1];
      break;
    case Primitive::Date:
      spelled = parse_date(text, spelling_);
      wanted = kWanted[2];
      break;
    case Primitive::TimeOfDay:
      spelled = parse_time_of_day(text, spelling_);
      wanted = kWanted[3];
      break;
    case Primitive::Duration:
      spelled = parse_duration(text);
      wanted = kWanted[4];
      break;
    default: {  // EntityRef
      const size_t colon = text.find(':');
      if (colon != 0 && colon != std::string::npos && colon + 1 < text.size()) spelled = text;
    }
  }
  if (value.is_string() && spelled) return Json(std::move(*spelled));
  return mismatch(wanted, value);
}

// RFC 8785: members by UTF-16 unit, every number a double.
Result<Json> ValueChecker::check_json(const Json& value) {
  constexpr int64_t kExactMax = int64_t{1} << 53;
  if (value.is_array()) {
    Json::Array items;
    for (const Json& item : value.as_array()) {
      LATTICE_TRY(auto checked, check_json(item));
      items.push_back(std::move(checked));
    }
    return Json(std::move(items));
  }
  if (value.is_object()) {
    Json::Object members;
    for (const auto& [name, member] : value.as_object()) {
      LATTICE_TRY(auto checked, check_json(member));
      members.emplace_back(name, std::move(checked));
    }
    std::sort(members.begin(), members.end(),
              [](const Json::Member& left, const Json::Member& right) {
                return compare_utf16(left.first, right.first) < 0;
              });
    return Json(std::move(members));
  }
  if (!value.is_number()) return value;
  if (value.is_int64() && value.as_int64() >= -kExactMax && value.as_int64() <= kExactMax)
    return value;
  const double real = value.as_double();
  if (!std::isfinite(real)) return refuse("the number " + describe_value(value) + " is too large");
  return Json(real);
}

// --- Refinements ---

Result<void> ValueChecker::check_refinements(const Json& value, const Type& type) {
  for (const Refinement& refinement : type.refinements) {
    if (refinement.kind == Refinement::Kind::Match) {
      if (RE2::PartialMatch(value.as_string(), compiled_pattern(refinement.bound.as_string())))
        continue;
      return refuse("expected text that matches " + refinement.spelled + ", found " +
                    describe_value(value));
    }
    if (type.primitive == Primitive::Text) {
      LATTICE_TRY_VOID(
          check_length(refinement, count_code_points(value.as_string()), "characters"));
    } else if (type.primitive == Primitive::Bytes) {
      const size_t length = value.as_string().size() * 3 / 4;
      LATTICE_TRY_VOID(check_length(refinement, length, "bytes"));
    } else {
      LATTICE_TRY_VOID(check_bound(refinement, value, type));
    }
  }
  return {};
}

Result<void> ValueChecker::check_length(const Refinement& refinement, size_t length,
                                        std::string_view unit) {
  const double bound = refinement.bound.as_double();
  const auto count = static_cast<double>(length);
  using Kind = Refinement::Kind;
  const bool fits = refinement.kind == Kind::Len   ? count == bound
                    : refinement.kind == Kind::Min ? count >= bound
                                                   : count <= bound;
  if (fits) return {};
  const std::string_view wanted = refinement.kind == Kind::Len   ? "exactly "
                                  : refinement.kind == Kind::Min ? "at least "
                                                                 : "at most ";
  return refuse("expected " + std::string(wanted) + refinement.spelled + " " + std::string(unit) +
                ", found " + std::to_string(length));
}

Result<void> ValueChecker::check_bound(const Refinement& refinement, const Json& value,
                                       const Type& type) {
  const bool is_min = refinement.kind == Refinement::Kind::Min;
  bool fits = false;
  if (type.primitive == Primitive::F32 || type.primitive == Primitive::F64) {
    const double bound = refinement.bound.as_double();
    fits = is_min ? value.as_double() >= bound : value.as_double() <= bound;
  } else {
    const std::string digits = value.is_string() ? value.as_string() : to_json(value);
    const auto bound = parse_decimal(refinement.spelled, Spelling::Lenient);
    LATTICE_CHECK(bound.has_value(), refinement.spelled);
    const auto order = compare_decimals(digits, *bound);
    fits = is_min ? order >= 0 : order <= 0;
  }
  if (fits) return {};
  return refuse("expected " + std::string(is_min ? "at least " : "at most ") + refinement.spelled +
                ", found " + describe_value(value));
}

// --- Enums, records, sums ---

Result<Json> ValueChecker::check_named(const Json& value, const Type& type) {
  const TypeDeclaration* declaration = schema_.find_type(type.name);
  LATTICE_CHECK(declaration != nullptr, type.name);
  if (declaration->kind == TypeDeclaration::Kind::Enum) {
    const auto& values = declaration->values;
    if (value.is_string() &&
        std::find(values.begin(), values.end(), value.as_string()) != values.end()) {
      return value;
    }
    std::string wanted = "a value of " + declaration->name + " (";
    for (size_t i = 0; i < values.size() && i < 8; ++i) wanted += (i == 0 ? "" : ", ") + values[i];
    return mismatch(wanted + (values.size() > 8 ? ", ..)" : ")"), value);
  }
  if (!value.is_object()) return mismatch("an object (" + declaration->name + ")", value);
  if (declaration->is_product) {
    return check_record(value.as_object(), declaration->constructors.front(), *declaration, type);
  }
  const Json* tag = value.find("$tag");
  if (tag == nullptr || !tag->is_string()) {
    return refuse("expected a \"$tag\" that names a constructor of " + declaration->name);
  }
  for (const Constructor& constructor : declaration->constructors) {
    if (constructor.name != tag->as_string()) continue;
    return check_record(value.as_object(), constructor, *declaration, type);
  }
  return refuse(declaration->name + " has no constructor " + describe_value(*tag));
}

Result<Json> ValueChecker::check_record(const Json::Object& members, const Constructor& constructor,
                                        const TypeDeclaration& declaration, const Type& type) {
  const bool has_tag = !declaration.is_product;
  Json::Object checked;
  if (has_tag) checked.emplace_back("$tag", constructor.name);
  for (const auto& [name, member] : members) {
    if (has_tag && name == "$tag") continue;
    const auto field =
        std::find_if(constructor.fields.begin(), constructor.fields.end(),
                     [&](const DataField& candidate) { return candidate.name == name; });
    if (field == constructor.fields.end()) {
      return refuse(constructor.name + " has no member " + describe_value(Json(name)));
    }
    const Type field_type = substitute(field->type, declaration.parameters, type.arguments);
    LATTICE_TRY(auto part, check_at("." + name, member, field_type));
    if (!part.is_null()) checked.emplace_back(name, std::move(part));
  }
  for (const DataField& field : constructor.fields) {
    const bool is_given = std::any_of(members.begin(), members.end(), [&](const auto& member) {
      return member.first == field.name;
    });
    if (is_given) continue;
    const Type field_type = substitute(field.type, declaration.parameters, type.arguments);
    if (schema_.resolve(field_type).is_option()) continue;
    const bool is_json = schema_.resolve(field_type).kind == Type::Kind::Primitive &&
                         schema_.resolve(field_type).primitive == Primitive::Json;
    return refuse("the member `" + field.name +
                  (is_json ? "`" : ": " + print_type(field_type) + "`") + " of " +
                  constructor.name + " is missing");
  }
  std::sort(
      checked.begin(), checked.end(),
      [](const Json::Member& left, const Json::Member& right) { return left.first < right.first; });
  return Json(std::move(checked));
}

// --- Containers ---

Result<Json> ValueChecker::check_list(const Json& value, const Type& type) {
  if (!value.is_array()) return mismatch("a list (" + print_type(type) + ")", value);
  const Json::Array& items = value.as_array();
  if (type.kind == Type::Kind::NonEmptyList && items.empty()) {
    return refuse("expected at least one element, found an empty list");
  }
  if (type.kind == Type::Kind::Vec && items.size() != type.size) {
    return refuse("expected " + std::to_string(type.size) + " elements, found " +
                  std::to_string(items.size()));
  }
  Json::Array checked;
  checked.reserve(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    LATTICE_TRY(auto item,
                check_at("[" + std::to_string(i) + "]", items[i], type.arguments.front()));
    checked.push_back(std::move(item));
  }
  return Json(std::move(checked));
}

// Elements by their canonical encoding; an element that is given twice is one element.
Result<Json> ValueChecker::check_set(const Json& value, const Type& type) {
  if (!value.is_array()) return mismatch("a list (" + print_type(type) + ")", value);
  std::map<std::string, Json> sorted;
  const Json::Array& items = value.as_array();
  for (size_t i = 0; i < items.size(); ++i) {
    LATTICE_TRY(auto item,
                check_at("[" + std::to_string(i) + "]", items[i], type.arguments.front()));
    sorted.emplace(to_json(item), std::move(item));
  }
  Json::Array checked;
  for (auto& [encoding, item] : sorted) checked.push_back(std::move(item));
  return Json(std::move(checked));
}

// Whether keys of `type` are strings in canonical form, so that a map of them is a JSON object.
bool ValueChecker::has_string_form(const Type& type) const {
  const WireForm form = schema_.wire_form(type);
  return form == WireForm::Text || form == WireForm::WideInteger;
}

Result<Json> ValueChecker::check_map(const Json& value, const Type& type) {
  const Type& key = type.arguments[0];
  if (!has_string_form(key)) return check_pairs(value, type);
  if (!value.is_object()) return mismatch("an object (" + print_type(type) + ")", value);
  std::map<std::string, Json> sorted;
  for (const auto& [name, member] : value.as_object()) {
    const std::string step = "[" + describe_value(Json(name)) + "]";
    LATTICE_TRY(auto checked_key, check_at(step, Json(name), key));
    LATTICE_TRY(auto checked, check_at(step, member, type.arguments[1]));
    if (!sorted.emplace(checked_key.as_string(), std::move(checked)).second) {
      return refuse("the key " + describe_value(checked_key) + " is given twice");
    }
  }
  Json::Object members;
  for (auto& [name, member] : sorted) members.emplace_back(name, std::move(member));
  return Json(std::move(members));
}

// Maps whose keys are no strings: pairs, by the encoding of the key.
Result<Json> ValueChecker::check_pairs(const Json& value, const Type& type) {
  const std::string wanted = "a list of [key, value] pairs (" + print_type(type) + ")";
  if (!value.is_array()) return mismatch(wanted, value);
  std::map<std::string, Json> sorted;
  const Json::Array& items = value.as_array();
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string step = "[" + std::to_string(i) + "]";
    if (!items[i].is_array() || items[i].as_array().size() != 2) return mismatch(wanted, items[i]);
    const Json::Array& pair = items[i].as_array();
    LATTICE_TRY(auto key, check_at(step + "[0]", pair[0], type.arguments[0]));
    LATTICE_TRY(auto member, check_at(step + "[1]", pair[1], type.arguments[1]));
    std::string encoding = to_json(key);
    if (!sorted.emplace(std::move(encoding), Json::array({key, std::move(member)})).second) {
      return refuse("the key " + describe_value(key) + " is given twice");
    }
  }
  Json::Array checked;
  for (auto& [encoding, pair] : sorted) checked.push_back(std::move(pair));
  return Json(std::move(checked));
}

// --- Literals ---

enum class Names : uint8_t { EnumsOnly, AnyText };

std::unexpected<Error> refuse_literal(std::string_view path, const std::string& message) {
  return fail(Code::BadRequest, std::string(path) + ": " + message);
}

// The wire value of a literal, as far as its spelling decides; check_input does the rest.
Result<Json> literal_value(const Value& literal, const Type& type, const Schema& schema,
                           Names names, std::string_view path) {
  const Type resolved = schema.resolve(type);
  const Type& core = resolved.without_option();
  const WireForm form = schema.wire_form(core);
  const bool is_enum = core.kind == Type::Kind::Named && form == WireForm::Text;
  switch (literal.kind) {
    case Value::Kind::Variable:
      return refuse_literal(path, "expected a literal, found the variable $" + literal.text);
    case Value::Kind::Boolean:
      return Json(literal.boolean);
    case Value::Kind::Number: {
      const bool as_text = form == WireForm::WideInteger || (core.kind == Type::Kind::Primitive &&
                                                             core.primitive == Primitive::Decimal);
      if (!as_text) return literal_to_json(literal);
      const auto digits = parse_decimal(literal.text, Spelling::Lenient);
      return Json(digits ? *digits : literal.text);
    }
    case Value::Kind::String:
      if (!is_enum || names == Names::AnyText) return Json(literal.text);
      return refuse_literal(path, "a value of " + core.name + " stands without quotes, not " +
                                      describe_value(Json(literal.text)));
    case Value::Kind::Enum:
      if (is_enum || names == Names::AnyText) return Json(literal.text);
      return refuse_literal(
          path, "expected " + print_type(type) + ", found the name `" + literal.text + "`");
    case Value::Kind::List:
      break;
  }
  if (core.arguments.empty() || core.kind == Type::Kind::Named || core.kind == Type::Kind::Map) {
    return refuse_literal(path, "expected " + print_type(type) + ", found a list");
  }
  Json::Array items;
  for (const Value& item : literal.list) {
    LATTICE_TRY(auto value, literal_value(item, core.arguments.front(), schema, names, path));
    items.push_back(std::move(value));
  }
  return Json(std::move(items));
}

}  // namespace

Result<Json> check_input(const Json& value, const Type& type, const Schema& schema,
                         std::string_view path) {
  return ValueChecker(schema, Spelling::Strict, path).check(value, type);
}

Result<Json> canonicalize_value(const Json& value, const Type& type, const Schema& schema,
                                std::string_view path) {
  return ValueChecker(schema, Spelling::Lenient, path).check(value, type);
}

Result<Json> check_literal(const Value& literal, const Type& type, const Schema& schema,
                           std::string_view path) {
  LATTICE_TRY(auto value, literal_value(literal, type, schema, Names::EnumsOnly, path));
  return check_input(value, type, schema, path);
}

Result<Json> check_predicate_literal(const Value& literal, const Type& type, const Schema& schema,
                                     std::string_view path) {
  LATTICE_TRY(auto value, literal_value(literal, type, schema, Names::AnyText, path));
  return check_input(value, type, schema, path);
}

Result<Json> parse_url_value(std::string_view text, const Type& type, const Schema& schema,
                             std::string_view path) {
  const auto refuse = [&](const std::string& message) {
    auto refusal = fail(Code::BadRequest, std::string(path) + ": " + message);
    refusal.error().details.emplace_back("path", path);
    return refusal;
  };
  const Type resolved = schema.resolve(type);
  const WireForm form = schema.wire_form(resolved);
  if (form == WireForm::Text || form == WireForm::WideInteger) {
    if (!is_valid_utf8(text)) return refuse("the text is not well-formed UTF-8");
    return check_input(Json(text), resolved, schema, path);
  }
  std::string decoded;
  std::string_view json = text;
  if (form == WireForm::Json && !text.starts_with('[') && !text.starts_with('{') &&
      !text.starts_with('"')) {
    if (text.starts_with("b64:")) text.remove_prefix(4);
    auto bytes = base64url_decode(text);
    if (!bytes) return refuse("expected base64url of canonical JSON");
    decoded = std::move(*bytes);
    json = decoded;
  }
  auto value = parse_json(json);
  if (!value) return refuse("expected " + print_type(type) + ": " + value.error().message);
  if (value->is_null()) return refuse("null is not a value: leave the parameter out");
  return check_input(*value, resolved, schema, path);
}

std::string print_url_value(const Json& value, const Type& type, const Schema& schema) {
  const WireForm form = schema.wire_form(type);
  if (form == WireForm::Json) return base64url_encode(to_json(value));
  return value.is_string() ? value.as_string() : to_json(value);
}

}  // namespace lattice::schema
