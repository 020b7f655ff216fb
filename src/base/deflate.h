// Raw DEFLATE with an optional preset dictionary (RFC 1951; spec §5.2).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice {

// Level 9, 32 KiB window.
std::string deflate_raw(std::string_view bytes, std::string_view dictionary = {});

// Any conforming raw stream. Errors: lattice:encoding when the stream is broken, has bytes after
// its end, or would grow past `bytes_max`.
Result<std::string> inflate_raw(std::string_view stream, size_t bytes_max,
                                std::string_view dictionary = {});

}  // namespace lattice
