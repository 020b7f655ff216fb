#include "store/sqlite/codec.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cfloat>
#include <charconv>
#include <cmath>

#include "base/base64url.h"
#include "base/utf8.h"
#include "schema/value.h"

namespace lattice::store {

using Kind = ScalarType::Kind;
using Encoding = Form::Encoding;

namespace {

constexpr int64_t kYear10000 = 253402300800;   // the first second that RFC 3339 cannot write
constexpr int64_t kYear0000 = -62167219200;
constexpr double kInt64Bound = 9223372036854775808.0;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_ascii(std::string_view text) {
  for (unsigned char c : text) {
    if (c >= 0x80) return false;
  }
  return true;
}

// --- Timestamps ---

int two_digits(const char* text) { return (text[0] - '0') * 10 + (text[1] - '0'); }

int days_of(int year, int month) {
  static constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[month - 1];
}

// "YYYY-MM-DD?hh:mm:ss" at the head of a text of at least 19 characters, whatever stands between.
bool is_date_time(const char* text) {
  static constexpr std::string_view kShape = "dddd-dd-dd.dd:dd:dd";
  for (size_t i = 0; i < kShape.size(); ++i) {
    char wanted = kShape[i];
    if (wanted == 'd' ? !is_digit(text[i]) : wanted != '.' && text[i] != wanted) return false;
  }
  int year = two_digits(text) * 100 + two_digits(text + 2);
  int month = two_digits(text + 5), day = two_digits(text + 8);
  if (month < 1 || month > 12 || day < 1 || day > days_of(year, month)) return false;
  return two_digits(text + 11) < 24 && two_digits(text + 14) < 60 && two_digits(text + 17) < 60;
}

std::string print_seconds(int64_t seconds) {
  std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

// Of a canonical timestamp.
int64_t unix_seconds(std::string_view text) {
  using namespace std::chrono;
  const char* t = text.data();
  year_month_day date(year(two_digits(t) * 100 + two_digits(t + 2)),
                      month(static_cast<unsigned>(two_digits(t + 5))),
                      day(static_cast<unsigned>(two_digits(t + 8))));
  int64_t days = sys_days(date).time_since_epoch().count();
  return days * 86400 + two_digits(t + 11) * 3600 + two_digits(t + 14) * 60 + two_digits(t + 17);
}

// The fraction digits of a canonical timestamp, without the dot.
std::string_view fraction_of(std::string_view text) {
  if (text.size() <= 20) return {};
  return text.substr(20, text.size() - 21);
}

Value decode_timestamp(const Cell& cell, Arena& arena) {
  if (cell.type == Cell::Type::Integer) {
    if (cell.integer < kYear0000 || cell.integer >= kYear10000) return Value::invalid();
    return Value::of_text(arena.copy(print_seconds(cell.integer)));
  }
  if (cell.type != Cell::Type::Text) return Value::invalid();
  std::string_view text = cell.bytes;
  bool is_short = text.size() == 19 || (text.size() == 20 && text[19] == 'Z');
  if (is_short && (text[10] == ' ' || text[10] == 'T') && is_date_time(text.data())) {
    char* copy = static_cast<char*>(arena.allocate(20, 1));
    std::memcpy(copy, text.data(), 19);
    copy[10] = 'T';
    copy[19] = 'Z';
    return Value::of_text({copy, 20});
  }
  auto canonical = schema::canonical_timestamp(text);
  return canonical ? Value::of_text(arena.copy(*canonical)) : Value::invalid();
}

bool encode_timestamp(std::string_view text, Form form, std::string& scratch, Cell& out) {
  if (text.size() < 20 || !is_date_time(text.data())) return false;
  std::string_view fraction = fraction_of(text);
  if (form.encoding == Encoding::UnixSeconds) {
    int64_t seconds = unix_seconds(text);
    out = Cell::of_integer(seconds);
    if (!fraction.empty()) {
      double part = std::stod("0." + std::string(fraction));
      out = Cell::of_real(static_cast<double>(seconds) + part);
    }
    return true;
  }
  scratch.assign(text.substr(0, 19));
  scratch[10] = form.separator;
  size_t digits = form.digits == Form::kMinimal ? fraction.size() : form.digits;
  if (digits > 0) {
    scratch += '.';
    scratch += fraction.substr(0, digits);
    if (fraction.size() < digits) scratch.append(digits - fraction.size(), '0');
  }
  if (form.zone == Form::Zone::Z) scratch += 'Z';
  if (form.zone == Form::Zone::Offset) scratch += "+00:00";
  // More digits than the form has: behind the last value that it can say, before the next.
  if (fraction.size() > digits) scratch += '.', scratch += fraction.substr(digits);
  out = Cell::of_text(scratch);
  return true;
}

// --- Uuids ---

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_hyphen_place(size_t i) { return i == 8 || i == 13 || i == 18 || i == 23; }

// 36 characters of lower-case text from 32 hexadecimal digits, read by `digit(i)`.
template <class Digit>
std::string_view print_uuid(Arena& arena, Digit digit) {
  char* copy = static_cast<char*>(arena.allocate(36, 1));
  size_t next = 0;
  for (size_t i = 0; i < 36; ++i) {
    copy[i] = is_hyphen_place(i) ? '-' : "0123456789abcdef"[digit(next++)];
  }
  return {copy, 36};
}

Value decode_uuid(const Cell& cell, Arena& arena) {
  if (cell.type == Cell::Type::Blob) {
    if (cell.bytes.size() != 16) return Value::invalid();
    return Value::of_text(print_uuid(arena, [&](size_t i) {
      auto byte = static_cast<unsigned char>(cell.bytes[i / 2]);
      return i % 2 == 0 ? byte >> 4 : byte & 15;
    }));
  }
  if (cell.type != Cell::Type::Text) return Value::invalid();
  std::string digits;
  bool hyphens = cell.bytes.size() == 36;
  if (!hyphens && cell.bytes.size() != 32) return Value::invalid();
  for (size_t i = 0; i < cell.bytes.size(); ++i) {
    char c = cell.bytes[i];
    if (hyphens && is_hyphen_place(i)) {
      if (c != '-') return Value::invalid();
      continue;
    }
    if (hex_digit(c) < 0) return Value::invalid();
    digits += c;
  }
  return Value::of_text(print_uuid(arena, [&](size_t i) { return hex_digit(digits[i]); }));
}

bool encode_uuid(std::string_view text, Form form, std::string& scratch, Cell& out) {
  if (text.size() != 36) return false;
  scratch.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    bool is_upper = form.encoding == Encoding::UuidUpper && text[i] >= 'a';
    bool is_dropped = form.encoding != Encoding::UuidUpper && text[i] == '-';
    if (!is_dropped) scratch += is_upper ? static_cast<char>(text[i] - 'a' + 'A') : text[i];
  }
  if (form.encoding != Encoding::UuidBlob) {
    out = Cell::of_text(scratch);
    return true;
  }
  for (size_t i = 0; i < 16; ++i) {
    int byte = hex_digit(scratch[2 * i]) * 16 + hex_digit(scratch[2 * i + 1]);
    scratch[i] = static_cast<char>(byte);
  }
  scratch.resize(16);
  out = Cell::of_blob(scratch);
  return true;
}

// --- Numbers ---

std::optional<int64_t> whole_number(const Cell& cell) {
  if (cell.type == Cell::Type::Integer) return cell.integer;
  bool is_whole = cell.type == Cell::Type::Real && cell.real == std::trunc(cell.real) &&
                  std::abs(cell.real) < kInt64Bound;
  if (is_whole) return static_cast<int64_t>(cell.real);
  return std::nullopt;
}

Value decode_integer(const Cell& cell, const ScalarType& type, Arena& arena) {
  Value value;
  if (auto whole = whole_number(cell)) {
    value = Value::of_int(*whole);
  } else if (cell.type == Cell::Type::Text) {
    auto digits = schema::canonical_integer(cell.bytes);
    if (!digits) return Value::invalid();
    value = value_of_digits(arena.copy(*digits));
  } else {
    return Value::invalid();
  }
  if (value.kind == Value::Kind::Text) {  // beyond 64 bits with a sign
    bool is_word = type.primitive == schema::Primitive::W64 &&
                   compare_digits(value.text(), "18446744073709551615") <= 0 &&
                   !value.text().starts_with('-');
    return type.is_unbounded || is_word ? value : Value::invalid();
  }
  return value.integer >= type.min && value.integer <= type.max ? value : Value::invalid();
}

Value decode_decimal(const Cell& cell, Arena& arena) {
  char buffer[400];
  switch (cell.type) {
    case Cell::Type::Integer: {
      auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, cell.integer);
      return Value::of_text(arena.copy({buffer, static_cast<size_t>(end - buffer)}));
    }
    case Cell::Type::Real: {
      if (!std::isfinite(cell.real)) return Value::invalid();
      double number = cell.real == 0 ? 0 : cell.real;
      auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed);
      if (error != std::errc()) return Value::invalid();
      return Value::of_text(arena.copy({buffer, static_cast<size_t>(end - buffer)}));
    }
    case Cell::Type::Text: {
      auto canonical = schema::canonical_decimal(cell.bytes);
      return canonical ? Value::of_text(arena.copy(*canonical)) : Value::invalid();
    }
    default:
      return Value::invalid();
  }
}

Value decode_float(const Cell& cell, const ScalarType& type) {
  double number = 0;
  if (cell.type == Cell::Type::Integer) {
    number = static_cast<double>(cell.integer);
  } else if (cell.type == Cell::Type::Real) {
    number = cell.real;
  } else {
    return Value::invalid();
  }
  bool fits = std::isfinite(number) && (!type.is_f32 || std::abs(number) <= FLT_MAX);
  return fits ? Value::of_double(number) : Value::invalid();
}

// Digits as a number that SQL compares exactly, where one exists.
bool encode_digits(std::string_view digits, Cell& out) {
  int64_t whole = 0;
  const char* end = digits.data() + digits.size();
  if (auto [stop, error] = std::from_chars(digits.data(), end, whole);
      error == std::errc() && stop == end) {
    out = Cell::of_integer(whole);
    return true;
  }
  double number = 0;
  auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return false;
  out = Cell::of_real(number);
  return true;
}

// Texts that sort as the numbers do: sign, count of whole digits, digits; complemented when negative.
std::string digits_key(std::string_view digits) {
  bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  size_t whole = std::min(digits.find('.'), digits.size());
  std::string key = fmt::format("{:05}{}", whole, digits.substr(0, whole));
  if (whole < digits.size()) key += digits.substr(whole + 1);
  if (!negative) return "1" + key;
  for (char& c : key) c = static_cast<char>('0' + ('9' - c));
  return "0" + key + "~";  // a longer fraction is smaller
}

// --- Texts ---

Value decode_text(const Cell& cell, Arena& arena) {
  if (cell.type == Cell::Type::Integer) {
    return Value::of_text(arena.copy(std::to_string(cell.integer)));
  }
  if (cell.type != Cell::Type::Text) return Value::invalid();
  if (is_ascii(cell.bytes)) return Value::of_text(arena.copy(cell.bytes));
  auto normal = to_nfc(cell.bytes);
  return normal ? Value::of_text(arena.copy(*normal)) : Value::invalid();
}

bool is_name(std::string_view text) {
  bool starts = !text.empty() && ((text[0] | 32) >= 'a') && ((text[0] | 32) <= 'z');
  return starts && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z');
         });
}

Value decode_enum(const Cell& cell, const ScalarType& type, Arena& arena) {
  if (cell.type != Cell::Type::Text) return Value::invalid();
  for (const std::string& constructor : type.order.constructors) {
    if (constructor == cell.bytes) return Value::of_text(arena.copy(cell.bytes));
  }
  bool may_be_newer = type.is_open && is_name(cell.bytes);
  return may_be_newer ? Value::of_text(arena.copy(cell.bytes)) : Value::invalid();
}

Value decode_bytes(const Cell& cell, const ScalarType& type, Arena& arena) {
  if (cell.type != Cell::Type::Blob) return Value::invalid();
  bool is_bits = type.primitive == schema::Primitive::Bit;
  if (type.size > 0 && cell.bytes.size() != (is_bits ? (type.size + 7) / 8 : type.size)) {
    return Value::invalid();
  }
  if (is_bits && type.size % 8 != 0) {
    auto last = static_cast<unsigned char>(cell.bytes.back());
    if ((last & ((1u << (8 - type.size % 8)) - 1)) != 0) return Value::invalid();
  }
  return Value::of_text(arena.copy(base64url_encode(cell.bytes)));
}

Value decode_composite(const Cell& cell, const ScalarType& type, const schema::Schema& schema,
                       Arena& arena) {
  switch (cell.type) {
    case Cell::Type::Integer:
      return value_of_json(Json(cell.integer), type, schema, arena);
    case Cell::Type::Real:
      return std::isfinite(cell.real) ? value_of_json(Json(cell.real), type, schema, arena)
                                      : Value::invalid();
    case Cell::Type::Text: {
      auto json = parse_json(cell.bytes);
      if (!json) return Value::invalid();
      if (json->is_null() && type.primitive == schema::Primitive::Json) return Value::of_json("null");
      Value value = value_of_json(*json, type, schema, arena);
      return value.is_null() ? Value::invalid() : value;
    }
    default:
      return Value::invalid();
  }
}

Value decode_canonical(const Cell& cell, std::optional<std::string> (*canonical)(std::string_view),
                       Arena& arena) {
  if (cell.type != Cell::Type::Text) return Value::invalid();
  auto text = canonical(cell.bytes);
  return text ? Value::of_text(arena.copy(*text)) : Value::invalid();
}

}  // namespace

bool same_cell(const Cell& left, const Cell& right) {
  using Type = Cell::Type;
  auto is_number = [](const Cell& c) { return c.type == Type::Integer || c.type == Type::Real; };
  if (is_number(left) && is_number(right)) {
    Value a = left.type == Type::Integer ? Value::of_int(left.integer) : Value::of_double(left.real);
    Value b = right.type == Type::Integer ? Value::of_int(right.integer) : Value::of_double(right.real);
    return equal_values(a, b);
  }
  return left.type == right.type && left.bytes == right.bytes;
}

Value decode_cell(const Cell& cell, const ScalarType& type, const schema::Schema& schema,
                  Arena& arena) {
  if (cell.type == Cell::Type::Null) return type.is_optional ? Value() : Value::invalid();
  switch (type.kind) {
    case Kind::Bool: {
      auto whole = whole_number(cell);
      return whole && (*whole == 0 || *whole == 1) ? Value::of_bool(*whole == 1) : Value::invalid();
    }
    case Kind::Int:
    case Kind::Wide:
      return decode_integer(cell, type, arena);
    case Kind::Decimal:
      return decode_decimal(cell, arena);
    case Kind::Float:
      return decode_float(cell, type);
    case Kind::Text:
      return decode_text(cell, arena);
    case Kind::Enum:
      return decode_enum(cell, type, arena);
    case Kind::Uuid:
      return decode_uuid(cell, arena);
    case Kind::Bytes:
      return decode_bytes(cell, type, arena);
    case Kind::Timestamp:
      return decode_timestamp(cell, arena);
    case Kind::Date:
      return decode_canonical(cell, schema::canonical_date, arena);
    case Kind::TimeOfDay:
      return decode_canonical(cell, schema::canonical_time_of_day, arena);
    case Kind::Duration:
      return decode_canonical(cell, schema::canonical_duration, arena);
    case Kind::Composite:
      return decode_composite(cell, type, schema, arena);
  }
  return Value::invalid();
}

bool encode_cell(const Value& value, const ScalarType& type, Form form, std::string& scratch,
                 Cell& out) {
  switch (value.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return false;
    case Value::Kind::Bool:
      out = Cell::of_integer(value.boolean ? 1 : 0);
      return type.kind == Kind::Bool;
    case Value::Kind::Int:
      out = Cell::of_integer(value.integer);
      return type.kind == Kind::Int || type.kind == Kind::Wide || type.kind == Kind::Float;
    case Value::Kind::Double:
      out = Cell::of_real(value.number);
      return type.kind == Kind::Float || type.kind == Kind::Int;
    case Value::Kind::Text:
    case Value::Kind::Json:
      break;
  }
  switch (form.encoding) {
    case Encoding::General:
      return false;
    case Encoding::IntegerText: {
      bool is_whole = encode_digits(value.text(), out) && out.type == Cell::Type::Integer;
      return is_whole && std::to_string(out.integer) == value.text();
    }
    case Encoding::UnixSeconds:
    case Encoding::TimestampText:
      return encode_timestamp(value.text(), form, scratch, out);
    case Encoding::UuidUpper:
    case Encoding::UuidPacked:
    case Encoding::UuidBlob:
      return encode_uuid(value.text(), form, scratch, out);
    case Encoding::Blob: {
      auto bytes = base64url_decode(value.text());
      if (!bytes) return false;
      scratch = std::move(*bytes);
      out = Cell::of_blob(scratch);
      return true;
    }
    case Encoding::Plain:
      break;
  }
  bool is_number = type.kind == Kind::Decimal || type.kind == Kind::Wide;
  if (is_number) return encode_digits(value.text(), out);
  if (type.kind == Kind::Int || type.kind == Kind::Float || type.kind == Kind::Bool) return false;
  out = Cell::of_text(value.text());
  return true;
}

Cell sort_key(const Value& value, const ScalarType& type, std::string& scratch) {
  switch (value.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return {};
    case Value::Kind::Bool:
      return Cell::of_integer(value.boolean ? 1 : 0);
    case Value::Kind::Double:
      return Cell::of_real(value.number);
    case Value::Kind::Int:
      if (type.kind != Kind::Wide) return Cell::of_integer(value.integer);
      scratch = digits_key(std::to_string(value.integer));
      return Cell::of_text(scratch);
    case Value::Kind::Text:
    case Value::Kind::Json:
      break;
  }
  switch (type.kind) {
    case Kind::Wide:
    case Kind::Decimal:
      scratch = digits_key(value.text());
      return Cell::of_text(scratch);
    case Kind::Timestamp:
      return Cell::of_text(value.text().substr(0, value.text().size() - 1));  // see compare_timestamps
    case Kind::Bytes:
      scratch = base64url_decode(value.text()).value_or("");
      return Cell::of_blob(scratch);
    default:
      return Cell::of_text(value.text());
  }
}

Cell natural_cell(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
    case Value::Kind::Invalid:
      return {};
    case Value::Kind::Bool:
      return Cell::of_integer(value.boolean ? 1 : 0);
    case Value::Kind::Int:
      return Cell::of_integer(value.integer);
    case Value::Kind::Double:
      return Cell::of_real(value.number);
    case Value::Kind::Text:
    case Value::Kind::Json:
      return Cell::of_text(value.text());
  }
  return {};
}

Value text_of_cell(const Cell& cell, Arena& arena) {
  switch (cell.type) {
    case Cell::Type::Null:
      return {};
    case Cell::Type::Integer:
      return Value::of_text(arena.copy(std::to_string(cell.integer)));
    case Cell::Type::Real: {
      std::string text;
      append_json_number(text, cell.real);
      bool is_whole = text.find_first_not_of("-0123456789") == std::string::npos;
      return Value::of_text(arena.copy(is_whole ? text + ".0" : text));
    }
    case Cell::Type::Text:
    case Cell::Type::Blob:
      return Value::of_text(arena.copy(cell.bytes));
  }
  return {};
}

bool preserves_order(const ScalarType& type, Form form) {
  switch (form.encoding) {
    case Encoding::General:
    case Encoding::IntegerText:
      return false;
    case Encoding::TimestampText:  // "05Z" sorts behind "05.5Z"
      return form.zone == Form::Zone::None || form.digits != Form::kMinimal;
    case Encoding::Plain:
      return type.kind != Kind::Enum && type.kind != Kind::Composite && type.kind != Kind::Duration;
    default:
      return true;
  }
}

std::vector<Form> possible_forms(const ScalarType& type) {
  using Zone = Form::Zone;
  switch (type.kind) {
    case Kind::Timestamp: {
      std::vector<Form> forms;
      for (uint8_t digits : {uint8_t{0}, uint8_t{3}, uint8_t{6}, uint8_t{9}, Form::kMinimal}) {
        for (auto [separator, zone] : {std::pair(' ', Zone::None), std::pair('T', Zone::Z),
                                       std::pair('T', Zone::None), std::pair(' ', Zone::Z),
                                       std::pair('T', Zone::Offset), std::pair(' ', Zone::Offset)}) {
          forms.push_back({Encoding::TimestampText, separator, zone, digits});
        }
      }
      forms.push_back({.encoding = Encoding::UnixSeconds});
      return forms;
    }
    case Kind::Uuid:
      return {{.encoding = Encoding::Plain},
              {.encoding = Encoding::UuidBlob},
              {.encoding = Encoding::UuidUpper},
              {.encoding = Encoding::UuidPacked}};
    case Kind::Bytes:
      return {{.encoding = Encoding::Blob}};
    case Kind::Text:
      return {{.encoding = Encoding::Plain}, {.encoding = Encoding::IntegerText}};
    default:
      return {{.encoding = Encoding::Plain}};
  }
}

bool conforms(const Cell& cell, const ScalarType& type, Form form, const schema::Schema& schema) {
  if (cell.type == Cell::Type::Null) return true;
  Arena arena(256);
  std::string scratch;
  Cell encoded;
  Value value = decode_cell(cell, type, schema, arena);
  if (value.kind == Value::Kind::Invalid) return true;  // an error wherever it shows; it has no form
  return encode_cell(value, type, form, scratch, encoded) && same_cell(cell, encoded);
}

Cell cell_of(sqlite3_value* value) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      return Cell::of_integer(sqlite3_value_int64(value));
    case SQLITE_FLOAT:
      return Cell::of_real(sqlite3_value_double(value));
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(value));
      return Cell::of_text({text, static_cast<size_t>(sqlite3_value_bytes(value))});
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_value_blob(value));
      return Cell::of_blob({bytes ? bytes : "", static_cast<size_t>(sqlite3_value_bytes(value))});
    }
    default:
      return {};
  }
}

Cell cell_of(sqlite3_stmt* statement, int index) {
  switch (sqlite3_column_type(statement, index)) {
    case SQLITE_INTEGER:
      return Cell::of_integer(sqlite3_column_int64(statement, index));
    case SQLITE_FLOAT:
      return Cell::of_real(sqlite3_column_double(statement, index));
    case SQLITE_TEXT: {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, index));
      return Cell::of_text({text, static_cast<size_t>(sqlite3_column_bytes(statement, index))});
    }
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, index));
      return Cell::of_blob(
          {bytes ? bytes : "", static_cast<size_t>(sqlite3_column_bytes(statement, index))});
    }
    default:
      return {};
  }
}

namespace {

// The forms that need no look beyond the cell's own type and length.
bool conforms_at_sight(const Cell& cell, const ScalarType& type, Form form) {
  switch (type.kind) {
    case Kind::Bool:
    case Kind::Int:
      return cell.type == Cell::Type::Integer;
    case Kind::Wide:
    case Kind::Decimal:
    case Kind::Float:
      return cell.type == Cell::Type::Integer || (cell.type == Cell::Type::Real && type.kind == Kind::Float);
    case Kind::Text:
      return form.encoding == Encoding::Plain && cell.type == Cell::Type::Text && is_ascii(cell.bytes);
    case Kind::Timestamp: {
      if (form.encoding == Encoding::UnixSeconds) return cell.type == Cell::Type::Integer;
      if (form.digits != 0 || cell.type != Cell::Type::Text || cell.bytes.size() < 19) return false;
      size_t size = form.zone == Form::Zone::None ? 19 : (form.zone == Form::Zone::Z ? 20 : 25);
      return cell.bytes.size() == size && cell.bytes[10] == form.separator;
    }
    default:
      return false;
  }
}

}  // namespace

Value read_column(sqlite3_stmt* statement, int index, const SqlColumn& column,
                  const schema::Schema& schema, Arena& arena) {
  Cell cell = cell_of(statement, index);
  if (column.is_watched && cell.type != Cell::Type::Null) {
    Form form = column.form.load(std::memory_order_relaxed);
    bool fits = form.encoding == Encoding::General || conforms_at_sight(cell, column.type, form) ||
                conforms(cell, column.type, form, schema);
    if (!fits) column.deviates.store(true, std::memory_order_relaxed);
  }
  return decode_cell(cell, column.type, schema, arena);
}

}  // namespace lattice::store
