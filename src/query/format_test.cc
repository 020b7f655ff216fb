#include "query/format.h"

#include <doctest/doctest.h>

#include "schema/selection_parser.h"
#include "tests/support/vectors.h"

namespace lattice::query {
namespace {

std::string format(std::string_view text) {
  auto formatted = format_query(text);
  return formatted ? *formatted : "error: " + formatted.error().message + "\n";
}

// The tokens as written, and the comments, each in order: what formatting keeps.
std::string essence(std::string_view text) {
  schema::SelectionParser parser(text, 0, {});
  std::string out;
  while (!parser.at(schema::TokenKind::End)) {
    const auto token = parser.take();
    out += text.substr(token.span.begin, token.span.end - token.span.begin);
    out += '\n';
  }
  return out;
}

std::vector<std::string> comments(std::string_view text) {
  std::vector<std::string> out;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) in_string = !in_string;
    if (text[i] != '#' || in_string) continue;
    const size_t end = std::min(text.find_first_of("\r\n", i), text.size());
    std::string comment(text.substr(i, end - i));
    comment.erase(comment.find_last_not_of(" \t,") + 1);
    out.push_back(std::move(comment));
    i = end;
  }
  std::ranges::sort(out);
  return out;
}

void check_keeps(std::string_view text) {
  CAPTURE(text);
  const std::string once = format(text);
  CAPTURE(once);
  REQUIRE_FALSE(once.starts_with("error"));
  CHECK(format(once) == once);
  CHECK(essence(once) == essence(text));
  CHECK(comments(once) == comments(text));
}

TEST_CASE("a query is laid out with a selection on each line") {
  CHECK(format("query Q($a:Cursor,$b:Int=20 $c : Text ?)@t(x:1){feed(after:$a,first:$b)@defer{title "
               "...F(s:[1,2]) ... on T{x} replies@depth(2)}}") ==
        "query Q($a: Cursor, $b: Int = 20, $c: Text?) @t(x: 1) {\n"
        "  feed(after: $a, first: $b) @defer {\n"
        "    title\n"
        "    ...F(s: [1, 2])\n"
        "    ... on T {\n"
        "      x\n"
        "    }\n"
        "    replies @depth(2)\n"
        "  }\n"
        "}\n");
}

TEST_CASE("definitions stand apart, imports together") {
  CHECK(format("import \"a.lq\" import \"b.lq\" query{a}fragment F($s:I32=1)on T{b}") ==
        "import \"a.lq\"\n"
        "import \"b.lq\"\n"
        "\n"
        "query {\n"
        "  a\n"
        "}\n"
        "\n"
        "fragment F($s: I32 = 1) on T {\n"
        "  b\n"
        "}\n");
}

TEST_CASE("comments keep their place") {
  CHECK(format("# top\n\n# lead\nquery { # open\n a # on a\n\n\n # above b\n b\n # last\n} # end\n# tail") ==
        "# top\n"
        "\n"
        "# lead\n"
        "query {  # open\n"
        "  a  # on a\n"
        "\n"
        "  # above b\n"
        "  b\n"
        "  # last\n"
        "}  # end\n"
        "# tail\n");
}

TEST_CASE("comments in a list break it over lines") {
  CHECK(format("query Q($a: Cursor # where\n $b: I32 = 1\n # none\n) { f }") ==
        "query Q(\n"
        "  $a: Cursor  # where\n"
        "  $b: I32 = 1\n"
        "  # none\n"
        ") {\n"
        "  f\n"
        "}\n");
}

TEST_CASE("a long list is broken over lines") {
  const std::string text = std::string(60, 'x');
  CHECK(format("query { f(a: \"" + text + "\", b: \"" + text + "\") { g } }") ==
        "query {\n"
        "  f(\n"
        "    a: \"" + text + "\"\n"
        "    b: \"" + text + "\"\n"
        "  ) {\n"
        "    g\n"
        "  }\n"
        "}\n");
}

TEST_CASE("numbers and strings stay as written") {
  CHECK(format("query { f(a: 1.50, b: \"\\u0041\") }") ==
        "query {\n  f(a: 1.50, b: \"\\u0041\")\n}\n");
}

TEST_CASE("what does not parse is not formatted") {
  auto formatted = format_query("query { a ");
  REQUIRE_FALSE(formatted.has_value());
  CHECK(formatted.error().code == Code::CompileRejected);
  CHECK(format_query("query { a: b }").has_value() == false);
}

TEST_CASE("formatting keeps tokens and comments, and is idempotent") {
  check_keeps("");
  check_keeps("# only a comment");
  check_keeps("query { a } # x\n# y\n\n# z\n");
  check_keeps("query # a\n Q # b\n ( # c\n $x # d\n : # e\n Int # f\n = # g\n 1 # h\n ) # i\n { # j\n f "
              "# k\n ( # l\n a # m\n : # n\n [ # o\n 1 # p\n 2 # q\n ] # r\n ) # s\n @ # t\n defer # u\n "
              "{ # v\n ... # w\n on # x\n T # y\n { # z\n b # 1\n } # 2\n } # 3\n } # 4\n");
  check_keeps("fragment # a\n F # b\n on # c\n T # d\n { # e\n ... # f\n G # g\n }import # h\n \"x\" # i\n");
  check_keeps("query{on}fragment on2 on on{on(on:1)on}");
  check_keeps("\r\n\r\nquery {\r\n\r\n  a # c\r\n\r\n\r\n  b\r\n}\r\n");
}

TEST_CASE("formatting keeps every query of the vectors") {
  const auto check = [](const Json& vector) -> testing::Verdict {
    const std::string& query = testing::text_of(vector, "query");
    const std::string once = format(query);
    if (once.starts_with("error")) return testing::failed(once);
    if (essence(once) != essence(query)) return testing::failed("other tokens:\n" + once);
    return testing::expect_equal(format(once), once);
  };
  testing::run_vectors("canonicalization.json", check);
}

}  // namespace
}  // namespace lattice::query
