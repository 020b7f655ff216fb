#include "tests/http_vectors/vector_origin.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

#include "base/base64url.h"
#include "schema/schema.h"
#include "tests/support/repository.h"

namespace lattice::vectors {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> usage(std::string message) {
  return fail(Code::Usage, std::move(message));
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::optional<std::vector<std::string>> declared_reads(const Json& dataset, std::string_view root) {
  const Json* all = dataset.find("reads");
  const Json* reads = all ? all->find(root) : nullptr;
  if (!reads) return std::nullopt;
  std::vector<std::string> out;
  for (const Json& name : reads->as_array()) out.push_back(name.as_string());
  return out;
}

// "episode Empire gives Human:1000, anything else or no episode gives Droid:2001"
Result<std::vector<std::string>> find_hero(const store::MemoryView&, const Json& arguments) {
  const Json* episode = arguments.find("episode");
  bool is_empire = episode && episode->is_string() && episode->as_string() == "Empire";
  return std::vector<std::string>{is_empire ? "Human:1000" : "Droid:2001"};
}

// "Human, Droid and Starship rows whose name contains the text, ignoring case"
Result<std::vector<std::string>> search(const store::MemoryView& view, const Json& arguments) {
  std::string text = lower(arguments.find("text")->as_string());
  std::vector<std::string> out;
  for (std::string_view type : {"Human", "Droid", "Starship"}) {
    for (const auto& item : view.rows(type)) {
      bool is_hit = lower(item.fields.find("name")->as_string()).find(text) != std::string::npos;
      if (is_hit) out.push_back(item.ref);
    }
  }
  return out;
}

// "the first Order whose tags equal the argument"
Result<std::vector<std::string>> find_order_tagged(const store::MemoryView& view,
                                                   const Json& arguments) {
  for (const auto& item : view.rows("Order")) {
    const Json* tags = item.fields.find("tags");
    if (tags && *tags == *arguments.find("tags")) return std::vector<std::string>{item.ref};
  }
  return std::vector<std::string>{};
}

// "https://img.example/{id}/{size}"
Json avatar_url(const Json& fields, const Json& arguments) {
  return "https://img.example/" + fields.find("id")->as_string() + "/" +
         canonical_json(*arguments.find("size"));
}

void add_hooks(store::MemoryStore& store, const schema::Schema& schema, const Json& dataset) {
  const std::pair<std::string_view, store::RootHook> roots[] = {
      {"hero", find_hero}, {"search", search}, {"orderTagged", find_order_tagged}};
  for (const auto& [name, hook] : roots) {
    if (schema.find_root(name)) store.add_root(name, hook, declared_reads(dataset, name));
  }
  const schema::Entity* user = schema.find_entity("User");
  if (user && user->find_field("avatarUrl") != schema::kNone) {
    store.add_field("User", "avatarUrl", avatar_url);
  }
}

void add_owners(const Json& dataset, origin::OriginOptions& options) {
  const Json* owners = dataset.find("owners");
  if (!owners) return;
  for (const auto& [entity, owner] : owners->as_object()) {
    bool is_field = owner.is_string();
    options.plan.owners.push_back(
        {.entity = entity,
         .field = is_field ? owner.as_string() : std::string(),
         .hidden_column = is_field ? std::string() : std::string(store::kDatasetOwnerColumn)});
  }
}

Result<void> set_budgets(const Json& config, plan::Budgets& budgets) {
  const std::map<std::string_view, uint32_t*> members = {
      {"maxCanonicalBytes", &budgets.canonical_bytes_max},
      {"maxDepth", &budgets.depth_max},
      {"maxRoots", &budgets.roots_max},
      {"maxRounds", &budgets.rounds_max},
      {"maxRoundFanout", &budgets.round_fanout_max},
      {"maxSurrogateKeys", &budgets.surrogate_keys_max},
      {"maxBatchItems", &budgets.batch_items_max},
      {"maxPageDefault", &budgets.page_default_max},
      {"maxValueBytes", &budgets.value_bytes_max},
      {"coalesceWindowMs", &budgets.coalesce_window_ms},
  };
  for (const auto& [name, value] : config.as_object()) {
    auto at = members.find(name);
    if (at == members.end())
      return usage("config.budgets: this runner does not know `" + name + "`");
    *at->second = static_cast<uint32_t>(value.as_int64());
  }
  return {};
}

Result<void> configure(const Json& config, origin::OriginOptions& options) {
  for (const auto& [name, value] : config.as_object()) {
    if (name == "coalesceWindowMs") {
      options.plan.budgets.coalesce_window_ms = static_cast<uint32_t>(value.as_int64());
    } else if (name == "coldCompilesPerClient") {
      options.cold_compiles_per_minute = static_cast<uint32_t>(value.as_int64());
    } else if (name == "serviceToken") {
      options.service_token = value.as_string();
    } else if (name == "admission") {
      for (const Json& key : value.find("signed")->as_array()) {
        LATTICE_TRY(std::string bytes, base64url_decode(key.as_string()));
        options.admission_keys.push_back(std::move(bytes));
      }
    } else if (name == "budgets") {
      LATTICE_TRY_VOID(set_budgets(value, options.plan.budgets));
    } else if (name != "registry" && name != "liveMaxSubscribers") {
      // Those two configure what is not served yet; the steps that need it fail by themselves.
      return usage("config: this runner does not know `" + name + "`");
    }
  }
  return {};
}

}  // namespace

Result<std::string> read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.good()) return fail(Code::Io, "cannot read " + path.string());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<VectorFolder> open_folder(const fs::path& folder) {
  VectorFolder out{folder, folder.parent_path() / "fixtures", {}};
  auto shared = testing::find_shared_folder();
  if (shared) *shared /= "conformance/protocol";
  if (!fs::is_directory(out.fixtures) && shared) out.fixtures = *shared / "fixtures";
  fs::path datasets = folder / "datasets.json";
  if (!fs::exists(datasets) && shared) datasets = *shared / "vectors/datasets.json";
  LATTICE_TRY(std::string text, read_text(datasets));
  LATTICE_TRY(Json parsed, parse_json(text));
  const Json* held = parsed.find("datasets");
  if (!held) return fail(Code::Io, datasets.string() + " has no member `datasets`");
  out.datasets = *held;
  return out;
}

Result<std::unique_ptr<VectorOrigin>> VectorOrigin::start(const VectorFolder& folder,
                                                          std::string_view dataset,
                                                          const Json* config) {
  const Json* held = folder.datasets.find(dataset);
  if (!held) return usage("datasets.json has no data set `" + std::string(dataset) + "`");
  const Json* now = held->find("now");
  std::unique_ptr<VectorOrigin> out(new VectorOrigin(now ? now->as_int64() : 1'790'000'000));
  LATTICE_TRY_VOID(out->build(folder, *held, config));
  return out;
}

VectorOrigin::~VectorOrigin() {
  if (server_) server_->drain(std::chrono::seconds(5));
}

Result<void> VectorOrigin::build(const VectorFolder& folder, const Json& dataset,
                                 const Json* config) {
  const std::string& name = dataset.find("schema")->as_string();
  fs::path in_vectors = folder.vectors / (name + ".lattice");
  if (!fs::exists(in_vectors)) {
    in_vectors = folder.fixtures.parent_path() / "vectors" / (name + ".lattice");
  }
  bool is_own = name.starts_with("schemas/");
  LATTICE_TRY(std::string idl,
              read_text(is_own ? in_vectors : folder.fixtures / (name + ".lattice")));
  LATTICE_TRY(schema::SchemaPtr schema, schema::load_schema(idl));
  const Json* domain = dataset.find("domain");
  auto store = std::make_unique<store::MemoryStore>(schema, domain ? domain->as_string() : "main");
  add_hooks(*store, *schema, dataset);
  LATTICE_TRY_VOID(store->load_dataset(dataset));
  store_ = store.get();

  origin::OriginOptions options;
  if (const Json* secret = dataset.find("proofSecret")) {
    options.proof_keys.push_back({origin::ProofKey::Kind::Hmac, secret->as_string()});
  }
  if (const Json* principals = dataset.find("principals")) {
    for (const auto& [credential, subject] : principals->as_object()) {
      options.principals.emplace_back(credential, subject.as_string());
    }
  }
  add_owners(dataset, options);
  if (config) LATTICE_TRY_VOID(configure(*config, options));
  LATTICE_TRY(origin_,
              origin::Origin::create(std::move(options), schema, std::move(store), clock_));
  LATTICE_TRY(server_, http::Server::start(
                           {}, [this](const http::Request& request, http::ResponseWriter& writer) {
                             return origin_->handle(request, writer);
                           }));
  return {};
}

}  // namespace lattice::vectors
