#include "base/diagnostic.h"

#include <doctest/doctest.h>

namespace lattice {
namespace {

std::string render(std::string_view text, Span span, Severity severity = Severity::Error) {
  return render_diagnostic({severity, "m", span, {}, {}}, "f", text);
}

TEST_CASE("line, column and carets") {
  std::string_view text = "query {\n  feed { titel }\n}\n";
  Diagnostic diagnostic{Severity::Error, "Post has no field `titel`", {17, 22}, {}, {}};
  CHECK(render_diagnostic(diagnostic, "feed.lq", text) ==
        "feed.lq:2:10: error: Post has no field `titel`\n"
        "  2 |   feed { titel }\n"
        "    |          ^^^^^\n");
  CHECK(render("a", {0, 1}, Severity::Warning) == "f:1:1: warning: m\n  1 | a\n    | ^\n");
  CHECK(render("a", {0, 1}, Severity::Note) == "f:1:1: note: m\n  1 | a\n    | ^\n");
}

TEST_CASE("positions count code points from one") {
  std::string_view text = "a\xc3\xa9z\n\nb";
  auto at = [&](uint32_t offset) {
    Position position = position_of(text, offset);
    return std::pair(position.line, position.column);
  };
  CHECK(at(0) == std::pair(1u, 1u));
  CHECK(at(3) == std::pair(1u, 3u));
  CHECK(at(4) == std::pair(1u, 4u));
  CHECK(at(5) == std::pair(2u, 1u));
  CHECK(at(6) == std::pair(3u, 1u));
  CHECK(at(7) == std::pair(3u, 2u));
  CHECK(at(99) == std::pair(3u, 2u));
}

TEST_CASE("carets stand under multi-byte, wide, combining and tabbed text") {
  CHECK(render("\xc3\xa9\xc3\xa9 x", {5, 6}) ==
        "f:1:4: error: m\n  1 | \xc3\xa9\xc3\xa9 x\n    |    ^\n");
  // A CJK character takes two columns; the caret line spans both.
  CHECK(render("\xe6\xbc\xa2 x", {0, 3}) == "f:1:1: error: m\n  1 | \xe6\xbc\xa2 x\n    | ^^\n");
  CHECK(render("\xe6\xbc\xa2x", {3, 4}) == "f:1:2: error: m\n  1 | \xe6\xbc\xa2x\n    |   ^\n");
  // A combining accent takes none.
  CHECK(render("e\xcc\x81x", {3, 4}) == "f:1:3: error: m\n  1 | e\xcc\x81x\n    |  ^\n");
  CHECK(render("\tx", {1, 2}) == "f:1:2: error: m\n  1 |     x\n    |     ^\n");
}

TEST_CASE("controls and broken bytes do not reach the terminal") {
  CHECK(render("\x1b[31mx", {5, 6}) == "f:1:6: error: m\n  1 | \xef\xbf\xbd[31mx\n    |      ^\n");
  CHECK(render("\xff\xfex", {2, 3}).find('\xff') == std::string::npos);
  // A right-to-left override.
  CHECK(render("\xe2\x80\xaex", {3, 4}) == "f:1:2: error: m\n  1 | \xef\xbf\xbdx\n    |  ^\n");
}

TEST_CASE("the end of the file, empty texts and spans of several lines") {
  CHECK(render("", {0, 0}) == "f:1:1: error: m\n  1 | \n    | ^\n");
  CHECK(render("ab", {2, 2}) == "f:1:3: error: m\n  1 | ab\n    |   ^\n");
  CHECK(render("ab\n", {3, 3}) == "f:2:1: error: m\n  2 | \n    | ^\n");
  CHECK(render("ab", {50, 60}) == "f:1:3: error: m\n  1 | ab\n    |   ^\n");
  CHECK(render("a bc\nd", {2, 6}) == "f:1:3: error: m\n  1 | a bc\n    |   ^^\n");
  CHECK(render("a bc\r\nd", {2, 7}) == "f:1:3: error: m\n  1 | a bc\n    |   ^^\n");
  CHECK(render("a\nb", {1, 2}) == "f:1:2: error: m\n  1 | a\n    |  ^\n");
}

TEST_CASE("line numbers of several digits keep the gutter") {
  std::string text(11, '\n');
  CHECK(render(text + "x", {11, 12}) == "f:12:1: error: m\n  12 | x\n     | ^\n");
}

std::string line_of(const std::string& rendered, int index) {
  size_t begin = 0;
  for (; index > 0; --index) begin = rendered.find('\n', begin) + 1;
  return rendered.substr(begin, rendered.find('\n', begin) - begin);
}

TEST_CASE("long lines are cut around the span, between characters") {
  std::string text(1000, 'a');
  text[500] = 'X';
  std::string rendered = render(text, {500, 501});
  std::string shown = line_of(rendered, 1);
  CHECK(shown == "  1 | ..." + std::string(40, 'a') + "X" + std::string(119, 'a') + "...");
  CHECK(line_of(rendered, 2) == "    | " + std::string(43, ' ') + "^");

  text.assign(1000, 'a');
  rendered = render(text, {0, 1000});
  CHECK(line_of(rendered, 1) == "  1 | " + std::string(160, 'a') + "...");
  CHECK(line_of(rendered, 2) == "    | " + std::string(160, '^'));
  rendered = render(text, {999, 1000});
  CHECK(line_of(rendered, 1) == "  1 | ..." + std::string(160, 'a'));
  CHECK(line_of(rendered, 2) == "    | " + std::string(3 + 159, ' ') + "^");

  text.clear();
  for (int i = 0; i < 500; ++i) text += "\xe2\x82\xac";
  for (uint32_t at : {600u, 603u, 606u, 609u}) {
    rendered = render(text, {at, at + 3});
    CHECK(rendered.find("\xef\xbf\xbd") == std::string::npos);
    std::string carets = line_of(rendered, 2);
    CHECK(carets.back() == '^');
    CHECK(carets.find('^') == carets.size() - 1);
  }
}

TEST_CASE("an error prints all of its diagnostics, or its message") {
  Error error{Code::SchemaInvalid, "two things", {}, {}, false};
  CHECK(render_error(error, "s.lattice", "x") == "s.lattice: error: two things\n");
  error.diagnostics.push_back({Severity::Error, "first", {0, 1}, {}, {}});
  error.diagnostics.push_back({Severity::Note, "second", {40, 41}, "other.lattice", {}});
  CHECK(render_error(error, "s.lattice", "x") ==
        "s.lattice:1:1: error: first\n  1 | x\n    | ^\nother.lattice: note: second\n");
}

TEST_CASE("the closest name is suggested when it is close") {
  const std::string_view names[] = {"title", "body", "author", "titles", "id"};
  CHECK(closest_match("titel", names) == "title");
  CHECK(closest_match("tittle", names) == "title");
  CHECK(closest_match("Title", names) == "title");
  CHECK(closest_match("title", names) == "title");
  CHECK(closest_match("atuhor", names) == "author");
  CHECK(closest_match("titlesx", names) == "titles");
  CHECK(closest_match("bdy", names) == "body");
  CHECK(closest_match("bodi", names) == "body");
  CHECK(closest_match("bd", names) == "id");
  CHECK(closest_match("x", names) == std::nullopt);
  CHECK(closest_match("comments", names) == std::nullopt);
  CHECK(closest_match("", names) == std::nullopt);
  CHECK(closest_match(std::string(1 << 20, 'a'), names) == std::nullopt);
  const std::string_view tied[] = {"cat", "bat"};
  CHECK(closest_match("rat", tied) == "cat");
  const std::string_view one_letter[] = {"a"};
  CHECK(closest_match("b", one_letter) == std::nullopt);
  CHECK(did_you_mean("titel", names) == "; did you mean `title`?");
  CHECK(did_you_mean("zzz", names) == "");
}

}  // namespace
}  // namespace lattice
