// Canonical text: it is its own canonical text, and the order of the source does not matter (§3.4).
#include "schema/print.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <random>

#include "base/diagnostic.h"
#include "base/random.h"
#include "tests/support/schemas.h"

namespace lattice::schema {
namespace {

using testing::load_good_schema;

TEST_CASE("canonical text keeps everything that a declaration can say") {
  const std::string canonical = R"("The \"whole\" language."
@mark(n: 5)
schema t.example cache private, max-age 5m

claims {
  org: OrgId
  role: Text
}

"Marks."
directive @mark(tags: [Text]+ = ["a","b"], n: I64?) repeatable on SCHEMA | FIELD | SELECTION

newtype OrgId = Text(len 4, match "^[A-Z]")

data Pair a b { "first" one: a, two: [b]+? }

data Shape open = Circle { r: F64 } | Point

interface Named {
  name(lang: Text = "en"): Text
  has many kin: Named by boxId ordered by id asc page 2 max 9 total exact
}

entity Member by (orgId, seq) {
  private by default
  hidden rows elide
  owner seq is caller.role
  cache no-store
  @mark(n: 5) @mark(tags: ["x"]) @break(approved: "B-1") @deprecated(sunset: "2027-01-31") name: Text public cache revalidate
  orgId: OrgId
  seq: Text
  "Sums." sum: I32? derived reads own(orgId, seq), team ...TeamId @declassify(approved: "D-1") on read visible when caller.org = orgId and caller.role in [Admin, "not a name"]
  "The team." has one team: Team by orgId public cache immutable
  fetch by (orgId, seq): visible when caller.org = orgId
}

entity Team by id implements Named {
  visible to all by default
  id: OrgId
  name(lang: Text = "en"): Text
  pair: Pair Text (Pair I32 Text)?
  total: W32 derived reads kin count maintained
  has many few: (Team | TeamNote) by boxId min 1 max 3 truncate grouped by id as few_teams private
  has many kin: Named by boxId ordered by id asc page 2 max 9 total exact
}

entity TeamNote joins Team {
  visible to all by default
  text: Text
}

extend entity Post {
  score: I32
}

fragment TeamId on Team {id}

fragment TeamName($l:Text="x") on Team {name(lang:$l) @mark kin(first:1){name ... on Team{id}}}

list find(text: Text, kind: Text?) of (Member | TeamNote) max 100 grouped by kind public cache no-tenure

list recent of Member by orgId ordered by seq desc max 100 total estimate visible when caller.org = orgId

mutation edit(org: OrgId, seq: Text) returns Member {
  allow when caller.role = Admin
  writes Member(org, seq), few_teams(Team.id)
  invalidates writes, find(seq)
  effect natural "because"
  as DELETE /e/Member/{org},{seq} last-writer-wins
  errors EditError open = Gone | Late { by: Duration }
  batch best-effort max 3 as DELETE /e/Member
}
)";
  auto schema = load_schema(canonical);
  REQUIRE_MESSAGE(schema.has_value(), render_error(schema.error(), "canonical", canonical));
  // Directives in selections are metadata of the source, which the canonical text leaves out
  // (§5.1).
  std::string wanted = canonical;
  wanted.erase(wanted.find(" @mark kin"), 6);
  CHECK((*schema)->canonical_text == wanted);
}

// A random schema: blocks of a document, each with lines whose order is free.
struct Block {
  std::string head;                // up to `{`, or the whole declaration
  std::vector<std::string> lines;  // members; empty: no braces
};

class Generator {
 public:
  explicit Generator(SeededRandom& random) : random_(random) {}

  std::vector<Block> schema() {
    entity_count_ = 1 + random_.below(4);
    enum_count_ = 1 + random_.below(3);
    std::vector<Block> blocks;
    blocks.push_back({"claims", {"org: Text", "role: E0", "level: I32"}});
    blocks.push_back(
        {annotated("directive @mark(n: I32 = 1, t: Text?) repeatable on TYPE | ENTITY | "
                   "FIELD | RELATIONSHIP | ROOT | MUTATION | FRAGMENT",
                   false),
         {}});
    for (uint64_t i = 0; i < enum_count_; ++i) {
      blocks.push_back({annotated("enum E" + std::to_string(i) + pick({" open", " closed"}) +
                                  " = A | B" + (flip() ? " | Cc" : "")),
                        {}});
    }
    blocks.push_back({annotated("newtype N = " + value_type(1)), {}});
    blocks.push_back({annotated("data D" + record()), {}});
    blocks.push_back(
        {annotated("data S" + std::string(pick({" open", " closed"})) + " = K" + record() + " | L"),
         {}});
    for (uint64_t i = 0; i < entity_count_; ++i) blocks.push_back(entity(i));
    for (uint64_t i = random_.below(3); i > 0; --i) blocks.push_back({fragment(i), {}});
    for (uint64_t i = random_.below(4); i > 0; --i) blocks.push_back({root(i), {}});
    for (uint64_t i = random_.below(3); i > 0; --i) blocks.push_back(mutation(i));
    return blocks;
  }

  // The document, its declarations and members in random order, with random space between.
  std::string print(std::vector<Block> blocks) {
    blocks.push_back({"schema t.example", {}});
    shuffle(blocks);
    std::string out;
    for (Block& block : blocks) {
      out += block.head;
      if (!block.lines.empty()) {
        shuffle(block.lines);
        out += space() + "{" + space();
        for (const std::string& line : block.lines) out += line + (flip() ? "," : "\n") + space();
        out += "}";
      }
      out += "\n" + space();
    }
    return out;
  }

 private:
  bool flip() { return random_.below(2) == 0; }
  std::string pick(std::initializer_list<std::string_view> words) {
    return std::string(*(words.begin() + random_.below(words.size())));
  }
  std::string space() { return pick({"", " ", "\n\n", " -- note, { not read\n", "# \"\n", "\t"}); }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random_.below(i)]);
  }

  std::string annotated(std::string text, bool with_directives = true) {
    std::vector<std::string> items;
    if (flip()) items.push_back(pick({"\"words\"", "\"a \\u0041 \\\\ \\\" \\n é\""}));
    if (with_directives && random_.below(4) == 0) {
      items.push_back(pick({"@mark", "@mark(t: \"x\", n: 2)", "@mark(n: 2)"}));
    }
    if (with_directives && random_.below(6) == 0) items.push_back("@break(approved: \"T\")");
    shuffle(items);
    for (const std::string& item : items) text.insert(0, item + " ");
    return text;
  }

  std::string scalar() {
    return pick({"Text", "I32", "W8", "Timestamp", "Decimal", "E0", "Int", "I64"});
  }
  std::string value_type(int depth) {
    if (depth == 0 || flip())
      return pick({"Text", "Float", "Bool", "E0", "Bytes 16", "Text(min 1, max 9)"});
    const std::string inner = "(" + value_type(depth - 1) + ")";
    switch (random_.below(5)) {
      case 0:
        return "[" + value_type(depth - 1) + "]";
      case 1:
        return "[" + value_type(depth - 1) + "]+";
      case 2:
        return "Set " + inner;
      case 3:
        return "Vec 3 " + inner;
      default:
        return "Map Text " + inner;
    }
  }
  std::string record() {
    return " { a: " + value_type(2) + (flip() ? "?" : "") + ", b: " + value_type(1) + " }";
  }
  std::string policy() {
    return pick({"", "", " public", " private", " visible when caller.org = link",
                 " visible when caller.role in [A, B] and caller.level = 5"});
  }
  std::string cache() {
    return pick({"", "", "", " cache private", " cache max-age 60s, revalidate"});
  }
  std::string window() {
    if (flip()) return pick({"", " max 7", " min 1 max 7", " max 3 truncate"});
    return root_window();
  }
  std::string root_window() {
    return " ordered by at " + pick({"asc", "desc"}) + pick({"", ", id asc"}) +
           pick({"", " page 3", " max 9 page 2"}) + pick({"", " total exact"}) +
           pick({"", " grouped by link", " grouped by at, link"});
  }

  Block entity(uint64_t index) {
    Block block{annotated("entity T" + std::to_string(index) + " by id"), {}};
    block.lines.push_back(pick(
        {"visible to all by default", "private by default", "private by default cache no-store"}));
    block.lines.push_back(annotated("id: Text"));
    block.lines.push_back(annotated("link: Text"));
    block.lines.push_back(annotated("at: " + pick({"Timestamp", "I32"})));
    if (flip())
      block.lines.push_back("fetch by id:" + pick({" public", " visible when caller.org = link"}));
    for (uint64_t i = random_.below(4); i > 0; --i) {
      block.lines.push_back(annotated("f" + std::to_string(i) + pick({"", "(n: I32 = 3, e: E0?)"}) +
                                      ": " + value_type(2) + pick({"", "?"}) + policy() + cache()));
    }
    if (flip()) {
      block.lines.push_back(
          annotated("d: I32 derived reads own(id, at) @declassify(approved: \"ok\") on "
                    "read" +
                    policy()));
    }
    const std::string target = "T" + std::to_string(random_.below(entity_count_));
    if (flip())
      block.lines.push_back(annotated("has one one: " + target + " by link" + policy() + cache()));
    if (flip())
      block.lines.push_back(
          annotated("has many many: " + target + " by link" + window() + policy()));
    return block;
  }
  std::string fragment(uint64_t index) {
    return annotated("fragment F" + std::to_string(index) + " on T0 { at " +
                     pick({"", "link", "id, link # note\n"}) + "}");
  }
  std::string root(uint64_t index) {
    const std::string name = "r" + std::to_string(index);
    if (flip())
      return annotated("get " + name + pick({"", "(id: Text)"}) + " of T0 public" + cache());
    return annotated("list " + name + "(w: " + scalar() + ") of T0 by link" + root_window() +
                     " private");
  }
  Block mutation(uint64_t index) {
    Block block{annotated("mutation m" + std::to_string(index) + "(id: Text, n: " + value_type(1) +
                          ") returns T0"),
                {}};
    block.lines = {"allow " + pick({"public", "private", "when caller.role = A"}),
                   "writes T0(" + pick({"id", "new"}) + ")", "invalidates writes",
                   "effect " + pick({"transactional", "natural \"why\"", "workflow"})};
    if (flip()) block.lines.push_back("batch best-effort max 4");
    return block;
  }

  SeededRandom& random_;
  uint64_t entity_count_ = 1;
  uint64_t enum_count_ = 1;
};

TEST_CASE("random schemas: canonical text is a fixed point, and order does not matter") {
  uint64_t seed = std::random_device{}();
  if (const char* given = std::getenv("LATTICE_SEED")) seed = std::strtoull(given, nullptr, 10);
  MESSAGE("seed " << seed << " (LATTICE_SEED)");
  SeededRandom random(seed);
  for (int round = 0; round < 150; ++round) {
    Generator generator(random);
    const std::vector<Block> blocks = generator.schema();
    const std::string idl = generator.print(blocks);
    auto schema = load_schema(idl);
    REQUIRE_MESSAGE(schema.has_value(), "seed " << seed << "\n"
                                                << render_error(schema.error(), "random", idl));
    const std::string& canonical = (*schema)->canonical_text;
    REQUIRE_MESSAGE(load_good_schema(canonical)->canonical_text == canonical, "seed " << seed);
    const std::string shuffled = generator.print(blocks);
    REQUIRE_MESSAGE(load_good_schema(shuffled)->hash == (*schema)->hash, "seed " << seed << "\n"
                                                                                 << idl << "\n---\n"
                                                                                 << shuffled);
  }
}

TEST_CASE("the fixtures are fixed points, and their declarations may stand in any order") {
  for (const char* name :
       {"blog", "cokey", "derived", "digest", "directives", "starwars", "verbs", "schemas/card",
        "schemas/compat-base", "schemas/gates", "schemas/proj", "schemas/thread"}) {
    const auto idl = testing::vector_schema_text(name);
    if (!idl) return;
    const SchemaPtr schema = load_good_schema(*idl);
    CHECK(load_good_schema(schema->canonical_text)->canonical_text == schema->canonical_text);
    // Blocks of the canonical text are separated by empty lines: read them backwards.
    std::string reversed;
    std::string_view rest = schema->canonical_text;
    while (!rest.empty()) {
      const size_t end = std::min(rest.find("\n\n"), rest.size());
      reversed.insert(0, std::string(rest.substr(0, end)) + "\n\n");
      rest.remove_prefix(std::min(end + 2, rest.size()));
    }
    CHECK(load_good_schema(reversed)->hash == schema->hash);
  }
}

TEST_CASE("plan identity sees declarations without descriptions and annotations (§7.3)") {
  const auto schema = load_good_schema(
      "schema t.example directive @m on ENTITY | FIELD | TYPE | RELATIONSHIP\n"
      "\"d\" @m entity E by id { visible to all by default \"d\" @m id: Text @deprecated(sunset: "
      "\"2030-01-01\") a: D \"d\" @m has many kids: E by id max 2 }\n"
      "\"d\" interface I { \"d\" a: Text } \"d\" @m data D { \"d\" x: Text } \"d\" fragment F on E "
      "{ id }");
  CHECK(print_pertinent(schema->entities[0], *schema) ==
        "entity E by id {\n  visible to all by default\n  a: D\n  id: Text\n  has many kids: E by "
        "id max "
        "2\n}");
  CHECK(print_pertinent(schema->interfaces[0], *schema) == "interface I {\n  a: Text\n}");
  CHECK(print_pertinent(schema->types[0], *schema) == "data D { x: Text }");
  CHECK(print_pertinent(schema->fragments[0], *schema) == "fragment F on E {id}");
}

}  // namespace
}  // namespace lattice::schema
