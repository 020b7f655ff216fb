// Selection sets: the syntax that schema fragments and queries share (spec §4.8, §5.1).
//
//   name avatarUrl(size: 48) ...UserByline   ──parse_selections──▶ [Selection]   ──print──▶ canonical
//
// The lexer and the grammar below `SelectionSet` live here, because the IDL embeds them (`fragment N on
// T { ... }`, §3.4); documents, variables and every static rule are src/query's. Values; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lattice::schema {

struct Value {
  enum class Kind : uint8_t { Variable, Number, String, Boolean, Enum, List } kind = Kind::Number;
  std::string text;         // variable, enum name or string contents; canonical spelling of a number
  bool boolean = false;
  std::vector<Value> list;
  Span span;
  bool operator==(const Value& other) const;  // spans ignored
};

struct Argument {
  std::string name;
  Value value;
  Span span;
  bool operator==(const Argument& other) const { return name == other.name && value == other.value; }
};

struct Directive {
  std::string name;
  std::vector<Argument> arguments;
  Span span;
};

struct Selection {
  enum class Kind : uint8_t { Field, Spread, Inline } kind = Kind::Field;
  std::string name;  // field, fragment, or the type of an inline fragment
  std::vector<Argument> arguments;
  uint32_t depth = 0;  // @depth(n); 0: none
  bool deferred = false;
  bool has_selections = false;
  std::vector<Selection> selections;
  std::vector<Directive> directives;
  Span span;
};

struct SelectionLimits {
  uint32_t nesting_max = 64;  // braces and brackets
};

// Parses a selection set with its braces, starting at `offset` of `text` (a whole document), and moves
// `offset` past the closing brace. Spans are offsets in `text`. In the IDL, comments may also begin
// with `--`, which no selection can contain otherwise.
// Errors: lattice:compile-rejected with the span of the first token that does not fit.
Result<std::vector<Selection>> parse_selections(std::string_view text, uint32_t& offset,
                                                const SelectionLimits& limits = {});

// The canonical rendering of §5.1, the only one there is; nothing is sorted here.
std::string print_selections(const std::vector<Selection>& selections);  // without braces
void append_selection(std::string& out, const Selection& selection);
void append_arguments(std::string& out, const std::vector<Argument>& arguments);  // "(a:1,b:$x)"
void append_value(std::string& out, const Value& value);

// The canonical spelling of a number token: "1e3" → "1000", "-0" → "0", "0.50" → "0.5"; integers keep
// their digits. Errors: lattice:compile-rejected when it is not finite or its exponent is too long.
Result<std::string> canonical_number(std::string_view token);

// A literal as JSON (enums as strings); no variables inside.
Json literal_to_json(const Value& value);

}  // namespace lattice::schema
