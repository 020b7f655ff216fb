// The inline form of a query (spec §5.2, §6.2): the value of `d=`.
//   query{hero{name}} ──encode_inline──▶ base64url of raw DEFLATE ──decode_inline──▶ query{hero{name}}
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice::query {

// The text inside `d`, which may carry base64 padding. `dictionary` is the window text that `dv` names,
// or empty. The result is UTF-8, not empty, and at most `bytes_max` long; it is not parsed.
// Errors: lattice:compile-rejected.
Result<std::string> decode_inline(std::string_view d, std::string_view dictionary = {},
                                  size_t bytes_max = 64 * 1024);

std::string encode_inline(std::string_view text, std::string_view dictionary = {});

}  // namespace lattice::query
