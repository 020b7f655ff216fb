// The corpus: our own queries over our own schemas, and what each stage makes of them.
//
//   tests/corpus/front.lq          the query; its first line names the schema: `# schema: journal`
//   tests/corpus/front.canonical   the canonical text and the hash          (§5.1)
//   tests/corpus/front.plan        the plan document                        (§9.2)
//   tests/corpus/front.rounds      the tree as it is executed               (§8.1)
//   tests/corpus/front.keys        surrogate key families                   (§10.5)
//   tests/corpus/front.explain     explain for a person                     (§20.2)
//
// A view that exists is compared; one that does not is not wanted. LATTICE_BLESS=rounds (a view's
// name, several with commas, or `all`) writes views in place of comparing; LATTICE_BLESS_NAME=front
// limits it to one query. The diff is then reviewed as code.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

#include "plan/plan.h"
#include "tests/support/schemas.h"

namespace lattice {
namespace {

namespace fs = std::filesystem;

struct View {
  const char* name;
  std::function<std::string(const query::Query&, const plan::Plan&)> print;
};
const std::vector<View>& views() {
  static const std::vector<View> all = {
      {"canonical", [](const query::Query& query,
                       const plan::Plan&) { return query.canonical + "\n" + query.hash + "\n"; }},
      {"plan", [](const query::Query&,
                  const plan::Plan& plan) { return plan::print_plan_document(plan) + "\n"; }},
      {"rounds",
       [](const query::Query&, const plan::Plan& plan) { return plan::print_rounds(plan); }},
      {"keys", [](const query::Query&, const plan::Plan& plan) { return plan::print_keys(plan); }},
      {"explain",
       [](const query::Query&, const plan::Plan& plan) { return plan::explain_text(plan); }},
  };
  return all;
}

bool is_blessed(std::string_view view, const fs::path& query) {
  const char* blessed = std::getenv("LATTICE_BLESS");
  if (blessed == nullptr) return false;
  const char* only = std::getenv("LATTICE_BLESS_NAME");
  if (only != nullptr && *only != 0 && query.stem().string() != only) return false;
  const std::string list = "," + std::string(blessed) + ",";
  return list == ",all," || list.find("," + std::string(view) + ",") != std::string::npos;
}

void check_view(const View& view, const fs::path& query_path, const std::string& got) {
  fs::path path = query_path;
  path.replace_extension(view.name);
  if (is_blessed(view.name, query_path)) {
    std::ofstream(path, std::ios::binary) << got;
    return;
  }
  if (!fs::exists(path)) return;
  const std::string wanted = testing::read_file(path);
  CHECK_MESSAGE(got == wanted, path.string() << " differs (LATTICE_BLESS=" << view.name
                                             << " records it anew); now it is\n"
                                             << got);
}

std::string schema_name(const std::string& text, const fs::path& path) {
  const std::string head = "# schema: ";
  REQUIRE_MESSAGE(text.starts_with(head), path.string() << " begins with `# schema: NAME`");
  return text.substr(head.size(), text.find('\n') - head.size());
}

std::vector<fs::path> corpus_queries() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(testing::repository_folder() / "tests/corpus")) {
    if (entry.path().extension() == ".lq") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST_CASE("every view of every corpus query is as recorded") {
  const auto paths = corpus_queries();
  CHECK(paths.size() >= 12);
  for (const fs::path& path : paths) {
    const std::string text = testing::read_file(path);
    const auto schema = testing::load_corpus_schema(schema_name(text, path));
    const auto query = query::compile_query(text, *schema);
    REQUIRE_MESSAGE(query.has_value(), path.string() << ": " << query.error().message);
    const auto plan = plan::plan_query(*query, schema);
    REQUIRE_MESSAGE(plan.has_value(), path.string() << ": " << plan.error().message);
    for (const View& view : views()) check_view(view, path, view.print(*query, **plan));
  }
}

// What an executor takes for granted of any plan.
void check_consistency(const plan::Plan& plan) {
  for (uint32_t index = 0; index < plan.nodes.size(); ++index) {
    const plan::Node& node = plan.nodes[index];
    CHECK((node.parent == schema::kNone || node.parent < index));
    CHECK(std::is_sorted(node.targets.begin(), node.targets.end()));
    for (const plan::TypePart& type : node.types) {
      const plan::TypeOutputs* outputs = plan.outputs_of(type.entity);
      CHECK((outputs != nullptr || type.parts.empty()));
      for (const plan::FieldPart& part : type.parts) {
        const plan::Output& output = outputs->outputs.at(part.output);
        CHECK(output.is_edge == (part.child != schema::kNone));
        CHECK(part.slice >= type.slice);
        if (!output.is_edge) continue;
        CHECK(plan.nodes.at(part.child).parent == index);
        CHECK(plan.nodes[part.child].slice == part.slice);
        CHECK(plan.nodes[part.child].round == node.round + 1);
        CHECK(plan.edges.at(output.edge).owner == type.entity);
      }
    }
  }
}

// A slice visits the parent of what it visits, and reads what it emits.
void check_program(const plan::Plan& plan, plan::Slice slice) {
  const plan::SliceProgram& program = plan.slice(slice);
  std::vector<bool> visited(plan.nodes.size(), false);
  for (size_t round = 0; round < program.rounds.size(); ++round) {
    for (const uint32_t index : program.rounds[round]) {
      CHECK(plan.nodes.at(index).round == round);
      visited[index] = true;
    }
  }
  for (uint32_t index = 0; index < plan.nodes.size(); ++index) {
    const plan::Node& node = plan.nodes[index];
    if (visited[index] && node.parent != schema::kNone) CHECK(visited[node.parent]);
    for (const plan::TypePart& type : node.types) {
      const auto projection = std::find_if(
          program.projections.begin(), program.projections.end(),
          [&](const plan::Projection& candidate) { return candidate.entity == type.entity; });
      for (const plan::FieldPart& part : type.parts) {
        if (part.slice != slice) continue;
        CHECK(visited[index]);
        const plan::Output& output = plan.outputs_of(type.entity)->outputs[part.output];
        REQUIRE(projection != program.projections.end());
        if (output.is_edge || output.is_computed() || output.derived != schema::kNone) continue;
        const schema::Entity& entity = plan.schema->entities[type.entity];
        const bool is_key =
            std::find(entity.key.begin(), entity.key.end(), output.name) != entity.key.end();
        CHECK(std::binary_search(projection->fields.begin(), projection->fields.end(),
                                 output.field) != is_key);
      }
    }
  }
}

TEST_CASE("every corpus plan is consistent in itself") {
  for (const fs::path& path : corpus_queries()) {
    const std::string text = testing::read_file(path);
    const auto schema = testing::load_corpus_schema(schema_name(text, path));
    const auto query = query::compile_query(text, *schema);
    REQUIRE(query.has_value());
    const auto plan = plan::plan_query(*query, schema);
    REQUIRE(plan.has_value());
    INFO(path.string());
    check_consistency(**plan);
    for (const auto slice : {plan::Slice::Pub, plan::Slice::Ctx, plan::Slice::Priv}) {
      check_program(**plan, slice);
      CHECK((*plan)->slice(slice).is_empty == (*plan)->slice(slice).rounds.empty());
    }
  }
}

TEST_CASE("every recorded view belongs to a query") {
  for (const auto& entry : fs::directory_iterator(testing::repository_folder() / "tests/corpus")) {
    if (!entry.is_regular_file()) continue;
    fs::path query = entry.path();
    query.replace_extension("lq");
    CHECK_MESSAGE(fs::exists(query), entry.path().string() << " has no query");
    const std::string view = entry.path().extension().string().substr(1);
    const bool is_known =
        view == "lq" || std::any_of(views().begin(), views().end(),
                                    [&](const View& known) { return known.name == view; });
    CHECK_MESSAGE(is_known, entry.path().string() << " is no view");
  }
}

}  // namespace
}  // namespace lattice
