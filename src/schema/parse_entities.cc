// Entities, interfaces, extensions and their members (spec §3.4, §3.6 to §3.8).
#include "schema/parse.h"

namespace lattice::schema {

using syntax::Word;

// entity Name ( "by" Key | "joins" Base | "refines" Base ) [ "implements" Names ] "{" .. "}"
bool IdlParser::parse_entity(syntax::Metadata metadata) {
  syntax::Entity entity;
  entity.metadata = std::move(metadata);
  if (!parse_entity_header(entity)) return false;
  if (!parse_entity_body(entity)) return false;
  document_.entities.push_back(std::move(entity));
  return true;
}

bool IdlParser::parse_entity_header(syntax::Entity& out) {
  if (!expect_name(out.name, "the name of an entity")) return false;
  while (!at(Kind::BraceOpen)) {
    if (accept_word("by")) {
      if (!parse_key(out.key)) return false;
    } else if (at_word("joins") || at_word("refines")) {
      const bool joins = text_of(take()) == "joins";
      out.co_key = joins ? Entity::CoKey::Joins : Entity::CoKey::Refines;
      if (!expect_name(out.base, "the base entity")) return false;
    } else if (accept_word("implements")) {
      if (!parse_name_list(out.implements, "an interface")) return false;
    } else {
      return fail_expected(
          "`by`, `joins`, `refines`, `implements` or `{` in the first line of "
          "entity " +
          out.name.text);
    }
  }
  return true;
}

// Name | "(" Name { "," Name } ")"
bool IdlParser::parse_key(std::vector<Word>& out) {
  if (!accept(Kind::ParenOpen)) return expect_name(out.emplace_back(), "a key field");
  while (!accept(Kind::ParenClose)) {
    if (!has_room(out.size(), kListMax, "names in one list")) return false;
    if (!expect_name(out.emplace_back(), "a key field or `)`")) return false;
    accept(Kind::Comma);
  }
  return true;
}

bool IdlParser::parse_interface(syntax::Metadata metadata) {
  syntax::Entity interface;
  interface.metadata = std::move(metadata);
  if (!expect_name(interface.name, "the name of an interface")) return false;
  if (!parse_entity_body(interface)) return false;
  document_.interfaces.push_back(std::move(interface));
  return true;
}

bool IdlParser::parse_extension(syntax::Metadata metadata) {
  syntax::Entity extension;
  extension.metadata = std::move(metadata);
  if (!expect_word("entity", "after `extend`; only entities can be extended")) return false;
  if (!parse_entity_header(extension)) return false;
  if (!parse_entity_body(extension)) return false;
  document_.extensions.push_back(std::move(extension));
  return true;
}

bool IdlParser::parse_entity_body(syntax::Entity& out) {
  const IdlToken brace = peek();
  if (!expect(Kind::BraceOpen, "`{`")) return false;
  const auto depth = static_cast<uint16_t>(brace.depth + 1);
  while (!accept(Kind::BraceClose)) {
    if (at(Kind::End))
      return fail_at(brace.span, "this `{` of " + out.name.text + " is never closed");
    if (is_full()) return false;
    const size_t member_count = out.fields.size() + out.relationships.size();
    if (!has_room(member_count, kMembersMax, "members of " + out.name.text)) return false;
    const size_t before = index_;
    if (!parse_member(out)) {
      if (index_ == before) take();
      skip_to_member(depth);
    }
    accept(Kind::Comma);
  }
  return true;
}

bool IdlParser::parse_member(syntax::Entity& out) {
  syntax::Metadata metadata;
  if (!parse_metadata(metadata)) return false;
  if (at_word("has") && (at_word("one", 1) || at_word("many", 1))) {
    return parse_relationship(out, std::move(metadata));
  }
  if (at(Kind::Name) && (peek(1).kind == Kind::Colon || peek(1).kind == Kind::ParenOpen)) {
    return parse_field(out, std::move(metadata));
  }
  bool taken = false;
  if (!parse_entity_clause(out, taken)) return false;
  if (!taken) {
    return fail_expected("a field `name: Type`, a relationship `has one|many ..` or a clause of " +
                         out.name.text);
  }
  if (metadata.is_empty()) return true;
  return fail_at(metadata.span,
                 "descriptions and directives belong to fields and relationships, not "
                 "to this clause",
                 "description");
}

// The lines of an entity that are neither fields nor relationships.
bool IdlParser::parse_entity_clause(syntax::Entity& out, bool& taken) {
  taken = true;
  const uint32_t begin = peek().span.begin;
  if (at_word("visible") && at_word("to", 1)) {
    take();
    take();
    if (!expect_word("all", "after `visible to`")) return false;
    if (!expect_word("by", "after `visible to all`") || !expect_word("default", "after `by`")) {
      return false;
    }
    out.visibility.push_back({false, span_from(begin)});
    return true;
  }
  if (at_word("private") && at_word("by", 1)) {
    take();
    take();
    if (!expect_word("default", "after `private by`")) return false;
    out.visibility.push_back({true, span_from(begin)});
    return true;
  }
  if (accept_word("hidden")) {
    if (!expect_word("rows", "after `hidden`") || !expect_word("elide", "after `hidden rows`")) {
      return false;
    }
    out.elides.push_back(span_from(begin));
    return true;
  }
  if (at_word("owner")) return parse_owner(out);
  if (at_word("fetch")) return parse_fetch(out);
  if (at_word("cache")) return parse_cache_clause(out.caches.emplace_back());
  taken = false;
  return true;
}

// "owner" Name "is" "caller" [ "." Name ]
bool IdlParser::parse_owner(syntax::Entity& out) {
  const uint32_t begin = take().span.begin;
  syntax::Owner owner;
  if (!expect_name(owner.field, "the field that holds the owner")) return false;
  if (!expect_word("is", "after `owner " + owner.field.text + "`")) return false;
  if (!expect_word("caller", "or `caller.<claim>` after `is`")) return false;
  if (accept(Kind::Dot) && !expect_name(owner.claim, "the name of a claim")) return false;
  owner.span = span_from(begin);
  out.owners.push_back(std::move(owner));
  return true;
}

// "fetch" "by" Key ":" Policy
bool IdlParser::parse_fetch(syntax::Entity& out) {
  const uint32_t begin = take().span.begin;
  syntax::Fetch fetch;
  if (!expect_word("by", "and the key after `fetch`")) return false;
  if (!parse_key(fetch.key)) return false;
  if (!expect(Kind::Colon, "`:` and a policy after the key")) return false;
  if (!parse_policy(fetch.policy)) return false;
  fetch.span = span_from(begin);
  out.fetches.push_back(std::move(fetch));
  return true;
}

// Name [ Parameters ] ":" Type [ Derivation ] { Policy | Cache }
bool IdlParser::parse_field(syntax::Entity& out, syntax::Metadata metadata) {
  syntax::Field field;
  const size_t begin = index_;
  field.metadata = std::move(metadata);
  if (!expect_name(field.name, "a field")) return false;
  if (!parse_parameters(field.arguments, false)) return false;
  if (!expect(Kind::Colon, "`:` and a type after `" + field.name.text + "`")) return false;
  if (!parse_type(field.type)) return false;
  if (at_clause("derived") && !parse_derivation(field.derivation.emplace())) return false;
  while (true) {
    if (!field.policy && at_policy()) {
      if (!parse_policy(field.policy.emplace())) return false;
    } else if (!field.cache && at_clause("cache")) {
      if (!parse_member_cache(field.cache, begin, field.name)) return false;
    } else {
      break;
    }
  }
  out.fields.push_back(std::move(field));
  return true;
}

// The cache clause of a member. On a line of its own behind a member of one line it could be meant
// for the whole entity, and whoever meant that must not get less.
bool IdlParser::parse_member_cache(std::optional<syntax::CacheClause>& out, size_t member_begin,
                                   const Word& member) {
  const auto begins_line = [](const IdlToken& token) { return token.first_on_line; };
  const auto first = tokens_.begin() + static_cast<ptrdiff_t>(member_begin) + 1;
  const auto last = tokens_.begin() + static_cast<ptrdiff_t>(index_);
  if (peek().first_on_line && std::none_of(first, last, begins_line)) {
    return fail_at(peek().span,
                   "this cache clause could be meant for the entity or for `" + member.text +
                       "`: write it above the first member, or on the line of `" + member.text +
                       "`",
                   "cache");
  }
  return parse_cache_clause(out.emplace());
}

// "derived" "reads" Dependency { "," Dependency } [ "@declassify" .. ] ( "on" "read" | "maintained"
// )
bool IdlParser::parse_derivation(syntax::Derivation& out) {
  const uint32_t begin = take().span.begin;
  if (!expect_word("reads", "and what the field is computed from, after `derived`")) return false;
  do {
    if (!has_room(out.reads.size(), kListMax, "dependencies of one field")) return false;
    if (!parse_dependency(out.reads.emplace_back())) return false;
  } while (accept(Kind::Comma));
  if (at(Kind::At) && !parse_directive_use(out.declassify.emplace())) return false;
  if (accept_word("maintained")) {
    out.maintained = true;
  } else if (accept_word("on")) {
    if (!expect_word("read", "after `on`")) return false;
  } else {
    return fail_expected("`on read` or `maintained` after the read set");
  }
  out.span = span_from(begin);
  return true;
}

// "own" "(" Names ")" | Edge "..." Fragment | Relationship Aggregate
bool IdlParser::parse_dependency(syntax::Dependency& out) {
  if (at_word("own") && peek(1).kind == Kind::ParenOpen) {
    take();
    out.kind = Dependency::Kind::OwnFields;
    return parse_key(out.own_fields);
  }
  if (!expect_name(out.edge, "own(..), `edge ...Fragment` or `relationship count`")) return false;
  if (accept(Kind::Spread)) {
    out.kind = Dependency::Kind::Edge;
    return expect_name(out.fragment, "the name of a fragment after `...`");
  }
  return parse_aggregate(out);
}

// "count" | ( "sum" | "min" | "max" ) "(" Name ")"
bool IdlParser::parse_aggregate(syntax::Dependency& out) {
  using Function = Dependency::Function;
  out.kind = Dependency::Kind::Aggregate;
  if (accept_word("count")) {
    out.function = Function::Count;
    return true;
  }
  if (accept_word("sum")) {
    out.function = Function::Sum;
  } else if (accept_word("min")) {
    out.function = Function::Min;
  } else if (accept_word("max")) {
    out.function = Function::Max;
  } else {
    return fail_expected("`...Fragment`, count, sum(field), min(field) or max(field) after `" +
                         out.edge.text + "`");
  }
  return expect(Kind::ParenOpen, "`(` and a field") &&
         expect_name(out.aggregate_field, "the field to aggregate") &&
         expect(Kind::ParenClose, "`)`");
}

// "has" ( "one" [ "?" ] | "many" ) Name ":" Target "by" Name { Clause }
bool IdlParser::parse_relationship(syntax::Entity& out, syntax::Metadata metadata) {
  syntax::Relationship edge;
  const size_t begin = index_;
  edge.metadata = std::move(metadata);
  take();
  const bool many = text_of(take()) == "many";
  const bool optional = accept(Kind::Question);
  if (many && optional)
    return fail_at(peek().span, "`has many?` does not exist: an empty set is legal");
  edge.kind = many       ? Relationship::Kind::Many
              : optional ? Relationship::Kind::OneOptional
                         : Relationship::Kind::One;
  if (!expect_name(edge.name, "the name of a relationship")) return false;
  if (!expect(Kind::Colon, "`:` and the target of `" + edge.name.text + "`")) return false;
  if (!parse_target(edge.target)) return false;
  if (!expect_word("by", "and the linking field of `" + edge.name.text + "`")) return false;
  if (at(Kind::ParenOpen)) {
    return fail_at(peek().span,
                   "a relationship links by one field; `" + edge.name.text + "` names several");
  }
  if (!expect_name(edge.link, "the linking field")) return false;
  bool taken = true;
  while (taken) {
    taken = false;
    if (!edge.policy && at_policy()) {
      if (!parse_policy(edge.policy.emplace())) return false;
      taken = true;
    } else if (!edge.cache && at_clause("cache")) {
      if (!parse_member_cache(edge.cache, begin, edge.name)) return false;
      taken = true;
    } else if (many && !parse_collection_clause(edge.collection, taken)) {
      return false;
    }
  }
  out.relationships.push_back(std::move(edge));
  return true;
}

// Name | "(" Name { "|" Name } ")" | "[" Target "]"
bool IdlParser::parse_target(syntax::Target& out) {
  const uint32_t begin = peek().span.begin;
  if (at(Kind::BracketOpen)) {
    return fail_at(peek().span,
                   "a target stands without brackets: `has many` and `list` say that "
                   "there are several");
  }
  if (accept(Kind::ParenOpen)) {
    out.is_union = true;
    do {
      if (!has_room(out.names.size(), kListMax, "members of one union")) return false;
      if (!expect_name(out.names.emplace_back(), "an entity of the union")) return false;
    } while (accept(Kind::Pipe));
    if (!expect(Kind::ParenClose, "`|` or `)`")) return false;
  } else if (!expect_name(out.names.emplace_back(), "an entity, an interface or a union (A | B)")) {
    return false;
  }
  out.span = span_from(begin);
  return true;
}

// One clause of a collection, if one begins here.
bool IdlParser::parse_collection_clause(syntax::CollectionClauses& out, bool& taken) {
  taken = true;
  const IdlToken word = peek();
  const auto number = [&](std::optional<syntax::Number>& slot, std::string_view wanted) {
    take();
    if (slot) fail_at(word.span, "`" + std::string(text_of(word)) + "` is given twice");
    return expect_number(slot.emplace(), wanted);
  };
  if (at_word("ordered") && at_word("by", 1)) return parse_order(out);
  if (at_clause("page")) return number(out.page, "the default page size");
  if (at_clause("min")) return number(out.min, "the least number of members");
  if (at_clause("max")) return number(out.max, "the greatest number of members");
  if (at_clause("truncate")) {
    take();
    out.truncate = true;
    out.truncate_span = word.span;
    return true;
  }
  if (at_word("total") && (at_word("exact", 1) || at_word("estimate", 1))) {
    take();
    if (out.total) fail_at(word.span, "`total` is given twice");
    out.total = text_of(take()) == "exact" ? CountPolicy::Exact : CountPolicy::Estimate;
    out.total_span = word.span;
    return true;
  }
  if (at_word("grouped") && at_word("by", 1)) {
    take();
    take();
    return parse_name_list(out.grouping, "a grouping field");
  }
  if (at_clause("as")) {
    take();
    return expect_name(out.shared_name, "the name of the collection");
  }
  taken = false;
  return true;
}

// "ordered" "by" Name ( "asc" | "desc" ) { "," Name ( "asc" | "desc" ) }
bool IdlParser::parse_order(syntax::CollectionClauses& out) {
  const uint32_t begin = take().span.begin;
  take();
  if (!out.order.empty()) return fail_at(span_from(begin), "`ordered by` is given twice");
  do {
    if (!has_room(out.order.size(), kListMax, "columns of one order")) return false;
    syntax::OrderColumn& column = out.order.emplace_back();
    if (!expect_name(column.field, "a field to order by")) return false;
    if (accept_word("desc")) {
      column.descending = true;
    } else if (!accept_word("asc")) {
      return fail_expected("`asc` or `desc` after `" + column.field.text + "`");
    }
    const bool goes_on = at(Kind::Comma) && (at_word("asc", 2) || at_word("desc", 2));
    if (!goes_on) break;
    take();
  } while (true);
  out.order_span = span_from(begin);
  return true;
}

}  // namespace lattice::schema
