// Cache digests: what a client says it holds (spec §10.4).
//
//   X-Have: Post:17@e41,User:9@b02
//   X-Have-Digest: v1;fp=10;count=4;lhPYJ08g     a Golomb-coded set of hashes of `id@ver`
//
// A digest may claim a pair that the client lacks (about one in 2^fp); it never misses one it
// holds.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "exec/exec.h"
#include "http/message.h"

namespace lattice::origin {

inline constexpr uint32_t kDigestExponentMin = 8;
inline constexpr uint32_t kDigestExponentMax = 16;
inline constexpr size_t kHaveItemsMax = 10'000;
inline constexpr uint64_t kDigestMembersMax = 1'000'000;

// The X-Have-Digest header of `members` ("Post:17@e41"), in any order. 8 <= exponent <= 16.
std::string encode_digest(const std::vector<std::string>& members, uint32_t exponent);

// nullopt when the header is to be ignored: another version, a rate outside the accepted range, or
// bits that do not hold the declared count.
class Digest final : public exec::HaveSet {
 public:
  static std::optional<Digest> parse(std::string_view header);
  bool holds(std::string_view ref, std::string_view version) const override;

 private:
  uint64_t modulus_ = 0;
  std::vector<uint64_t> values_;  // ascending
};

// The (ref, version) pairs of X-Have; nullopt when one item is malformed: then all are ignored.
std::optional<std::vector<std::pair<std::string, std::string>>> parse_have(std::string_view header);

// What the request's headers say, or null. X-Have wins over X-Have-Digest. The caller asks only
// where the headers may be honoured: priv and one-shot requests.
std::unique_ptr<exec::HaveSet> read_have(const http::Headers& headers);

}  // namespace lattice::origin
