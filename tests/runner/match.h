// Patterns of scenario scripts: text with `{name}` captures, and JSON with `..` for "and more".
//
//   W/"m:{tag}"                       captures tag, or must equal what it holds already
//   has Post:17                       one of the space- or comma-separated words
//   {"kind":"entity","fields":{"title":"Hello"},..}
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace lattice::runner {

using Names = std::map<std::string, std::string>;

// Replaces every `{name}` that `names` holds; others stay as they are.
std::string substitute(std::string_view text, const Names& names);

// Whether `text` matches `pattern`; new captures go to `names` only then.
bool match_text(std::string_view pattern, std::string_view text, Names& names);

// Parses a JSON pattern: `..` in place of a last member or element admits more.
Result<Json> parse_pattern(std::string_view text);
// Strings in the pattern are text patterns. Objects compare by member, in any order; without `..`
// there must be no others.
bool match_json(const Json& pattern, const Json& value, Names& names);

}  // namespace lattice::runner
