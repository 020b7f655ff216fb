// Pieces that several declarations have: metadata, literals, parameters, policies, cache clauses.
#include <charconv>

#include "schema/parse.h"
#include "schema/selection_parser.h"

namespace lattice::schema {

using syntax::Word;

// [ String ] { "@" Directive }, in any order.
bool IdlParser::parse_metadata(syntax::Metadata& out) {
  out.span = peek().span;
  while (true) {
    if (at(Kind::String)) {
      if (out.description) {
        return fail_at(peek().span, "two descriptions stand before one declaration", "description");
      }
      out.description.emplace();
      if (!expect_string(*out.description, "a description")) return false;
    } else if (at(Kind::At)) {
      if (!has_room(out.directives.size(), kListMax, "directives on one declaration")) return false;
      if (!parse_directive_use(out.directives.emplace_back())) return false;
    } else {
      return true;
    }
  }
}

// "@" Name [ "(" { Name ":" Value } ")" ]
bool IdlParser::parse_directive_use(syntax::DirectiveUse& out) {
  const uint32_t begin = take().span.begin;
  if (!expect_name(out.name, "the name of a directive after `@`")) return false;
  if (accept(Kind::ParenOpen)) {
    while (!accept(Kind::ParenClose)) {
      if (!has_room(out.arguments.size(), kListMax, "arguments of one directive")) return false;
      syntax::ArgumentValue& argument = out.arguments.emplace_back();
      if (!expect_name(argument.name, "an argument of @" + out.name.text + " or `)`")) return false;
      if (!expect(Kind::Colon, "`:` and a value after `" + argument.name.text + "`")) return false;
      if (!parse_value(argument.value)) return false;
      accept(Kind::Comma);
    }
  }
  out.span = span_from(begin);
  return true;
}

bool IdlParser::parse_value(Value& out) {
  out.span = peek().span;
  switch (peek().kind) {
    case Kind::Number: {
      auto spelled = canonical_number(text_of(peek()));
      if (!spelled) return fail_at(out.span, spelled.error().message, "number");
      out.kind = Value::Kind::Number;
      out.text = std::move(*spelled);
      take();
      return true;
    }
    case Kind::String: {
      Word contents;
      out.kind = Value::Kind::String;
      if (!expect_string(contents, "a string")) return false;
      out.text = std::move(contents.text);
      return true;
    }
    case Kind::BracketOpen:
      return parse_list_value(out);
    case Kind::Name:
      break;
    case Kind::Dollar:
      return fail_at(out.span, "a variable is no literal: write the value itself");
    default:
      return fail_expected("a literal");
  }
  if (at_word("null")) return fail_at(out.span, "null is not a value: leave it out");
  const std::string word(text_of(take()));
  if (word == "true" || word == "false") {
    out.kind = Value::Kind::Boolean;
    out.boolean = word == "true";
    return true;
  }
  out.kind = Value::Kind::Enum;
  out.text = word;
  return true;
}

bool IdlParser::parse_list_value(Value& out) {
  const uint32_t begin = take().span.begin;
  out.kind = Value::Kind::List;
  while (!at(Kind::BracketClose)) {
    if (!parse_value(out.list.emplace_back())) return false;
    accept(Kind::Comma);
  }
  take();
  out.span = span_from(begin);
  return true;
}

bool IdlParser::parse_parameters(std::vector<syntax::Parameter>& out, bool with_dollar) {
  if (!accept(Kind::ParenOpen)) return true;
  if (at(Kind::ParenClose)) {
    fail_at(peek().span, "this list of parameters is empty: leave out `()`");
  }
  while (!accept(Kind::ParenClose)) {
    if (!has_room(out.size(), kMembersMax, "parameters of one declaration")) return false;
    if (!parse_parameter(out.emplace_back(), with_dollar)) return false;
    accept(Kind::Comma);
  }
  return true;
}

// [ "$" ] Name ":" Type [ "=" Value ]
bool IdlParser::parse_parameter(syntax::Parameter& out, bool with_dollar) {
  if (with_dollar && !expect(Kind::Dollar, "a variable `$name: Type`, or `)`")) return false;
  if (!expect_name(out.name, "the name of a parameter, or `)`")) return false;
  if (!expect(Kind::Colon, "`:` and a type after `" + out.name.text + "`")) return false;
  if (!parse_type(out.type)) return false;
  if (!accept(Kind::Equals)) return true;
  return parse_value(out.default_value.emplace());
}

// Whether a policy begins here; `private by default` and `visible to all` are an entity's default.
bool IdlParser::at_policy() const {
  if (at_clause("public")) return true;
  if (at_clause("private")) return !at_word("by", 1);
  return at_clause("visible") && !at_word("to", 1);
}

// "public" | "private" | "visible" "when" Predicate
bool IdlParser::parse_policy(syntax::Policy& out) {
  const uint32_t begin = peek().span.begin;
  if (accept_word("public")) {
    out.level = Policy::Level::Public;
  } else if (accept_word("private")) {
    out.level = Policy::Level::Private;
  } else if (accept_word("visible")) {
    if (!expect_word("when", "and a condition after `visible`")) return false;
    if (!parse_predicate(out)) return false;
  } else {
    return fail_expected("a policy (public, private, or visible when ..)");
  }
  out.span = span_from(begin);
  return true;
}

// Comparison { "and" Comparison }
bool IdlParser::parse_predicate(syntax::Policy& out) {
  out.level = Policy::Level::Claims;
  do {
    if (!has_room(out.all_of.size(), kListMax, "conditions of one policy")) return false;
    if (!parse_comparison(out.all_of.emplace_back())) return false;
  } while (accept_word("and"));
  if (at_word("or")) {
    return fail_at(peek().span,
                   "conditions join with `and`; alternatives of one claim are written "
                   "`caller.claim in [A, B]`");
  }
  return true;
}

// "caller" "." Name ( "=" ( Name | Value ) | "in" "[" Value { "," Value } "]" )
bool IdlParser::parse_comparison(syntax::Comparison& out) {
  const uint32_t begin = peek().span.begin;
  if (!at_word("caller")) return fail_expected("`caller.<claim>` on the left of a comparison");
  take();
  if (!expect(Kind::Dot, "`.` and a claim after `caller`")) return false;
  if (!expect_name(out.claim, "the name of a claim")) return false;
  if (accept_word("in")) {
    out.op = Comparison::Op::In;
    if (!at(Kind::BracketOpen)) return fail_expected("a list `[A, B]` after `in`");
    Value list;
    if (!parse_list_value(list)) return false;
    if (list.list.empty()) return fail_at(list.span, "an empty list matches no caller");
    out.literals = std::move(list.list);
    out.span = span_from(begin);
    return true;
  }
  if (!expect(Kind::Equals, "`=` or `in` after `caller." + out.claim.text + "`")) return false;
  if (at(Kind::Equals)) return fail_at(peek().span, "equality is written with one `=`");
  if (at(Kind::Dot)) return fail_at(peek().span, "a field of the entity stands without a dot");
  const char first = at(Kind::Name) ? text_of(peek()).front() : '\0';
  if (at(Kind::Name) && (first < 'A' || first > 'Z') && !at_word("true") && !at_word("false")) {
    if (!expect_name(out.field, "a field")) return false;
  } else if (!parse_value(out.literals.emplace_back())) {
    return false;
  }
  out.span = span_from(begin);
  return true;
}

// "cache" Word { "," Word }
bool IdlParser::parse_cache_clause(syntax::CacheClause& out) {
  const uint32_t begin = take().span.begin;
  while (true) {
    if (!parse_cache_word(out.policy)) return false;
    // A comma may also end the member that this clause belongs to.
    if (!at(Kind::Comma) || begins_member(1)) break;
    take();
  }
  out.policy.declared = true;
  out.span = span_from(begin);
  return true;
}

bool IdlParser::parse_cache_word(CachePolicy& policy) {
  using Storability = CachePolicy::Storability;
  const IdlToken word = peek();
  const CachePolicy before = policy;
  if (accept_word("no-store")) {
    policy.store = Storability::NoStore;
  } else if (accept_word("private")) {
    policy.store = Storability::Private;
  } else if (accept_word("revalidate")) {
    policy.revalidate = true;
  } else if (accept_word("immutable")) {
    policy.immutable = true;
  } else if (accept_word("no-tenure")) {
    policy.no_tenure = true;
  } else if (accept_word("max-age")) {
    if (!parse_max_age(policy)) return false;
  } else {
    return fail_expected(
        "a cache rule (no-store, private, revalidate, max-age 30s, immutable, no-tenure)");
  }
  const bool again = (before.store != Storability::Shared && policy.store != before.store) ||
                     (before.max_age_seconds && text_of(word) == "max-age");
  const bool nothing_new = before.store == policy.store && before.revalidate == policy.revalidate &&
                           before.immutable == policy.immutable &&
                           before.no_tenure == policy.no_tenure &&
                           before.max_age_seconds == policy.max_age_seconds;
  if (again || nothing_new) {
    fail_at(word.span,
            "`" + std::string(text_of(word)) + "` repeats or contradicts a word before it",
            "cache");
  } else if (policy.immutable && (policy.revalidate || policy.max_age_seconds)) {
    fail_at(word.span, "immutable goes without max-age and revalidate", "cache");
  } else if (policy.store == Storability::NoStore &&
             (policy.immutable || policy.revalidate || policy.max_age_seconds)) {
    fail_at(word.span,
            "what is never stored has no lifetime: no-store goes without max-age, "
            "revalidate and immutable",
            "cache");
  }
  return true;
}

// A lifetime such as 30s, 5m, 1h, 7d.
bool IdlParser::parse_max_age(CachePolicy& out) {
  constexpr int64_t kSecondsMax = 10LL * 366 * 24 * 3600;
  const std::string_view spelled = text_of(peek());
  int64_t count = 0;
  const auto [rest, error] =
      std::from_chars(spelled.data(), spelled.data() + spelled.size(), count);
  const std::string_view unit(rest, static_cast<size_t>(spelled.data() + spelled.size() - rest));
  const int64_t seconds = unit == "s"   ? 1
                          : unit == "m" ? 60
                          : unit == "h" ? 3600
                          : unit == "d" ? 86400
                                        : 0;
  if (!at(Kind::Quantity) || error != std::errc{} || seconds == 0 || count < 0) {
    return fail_expected("a lifetime such as 30s, 5m, 1h or 7d");
  }
  if (count > kSecondsMax / seconds) {
    return fail_at(peek().span,
                   "a lifetime is at most ten years; what never changes is `immutable`");
  }
  out.max_age_seconds = count * seconds;
  take();
  return true;
}

// False, with a finding, when a list has as many elements as it may have.
bool IdlParser::has_room(size_t count, size_t count_max, std::string_view what) {
  if (count < count_max) return true;
  return fail_at(peek().span, "more than " + std::to_string(count_max) + " " + std::string(what),
                 "limit");
}

// Whether a member or a clause of an entity begins `ahead` tokens from here, so that the comma
// before it ends a list.
bool IdlParser::begins_member(size_t ahead) const {
  if (peek(ahead).kind != Kind::Name) return true;
  const Kind next = peek(ahead + 1).kind;
  if (next == Kind::Colon || next == Kind::ParenOpen) return true;
  static constexpr std::pair<std::string_view, std::string_view> kClauses[] = {
      {"has", "one"},    {"has", "many"},   {"fetch", "by"},
      {"visible", "to"}, {"private", "by"}, {"hidden", "rows"}};
  for (const auto& [first, second] : kClauses) {
    if (at_word(first, ahead) && at_word(second, ahead + 1)) return true;
  }
  if (next != Kind::Name) return false;
  return at_word("cache", ahead) || (at_word("owner", ahead) && at_word("is", ahead + 2));
}

// Name { "," Name }, where a comma may also end the member that the list belongs to.
bool IdlParser::parse_name_list(std::vector<Word>& out, std::string_view wanted) {
  if (!expect_name(out.emplace_back(), wanted)) return false;
  while (at(Kind::Comma) && peek(1).kind == Kind::Name && !begins_member(1)) {
    take();
    if (!has_room(out.size(), kListMax, "names in one list")) return false;
    if (!expect_name(out.emplace_back(), wanted)) return false;
  }
  return true;
}

}  // namespace lattice::schema
