#include "query/inline.h"

#include "base/base64url.h"
#include "base/deflate.h"
#include "base/utf8.h"

namespace lattice::query {

Result<std::string> decode_inline(std::string_view d, std::string_view dictionary,
                                  size_t bytes_max) {
  const auto bytes = base64url_decode_padded(d);
  if (!bytes) {
    return fail(Code::CompileRejected, "`d` is not base64url: " + bytes.error().message);
  }
  auto text = inflate_raw(*bytes, bytes_max, dictionary);
  if (!text) {
    return fail(Code::CompileRejected,
                "`d` is not raw DEFLATE of a query of at most " + std::to_string(bytes_max) +
                    " bytes: " + text.error().message +
                    (dictionary.empty() ? " (no dictionary was named by `dv`)" : ""));
  }
  if (text->empty()) return fail(Code::CompileRejected, "`d` holds no text");
  if (const size_t invalid = find_invalid_utf8(*text); invalid != std::string_view::npos) {
    return fail(Code::CompileRejected,
                "`d` holds text that is not UTF-8 at byte " + std::to_string(invalid));
  }
  return std::move(*text);
}

std::string encode_inline(std::string_view text, std::string_view dictionary) {
  return base64url_encode(deflate_raw(text, dictionary));
}

}  // namespace lattice::query
