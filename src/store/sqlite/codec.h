// Stored cells ↔ wire-ready values. Internal to sqlite/.
//
//   TEXT '2026-01-02 03:04:05' : Timestamp ──decode──▶ Text 2026-01-02T03:04:05Z
//
// A database may write a type in several ways, and comparing in SQL needs the stored way: a cursor says
// 2026-01-02T03:04:05Z where the column holds '2026-01-02 03:04:05' or 1767323045. So each column has a
// Form, found from its data when the store is opened: the one encoding that gives back every sampled cell
// exactly. A wire value is encoded into that form and compared with the bare column, which an index can
// serve. A column that mixes forms, or whose form does not sort as the type does, is General: both sides
// of the comparison become sort keys (the SQL function lattice_sort), which is right and slow.
// Decoding accepts every form at any time; what is no value of the type is Invalid.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "store/catalog.h"
#include "store/scalar.h"

struct sqlite3_stmt;
struct sqlite3_value;

namespace lattice::store {

// One stored cell; `bytes` is borrowed.
struct Cell {
  enum class Type : uint8_t { Null, Integer, Real, Text, Blob } type = Type::Null;
  int64_t integer = 0;
  double real = 0;
  std::string_view bytes;

  static Cell of_integer(int64_t value) { return {Type::Integer, value, 0, {}}; }
  static Cell of_real(double value) { return {Type::Real, 0, value, {}}; }
  static Cell of_text(std::string_view text) { return {Type::Text, 0, 0, text}; }
  static Cell of_blob(std::string_view bytes) { return {Type::Blob, 0, 0, bytes}; }
};
// Equal in SQL: numbers by value, texts and blobs by bytes.
bool same_cell(const Cell& left, const Cell& right);

struct Form {
  enum class Encoding : uint8_t {
    General,      // no single one
    Plain,        // the wire value itself: integers, reals, canonical texts
    IntegerText,  // a text type over integers
    UnixSeconds,
    TimestampText,
    UuidUpper,    // text with hyphens
    UuidPacked,   // 32 hexadecimal digits, lower case
    UuidBlob,     // 16 bytes
    Blob,
  } encoding = Encoding::Plain;
  // TimestampText: between date and time; what follows the seconds; fraction digits (kMinimal: as many as
  // the value needs).
  char separator = 'T';
  enum class Zone : uint8_t { None, Z, Offset } zone = Zone::Z;  // Offset: "+00:00"
  uint8_t digits = 0;
  static constexpr uint8_t kMinimal = 255;
  bool operator==(const Form&) const = default;
};
static_assert(sizeof(Form) == 4);

// A column as statements use it. The form may change while the store runs (see forms.h); all else is
// fixed.
struct SqlColumn {
  std::string label;  // "Post.createdAt", for messages
  std::string sql;    // t0."created_at"
  ScalarType type;
  bool has_collation = false;  // its own is not BINARY
  bool is_nullable = true;
  bool is_watched = false;     // compared in SQL: every cell read is checked against the form
  uint32_t id = 0;             // lattice_sort(id, cell)
  const TableColumn* column = nullptr;
  std::string table;
  std::atomic<Form> form{Form{}};
  mutable std::atomic<bool> deviates{false};  // a watched cell was read that its form does not give
};

// Any form. Texts go to `arena`.
Value decode_cell(const Cell& cell, const ScalarType& type, const schema::Schema& schema, Arena& arena);

// The cell that holds `value` in `form`; its bytes are in `scratch` or borrowed from `value`. A value
// between two that the form can say (a fraction of whole seconds) gives a cell between theirs. False: no
// cell of that form stands for it. Not for General.
bool encode_cell(const Value& value, const ScalarType& type, Form form, std::string& scratch, Cell& out);

// A cell that sorts, and equals, as `value` does in its type's order: both sides of General comparisons.
Cell sort_key(const Value& value, const ScalarType& type, std::string& scratch);

// An argument as SQL takes it: numbers as numbers, booleans 0 or 1, all else text.
Cell natural_cell(const Value& value);

// The cell's text, as CAST(.. AS TEXT) gives it; Null for a null.
Value text_of_cell(const Cell& cell, Arena& arena);

// Whether cells of this form sort as their values do.
bool preserves_order(const ScalarType& type, Form form);

// The forms that a type can have, most likely first.
std::vector<Form> possible_forms(const ScalarType& type);

// Whether `cell` is exactly what `form` gives for its value.
bool conforms(const Cell& cell, const ScalarType& type, Form form, const schema::Schema& schema);

// Reads a column of the current row. The fast paths of decode_cell, and the watch.
Value read_column(sqlite3_stmt* statement, int index, const SqlColumn& column,
                  const schema::Schema& schema, Arena& arena);

Cell cell_of(sqlite3_stmt* statement, int index);
Cell cell_of(sqlite3_value* value);

}  // namespace lattice::store
