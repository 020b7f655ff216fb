#include "origin/validators.h"

#include "base/blake3.h"
#include "base/sfv.h"
#include "origin/crypto.h"

namespace lattice::origin {

namespace {

std::string_view opaque_tag(std::string_view etag) {
  if (etag.starts_with("W/")) etag.remove_prefix(2);
  return etag;
}

// Takes the next entity-tag off `list`; empty at the end or at something malformed.
std::string_view take_etag(std::string_view& list) {
  size_t start = list.find_first_not_of(" \t,");
  if (start == std::string_view::npos) return {};
  list.remove_prefix(start);
  size_t open = list.starts_with("W/") ? 2 : 0;
  if (open >= list.size() || list[open] != '"') return {};
  size_t close = list.find('"', open + 1);
  if (close == std::string_view::npos) return {};
  std::string_view etag = list.substr(0, close + 1);
  list.remove_prefix(close + 1);
  return etag;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool matches_etag(std::string_view if_none_match, std::string_view etag) {
  if (trim(if_none_match) == "*") return true;
  while (true) {
    std::string_view candidate = take_etag(if_none_match);
    if (candidate.empty()) return false;
    if (opaque_tag(candidate) == opaque_tag(etag)) return true;
  }
}

Result<void> check_content_digest(const http::Headers& headers, std::string_view body) {
  auto field = headers.combined("Content-Digest");
  if (!field) return {};
  auto digests = parse_sfv_dictionary(*field);
  if (!digests) {
    return fail(Code::BadRequest,
                "Content-Digest must be a dictionary of byte sequences (sha-256=:...:)");
  }
  for (const auto& [algorithm, member] : *digests) {
    std::string expected;
    if (algorithm == "sha-256") {
      expected = sha256(body);
    } else if (algorithm == "sha-512") {
      expected = sha512(body);
    } else if (algorithm == "blake3") {
      expected = blake3(body, 32);
    } else {
      continue;
    }
    const SfvItem* item = std::get_if<SfvItem>(&member);
    const SfvBytes* bytes = item ? std::get_if<SfvBytes>(&item->value) : nullptr;
    if (!bytes) {
      return fail(Code::BadRequest, "Content-Digest: " + algorithm + " must be a byte sequence");
    }
    if (bytes->bytes != expected) {
      return fail(Code::BadRequest,
                  "Content-Digest: the " + algorithm + " digest is not that of the body received");
    }
  }
  return {};
}

}  // namespace lattice::origin
