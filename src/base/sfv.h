// Structured field values (RFC 8941): parse and serialize the three kinds of field.
//
//   main="1.2", side="3"  ──parse_sfv_dictionary──▶ [("main", "1.2"), ("side", "3")]
//
// Values; any thread. Errors: lattice:encoding with the offset.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace lattice {

struct SfvToken {
  std::string text;
  bool operator==(const SfvToken&) const = default;
};
struct SfvBytes {
  std::string bytes;
  bool operator==(const SfvBytes&) const = default;
};
// A decimal as thousandths (at most 12 integer digits and 3 fraction digits).
struct SfvDecimal {
  int64_t thousandths = 0;
  bool operator==(const SfvDecimal&) const = default;
};
using SfvBare = std::variant<int64_t, SfvDecimal, std::string, SfvToken, SfvBytes, bool>;
using SfvParameters = std::vector<std::pair<std::string, SfvBare>>;  // in order, keys unique

struct SfvItem {
  SfvBare value;
  SfvParameters parameters;
  bool operator==(const SfvItem&) const = default;
};
struct SfvInnerList {
  std::vector<SfvItem> items;
  SfvParameters parameters;
  bool operator==(const SfvInnerList&) const = default;
};
using SfvMember = std::variant<SfvItem, SfvInnerList>;
using SfvList = std::vector<SfvMember>;
using SfvDictionary = std::vector<std::pair<std::string, SfvMember>>;  // in order, keys unique

// `field` is the combined field value (several lines joined with ", ").
Result<SfvItem> parse_sfv_item(std::string_view field);
Result<SfvList> parse_sfv_list(std::string_view field);
Result<SfvDictionary> parse_sfv_dictionary(std::string_view field);

Result<std::string> serialize_sfv(const SfvItem& item);
Result<std::string> serialize_sfv(const SfvList& list);
Result<std::string> serialize_sfv(const SfvDictionary& dictionary);

}  // namespace lattice
