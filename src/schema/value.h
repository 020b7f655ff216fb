// Values against types: what a caller sends, what we print (spec §3.5.3).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "schema/schema.h"

namespace lattice::schema {

// Checks a caller's JSON value against `type` — structure, ranges, refinements, enum membership,
// nonempty lists — and returns its canonical form, which to_json prints: NFC text, lower-case
// UUIDs, minimal digits, sets and records sorted, type `Json` as RFC 8785. Spellings that mean the
// same are accepted (upper-case UUIDs, `.500Z`, a set in any order, an element of it twice); other
// notations are not (offsets, exponents, padding). Null is "absent" and legal for `T?` alone.
// Errors: lattice:bad-request; the message names the path of the offender ("input.tags[2]") from
// `path` on, and what was expected.
Result<Json> check_input(const Json& value, const Type& type, const Schema& schema,
                         std::string_view path);

// A literal of the IDL or the query language, without variables, as a wire value of `type`. Enum
// values are bare names; numbers also stand for wide integers and decimals. Errors as check_input.
Result<Json> check_literal(const Value& literal, const Type& type, const Schema& schema,
                           std::string_view path);
// The same in a predicate, where a bare name and a string may stand for each other.
Result<Json> check_predicate_literal(const Value& literal, const Type& type, const Schema& schema,
                                     std::string_view path);

// A variable or argument as it stands in a URL, already percent-decoded (§6.1): text-like types
// verbatim, numbers and booleans as literals, composite ones base64url of canonical JSON (also raw
// JSON and the `b64:` prefix). Same errors.
Result<Json> parse_url_value(std::string_view text, const Type& type, const Schema& schema,
                             std::string_view path);
// The URL form of a checked value, not yet percent-encoded.
std::string print_url_value(const Json& value, const Type& type, const Schema& schema);

// Canonical spellings of single scalars, for stores that hold other forms. nullopt: not a value of
// the type. `2026-01-02 03:04:05` → `2026-01-02T03:04:05Z`; "1.50" → "1.5".
std::optional<std::string> canonical_timestamp(std::string_view text);
std::optional<std::string> canonical_date(std::string_view text);
std::optional<std::string> canonical_time_of_day(std::string_view text);
std::optional<std::string> canonical_duration(std::string_view text);
std::optional<std::string> canonical_decimal(std::string_view text);
std::optional<std::string> canonical_integer(std::string_view text);
std::optional<std::string> canonical_uuid(std::string_view text);
// Bits as base64url: "1010" → big-endian, the first bit highest in the first byte (§3.5.3).
std::optional<std::string> encode_bits(std::string_view zeros_and_ones);

// The canonical text of our own value of `type` (§3.5.3 encoding direction): like check_input but
// lenient in what it accepts (offsets, upper case, trailing zeros). Errors: lattice:integrity.
Result<Json> canonicalize_value(const Json& value, const Type& type, const Schema& schema,
                                std::string_view path);

}  // namespace lattice::schema
