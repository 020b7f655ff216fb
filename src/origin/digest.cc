#include "origin/digest.h"

#include "base/base64url.h"
#include "base/blake3.h"
#include "base/check.h"

namespace lattice::origin {

namespace {

uint64_t hash_member(std::string_view member) {
  std::string bytes = blake3(member, 8);
  uint64_t out = 0;
  for (char byte : bytes) out = out << 8 | static_cast<unsigned char>(byte);
  return out;
}

class BitWriter {
 public:
  void put(bool bit) {
    if (used_ == 0) bytes_ += '\0';
    if (bit) bytes_.back() = static_cast<char>(bytes_.back() | 0x80 >> used_);
    used_ = (used_ + 1) % 8;
  }
  std::string finish() { return std::move(bytes_); }

 private:
  std::string bytes_;
  unsigned used_ = 0;
};

class BitReader {
 public:
  explicit BitReader(std::string_view bytes) : bytes_(bytes) {}
  std::optional<bool> next() {
    if (at_ == bytes_.size() * 8) return std::nullopt;
    bool bit = static_cast<unsigned char>(bytes_[at_ / 8]) >> (7 - at_ % 8) & 1;
    ++at_;
    return bit;
  }
  // Nothing is left but the zeros that fill the last byte. (A number takes nine bits or more.)
  bool is_padding() const {
    size_t left = bytes_.size() * 8 - at_;
    if (left == 0) return true;
    unsigned last = static_cast<unsigned char>(bytes_.back());
    return left < 8 && (last & ((1u << left) - 1)) == 0;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// One Golomb-Rice number: the quotient in unary, then `exponent` remainder bits.
std::optional<uint64_t> read_rice(BitReader& bits, uint32_t exponent) {
  uint64_t quotient = 0;
  while (true) {
    auto bit = bits.next();
    if (!bit) return std::nullopt;
    if (!*bit) break;
    ++quotient;
  }
  uint64_t value = quotient;
  for (uint32_t i = 0; i < exponent; ++i) {
    auto bit = bits.next();
    if (!bit) return std::nullopt;
    value = value << 1 | (*bit ? 1 : 0);
  }
  return value;
}

// "name=123" → 123.
std::optional<uint64_t> read_number(std::string_view part, std::string_view name) {
  if (!part.starts_with(name)) return std::nullopt;
  part.remove_prefix(name.size());
  uint64_t value = 0;
  auto [end, error] = std::from_chars(part.begin(), part.end(), value);
  if (part.empty() || error != std::errc() || end != part.end()) return std::nullopt;
  return value;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct Enumerated final : exec::HaveSet {
  std::unordered_map<std::string, std::string> versions;
  bool holds(std::string_view ref, std::string_view version) const override {
    auto at = versions.find(std::string(ref));
    return at != versions.end() && at->second == version;
  }
};

}  // namespace

std::string encode_digest(const std::vector<std::string>& members, uint32_t exponent) {
  LATTICE_CHECK(exponent >= kDigestExponentMin && exponent <= kDigestExponentMax, exponent);
  std::vector<uint64_t> values;
  uint64_t modulus = static_cast<uint64_t>(members.size()) << exponent;
  for (const std::string& member : members) values.push_back(hash_member(member) % modulus);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());

  BitWriter bits;
  uint64_t previous = 0;
  for (uint64_t value : values) {
    uint64_t delta = value - previous;
    previous = value;
    for (uint64_t quotient = delta >> exponent; quotient > 0; --quotient) bits.put(true);
    bits.put(false);
    for (uint32_t i = exponent; i > 0; --i) bits.put(delta >> (i - 1) & 1);
  }
  return "v1;fp=" + std::to_string(exponent) + ";count=" + std::to_string(members.size()) + ";" +
         base64url_encode(bits.finish());
}

std::optional<Digest> Digest::parse(std::string_view header) {
  std::array<std::string_view, 4> parts;
  std::string_view rest = header;
  for (size_t i = 0; i < parts.size(); ++i) {
    size_t end = rest.find(';');
    bool is_last = i + 1 == parts.size();
    if (is_last != (end == std::string_view::npos)) return std::nullopt;
    parts[i] = trim(rest.substr(0, end));
    if (!is_last) rest.remove_prefix(end + 1);
  }
  auto exponent = read_number(parts[1], "fp=");
  auto count = read_number(parts[2], "count=");
  auto bytes = base64url_decode(parts[3]);
  if (parts[0] != "v1" || !exponent || !count || !bytes) return std::nullopt;
  if (*exponent < kDigestExponentMin || *exponent > kDigestExponentMax) return std::nullopt;
  if (*count > kDigestMembersMax) return std::nullopt;
  Digest digest;
  digest.modulus_ = *count << *exponent;
  BitReader bits(*bytes);
  uint64_t value = 0;
  // Members with equal hashes are coded once, so a set may hold fewer numbers than its count.
  while (digest.values_.size() < *count && !bits.is_padding()) {
    auto delta = read_rice(bits, static_cast<uint32_t>(*exponent));
    if (!delta) return std::nullopt;
    value += *delta;
    if (value >= digest.modulus_) return std::nullopt;
    digest.values_.push_back(value);
  }
  if (!bits.is_padding() || digest.values_.empty() != (*count == 0)) return std::nullopt;
  return digest;
}

bool Digest::holds(std::string_view ref, std::string_view version) const {
  if (modulus_ == 0) return false;
  std::string member(ref);
  member += '@';
  member += version;
  return std::binary_search(values_.begin(), values_.end(), hash_member(member) % modulus_);
}

std::optional<std::vector<std::pair<std::string, std::string>>> parse_have(
    std::string_view header) {
  std::vector<std::pair<std::string, std::string>> out;
  while (!header.empty()) {
    size_t comma = header.find(',');
    std::string_view item = trim(header.substr(0, comma));
    header.remove_prefix(comma == std::string_view::npos ? header.size() : comma + 1);
    if (item.empty()) continue;
    // A key may hold `@`; a version does not.
    size_t at = item.rfind('@');
    if (at == std::string_view::npos || at == 0 || at + 1 == item.size()) return std::nullopt;
    if (item.substr(0, at).find(':') == std::string_view::npos) return std::nullopt;
    if (out.size() == kHaveItemsMax) return std::nullopt;
    out.emplace_back(item.substr(0, at), item.substr(at + 1));
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::unique_ptr<exec::HaveSet> read_have(const http::Headers& headers) {
  if (auto have = headers.combined("X-Have")) {
    if (auto items = parse_have(*have)) {
      auto out = std::make_unique<Enumerated>();
      for (auto& [ref, version] : *items) out->versions[std::move(ref)] = std::move(version);
      return out;
    }
  }
  auto header = headers.find("X-Have-Digest");
  auto digest = header ? Digest::parse(*header) : std::nullopt;
  if (!digest) return nullptr;
  return std::make_unique<Digest>(std::move(*digest));
}

}  // namespace lattice::origin
