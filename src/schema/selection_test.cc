#include "schema/selection.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "schema/selection_parser.h"

namespace lattice::schema {
namespace {

std::string reprint(std::string_view text) {
  uint32_t offset = 0;
  auto selections = parse_selections(text, offset);
  if (!selections) return "error: " + selections.error().message;
  CHECK(offset <= text.size());
  return print_selections(*selections);
}

std::vector<std::string> findings(std::string_view text, SyntaxOptions options = {}) {
  SelectionParser parser(text, 0, options);
  std::vector<Selection> selections;
  parser.parse_selection_set(selections);
  std::vector<std::string> out;
  for (const Diagnostic& diagnostic : parser.diagnostics()) {
    out.push_back(std::string(text.substr(diagnostic.span.begin,
                                          diagnostic.span.end - diagnostic.span.begin)) +
                  " | " + diagnostic.message);
  }
  return out;
}

std::string only_finding(std::string_view text) {
  const auto all = findings(text);
  REQUIRE(all.size() == 1);
  return all.front();
}

TEST_CASE("selections print in canonical rendering, in the order written") {
  CHECK(reprint("{ b a }") == "b a");
  CHECK(reprint("{name,avatarUrl( size : 48 )}") == "name avatarUrl(size:48)");
  CHECK(reprint("{ f(b: [1, \"x\" true], a: $v) { x } }") == "f(b:[1,\"x\",true],a:$v){x}");
  CHECK(reprint("{ ...F ...G(a: Jedi) ... on T { x } }") == "...F ...G(a:Jedi) ... on T{x}");
  CHECK(reprint("{ a(x:1) @depth( 3 ) @defer }") == "a(x:1)@depth(3)@defer");
  CHECK(reprint("{ a @defer { b } }") == "a@defer{b}");
  CHECK(reprint("{ on query fragment true }") == "on query fragment true");
}

TEST_CASE("the offset ends behind the closing brace, and nothing beyond is read") {
  const std::string_view text = "fragment F on T { a { b } } ;;; \"";
  uint32_t offset = 16;
  auto selections = parse_selections(text, offset);
  REQUIRE(selections.has_value());
  CHECK(offset == 27);
  REQUIRE(selections->size() == 1);
  CHECK((*selections)[0].span == Span{18, 19});
}

TEST_CASE("ignored tokens stand between any two tokens") {
  CHECK(reprint("{,,f # c } \n (,a,:,$ # d\n v,)\t@ depth\r( 2 ),}") == "f(a:$v)@depth(2)");
  CHECK(reprint("{ a -- an IDL comment }\n b }") == "a b");
  CHECK(findings("{ a -- b\n }").size() == 2);  // only the IDL has them
}

TEST_CASE("numbers have one spelling") {
  const auto spelled = [](std::string_view token) {
    auto number = canonical_number(token);
    return number ? *number : "error";
  };
  CHECK(spelled("1e3") == "1000");
  CHECK(spelled("0.50") == "0.5");
  CHECK(spelled("-0") == "0");
  CHECK(spelled("-0.0") == "0");
  CHECK(spelled("1.0") == "1");
  CHECK(spelled("1E2") == "100");
  CHECK(spelled("123456789012345678901234567890") == "123456789012345678901234567890");
  CHECK(spelled("1e21") == "1e+21");
  CHECK(spelled("1e+21") == "1e+21");
  CHECK(spelled("1e-7") == "1e-7");
  CHECK(spelled("1e400") == "error");
  CHECK(spelled("1e000001") == "error");
}

TEST_CASE("numbers that are not numbers are found and named") {
  CHECK(only_finding("{ f(a: 2x) }").starts_with("2x | a number and a name need white space"));
  CHECK(only_finding("{ f(a: 01) }").starts_with("01 | a number has no leading zero"));
  CHECK(only_finding("{ f(a: 1.) }").starts_with("1. | a number has digits after its point"));
  CHECK(only_finding("{ f(a: 1e) }").starts_with("1e | a number has digits after its exponent"));
  CHECK(findings("{ f(a: .5) }").front() == ".5 | a number begins with a digit: write `0.5`");
  CHECK(findings("{ f(a: -) }").front().starts_with("- | `-` is not part"));
  CHECK(only_finding("{ f(a: 1e99999) }").find("double") != std::string::npos);
}

TEST_CASE("strings are JSON strings") {
  CHECK(reprint(R"({ f(a: "a\/b\u0041 \"q\" \\ \b\f\n\r\t") })") ==
        R"(f(a:"a/bA \"q\" \\ \b\f\n\r\t"))");
  CHECK(reprint(R"({ f(a: "\ud83d\ude00 \u00e9") })") == "f(a:\"😀 é\")");
  CHECK(reprint("{ f(a: \"# {not, a} comment\") }") == "f(a:\"# {not, a} comment\")");
  CHECK(reprint(R"({ f(a: "\u0000\u001f") })") == R"(f(a:"\u0000\u001f"))");
  CHECK(only_finding(R"({ f(a: "\x41") })").starts_with("\\x | `\\x` is not an escape"));
  CHECK(only_finding(R"({ f(a: "\ud83d") })").find("surrogate") != std::string::npos);
  CHECK(findings(R"({ f(a: "\ude00\ud83d\u0041") })").size() == 2);
}

TEST_CASE("a broken string is found on its line") {
  CHECK(findings("{ f(a: \"x\n) }").front() ==
        "\"x | this string does not end on its line: close it with `\"`");
  CHECK(findings("{ f(a: \"x").front().find("does not end") != std::string::npos);
  CHECK(findings("{ f(a: \"\"\"x\"\"\" ) }").front().find("block strings") != std::string::npos);
  CHECK(findings(std::string("{ f(a: \"\x01\") }")).front().find("control") != std::string::npos);
  CHECK(findings(R"({ f(a: "\u12G4") })").front().find("hexadecimal") != std::string::npos);
}

TEST_CASE("what other languages have gets a sentence of its own, and parsing goes on") {
  CHECK(only_finding("{ empire: name }") ==
        "empire | aliases do not exist: `name` is read under its own name, without `empire:`");
  CHECK(only_finding("{ f(a: null) }") == "null | null is not a value: leave the argument out");
  CHECK(only_finding("{ name; }").starts_with("; | `;` is not part of the query language"));
  CHECK(only_finding("{ f { } }") == "{ } | this selection set is empty: name at least one field");
  CHECK(only_finding("{ f() }").find("leave out `()`") != std::string::npos);
  CHECK(only_finding("{ f(a: on) }").find("reserved") != std::string::npos);
  CHECK(only_finding("{ ...query }").find("reserved") != std::string::npos);
  CHECK(only_finding("{ f @depth(0) }").find("from 1 to") != std::string::npos);
  CHECK(only_finding("{ f @depth(-2) }").find("from 1 to") != std::string::npos);
  CHECK(only_finding("{ f @depth(1.5) }").find("from 1 to") != std::string::npos);
  CHECK(only_finding("{ f @defer(a: 1) }").find("no arguments") != std::string::npos);
  CHECK(only_finding("{ f @defer @depth(2) }").find("directly after the arguments") !=
        std::string::npos);
  CHECK(only_finding("{ f @x @defer }").find("before other directives") != std::string::npos);
  CHECK(only_finding("{ ...F @defer }").find("on a field only") != std::string::npos);
  CHECK(only_finding("{ ... on T @x { a } }").find("takes no directives") != std::string::npos);
  CHECK(findings("{ a: b c; f(x: null) g { } }").size() == 4);
}

TEST_CASE("what hides the rest ends the parse with its place") {
  CHECK(only_finding("{ f { a }") == "{ | this `{` is never closed");
  CHECK(only_finding("{ f(a 1) }") == "1 | expected `:` and a value after `a`, found `1`");
  CHECK(only_finding("{ ... { a } }").find("names its type") != std::string::npos);
  CHECK(only_finding("{ f(a: {b: 1}) }").find("object values") != std::string::npos);
  CHECK(only_finding("{ f(a: [1").find("never closed") != std::string::npos);
  CHECK(only_finding("x") == "x | expected `{`, found `x`");
}

TEST_CASE("nesting and the number of findings are limited") {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "{a";
  CHECK(only_finding(deep).find("more than 64 levels") != std::string::npos);
  std::string lists = "{ f(a: ";
  lists += std::string(100'000, '[');
  CHECK(only_finding(lists).find("more than 64 levels") != std::string::npos);
  CHECK(findings("{ a " + std::string(100'000, ';') + "}").size() == 50);
  CHECK(only_finding("{ " + std::string(100'000, 'a') + " }").find("at most 255 bytes") !=
        std::string::npos);
}

TEST_CASE("spans may count from a base") {
  SelectionParser parser("{ a }", 0, {.span_base = 100});
  std::vector<Selection> selections;
  REQUIRE(parser.parse_selection_set(selections));
  CHECK(selections[0].span == Span{102, 103});
  CHECK(parser.offset() == 5);
}

TEST_CASE("values compare without their places") {
  uint32_t first = 0;
  uint32_t second = 0;
  auto left = parse_selections("{ f(a: [1, Jedi]) }", first);
  auto right = parse_selections("{   f(a: [1.0 Jedi]) }", second);
  REQUIRE(left.has_value());
  REQUIRE(right.has_value());
  CHECK((*left)[0].arguments[0] == (*right)[0].arguments[0]);
  CHECK(to_json(literal_to_json((*left)[0].arguments[0].value)) == "[1,\"Jedi\"]");
}

}  // namespace
}  // namespace lattice::schema
