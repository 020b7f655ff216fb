// base64url without padding (RFC 4648 §5), the only base64 on the wire.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice {

std::string base64url_encode(std::string_view bytes);
void append_base64url(std::string& out, std::string_view bytes);

// Strict: no padding, no characters outside the alphabet, no nonzero spare bits.
// Errors: lattice:encoding.
Result<std::string> base64url_decode(std::string_view text);
// As above, and accepts correct `=` padding (spec §6.2 readers).
Result<std::string> base64url_decode_padded(std::string_view text);

}  // namespace lattice
