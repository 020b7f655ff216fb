// Spellings of single scalars: the strict ones of callers and the lenient ones of stores (spec
// §3.5.3).
//
//   parse_timestamp("2026-01-02 03:04:05.500+02", Spelling::Lenient) → "2026-01-02T01:04:05.5Z"
//
// Each function gives the canonical spelling, or nullopt when the text is no such value. Strict
// accepts the notation of the wire with superfluous digits; Lenient also what databases print.
// Pure; any thread.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace lattice::schema {

enum class Spelling : uint8_t { Strict, Lenient };

inline constexpr size_t kNumberDigitsMax = 10'000;  // of Integer and Decimal, written out

std::optional<std::string> parse_timestamp(std::string_view text, Spelling spelling);
std::optional<std::string> parse_date(std::string_view text, Spelling spelling);
std::optional<std::string> parse_time_of_day(std::string_view text, Spelling spelling);
std::optional<std::string> parse_duration(std::string_view text);
std::optional<std::string> parse_decimal(std::string_view text, Spelling spelling);
std::optional<std::string> parse_integer(std::string_view text, Spelling spelling);
std::optional<std::string> parse_uuid(std::string_view text, Spelling spelling);

// Compares two canonical decimals or integers by value, exactly.
std::strong_ordering compare_decimals(std::string_view left, std::string_view right);

}  // namespace lattice::schema
