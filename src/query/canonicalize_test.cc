#include "query/canonicalize.h"

#include <doctest/doctest.h>

#include "query/literal.h"
#include "query/test_schema.h"

namespace lattice::query {
namespace {

using test_support::canonical;
using test_support::findings;
using test_support::test_schema;

TEST_CASE("defaults are erased by value, not by spelling") {
  CHECK(canonical("query { hero { avatar(size: 96.0) } }") == "query{hero{avatar}}");
  CHECK(canonical("query { hero { ... on User { score(of: Calm, weight: 5e-1) } } }") ==
        "query{hero{... on User{score(of:Calm)}}}");
  CHECK(canonical("query { hero { ...Avatar(size: 96) ...Avatar } }") == "query{hero{...Avatar}}");
}

TEST_CASE("the default page is erased, except beside after") {
  CHECK(canonical("query { feed(first: 20) { title } }") == "query{feed{title}}");
  CHECK(canonical("query { feed(limit: 20) { title } }") == "query{feed{title}}");
  CHECK(canonical("query($c: Cursor) { feed(after: $c, first: 20) { title } }") ==
        "query($c:Cursor){feed(after:$c,first:20){title}}");
  CHECK(canonical("query { feed(last: 20) { title } }") == "query{feed(last:20){title}}");
}

TEST_CASE("equal fields merge: the greater @depth, deferred only when all are") {
  CHECK(canonical("query { post(id: \"1\") { title replies @depth(2) replies @depth(4) replies @depth(3) } }") ==
        "query{post(id:\"1\"){replies@depth(4) title}}");
  CHECK(canonical("query { post(id: \"1\") { title @defer title } }") ==
        "query{post(id:\"1\"){title}}");
  CHECK(canonical("query { post(id: \"1\") { title @defer title @defer } }") ==
        "query{post(id:\"1\"){title@defer}}");
  CHECK(canonical("query { post(id: \"1\") { author @defer { name } author { email } } }") ==
        "query{post(id:\"1\"){author{email name}}}");
  CHECK(findings("query { post(id: \"1\") { title replies @depth(2) replies { title } } }").size() == 1);
}

TEST_CASE("equal roots merge, different ones are two queries") {
  CHECK(canonical("query { hero { name } hero { friends { name } } }") ==
        "query{hero{friends{name} name}}");
  CHECK(canonical("query { feed { title } feed(first: 20) { rank } }") == "query{feed{rank title}}");
  const auto found = findings("query { hero(mood: Calm) { name } hero { name } }");
  REQUIRE(found.size() == 1);
  CHECK(found[0].find("asked twice with different arguments") != std::string::npos);
  CHECK(found[0].find("write two queries") != std::string::npos);
}

TEST_CASE("local fragments vanish, wherever their type covers the site or a part of it") {
  CHECK(canonical("fragment N on Named { name } query { hero { ...N } }") == "query{hero{name}}");
  CHECK(canonical("fragment N on Named { name } query { search(text: \"x\") { ...N } }") ==
        "query{search(text:\"x\"){... on Bot{name} ... on User{name}}}");
  CHECK(canonical("fragment B on Bot { model } query { hero { ...B } }") ==
        "query{hero{... on Bot{model}}}");
  CHECK(canonical("fragment N on Named { name ... on Bot { model } ... on User { email } } "
                  "query { hero { ... on User { ...N } } }") ==
        "query{hero{... on User{email name}}}");
}

TEST_CASE("schema fragments stay, at the types they cover") {
  CHECK(canonical("query { hero { ...Avatar ...UserName } }") ==
        "query{hero{...Avatar ... on User{...UserName}}}");
  CHECK(canonical("query { search(text: \"x\") { ...Avatar(size: 5) } }") ==
        "query{search(text:\"x\"){... on Bot{...Avatar(size:5)} ... on User{...Avatar(size:5)}}}");
}

TEST_CASE("parameters are replaced by values, by variables, or by nothing") {
  CHECK(canonical("fragment F($s: I32 = 5) on Named { avatar(size: $s) } query { hero { ...F ...F(s: 6) } }") ==
        "query{hero{avatar(size:5) avatar(size:6)}}");
  CHECK(canonical("fragment F($s: I32) on Named { avatar(size: $s) } "
                  "query($s: Mood, $n: I32) { hero(mood: $s) { ...F(s: $n) } }") ==
        "query($n:I32,$s:Mood){hero(mood:$s){avatar(size:$n)}}");
  CHECK(canonical("fragment F($t: Timestamp?) on User { score(of: Calm, at: $t) } "
                  "query { hero { ... on User { ...F } } }") ==
        "query{hero{... on User{score(of:Calm)}}}");
  CHECK(canonical("fragment F($s: I32 = 5) on Named { ...G(s: $s) } "
                  "fragment G($s: I32 = 7) on Named { avatar(size: $s) } query { hero { ...F ...G } }") ==
        "query{hero{avatar(size:5) avatar(size:7)}}");
  CHECK(canonical("fragment F($s: I32 = 5) on Named { ...Avatar(size: $s) } query { hero { ...F } }") ==
        "query{hero{...Avatar(size:5)}}");
}

TEST_CASE("a fragment may name the query's variables, and its own parameters come first") {
  CHECK(canonical("fragment F on Named { avatar(size: $n) } query($n: I32) { hero { ...F } }") ==
        "query($n:I32){hero{avatar(size:$n)}}");
  // G's $s is the query's, although F, which spreads it, has a parameter of that name.
  CHECK(canonical("fragment F($s: I32) on Named { avatar(size: $s) ...G } "
                  "fragment G on Named { friends(first: $s) { name } } "
                  "query($s: I32) { hero { ...F(s: 3) } }") ==
        "query($s:I32){hero{avatar(size:3) friends(first:$s){name}}}");
}

TEST_CASE("what only the expanded text shows is found there") {
  // The parameter may be missing, and the field needs its argument.
  CHECK_FALSE(findings("fragment F($m: Mood?) on User { score(of: $m) } query { hero { ... on User { ...F } } }")
                  .empty());
  // The value fits the parameter, but not the field below.
  CHECK_FALSE(findings("fragment F($n: I32 = 1) on Named { friends(first: $n) { name } } "
                       "query { hero { ...F(n: 500) } }")
                  .empty());
  // @depth on an interface, spread where the enclosing type is one of its members.
  CHECK_FALSE(findings("fragment F on Named { name friends @depth(2) } "
                       "query { hero { ... on User { ...F } } }")
                  .empty());
  CHECK_FALSE(findings("fragment F on Named { ... on Bot { model } } "
                       "query { hero { ... on User { ...F } } }")
                  .empty());
}

TEST_CASE("strings are in NFC, and merge by their normal form") {
  CHECK(canonical("query { post(id: \"e\\u0301\") { title } post(id: \"\\u00e9\") { rank } }") ==
        "query{post(id:\"é\"){rank title}}");
  CHECK(canonical("query($i: PostId = \"e\\u0301\") { post(id: $i) { title } }") ==
        "query($i:PostId=\"é\"){post(id:$i){title}}");
}

// n fragments, each spreading the next one twice under different edges: 2^n selections.
std::string bomb(int levels) {
  std::string text = "query { hero { ...F0 } }";
  for (int i = 0; i < levels; ++i) {
    const std::string next = "...F" + std::to_string(i + 1);
    text += " fragment F" + std::to_string(i) + " on Named { friends(first: 1) { " + next +
            " } friends(first: 2) { " + next + " } }";
  }
  return text + " fragment F" + std::to_string(levels) + " on Named { name }";
}

TEST_CASE("fragments that multiply are refused while they are counted") {
  CHECK(canonical(bomb(3)).starts_with("query{"));
  CHECK(canonical(bomb(40)).find("more than 10000 selections") != std::string::npos);
  // Equal spreads in one set are one.
  std::string wide = "query { hero { ...F0 } }";
  for (int i = 0; i < 60; ++i) {
    const std::string next = "...F" + std::to_string(i + 1);
    wide += " fragment F" + std::to_string(i) + " on Named { " + next + " " + next + " }";
  }
  CHECK(canonical(wide + " fragment F60 on Named { name }") == "query{hero{name}}");
}

TEST_CASE("fragments that multiply long values are refused too") {
  std::string text = "query { hero { ... on User { ...F(t: \"" + std::string(10'000, 'v') +
                     "\") } } } fragment F($t: Cursor) on User {";
  for (int i = 1; i <= 40; ++i) {
    text += " friends(first: " + std::to_string(i) + ", after: $t) { name }";
  }
  text += " }";
  CHECK(canonical(text).find("maxCanonicalBytes") != std::string::npos);
  CHECK(canonical(text, {.expanded_bytes_max = 100'000}).find("more than 100000 bytes") !=
        std::string::npos);
}

TEST_CASE("expansion cannot nest deeper than a text may") {
  std::string text = "query { hero { ...F0 } }";
  for (int i = 0; i < 62; ++i) {
    text += " fragment F" + std::to_string(i) + " on Named { friends { friends { ...F" +
            std::to_string(i + 1) + " } } }";
  }
  text += " fragment F62 on Named { name }";
  CHECK(canonical(text).find("nests more than 64 levels") != std::string::npos);
}

TEST_CASE("limits on chains, fragments, roots and canonical bytes have names") {
  std::string chain = "query { hero { ...F0 } }";
  for (int i = 0; i < 70; ++i) {
    chain += " fragment F" + std::to_string(i) + " on Named { ...F" + std::to_string(i + 1) + " }";
  }
  chain += " fragment F70 on Named { name }";
  CHECK(canonical(chain).find("more than 64 levels") != std::string::npos);
  CHECK(canonical("query { hero { name } feed { title } }", {.roots_max = 1}).find("maxRoots") !=
        std::string::npos);
  CHECK(canonical("query { hero { name } }", {.canonical_bytes_max = 10}).find("maxCanonicalBytes") !=
        std::string::npos);
  std::string variables = "query(";
  for (int i = 0; i < 300; ++i) variables += "$v" + std::to_string(i) + ": I32 ";
  CHECK(canonical(variables + ") { hero { name } }").find("more than 200 variables") !=
        std::string::npos);
}

TEST_CASE("the hash and the name of a query") {
  auto query = compile_query("query Me { hero { name } }", test_schema());
  REQUIRE(query.has_value());
  CHECK(query->name == "Me");
  CHECK(query->hash == query_hash("query{hero{name}}"));
  CHECK(query->hash.size() == 22);
}

TEST_CASE("a schema fragment expands with values, variables and defaults") {
  const schema::Fragment& byline = *test_schema().find_fragment("Byline");
  Argument size{"size", {}, {}};
  size.value.kind = Value::Kind::Variable;
  size.value.text = "n";
  CHECK(print_selections(expand_fragment(byline, {size}, test_schema())) ==
        "avatar(size:$n) name ...Avatar(size:$n)");
  size.value.kind = Value::Kind::Number;
  size.value.text = "96";
  CHECK(print_selections(expand_fragment(byline, {size}, test_schema())) ==
        "avatar name ...Avatar");
  const schema::Fragment& avatar = *test_schema().find_fragment("Avatar");
  CHECK(print_selections(expand_fragment(avatar, {}, test_schema())) == "avatar");
}

TEST_CASE("a mask is canonical like any selection") {
  const schema::Entity& user = *test_schema().find_entity("User");
  const auto mask = [&](std::string_view text) {
    auto items = compile_mask(text, user, test_schema());
    return items ? print_selections(*items) : "error: " + items.error().message;
  };
  CHECK(mask("name") == "name");
  CHECK(mask("name,avatar(size:48),email,name") == "avatar(size:48) email name");
  CHECK(mask("avatar(size:96)") == "avatar");
  CHECK(mask("nam") == "error: User has no field `nam`; did you mean `name`?");
  CHECK(mask("friends").find("is an edge") != std::string::npos);
  CHECK(mask("friends{name}").find("is an edge") != std::string::npos);
  CHECK(mask("...UserName").find("`fragment=`") != std::string::npos);
  CHECK(mask("name@defer").find("no directives") != std::string::npos);
  CHECK(mask("avatar(size:$s)").find("not declared") != std::string::npos);
  CHECK(mask("").find("names no field") != std::string::npos);
  CHECK(mask("name}").starts_with("error: expected a field"));
  CHECK(mask("\xFF").find("UTF-8") != std::string::npos);
}

TEST_CASE("a wire value as a literal") {
  const schema::Schema& schema = test_schema();
  const auto& parameters = schema.find_root("probe")->parameters;
  const schema::Type mood = schema.find_root("hero")->parameters.front().type;
  const auto literal = [&](Json value, const schema::Type& type) {
    std::string out;
    const auto read = literal_of(value, type, schema);
    if (read) append_value(out, *read);
    return out;
  };
  CHECK(literal("Calm", mood) == "Calm");
  CHECK(literal("Calm", parameters.front().type) == "\"Calm\"");
  CHECK(literal(1.0, parameters.front().type) == "1");
  CHECK(literal(true, parameters.front().type) == "true");
  CHECK(literal(Json::array({"a", "b"}), schema.find_root("tagged")->parameters.front().type) ==
        "[\"a\",\"b\"]");
  CHECK(literal(nullptr, mood).empty());
}

}  // namespace
}  // namespace lattice::query
