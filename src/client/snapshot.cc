#include "client/snapshot.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "base/sfv.h"

namespace lattice::client {

namespace {

std::optional<uint64_t> number_after_colon(std::string_view token) {
  size_t colon = token.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == token.size()) return std::nullopt;
  std::string_view digits = token.substr(colon + 1);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
  if (error != std::errc() || end != digits.end()) return std::nullopt;
  return value;
}

}  // namespace

Result<SnapshotVector> parse_snapshot(std::string_view header) {
  LATTICE_TRY(SfvDictionary members, parse_sfv_dictionary(header));
  SnapshotVector out;
  for (auto& [domain, member] : members) {
    const SfvItem* item = std::get_if<SfvItem>(&member);
    const std::string* token = item ? std::get_if<std::string>(&item->value) : nullptr;
    if (!token) return fail(Code::Encoding, "the token of `" + domain + "` is no quoted string");
    out[domain] = *token;
  }
  return out;
}

std::string render_snapshot(const SnapshotVector& snapshot) {
  SfvDictionary members;
  for (const auto& [domain, token] : snapshot) members.emplace_back(domain, SfvItem{token, {}});
  auto text = serialize_sfv(members);
  LATTICE_CHECK(text.has_value(), snapshot.size());
  return std::move(*text);
}

std::strong_ordering compare_tokens(std::string_view left, std::string_view right) {
  auto left_number = number_after_colon(left), right_number = number_after_colon(right);
  if (left_number && right_number) return *left_number <=> *right_number;
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

bool is_consistent_cut(std::span<const Interval> intervals) {
  for (const Interval& lower : intervals) {
    const std::string& floor = lower.floor ? *lower.floor : lower.token;
    for (const Interval& upper : intervals) {
      if (compare_tokens(floor, upper.token) > 0) return false;
    }
  }
  return true;
}

}  // namespace lattice::client
