// Validators and digests of content in requests (spec §10.2, RFC 9110 §13, RFC 9530).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/message.h"

namespace lattice::origin {

// Whether an If-None-Match list (or `*`) names `etag` under weak comparison. `etag` is as it stands
// in the ETag header: W/"m:..." or "e41". A malformed list matches nothing beyond its well-formed
// part.
bool matches_etag(std::string_view if_none_match, std::string_view etag);

// Checks Content-Digest, when there is one, against `body`: sha-256, sha-512 and blake3 (32 bytes)
// are known, other algorithms are passed over. Errors: lattice:bad-request for a malformed field or
// a digest that differs.
Result<void> check_content_digest(const http::Headers& headers, std::string_view body);

}  // namespace lattice::origin
