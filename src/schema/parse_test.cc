#include "schema/parse.h"

#include <doctest/doctest.h>

#include "tests/support/idl.h"
#include "tests/support/schemas.h"

namespace lattice::schema {
namespace {

using testing::idl_finding;
using testing::idl_findings;
using testing::load_good_schema;

std::string canonical(std::string_view idl) {
  return load_good_schema(idl)->canonical_text;
}

// A document of one entity `E by id` with these members.
std::string entity(std::string_view members) {
  return "schema t.example entity E by id { visible to all by default id: Text " +
         std::string(members) + " }";
}

TEST_CASE("white space, commas and comments are free") {
  CHECK(
      canonical("schema a.b-c.d2 -- x\n# y\n,entity E by id{visible to all by default,id:Text,}") ==
      "schema a.b-c.d2\n\nentity E by id {\n  visible to all by default\n  id: Text\n}\n");
}

TEST_CASE("clause words stay usable as names of fields (§3.4)") {
  const auto schema = load_good_schema(entity(
      "max: I32 min: I32 page: I32 total: I32 as: Text cache: Text public: Bool "
      "visible: Bool owner: Text hidden: Bool fetch: Text has: Bool truncate: Bool grouped: Text "
      "ordered: Text derived: Text data: Text on: Text by: Text "
      "has many kids: E by by ordered by max asc, min desc page 2 max 9 "
      "private(first: I32 = 1): Bool? "));
  CHECK(schema->entities[0].fields.size() == 21);
}

TEST_CASE("clause words as names: one of them twice is one duplicate") {
  CHECK(idl_finding(entity("max: I32 max: Text")) == "max | E has two members `max`");
}

TEST_CASE("a comma may end a member behind a list") {
  const auto schema = load_good_schema(
      entity("at: I32, up: Text?, has many kids: E by up ordered by at asc, size: I32,"
             "has many sons: E by up max 3 grouped by at, more: Text cache private, last: Text"));
  CHECK(schema->entities[0].fields.size() == 6);
  CHECK(schema->entities[0].relationships[1].collection->grouping ==
        std::vector<std::string>{"at"});
}

TEST_CASE("aliases, both record forms and both arrows print one way (§3.4, §3.5.2)") {
  const std::string text = canonical(
      "schema t.example data M = M { a: Int, b: String? } data N { c: Boolean \"why\" d: Float }\n"
      "entity E by id { visible to all by default id: String }\n"
      "mutation m(e: String) -> E { allow public, writes E(e), invalidates writes, effect natural "
      "}");
  CHECK(text.find("data M { a: I32, b: Text? }") != std::string::npos);
  CHECK(text.find("data N { c: Bool, \"why\" d: F64 }") != std::string::npos);
  CHECK(text.find("mutation m(e: Text) returns E {") != std::string::npos);
}

TEST_CASE("types: constructors, options and parentheses (§3.5.2)") {
  const auto type_of = [](std::string_view spelled) {
    return print_type(
        load_good_schema(entity("x: " + std::string(spelled)))->entities[0].fields[1].type);
  };
  CHECK(type_of("Set Text?") == "Set Text?");
  CHECK(type_of("(Set Text)?") == "Set Text?");
  CHECK(type_of("Map Text (Set (Vec 3 I8))") == "Map Text (Set (Vec 3 I8))");
  CHECK(type_of("Map (Text) [Text]+") == "Map Text [Text]+");
  CHECK(type_of("[[Text]+]?") == "[[Text]+]?");
  CHECK(type_of("Set (Bytes 4)") == "Set (Bytes 4)");
  CHECK(type_of("Text(min 1,max 2.0)") == "Text(min 1, max 2)");
  CHECK(type_of("Set Text(len 3)") == "Set Text(len 3)");
  CHECK(idl_finding(entity("x: Set Set Text")).starts_with("Set | `Set` with its arguments"));
  CHECK(idl_finding(entity("x: Text??")).starts_with("? | the type is optional already"));
  CHECK(idl_finding(entity("x: Vec 0 Text")).starts_with("0 | a length is from 1"));
  CHECK(idl_finding(entity("x: Bit")).find("expected a length") != std::string::npos);
  CHECK(idl_finding(entity("x: Text+")).starts_with("+ | "));
}

TEST_CASE("generic types take their declared number of arguments (§3.5.2)") {
  const auto schema = load_good_schema(
      "schema t.example entity E by id { visible to all by default id: Text p: Pair Text I32 q: "
      "Page (Pair I8 I8)? } data Pair a b { one: a, two: b } data Page a open = Items { items: [a] "
      "} "
      "| Empty newtype Ids a = Set a");
  CHECK(print_type(schema->entities[0].fields[1].type) == "Pair Text I32");
  CHECK(print_type(schema->entities[0].fields[2].type) == "Page (Pair I8 I8)?");
  CHECK(schema->canonical_text.find("data Page a open = Items { items: [a] } | Empty\n") !=
        std::string::npos);
  CHECK(idl_finding("schema t.example data Pair a b { one: a, two: b } newtype P = Pair Text")
            .find("expected a type") != std::string::npos);
}

TEST_CASE("one pass finds the mistakes of several declarations and members") {
  const auto findings = idl_findings(
      "schema t.example\n"
      "entity A by id {\n"
      "  visible to all by default\n"
      "  id Text\n"
      "  name: \n"
      "  has one x: Y by\n"
      "}\n"
      "newtype = Text\n"
      "enum E closed A\n"
      "mutation m() returns A {\n"
      "  allow everyone\n"
      "  effect maybe\n"
      "}\n"
      "list feed of A by id publik\n");
  REQUIRE(findings.size() == 9);
  CHECK(findings[0].starts_with("id | expected a field `name: Type`"));
  CHECK(findings[1].starts_with("has | expected a type"));
  CHECK(findings[2].starts_with("} | expected the linking field"));
  CHECK(findings[3].starts_with("= | expected the name of a type"));
  CHECK(findings[4].starts_with("A | expected `=`"));
  CHECK(findings[5].starts_with(") | this list of parameters is empty"));
  CHECK(findings[6].starts_with("everyone | expected public, private"));
  CHECK(findings[7].starts_with("maybe | expected transactional"));
  CHECK(findings[8].starts_with("publik | expected a declaration"));
}

TEST_CASE("what hides the rest is one finding with its place") {
  CHECK(idl_finding("schema t.example entity E by id { visible to all by default id: Text") ==
        "{ | this `{` of E is never closed");
  CHECK(idl_finding("schema t.example \"never ends").find("does not end on its line") !=
        std::string::npos);
  CHECK(idl_finding("").find("no schema line") != std::string::npos);
  CHECK(idl_finding("schema").find("expected the name of the schema") != std::string::npos);
}

TEST_CASE("what other languages have gets a sentence of its own") {
  CHECK(idl_finding(entity("name: Text!")).starts_with("! | `!` is not part of the IDL: types"));
  CHECK(idl_finding(entity("name: Text;")).starts_with("; | "));
  CHECK(idl_finding(entity("has many kids: [E] by id")).starts_with("[ | a target stands without"));
  CHECK(idl_finding(entity("has many? kids: E by id")).find("`has many?` does not exist") !=
        std::string::npos);
  CHECK(idl_finding(entity("n: Text visible when caller.a == id")).starts_with("= | equality"));
  CHECK(idl_finding(entity("n: Text visible when caller.a = .id")).starts_with(". | a field"));
  CHECK(idl_finding(entity("n(a: Text = $b): Text")).starts_with("$ | a variable is no literal"));
  CHECK(idl_finding(entity("n(a: Text? = null): Text")).starts_with("null | null is not a value"));
  CHECK(idl_finding("schema t.example entity a-b by id { }").starts_with("a-b | `a-b` is no name"));
}

TEST_CASE("strings are JSON strings, and findings point at the wrong one") {
  CHECK(canonical("\"a \\u00e9 \\\"q\\\" \\n\" schema t.example") ==
        "\"a é \\\"q\\\" \\n\"\nschema t.example\n");
  CHECK(idl_finding("\"\\x\" schema t.example").starts_with("\"\\x\" | this string is no JSON"));
  CHECK(idl_finding("\"a\" \"b\" schema t.example").starts_with("\"b\" | two descriptions"));
}

TEST_CASE("fragments are read by the query language's parser, and parsing goes on behind them") {
  const auto findings = idl_findings(
      "schema t.example fragment F on E { name: id, x(a: {}) } fragment G on E { } newtype = T");
  REQUIRE(findings.size() >= 3);
  CHECK(findings[0].find("aliases do not exist") != std::string::npos);
  CHECK(findings.back().starts_with("= | expected the name of a type"));
}

TEST_CASE("cache clauses combine and print in one order (§10.9)") {
  const auto cache_of = [](std::string_view clause) {
    auto schema = load_schema(entity("x: Text cache " + std::string(clause)));
    if (!schema) return schema.error().message;
    const std::string& text = (*schema)->canonical_text;
    const size_t begin = text.find("x: Text cache ") + 14;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  CHECK(cache_of("max-age 300s, private") == "private, max-age 5m");
  CHECK(cache_of("max-age 90s") == "max-age 90s");
  CHECK(cache_of("max-age 48h") == "max-age 2d");
  CHECK(cache_of("max-age 0s") == "max-age 0s");
  CHECK(cache_of("no-tenure, immutable") == "immutable, no-tenure");
  CHECK(cache_of("no-store, no-tenure") == "no-store, no-tenure");
  CHECK(cache_of("no-store, private").find("contradicts") != std::string::npos);
  CHECK(cache_of("private, private").find("repeats") != std::string::npos);
  CHECK(cache_of("immutable, max-age 1s").find("without max-age") != std::string::npos);
  CHECK(cache_of("no-store, revalidate").find("no lifetime") != std::string::npos);
  CHECK(cache_of("max-age 5").find("expected a lifetime") != std::string::npos);
  CHECK(cache_of("max-age 5w").find("expected a lifetime") != std::string::npos);
  CHECK(cache_of("max-age 9999999d").find("ten years") != std::string::npos);
  CHECK(cache_of("sometimes").find("found `sometimes`") != std::string::npos);
}

TEST_CASE("a cache clause on a line of its own is not guessed at") {
  CHECK(idl_finding(entity("x: Text\ncache no-store\n"))
            .starts_with("cache | this cache clause could"));
  CHECK(idl_finding(entity("has one e: E by id\ncache no-store\n")).starts_with("cache | "));
  CHECK(idl_finding(entity("has many e: E by id\n max 3\n cache no-store\n")) == "accepted");
  CHECK(idl_finding(
            "schema t.example entity E by id { visible to all by default\ncache no-store\nid: "
            "Text }") == "accepted");
}

// --- Limits and hostile texts ---

TEST_CASE("a document, its names, nesting, lists and declarations have limits") {
  CHECK(idl_finding(std::string(kDocumentBytesMax + 1, ' ')).find("at most") != std::string::npos);
  CHECK(idl_finding("schema t.example newtype " + std::string(129, 'A') + " = Text")
            .find("a name has at most 128 bytes") != std::string::npos);
  CHECK(
      idl_finding("schema t.example newtype A = " + std::string(100'000, '[')).find("64 levels") !=
      std::string::npos);
  std::string key = "schema t.example entity E by (";
  for (int i = 0; i < 1000; ++i) key += "a" + std::to_string(i) + ",";
  CHECK(idl_finding(key + ") { }").find("more than 256 names") != std::string::npos);
  std::string many = "schema t.example\n";
  for (uint32_t i = 0; i <= kDeclarationsMax; ++i)
    many += "newtype A" + std::to_string(i) + "=Text\n";
  CHECK(idl_finding(many).find("at most 20000 declarations") != std::string::npos);
  std::string fields;
  for (int i = 0; i <= 4000; ++i) fields += "f" + std::to_string(i) + ":Text\n";
  CHECK(idl_finding(entity(fields)).find("more than 4000 members") != std::string::npos);
}

TEST_CASE("findings have a limit too") {
  CHECK(idl_findings(std::string(100'000, ';')).size() == kFindingsMax);
  std::string many = "schema t.example\n";
  for (int i = 0; i < 10'000; ++i) many += "newtype A" + std::to_string(i) + " = Nope\n";
  CHECK(idl_findings(many).size() == kFindingsMax);
}

TEST_CASE("every prefix of a schema is judged without harm") {
  const std::string idl =
      "\"d\" @x(a: [1, \"b\"]) schema t.example cache max-age 5m, private claims { org: Text }\n"
      "directive @x(a: [Text]) on SCHEMA newtype A = Text(match \"^a\") data S open = P { a: A } | "
      "Q\n"
      "entity E by id { visible to all by default owner id is caller.org id: A n: I32 derived "
      "reads\n"
      "own(id) on read has many k: E by id ordered by id asc page 1 max 2 total exact }\n"
      "fragment F($a: Text = \"x\") on E { id k(first: 1) { id } } list l(t: Text) of E ordered by "
      "id\n"
      "asc page 1 public mutation m(e: A) returns E { allow when caller.org in [A, \"b\"] writes "
      "E(e),\n"
      "l(e) invalidates writes effect natural \"r\" batch best-effort max 3 }";
  REQUIRE(idl_finding(idl.substr(0, idl.size())).find("@x") != std::string::npos);
  for (size_t length = 0; length <= idl.size(); ++length) idl_findings(idl.substr(0, length));
}

}  // namespace
}  // namespace lattice::schema
