// Claims, directive declarations, fragments, roots and mutations (spec §3.4, §3.9, §4.5, §11).
#include "schema/parse.h"

namespace lattice::schema {

using syntax::Word;

// claims "{" { Name ":" Type } "}"
bool IdlParser::parse_claims(const syntax::Metadata& metadata) {
  if (!metadata.is_empty()) {
    fail_at(metadata.span, "the claims block takes no description and no directives",
            "description");
  }
  if (!expect(Kind::BraceOpen, "`{` after `claims`")) return false;
  while (!accept(Kind::BraceClose)) {
    if (!has_room(document_.claims.size(), kMembersMax, "claims")) return false;
    syntax::Claim claim;
    if (!expect_name(claim.name, "a claim or `}`")) return false;
    if (!expect(Kind::Colon, "`:` and a type after `" + claim.name.text + "`")) return false;
    if (!parse_type(claim.type)) return false;
    document_.claims.push_back(std::move(claim));
    accept(Kind::Comma);
  }
  return true;
}

// directive "@" Name [ Parameters ] [ "repeatable" ] "on" Location { "|" Location }
bool IdlParser::parse_directive(syntax::Metadata metadata) {
  syntax::DirectiveDeclaration directive;
  directive.metadata = std::move(metadata);
  if (!expect(Kind::At, "`@` and a name after `directive`")) return false;
  if (!expect_name(directive.name, "the name of a directive")) return false;
  if (!parse_parameters(directive.arguments, false)) return false;
  directive.repeatable = accept_word("repeatable");
  if (!expect_word("on", "and the places of @" + directive.name.text)) return false;
  accept(Kind::Pipe);
  do {
    if (!expect_name(directive.locations.emplace_back(), "a place such as ENTITY or FIELD"))
      return false;
  } while (accept(Kind::Pipe));
  document_.directives.push_back(std::move(directive));
  return true;
}

// fragment Name [ "(" { "$" Parameter } ")" ] "on" Name SelectionSet
bool IdlParser::parse_fragment(syntax::Metadata metadata) {
  syntax::Fragment fragment;
  fragment.metadata = std::move(metadata);
  if (!expect_name(fragment.name, "the name of a fragment")) return false;
  if (!parse_parameters(fragment.parameters, true)) return false;
  if (!expect_word("on", "and a type after `fragment " + fragment.name.text + "`")) return false;
  if (!expect_name(fragment.on, "an entity or an interface")) return false;
  const IdlToken brace = peek();
  if (!at(Kind::BraceOpen)) return fail_expected("`{` and the selections");
  // Selections are the query language's: its own parser reads them; our tokens are passed over.
  uint32_t offset = brace.span.begin;
  auto selections = parse_selections(text_, offset);
  take();
  while (!at(Kind::End) && peek().depth > brace.depth) take();
  if (!selections) {
    for (Diagnostic& diagnostic : selections.error().diagnostics) {
      fail_at(diagnostic.span, std::move(diagnostic.message), diagnostic.rule);
    }
    accept(Kind::BraceClose);
    return true;  // the findings are recorded, and the cursor stands behind the fragment
  }
  while (!at(Kind::End) && peek().span.begin < offset) take();
  fragment.selections = std::move(*selections);
  fragment.selection_span = {brace.span.begin, offset};
  document_.fragments.push_back(std::move(fragment));
  return true;
}

// ( "get" | "list" ) Name [ Parameters ] "of" Target [ "by" Name ] { Clause }
bool IdlParser::parse_root(syntax::Metadata metadata, bool is_list) {
  syntax::Root root;
  root.metadata = std::move(metadata);
  root.is_list = is_list;
  if (!expect_name(root.name, "the name of a root")) return false;
  if (!parse_parameters(root.parameters, false)) return false;
  if (!expect_word("of", "and the type of `" + root.name.text + "`")) return false;
  if (!parse_target(root.target)) return false;
  bool taken = true;
  while (taken) {
    if (!parse_root_clause(root, taken)) return false;
  }
  document_.roots.push_back(std::move(root));
  return true;
}

bool IdlParser::parse_root_clause(syntax::Root& out, bool& taken) {
  taken = true;
  if (at_policy()) return parse_policy(out.policies.emplace_back());
  if (!out.cache && at_clause("cache")) return parse_cache_clause(out.cache.emplace());
  if (!out.is_list) {
    taken = false;
    return true;
  }
  if (out.link.is_absent() && accept_word("by")) return expect_name(out.link, "the linking field");
  return parse_collection_clause(out.collection, taken);
}

// mutation Name [ Parameters ] ( "returns" | "->" ) Name "{" { Clause } "}"
bool IdlParser::parse_mutation(syntax::Metadata metadata) {
  syntax::Mutation mutation;
  mutation.metadata = std::move(metadata);
  if (!expect_name(mutation.name, "the name of a mutation")) return false;
  if (!parse_parameters(mutation.parameters, false)) return false;
  if (!accept(Kind::Arrow) &&
      !expect_word("returns", "and an entity after `mutation " + mutation.name.text + "`")) {
    return false;
  }
  if (!expect_name(mutation.returns, "the entity that the mutation returns")) return false;
  const IdlToken brace = peek();
  if (!expect(Kind::BraceOpen, "`{` and the clauses (allow, writes, invalidates, effect)"))
    return false;
  const auto depth = static_cast<uint16_t>(brace.depth + 1);
  while (!accept(Kind::BraceClose)) {
    if (at(Kind::End))
      return fail_at(brace.span, "this `{` of " + mutation.name.text + " is never closed");
    if (is_full()) return false;
    const size_t before = index_;
    if (!parse_mutation_clause(mutation)) {
      if (index_ == before) take();
      skip_to_member(depth);
    }
    accept(Kind::Comma);
  }
  document_.mutations.push_back(std::move(mutation));
  return true;
}

bool IdlParser::parse_mutation_clause(syntax::Mutation& out) {
  if (at_word("allow")) return parse_allow(out);
  if (accept_word("writes")) return parse_scopes(out.writes.emplace_back());
  if (at_word("invalidates")) return parse_invalidates(out);
  if (at_word("effect")) return parse_effect(out);
  if (at_word("as")) return parse_binding(out.bindings.emplace_back());
  if (at_word("batch")) return parse_batch(out);
  if (accept_word("errors")) return parse_errors(out);
  return fail_expected("allow, writes, invalidates, effect, as, errors, batch or `}` in mutation " +
                       out.name.text);
}

// "allow" ( "public" | "private" | "when" Predicate )
bool IdlParser::parse_allow(syntax::Mutation& out) {
  const uint32_t begin = take().span.begin;
  syntax::Policy& guard = out.guards.emplace_back();
  if (accept_word("public")) {
    guard.level = Policy::Level::Public;
  } else if (accept_word("private")) {
    guard.level = Policy::Level::Private;
  } else if (accept_word("when")) {
    if (!parse_predicate(guard)) return false;
  } else {
    return fail_expected("public, private or `when ..` after `allow`");
  }
  guard.span = span_from(begin);
  return true;
}

bool IdlParser::parse_scopes(std::vector<syntax::WriteScope>& out) {
  do {
    if (!has_room(out.size(), kMembersMax, "write scopes of one mutation")) return false;
    if (!parse_scope(out.emplace_back())) return false;
    if (!at(Kind::Comma) || peek(1).kind != Kind::Name) return true;
    if (peek(2).kind != Kind::ParenOpen && peek(2).kind != Kind::Dot) return true;
    take();
  } while (true);
}

// Name [ "." Name ] "(" Argument { "," Argument } ")"
bool IdlParser::parse_scope(syntax::WriteScope& out) {
  if (!expect_name(out.name, "a write scope such as Post(post) or feed(Post.orgId)")) return false;
  const uint32_t begin = out.name.span.begin;
  if (accept(Kind::Dot)) {
    Word edge;
    if (!expect_name(edge, "the collection after `" + out.name.text + ".`")) return false;
    out.is_dotted = true;
    out.name.text += '.' + edge.text;
    out.name.span = span_from(begin);
  }
  if (!expect(Kind::ParenOpen, "`(` and what the scope `" + out.name.text + "` is keyed by"))
    return false;
  while (!accept(Kind::ParenClose)) {
    if (!has_room(out.arguments.size(), kListMax, "arguments of one write scope")) return false;
    syntax::ScopeArgument& argument = out.arguments.emplace_back();
    if (!expect_name(argument.head, "an argument of the mutation, `new`, or Type.field"))
      return false;
    if (accept(Kind::Dot) &&
        !expect_name(argument.field, "a field after `" + argument.head.text + ".`")) {
      return false;
    }
    accept(Kind::Comma);
  }
  out.span = span_from(begin);
  return true;
}

// "invalidates" [ "writes" ] { [","] Scope }
bool IdlParser::parse_invalidates(syntax::Mutation& out) {
  const uint32_t begin = take().span.begin;
  syntax::Invalidation& invalidation = out.invalidations.emplace_back();
  if (at_word("writes") && peek(1).kind != Kind::ParenOpen && peek(1).kind != Kind::Dot) {
    take();
    invalidation.writes = true;
    const bool more = at(Kind::Comma) && peek(1).kind == Kind::Name &&
                      (peek(2).kind == Kind::ParenOpen || peek(2).kind == Kind::Dot);
    if (more) take();
    if (more && !parse_scopes(invalidation.scopes)) return false;
  } else if (!parse_scopes(invalidation.scopes)) {
    return false;
  }
  invalidation.span = span_from(begin);
  return true;
}

// "effect" ( "transactional" | "natural" [ String ] | "workflow" )
bool IdlParser::parse_effect(syntax::Mutation& out) {
  using Effect = Mutation::Effect;
  const uint32_t begin = take().span.begin;
  syntax::Effect& effect = out.effects.emplace_back();
  if (accept_word("transactional")) {
    effect.effect = Effect::Transactional;
  } else if (accept_word("workflow")) {
    effect.effect = Effect::Workflow;
  } else if (accept_word("natural")) {
    effect.effect = Effect::Natural;
    if (at(Kind::String) && !expect_string(effect.justification, "a justification")) return false;
  } else {
    return fail_expected("transactional, natural or workflow after `effect`");
  }
  effect.span = span_from(begin);
  return true;
}

// "as" Verb "/" "e" "/" Name [ "/" "{" Name "}" { "," "{" Name "}" } ] [ "last-writer-wins" ]
bool IdlParser::parse_binding(syntax::Binding& out) {
  const uint32_t begin = take().span.begin;
  if (!expect_name(out.verb, "PUT, PATCH, DELETE or POST")) return false;
  if (!expect(Kind::Slash, "the path `/e/Type` or `/e/Type/{argument}`")) return false;
  if (!expect_word("e", "and a type: bound mutations live under `/e/`")) return false;
  if (!expect(Kind::Slash, "`/` and a type after `/e`")) return false;
  if (!expect_name(out.entity, "an entity")) return false;
  if (accept(Kind::Slash)) {
    do {
      if (!has_room(out.key_arguments.size(), kListMax, "arguments of one path")) return false;
      if (!expect(Kind::BraceOpen, "`{` and an argument")) return false;
      if (!expect_name(out.key_arguments.emplace_back(), "an argument of the mutation"))
        return false;
      if (!expect(Kind::BraceClose, "`}`")) return false;
      if (!at(Kind::Comma) || peek(1).kind != Kind::BraceOpen) break;
      take();
    } while (true);
  }
  out.last_writer_wins = accept_word("last-writer-wins");
  out.span = span_from(begin);
  return true;
}

// "batch" ( "best-effort" | "all-or-nothing" ) "max" Number [ Binding ]
bool IdlParser::parse_batch(syntax::Mutation& out) {
  const uint32_t begin = take().span.begin;
  syntax::Batch& batch = out.batches.emplace_back();
  if (accept_word("all-or-nothing")) {
    batch.all_or_nothing = true;
  } else if (!accept_word("best-effort")) {
    return fail_expected("best-effort or all-or-nothing after `batch`");
  }
  if (!expect_word("max", "and the greatest number of items")) return false;
  if (!expect_number(batch.items_max, "the greatest number of items")) return false;
  if (at_word("as") && !parse_binding(batch.binding.emplace())) return false;
  batch.span = span_from(begin);
  return true;
}

// "errors" Name [ ( "open" | "closed" ) "=" Constructors ]
bool IdlParser::parse_errors(syntax::Mutation& out) {
  syntax::ErrorsClause& errors = out.errors.emplace_back();
  if (!expect_name(errors.name, "the sum type of the errors")) return false;
  if (!at_word("open") && !at_word("closed") && !at(Kind::Equals)) return true;
  syntax::TypeDeclaration& type = errors.inline_type.emplace();
  type.kind = TypeDeclaration::Kind::Data;
  type.name = errors.name;
  parse_openness(type);
  return expect(Kind::Equals, "`=` and the errors") && parse_constructors(type.constructors);
}

}  // namespace lattice::schema
