// The order of one column, as a keyset declares it (spec §3.5.3 "semantic comparison", §3.6).
//
//   createdAt: 2026-01-01T00:00:00Z < 2026-01-01T00:00:00.5Z     chronological, not by code point
//   mood:      Calm < Loud < (a constructor that the schema does not know)    declaration order
//   likes:     "9" < "10"                                         wide integers and decimals by
//   value
//
// Null comes first. compare_values (value.h) is this order for every other type. Values; any
// thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schema/schema.h"
#include "store/value.h"

namespace lattice::store {

struct ColumnOrder {
  enum class Kind : uint8_t {
    Plain,      // compare_values
    Enum,       // by position in `constructors`
    Timestamp,  // canonical RFC 3339 texts
    Digits,     // Int, or canonical decimal digits in a Text
    Bytes,      // base64url texts, by the bytes that they stand for
  } kind = Kind::Plain;
  std::vector<std::string> constructors;
};

// The order of values of `type`.
ColumnOrder column_order(const schema::Type& type, const schema::Schema& schema);

// < 0, 0, > 0.
int compare_in_order(const ColumnOrder& order, const Value& left, const Value& right);

// Canonical decimal texts ("-12.5", "7") by value.
int compare_digits(std::string_view left, std::string_view right);
// base64url texts by their bytes.
int compare_base64url(std::string_view left, std::string_view right);
// Canonical timestamps by time.
int compare_timestamps(std::string_view left, std::string_view right);

}  // namespace lattice::store
