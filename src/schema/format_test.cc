#include "schema/format.h"

#include <doctest/doctest.h>

#include "schema/lex.h"
#include "schema/schema.h"
#include "tests/support/vectors.h"

namespace lattice::schema {
namespace {

std::string format(std::string_view text) {
  auto formatted = format_schema(text);
  return formatted ? *formatted : "error: " + formatted.error().message + "\n";
}

std::string tokens(std::string_view text) {
  std::vector<Diagnostic> diagnostics;
  std::string out;
  for (const IdlToken& token : lex_document(text, diagnostics)) {
    out += text.substr(token.span.begin, token.span.end - token.span.begin);
    out += '\n';
  }
  return out;
}

// The comments, sorted: what stands between tokens beside white space.
std::vector<std::string> comments(std::string_view text) {
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> out;
  uint32_t end = 0;
  for (const IdlToken& token : lex_document(text, diagnostics)) {
    std::string_view gap = text.substr(end, token.span.begin - end);
    end = token.span.end;
    while (!gap.empty()) {
      std::string_view line = gap.substr(0, gap.find('\n'));
      gap.remove_prefix(std::min(gap.size(), line.size() + 1));
      line.remove_prefix(std::min(line.size(), line.find_first_not_of(" \t\r")));
      if (!line.empty()) out.emplace_back(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
  }
  std::ranges::sort(out);
  return out;
}

std::string difference(std::string_view text) {
  const std::string once = format(text);
  if (once.starts_with("error")) return once;
  if (format(once) != once) return "not idempotent:\n" + once + "---\n" + format(once);
  if (tokens(once) != tokens(text)) return "other tokens:\n" + once;
  if (comments(once) != comments(text)) return "other comments:\n" + once;
  const auto before = load_schema(text);
  const auto after = load_schema(once);
  if (before.has_value() != after.has_value()) return "no longer the same verdict";
  if (before && (*before)->canonical_text != (*after)->canonical_text) return "other meaning:\n" + once;
  return "";
}

TEST_CASE("indentation, spacing and alignment are the formatter's, line ends are the author's") {
  CHECK(format("schema   a.example\n\n\n\nnewtype PostId=Uuid -- the key\n"
               "entity Post  by id{\nvisible to all by default\n\n\nid : PostId\n title:Text  -- x\n"
               "  avatar( size : I32=96 ) : Text?\n"
               "has many tags : Tag by postId\nordered by id asc\n page 20 max 100\n-- last\n\n}\n") ==
        "schema a.example\n"
        "\n"
        "newtype PostId = Uuid  -- the key\n"
        "entity Post by id {\n"
        "  visible to all by default\n"
        "\n"
        "  id:    PostId\n"
        "  title: Text  -- x\n"
        "  avatar(size: I32 = 96): Text?\n"
        "  has many tags: Tag by postId\n"
        "      ordered by id asc\n"
        "      page 20 max 100\n"
        "  -- last\n"
        "}\n");
}

TEST_CASE("clauses of a mutation are aligned, paths stay whole") {
  CHECK(format("mutation edit(note:NoteId,\npatch:NotePatch) returns Note{\nallow public\n"
               "writes Note(note), feed(Note.orgId)\ninvalidates writes\neffect transactional\n"
               "as PATCH /e/Note/{note}\nbatch best-effort max 100 as PATCH /e/Note\n}") ==
        "mutation edit(note: NoteId,\n"
        "  patch: NotePatch) returns Note {\n"
        "  allow       public\n"
        "  writes      Note(note), feed(Note.orgId)\n"
        "  invalidates writes\n"
        "  effect      transactional\n"
        "  as          PATCH /e/Note/{note}\n"
        "  batch       best-effort max 100 as PATCH /e/Note\n"
        "}\n");
}

TEST_CASE("sums, metadata and fragments") {
  CHECK(format("data Method open\n= Card{last4:Text}\n| Cash {\n amount : Decimal\n}\n"
               "\"d\"\n@audit( level:\"x\" )\nfragment F($s:I32=1) on T{\n name a( x:$s ){\nb\n}\n...G\n... on U{c}\n}\n") ==
        "data Method open\n"
        "  = Card { last4: Text }\n"
        "  | Cash {\n"
        "    amount: Decimal\n"
        "  }\n"
        "\"d\"\n"
        "@audit(level: \"x\")\n"
        "fragment F($s: I32 = 1) on T {\n"
        "  name a(x: $s) {\n"
        "    b\n"
        "  }\n"
        "  ...G\n"
        "  ... on U { c }\n"
        "}\n");
}

TEST_CASE("what does not parse is not formatted") {
  auto formatted = format_schema("entity {");
  REQUIRE_FALSE(formatted.has_value());
  CHECK(formatted.error().code == Code::SchemaInvalid);
}

TEST_CASE("formatting the fixtures keeps their meaning and comments") {
  for (const char* folder : {"fixtures", "fixtures/golden", "vectors/schemas"}) {
    const auto path =
        lattice::testing::find_shared(std::string("conformance/protocol/") + folder);
    if (!path) return;
    for (const auto& entry : std::filesystem::directory_iterator(*path)) {
      if (entry.path().extension() != ".lattice") continue;
      CAPTURE(entry.path().string());
      CHECK(difference(lattice::testing::read_file(entry.path())) == "");
    }
  }
}

TEST_CASE("formatting the canonical vectors keeps their meaning") {
  lattice::testing::run_vectors("idl-canonical.json", [](const Json& vector) -> lattice::testing::Verdict {
    const Json* idl = vector.find("idl");
    if (idl == nullptr) return lattice::testing::not_mine();
    return lattice::testing::expect_equal(difference(idl->as_string()), "");
  });
}

}  // namespace
}  // namespace lattice::schema
