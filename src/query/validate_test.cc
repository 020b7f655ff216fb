// The static rules of §4.8: each finding names its offender, points at it and says what to do.
#include "query/validate.h"

#include <doctest/doctest.h>

#include "query/test_schema.h"

namespace lattice::query {
namespace {

using test_support::canonical;
using test_support::findings;

struct Case {
  std::string_view query;
  std::string_view finding;  // how the only finding begins
};

void check_cases(std::initializer_list<Case> cases) {
  for (const Case& item : cases) {
    CAPTURE(item.query);
    const auto found = findings(item.query);
    CHECK(found.size() == 1);
    if (found.empty()) continue;
    CAPTURE(found.front());
    CHECK(found.front().starts_with(item.finding));
  }
}

TEST_CASE("rule 1: one query, any number of fragments") {
  check_cases({
      {"", " | the document holds no query"},
      {"fragment F on User { name }", " | the document holds no query"},
      {"query { hero { name } } query { hero { name } }", "query | a document holds exactly one"},
      {"mutation { x }", "mutation | expected `query`, `fragment` or `import`, found `mutation`: a mut"},
      {"{ hero { name } }", "{ | expected `query`, `fragment` or `import`, found `{`: a query begins"},
      {"query() { hero { name } }", "() | this list of variables is empty"},
      {"query($t: [Text]) { hero { name } }", "[ | the type of a variable is a name"},
  });
}

TEST_CASE("rule 2: reserved names") {
  check_cases({
      {"query($on: Mood) { hero(mood: $on) { name } }", "$on | `on` is reserved"},
      {"fragment true on User { name } query { hero { name } }", "true | `true` is reserved"},
      {"query { hero(mood: fragment) { name } }", "fragment | `fragment` is reserved"},
  });
  CHECK(findings("query { hero { ...on } }").size() == 1);
}

TEST_CASE("rule 4: @depth") {
  check_cases({
      {"query { post(id: \"1\") { title replies @depth(2) { title } } }",
       "replies | `replies` repeats the enclosing selection"},
      {"query { post(id: \"1\") { title author @depth(2) } }",
       "author | @depth needs an edge from Post to Post, and `author` leads to User"},
      {"query { post(id: \"1\") { title @depth(2) } }", "title | `title` is a value: @depth stands"},
      {"query { post(id: \"1\") @depth(2) }", "post | the root `post` takes no @depth"},
      {"query { hero { ... on User { friends @depth(2) } } }",
       "friends | @depth needs an edge from User to User, and `friends` leads to Named"},
  });
  CHECK(canonical("query { hero { friends { name friends @depth(3) } } }") ==
        "query{hero{friends{friends@depth(3) name}}}");
  CHECK(canonical("query { post(id: \"1\") { title parent @depth(2) } }") ==
        "query{post(id:\"1\"){parent@depth(2) title}}");
}

TEST_CASE("rule 4: @defer") {
  check_cases({{"query { hero @defer { name } }", "hero | the root `hero` cannot be deferred"}});
  CHECK(canonical("query { post(id: \"1\") { title replies @depth(2) @defer } }") ==
        "query{post(id:\"1\"){replies@depth(2)@defer title}}");
}

TEST_CASE("rule 4: custom directives") {
  check_cases({
      {"query { hero { name @include(if: true) } }",
       "@include | the schema declares no directive @include: selections are never conditional"},
      {"query { hero { name @trak } }",
       "@trak | the schema declares no directive @trak; did you mean `track`?"},
      {"query { hero { name @deprecated } }", "@deprecated | @deprecated belongs to schemas"},
      {"query { hero { name @stable } }",
       "@stable | @stable may not stand on a SELECTION: it is declared on `FIELD`"},
      {"query @level(of: 1) { hero { name } }", "@level | @level may not stand on a QUERY"},
      {"query { hero { name @level } }", "@level | @level needs the argument `of: I32`"},
      {"query { hero { name @level(of: \"x\") } }", "\"x\" | of: `\"x\"` where I32 wants a number"},
      {"query { hero { name @level(of: 1, to: 2) } }", "to | @level takes no argument `to`"},
      {"query { hero { name @level(of: 1) @level(of: 2) } }", "@level | @level may stand here only"},
      {"query($x: Text) { search(text: $x) { ... on User { name @track(tag: $x) } } }",
       "$x | a directive takes literals only, not $x"},
  });
  CHECK(canonical("query @track { hero { name @track @track(tag: \"b\") ... on User { "
                  "...UserName @track } } }") ==
        "query{hero{name ... on User{...UserName}}}");
}

TEST_CASE("rule 5: fields and selections") {
  check_cases({
      {"query { villain { name } }", "villain | the schema has no root `villain`"},
      {"query { heroo { name } }", "heroo | the schema has no root `heroo`; did you mean `hero`?"},
      {"query { hero { nam } }", "nam | (Bot | User) has no field `nam`; did you mean `name`?"},
      {"query { post(id: \"1\") { titel } }",
       "titel | Post has no field `titel`; did you mean `title`?"},
      {"query { hero { model } }",
       "model | (Bot | User) has no common field `model`, `Bot` has it: select it in `... on Bot { }`"},
      {"query { hero { friends { email } } }",
       "email | Named has no common field `email`, `User` has it"},
      {"query { hero { id } }", "id | the members of (Bot | User) declare `id` differently"},
      {"query { hero { name { first } } }", "name | `name` is a value of Text and takes no selection"},
      {"query { hero { friends } }", "friends | `friends` is an edge to Named: select its fields"},
      {"query { hero }", "hero | the root `hero` leads to (Bot | User): select fields"},
      {"query { ... on User { name } }", "... on User | the top level of a query holds root fields"},
      {"query { ...UserName }", "...UserName | the top level of a query holds root fields only"},
  });
}

TEST_CASE("rule 5: inline fragments") {
  check_cases({
      {"query { hero { ... on Wookiee { name } } }", "... on Wookiee | there is no type `Wookiee`"},
      {"query { hero { ... on Usr { name } } }",
       "... on Usr | there is no type `Usr`; did you mean `User`?"},
      {"query { hero { ... on Post { title } } }",
       "... on Post | `Post` is not in (Bot | User), which is `Bot` or `User`"},
      {"query { hero { ... on Named { name } } }", "... on Named | `Named` is an interface"},
      {"query { post(id: \"1\") { ... on Post { title } } }",
       "... on Post | this selection is on Post already: leave out `... on Post`"},
      {"query { post(id: \"1\") { ... on User { name } } }",
       "... on User | this selection is on Post already: it is never `User`"},
  });
}

TEST_CASE("rule 6: arguments are declared, given once, and complete") {
  check_cases({
      {"query { hero(mod: Calm) { name } }", "mod | `hero` takes no argument `mod`; did you mean `mood`?"},
      {"query { hero(zap: 3) { name } }", "zap | `hero` takes no argument `zap`; it takes `mood`"},
      {"query { hero(mood: Calm, mood: Loud) { name } }", "mood | the argument `mood` of `hero` is giv"},
      {"query { feed(first: 3, limit: 4) { title } }", "limit | the argument `limit` of `feed` is given"},
      {"query { post { title } }", "post | `post` needs the argument `id: PostId`"},
      {"query { search { ... on User { name } } }", "search | `search` needs the argument `text: Text`"},
      {"query { hero { ... on User { score } } }", "score | `score` needs the argument `of: Mood`"},
      {"query { hero(mood: null) { name } }", "null | null is not a value: leave the argument out"},
      {"query { post(id: \"1\") { replies(parentId: \"2\") { title } } }",
       "parentId | `replies` takes no argument `parentId`; it takes `first`"},
  });
  CHECK(canonical("query { post(id: \"1\") { grouped(orgId: \"o\") { title } } }") ==
        "query{post(id:\"1\"){grouped(orgId:\"o\"){title}}}");
  CHECK(canonical("query { feed(orgId: \"o\") { title } recent(orgId: \"o\") { title } }")
            .find("maxRoots") == std::string::npos);
}

TEST_CASE("rule 6: pages") {
  check_cases({
      {"query { feed(first: 2, last: 2) { title } }", "last | `feed`: `first` and `last` exclude"},
      {"query($c: Cursor) { feed(after: $c) { title } }", "after | `feed`: `after` goes with `first`"},
      {"query($c: Cursor) { feed(first: 2, before: $c) { title } }", "before | `feed`: `before` goes"},
      {"query($c: Cursor) { feed(around: $c, first: 2) { title } }", "around | `feed`: `around` takes"},
      {"query($c: Cursor) { feed(around: $c, last: 2) { title } }", "around | `feed`: `around` takes"},
      {"query { post(id: \"1\") { tags(first: 5) { name } } }",
       "first | `tags` takes no argument `first`: the collection is bounded and comes whole"},
      {"query { post(id: \"1\") { author(first: 1) { name } } }",
       "first | `author` takes no argument `first`: it does not lead to a list in pages"},
      {"query { post(id: \"1\") { ranked { title } } }", "ranked | `ranked` has no default page"},
      {"query { recent { title } }", "recent | `recent` has no default page: give `first`"},
      {"query { feed(first: 101) { title } }", "101 | first: a page of 101 is not from 1 to 100"},
      {"query { feed(first: 0) { title } }", "0 | first: a page of 0 is not from 1 to 100"},
      {"query { feed(last: -1) { title } }", "-1 | last: a page of -1 is not from 1 to 100"},
      {"query { feed(limit: 101) { title } }", "101 | limit: a page of 101"},
      {"query($n: I32 = 101) { feed(first: $n) { title } }", "101 | $n: a page of 101"},
      {"query { feed(first: 1.5) { title } }", "1.5 | first"},
      {"query { feed(first: \"2\") { title } }", "\"2\" | first: `\"2\"` where I32 wants a number"},
  });
  CHECK(canonical("query { post(id: \"1\") { ranked(last: 3) { title } } }").starts_with("query{"));
  CHECK(canonical("query { limited(limit: 6) { title } }") == "query{limited(limit:6){title}}");
}

TEST_CASE("literals fit their slot, refinements included") {
  check_cases({
      {"query { hero(mood: Angry) { name } }", "Angry | mood: `Angry` where Mood wants `Calm`, `Loud` or"},
      {"query { hero(mood: Lod) { name } }",
       "Lod | mood: `Lod` where Mood wants `Calm`, `Loud` or `Sleepy`; did you mean `Loud`?"},
      {"query { hero(mood: \"Loud\") { name } }", "\"Loud\" | mood: `\"Loud\"` where the enum Mood wants"},
      {"query { hero(mood: true) { name } }", "true | mood: `true` where Mood wants"},
      {"query { post(id: 1) { title } }", "1 | id: `1` where Text wants a string"},
      {"query { tagged(tags: \"a\") { title } }", "\"a\" | tags: `\"a\"` where [Text]+ wants a list"},
      {"query { tagged(tags: [\"a\", 1]) { title } }", "1 | tags: `1` where Text wants a string"},
      {"query { tagged(tags: []) { title } }", "[] | tags"},
      {"query { paid(money: 1) { title } }", "1 | money: `1` where a value of Money is wanted, which has"},
      {"query { probe(x: true, flag: true, big: 1, price: \"1.5\", short: \"a\") { title } }",
       "true | x: `true` where F64 wants a number"},
      {"query { probe(x: 1, flag: 1, big: 1, price: \"1.5\", short: \"a\") { title } }",
       "1 | flag: `1` where Bool wants `true` or `false`"},
      {"query { probe(x: 1, flag: true, big: 1.5, price: \"1.5\", short: \"a\") { title } }",
       "1.5 | big: `1.5` where I64 wants a whole number"},
      {"query { probe(x: 1, flag: true, big: 1, price: 1.5, short: \"a\") { title } }",
       "1.5 | price: `1.5` where Decimal wants a string"},
      {"query { probe(x: 1, flag: true, big: 1, price: \"1.5\", short: \"abcd\") { title } }",
       "\"abcd\" | short"},
      {"query { probe(x: 1, flag: true, big: 9223372036854775808, price: \"1\", short: \"a\") { title } }",
       "9223372036854775808 | big"},
      {"query { probe(x: 1, flag: true, big: 1, price: \"1\", short: \"a\", w: 256) { title } }",
       "256 | w"},
      {"query { probe(x: 1, flag: true, big: 1, price: \"1\", short: \"a\", at: \"noon\") { title } }",
       "\"noon\" | at"},
  });
  CHECK(canonical("query { probe(x: 1, flag: true, big: 5.0, price: \"1\", short: \"a\", w: 7.0) { title } }") ==
        "query{probe(big:5,flag:true,price:\"1\",short:\"a\",x:1){title}}");
}

TEST_CASE("rule 7: variables are declared, used, and of the slot's type") {
  check_cases({
      {"query($x: Text) { hero { name } }", "$x | the variable $x is declared but never used"},
      {"query { hero(mood: $m) { name } }", "$m | the variable $m is not declared"},
      {"query($mod: Mood) { hero(mood: $mod) { name } search(text: $mood) { ... on User { name } } }",
       "$mood | the variable $mood is not declared; did you mean `mod`?"},
      {"query($p: Mood) { hero(mood: $p) { name } }", "$p | the variable $p would collide with the URL"},
      {"query($m: Mood, $m: Mood) { hero(mood: $m) { name } }", "$m | the variable $m is declared twice"},
      {"query($m: Mod) { hero(mood: $m) { name } }", "Mod | there is no type `Mod`; did you mean `Mood`?"},
      {"query($m: User) { hero(mood: $m) { name } }", "User | `User` is no value type"},
      {"query($n: Text) { feed(first: $n) { title } }", "$n | first: $n is declared as Text, and I32 is"},
      {"query($i: Text) { post(id: $i) { title } }", "$i | id: $i is declared as Text, and PostId is"},
      {"query($i: PostId?) { post(id: $i) { title } }",
       "$i | id: $i is declared as PostId? and may be missing; declare it as PostId"},
      {"query($a: Mood, $b: Mood = $a) { hero(mood: $a) { ... on User { score(of: $b) } } }",
       "$a | the default of $b must be a literal, not a variable"},
      {"query($m: Mood = 3) { hero(mood: $m) { name } }", "3 | $m: `3` where Mood wants"},
      {"query($t: Text) { tagged(tags: [$t]) { title } }",
       "$t | tags: the variable $t cannot stand inside a list"},
  });
  CHECK(canonical("query($m: Mood?) { hero(mood: $m) { name } }").starts_with("query($m:Mood?)"));
  CHECK(canonical("query($i: PostId? = \"1\") { post(id: $i) { title } }") ==
        "query($i:PostId?=\"1\"){post(id:$i){title}}");
  CHECK(canonical("query($t: Tags) { tagged(tags: $t) { title } }") ==
        "query($t:Tags){tagged(tags:$t){title}}");
  CHECK(canonical("query($c: Cursor?) { feed(first: 5, after: $c) { title } }") ==
        "query($c:Cursor?){feed(after:$c,first:5){title}}");
}

TEST_CASE("rule 8: spreads") {
  check_cases({
      {"query { hero { ...Nope } }", "...Nope | there is no fragment `Nope` in the document"},
      {"query { hero { ... on User { ...UserNam } } }",
       "...UserNam | there is no fragment `UserNam` in the document, its imports or the schema; did"},
      {"fragment A on Named { ...B } fragment B on Named { ...A } query { hero { ...A } }",
       "...A | fragments spread in a circle: A → B → A"},
      {"fragment A on Named { friends { ...A } } query { hero { ...A } }",
       "...A | fragments spread in a circle: A → A"},
      {"fragment T on Tag { name } query { feed { ...T } }",
       "...T | `...T` is on Tag and never applies to Post"},
      {"fragment F on Named { name } fragment F on Named { name } query { hero { ...F } }",
       "F | the fragment `F` is defined twice"},
      {"fragment F on Nowhere { name } query { hero { name } }",
       "Nowhere | there is no entity or interface `Nowhere`"},
      {"fragment F($s: I32) on Named { name } query { hero { ...F(s: 1) } }",
       "$s | the parameter $s of `F` is never used"},
      {"fragment F($s: I32) on Named { avatar(size: $s) } query { hero { ...F } }",
       "...F | `...F` needs the argument `s: I32`"},
      {"fragment F($s: I32) on Named { avatar(size: $s) } query { hero { ...F(s: \"x\") } }",
       "\"x\" | s: `\"x\"` where I32 wants a number"},
      {"query { hero { ...Avatar(width: 3) } }", "width | `...Avatar` takes no argument `width`"},
      {"query { hero { ... on User { ...Byline } } }", "...Byline | `...Byline` needs the argument `size"},
      {"fragment F on Named { nam } query { hero { name } }",
       "nam | Named has no field `nam`; did you mean `name`?"},
  });
}

TEST_CASE("a fragment that hides one of the schema has a code of its own") {
  const std::string_view text = "fragment UserName on User { email } query { hero { name } }";
  auto query = compile_query(text, test_support::test_schema());
  REQUIRE_FALSE(query.has_value());
  CHECK(query.error().code == Code::FragmentShadow);
  // Another type: another fragment (§4.5), and the local one is meant.
  CHECK(canonical("fragment UserName on Bot { model } query { hero { ... on Bot { ...UserName } } }") ==
        "query{hero{... on Bot{model}}}");
}

TEST_CASE("nodes takes references and concrete alternatives") {
  check_cases({
      {"query { nodes { ... on Tag { name } } }", "nodes | `nodes` needs the argument `refs: [EntityRef]`"},
      {"query { nodes(refs: \"Tag:1\") { ... on Tag { name } } }", "\"Tag:1\" | refs wants a list of"},
      {"query { nodes(refs: [1]) { ... on Tag { name } } }", "[1] | refs wants a list of references"},
      {"query($r: Text) { nodes(refs: $r) { ... on Tag { name } } }",
       "$r | refs: $r is declared as Text, and EntityRef is wanted"},
      {"query { nodes(refs: []) { name } }", "name | `nodes` leads to any type: select `name` in"},
  });
  CHECK(canonical("query { nodes(refs: [\"Tag:1\"]) { ...UserName } }") ==
        "query{nodes(refs:[\"Tag:1\"]){... on User{...UserName}}}");
}

TEST_CASE("several findings come in one pass, in source order, and not without end") {
  const auto found = findings(
      "query($u: Text, $m: Mod) { hero(mood: Angry) { nam friends } vilain { x } feed(first: 500) { "
      "titel ...Nope } }");
  REQUIRE(found.size() == 10);
  CHECK(found[0].starts_with("$u |"));
  CHECK(found[3].starts_with("Angry |"));
  CHECK(found[9].starts_with("...Nope |"));
  std::string many = "query { feed {";
  for (int i = 0; i < 1000; ++i) many += " x" + std::to_string(i);
  CHECK(findings(many + " } }").size() == 50);
  CHECK(findings(many + " } }", {.diagnostics_max = 3}).size() == 3);
}

TEST_CASE("deprecated elements are warned about") {
  auto query = compile_query("query { hero { ... on User { nick } } }", test_support::test_schema());
  REQUIRE(query.has_value());
  REQUIRE(query->warnings.size() == 1);
  CHECK(query->warnings[0].message == "User.nick is deprecated until 2030-01-01: use name");
  CHECK(query->warnings[0].severity == Severity::Warning);
  CHECK(query->warnings[0].span == Span{29, 33});
}

TEST_CASE("imports are read once, nested, and their findings name them") {
  const std::map<std::string, std::string, std::less<>> files = {
      {"a.lq", "import \"b.lq\" fragment A on Named { ...B }"},
      {"b.lq", "fragment B on Named { name }"},
      {"bad.lq", "fragment Bad on Named { nam }"},
      {"query.lq", "query { hero { name } }"},
      {"loop.lq", "import \"loop2.lq\""},
      {"loop2.lq", "import \"loop.lq\""},
  };
  const ImportLoader loader = [&](std::string_view path) -> std::optional<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return std::nullopt;
    return found->second;
  };
  const auto found = [&](std::string_view text) { return findings(text, {}, loader); };
  CHECK(found("import \"a.lq\" import \"b.lq\" query { hero { ...A ...B } }").empty());
  CHECK(found("import \"x.lq\" query { hero { name } }") ==
        std::vector<std::string>{"\"x.lq\" | the import \"x.lq\" cannot be found"});
  CHECK(found("import \"bad.lq\" query { hero { name } }") ==
        std::vector<std::string>{"bad.lq | Named has no field `nam`; did you mean `name`?"});
  CHECK(found("import \"query.lq\" query { hero { name } }").front().starts_with(
      "query.lq | an imported document holds fragments"));
  CHECK(found("import \"loop.lq\" query { hero { name } }").front().starts_with(
      "loop2.lq | imports go in a circle: loop.lq → loop2.lq → loop.lq"));
  // Spans of what an import brought are those of the place in the main text.
  const std::string_view text = "import \"b.lq\" query { hero { ...B } }";
  auto query = compile_query(text, test_support::test_schema(), {}, loader);
  REQUIRE(query.has_value());
  CHECK(query->roots[0].selections[0].span == query->roots[0].span);
}

TEST_CASE("texts that are not UTF-8 or too long are refused at once") {
  CHECK(findings("query { hero { name } } # \xFF").front().find("UTF-8") != std::string::npos);
  CHECK(findings(std::string(2'000'000, ' ')).front().find("longer than 1048576 bytes") !=
        std::string::npos);
  CHECK(findings("\xEF\xBB\xBFquery { hero { name } }").front().find("byte order mark") !=
        std::string::npos);
}

}  // namespace
}  // namespace lattice::query
