// Percent-encoding for URLs and for surrogate keys (spec §10.5 as settled in the decisions).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lattice {

// Encodes everything but unreserved characters (A-Z a-z 0-9 - . _ ~).
void append_percent_encoded(std::string& out, std::string_view text);
std::string percent_encode(std::string_view text);
// `+` stays a plus sign. Errors: lattice:encoding on a broken escape or when the result is not
// UTF-8.
Result<std::string> percent_decode(std::string_view text);

// The query part of a URL (without `?`), decoded, in order; an empty query has no members.
Result<std::vector<std::pair<std::string, std::string>>> parse_url_query(std::string_view query);

// A key or grouping value as it travels inside a surrogate key: characters outside visible ASCII,
// and space, comma, `%` and `*` are encoded.
void append_key_bytes(std::string& out, std::string_view value);

}  // namespace lattice
