#include "tests/support/exec_fixture.h"

#include <algorithm>

namespace lattice::testing {

namespace {

template <class T>
T must(Result<T> result) {
  REQUIRE_MESSAGE(result.has_value(), result.error().message);
  return std::move(*result);
}

using Refs = std::vector<std::string>;

void add_starwars_hooks(store::MemoryStore& store) {
  store.add_root(
      "hero",
      [](const store::MemoryView&, const Json& arguments) -> Result<Refs> {
        const Json* episode = arguments.find("episode");
        bool empire = episode && episode->as_string() == "Empire";
        return Refs{empire ? "Human:1000" : "Droid:2001"};
      },
      Refs{});
  store.add_root(
      "search",
      [](const store::MemoryView& view, const Json& arguments) -> Result<Refs> {
        auto lower = [](std::string text) {
          for (char& c : text) c = static_cast<char>(std::tolower(c));
          return text;
        };
        std::string wanted = lower(arguments.find("text")->as_string());
        Refs refs;
        for (const char* type : {"Human", "Droid", "Starship"}) {
          for (const auto& item : view.rows(type)) {
            std::string name = lower(item.fields.find("name")->as_string());
            if (name.find(wanted) != std::string::npos) refs.push_back(item.ref);
          }
        }
        return refs;
      },
      Refs{"Human", "Droid", "Starship"});
}

void add_blog_hooks(store::MemoryStore& store) {
  store.add_field("User", "avatarUrl", [](const Json& fields, const Json& arguments) {
    return Json("https://img.example/" + fields.find("id")->as_string() + "/" +
                std::to_string(arguments.find("size")->as_int64()));
  });
}

std::string schema_path(const std::string& name) {
  bool among_vectors = name.starts_with("schemas/");
  return std::string("conformance/protocol/") + (among_vectors ? "vectors/" : "fixtures/") + name +
         ".lattice";
}

}  // namespace

ExecFixture::ExecFixture(schema::SchemaPtr made, const Json& rows, plan::PlanOptions how)
    : schema(std::move(made)),
      store(std::make_unique<store::MemoryStore>(schema)),
      options(std::move(how)),
      dataset(rows) {
  must(store->load_dataset(dataset));
}

std::optional<ExecFixture> ExecFixture::open(const std::string& name) {
  auto text = read_shared("conformance/protocol/vectors/datasets.json");
  if (!text) return std::nullopt;
  Json all = must(parse_json(*text));
  const Json* dataset = all.find("datasets")->find(name);
  REQUIRE(dataset != nullptr);
  auto idl = read_shared(schema_path(dataset->find("schema")->as_string()));
  plan::PlanOptions options;
  if (const Json* owners = dataset->find("owners")) {
    for (const auto& [type, owner] : owners->as_object()) {
      if (owner.is_string()) {
        options.owners.push_back({type, owner.as_string(), {}});
      } else {
        options.owners.push_back({type, {}, std::string(store::kDatasetOwnerColumn)});
      }
    }
  }
  ExecFixture fixture(must(schema::load_schema(*idl)), *dataset, std::move(options));
  if (name == "starwars") add_starwars_hooks(*fixture.store);
  if (name == "blog") add_blog_hooks(*fixture.store);
  return fixture;
}

exec::ProgramPtr ExecFixture::compile(std::string_view text) const {
  query::Query query = must(query::compile_query(text, *schema));
  return must(exec::Program::compile(must(plan::plan_query(query, schema, options))));
}

Result<exec::SliceResult> ExecFixture::try_run(std::string_view text, plan::Slice slice,
                                               const RunOptions& how) const {
  exec::ProgramPtr program = compile(text);
  auto bindings = exec::bind_json(program->plan(), how.variables);
  if (!bindings) return fail(std::move(bindings.error()));
  auto snapshot = must(store->open_snapshot().run_ready());
  exec::Caller caller{how.claims, how.claims ? canonical_json(*how.claims) : "", how.principal};
  return exec::execute_slice(*program, slice, *bindings, caller, *snapshot, how.exec).run_ready();
}

exec::SliceResult ExecFixture::run(std::string_view text, plan::Slice slice,
                                   const RunOptions& how) const {
  return must(try_run(text, slice, how));
}

exec::SliceResult ExecFixture::fetch(std::string_view entity, std::string_view key,
                                     std::string_view mask, plan::Slice slice, bool lower,
                                     const RunOptions& how) const {
  schema::EntityIndex index = schema->entity_index(entity);
  REQUIRE(index != schema::kNone);
  auto selections = must(query::compile_mask(mask, schema->entities[index], *schema));
  auto program = must(
      exec::Program::compile(must(plan::plan_entity_fetch(selections, index, schema, options))));
  auto snapshot = must(store->open_snapshot().run_ready());
  exec::Caller caller{how.claims, how.claims ? canonical_json(*how.claims) : "", how.principal};
  exec::ExecOptions exec_options = how.exec;
  exec_options.includes_lower_slices = lower;
  return must(
      exec::execute_slice(*program, slice, {}, caller, *snapshot, exec_options, {std::string(key)})
          .run_ready());
}

std::vector<Json> records_of(const exec::SliceResult& result) {
  std::vector<Json> records;
  std::string_view body = result.body;
  while (!body.empty()) {
    size_t end = body.find('\n');
    REQUIRE(end != std::string_view::npos);
    records.push_back(must(parse_json(body.substr(0, end))));
    body.remove_prefix(end + 1);
  }
  return records;
}

bool has_key(const exec::SliceResult& result, std::string_view key) {
  return std::find(result.keys.begin(), result.keys.end(), key) != result.keys.end();
}

}  // namespace lattice::testing
