// Plan identity (§7.3): what moves a plan id and what does not, by random edits of our own schemas.
// What is pertinent stands in this file as lists made by hand.
#include "plan/identity.h"

#include <algorithm>
#include <random>

#include "plan/plan.h"
#include "tests/support/schemas.h"

namespace lattice::plan {
namespace {

struct Subject {
  const char* schema;
  const char* query;
  std::vector<std::string> pertinent;  // "entity Article", "type OrgId", "root front", ...
};
const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"journal",
       "query { front { title writer { ...Byline } } }",
       {"entity Article", "entity Writer", "root front", "fragment Byline", "type ArticleId",
        "type WriterId", "type OrgId"}},
      {"journal",
       "query($id: ArticleId) { article(id: $id) { clicks } }",
       {"entity Article", "root article", "type ArticleId", "type WriterId", "type OrgId",
        "type Rank"}},
      {"journal",
       "query { archive { remarks { text } } }",
       {"entity Article", "entity Remark", "root archive", "type ArticleId", "type WriterId",
        "type OrgId"}},
      {"fleet",
       "query { captain { name mates { ...CrewName } } }",
       {"entity Pilot", "entity Robot", "interface Crew", "root captain", "fragment CrewName",
        "type PilotId", "type RobotId", "type Season"}},
      {"shop",
       "query { order(id: \"1\") { summary } }",
       {"entity Order", "entity Buyer", "entity Part", "fragment BuyerLine", "root order",
        "type ShopId", "type OrderId", "type BuyerId", "type PartId"}},
  };
  return all;
}

// The top-level declarations of a document: each begins in column 0.
std::vector<std::string> split_declarations(const std::string& text) {
  std::vector<std::string> blocks;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    const std::string line = text.substr(begin, end - begin);
    begin = end;
    if (line.starts_with("--")) continue;
    const bool starts = line[0] != ' ' && line[0] != '\n' && line[0] != '}';
    if (starts || blocks.empty()) blocks.emplace_back();
    blocks.back() += line;
  }
  return blocks;
}

// "entity Article", as pertinent lists name it.
std::string name_of(const std::string& block) {
  const size_t space = block.find(' ');
  const std::string keyword = block.substr(0, space);
  const size_t end = block.find_first_of(" (\n", space + 1);
  const std::string name = block.substr(space + 1, end - space - 1);
  if (keyword == "newtype" || keyword == "enum") return "type " + name;
  if (keyword == "get" || keyword == "list") return "root " + name;
  return keyword + " " + name;
}

bool replace_first(std::string& text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  if (at == std::string::npos) return false;
  text.replace(at, what.size(), by);
  return true;
}

// A change of meaning of one declaration; false when this kind of block has none here.
bool edit_meaning(std::string& block, uint32_t variant) {
  const std::string name = name_of(block);
  if (name.starts_with("entity ") || name.starts_with("interface ")) {
    // An interface's field would be missing from its members.
    if (name.starts_with("interface ") || variant % 3 == 0)
      return replace_first(block, "[Season]", "[Season]?") ||
             (name.starts_with("entity ") &&
              replace_first(block, "  fetch by", "  extra: Text\n  fetch by"));
    if (variant % 3 == 1 && replace_first(block, "page 10", "page 10 ")) {
      return replace_first(block, "max 50", "max 49");
    }
    return replace_first(block, "visible to all by default",
                         "visible to all by default\n  more: Text?");
  }
  if (name.starts_with("type ")) {
    if (block.starts_with("enum")) return replace_first(block, "\n", " | Another\n");
    return replace_first(block, "= Uuid", "= Text") ||
           replace_first(block, "= Text", "= Text(max 900)");
  }
  if (name.starts_with("mutation ")) return replace_first(block, "transactional", "natural");
  if (name.starts_with("fragment ")) return replace_first(block, "{ ", "{ ...More ");
  if (name.starts_with("root ")) {
    return replace_first(block, "max 1", "max 2") || replace_first(block, "max 2", "max 3") ||
           replace_first(block, "max 4", "max 5") || replace_first(block, " public", " private") ||
           replace_first(block, " private", " public");
  }
  return false;
}

// A change that no plan can notice.
void edit_annotation(std::vector<std::string>& blocks, std::mt19937& random) {
  std::string& block = blocks[1 + random() % (blocks.size() - 1)];
  const bool takes_annotations = !block.starts_with("claims");
  switch (random() % 4) {
    case 0:
      if (takes_annotations) block = "\"Said about it.\"\n" + block;
      break;
    case 1:
      if (takes_annotations) block = "@break(approved: \"T-1\")\n" + block;
      break;
    case 2:
      blocks.push_back("entity Stray by id {\n  visible to all by default\n  id: Text\n}\n");
      break;
    default:
      std::shuffle(blocks.begin() + 1, blocks.end(), random);
  }
}

std::string join(const std::vector<std::string>& blocks) {
  std::string text;
  for (const std::string& block : blocks) text += block;
  return text;
}

struct Identity {
  std::string plan, query;
};
Identity identity_of(const std::string& schema_text, const char* query_text) {
  auto schema = schema::load_schema(schema_text);
  REQUIRE_MESSAGE(schema.has_value(), schema.error().message << "\n" << schema_text);
  auto query = query::compile_query(query_text, **schema);
  REQUIRE_MESSAGE(query.has_value(), query.error().message << "\n" << schema_text);
  auto plan = plan_query(*query, *schema);
  REQUIRE_MESSAGE(plan.has_value(), plan.error().message);
  return {(*plan)->plan_id, (*plan)->query_hash};
}

std::string corpus_text(const char* schema) {
  return testing::read_file(testing::repository_folder() / "tests/corpus/schemas" /
                            (std::string(schema) + ".lattice"));
}

TEST_CASE("random edits move a plan id exactly when they touch what the plan reads (§7.3)") {
  // LATTICE_SEED=n repeats a run.
  const char* given = std::getenv("LATTICE_SEED");
  const auto seed = given ? static_cast<uint32_t>(std::atoll(given)) : std::random_device{}();
  MESSAGE("LATTICE_SEED=" << seed);
  std::mt19937 random(seed);
  int moved_count = 0, stood_count = 0;
  for (int round = 0; round < 300; ++round) {
    const Subject& subject = subjects()[random() % subjects().size()];
    const std::string text = corpus_text(subject.schema);
    std::vector<std::string> blocks = split_declarations(text);
    const Identity before = identity_of(text, subject.query);
    std::string& block = blocks[1 + random() % (blocks.size() - 1)];
    const std::string name = name_of(block);
    if (name == "fragment Card" || name == "fragment Teaser") continue;
    bool is_pertinent = false;
    std::string fragment;
    if (random() % 3 == 0) {
      edit_annotation(blocks, random);
    } else {
      if (name.starts_with("fragment ")) {
        const size_t on = block.find(" on ") + 4;
        const std::string type = block.substr(on, block.find(' ', on) - on);
        fragment = "fragment More on " + type + " { name }\n";
      }
      if (name == "interface Crew" || block.find("[Season]") != std::string::npos) {
        // All members agree with their interface, so all of them change.
        for (std::string& other : blocks) replace_first(other, "[Season]", "[Season]?");
      } else if (!edit_meaning(block, random())) {
        continue;
      }
      is_pertinent = std::find(subject.pertinent.begin(), subject.pertinent.end(), name) !=
                     subject.pertinent.end();
    }
    const std::string edited = join(blocks) + fragment;
    if (edited == text) continue;
    const Identity after = identity_of(edited, subject.query);
    CHECK(after.query == before.query);
    CHECK_MESSAGE((after.plan != before.plan) == is_pertinent,
                  name << (is_pertinent ? " must move " : " must not move ") << subject.query
                       << "\n"
                       << edited);
    (is_pertinent ? moved_count : stood_count)++;
  }
  CHECK(moved_count > 20);
  CHECK(stood_count > 20);
}

TEST_CASE("the type of a claim is pertinent, named or not (§7.3)") {
  const char* before =
      "schema s\nclaims { rank: I32 }\nentity A by id {\n visible to all by default\n id: Text\n"
      " x: Text visible when caller.rank = 3\n}\nget a(id: Text) of A public\n";
  std::string after = before;
  REQUIRE(replace_first(after, "rank: I32", "rank: W32"));
  const char* gated = "query($id: Text) { a(id: $id) { x } }";
  CHECK(identity_of(before, gated).plan != identity_of(after, gated).plan);
  const char* open = "query($id: Text) { a(id: $id) { id } }";
  CHECK(identity_of(before, open).plan == identity_of(after, open).plan);
}

TEST_CASE("pertinent declarations are sorted and joined by one newline") {
  auto schema = testing::load_corpus_schema("journal");
  auto query = query::compile_query("query { me { name } }", *schema);
  REQUIRE(query.has_value());
  const PlanOptions options;
  Draft draft(*query, schema, options);
  REQUIRE(resolve_roots(draft, query->roots).has_value());
  const std::string text = pertinent_declarations(draft);
  const size_t entity = text.find("entity Writer"), root = text.find("get me"),
               type = text.find("newtype OrgId");
  CHECK(entity == 0);
  CHECK(entity < root);
  CHECK(root < type);
  CHECK(text.back() != '\n');
  CHECK(text.find("newtype ArticleId") == std::string::npos);
}

}  // namespace
}  // namespace lattice::plan
