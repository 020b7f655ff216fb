// lattice query: asks an origin by the ladder, or serves a store for the length of one question.
#include <chrono>

#include "base/base64url.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/random.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/flags.h"
#include "cli/sources.h"
#include "client/ladder.h"
#include "client/tree.h"
#include "origin/config.h"
#include "query/query.h"
#include "schema/value.h"

namespace lattice::cli {
namespace {

struct Inputs {
  std::string query, origin_url, schema_file, store_url, config_file;
  std::string claims, proof, vc, token;
  std::vector<std::string> variables;
  bool as_tree = false, as_json = false, is_verbose = false;
};

std::optional<int> parse_inputs(const Arguments& arguments, Inputs& inputs) {
  Flags flags("lattice query",
              "Asks an origin (or a store directly) and prints the records of every slice that the\n"
              "credentials open.");
  flags.positional("QUERY", "a file, `-` for standard input, or the text itself", inputs.query);
  flags.option("--origin", "URL", "the origin to ask", inputs.origin_url);
  flags.option("--schema", "F", "with --store: the schema document", inputs.schema_file);
  flags.option("--store", "URL", "ask this store, without an origin", inputs.store_url);
  flags.option("--config", "F", "with --store: configuration, as for an origin", inputs.config_file);
  flags.option("--var", "NAME=VALUE", "a variable, as it stands in a URL; may be repeated",
               inputs.variables);
  flags.option("--claims", "JSON", "with --store: the caller's claims", inputs.claims);
  flags.option("--vc", "TEXT", "with --origin: a claims payload (lattice mint)", inputs.vc);
  flags.option("--proof", "TEXT", "with --origin: its proof, the X-Vc-Auth header", inputs.proof);
  flags.option("--token", "TEXT", "a bearer token, for private parts", inputs.token);
  flags.flag("--tree", "print the tree that the query describes", inputs.as_tree);
  flags.flag("--json", "errors as JSON", inputs.as_json);
  flags.flag("--verbose", "tell each request that was made", inputs.is_verbose);
  flags.footer("example: lattice query 'query { latest { title } }' --origin http://127.0.0.1:8917");
  return flags.parse(arguments);
}

Error usage(std::string message) { return Error{Code::Usage, std::move(message), {}, {}, false}; }

// `name=value` pairs; each value is read by its variable's type once the query is compiled.
Result<std::vector<std::pair<std::string, std::string>>> split_variables(
    const std::vector<std::string>& variables) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& variable : variables) {
    size_t equal = variable.find('=');
    if (equal == 0 || equal == std::string::npos) {
      return fail(usage("--var wants NAME=VALUE, not `" + variable + "`"));
    }
    out.emplace_back(variable.substr(0, equal), variable.substr(equal + 1));
  }
  return out;
}

std::string folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// The pairs as the JSON object that a ladder takes, read as they would be in a URL (§6.1).
Result<Json> read_variables(const std::vector<std::pair<std::string, std::string>>& pairs,
                            const Document& document, const schema::Schema& schema) {
  LATTICE_TRY(query::Query query, compile_document(document, schema));
  Json object = Json::object();
  for (const auto& [name, text] : pairs) {
    const query::Variable* variable = nullptr;
    for (const query::Variable& declared : query.variables) {
      if (declared.name == name) variable = &declared;
    }
    if (!variable) return fail(usage("the query declares no variable `" + name + "`"));
    schema::Type type;
    if (auto primitive = schema::find_primitive(variable->type)) {
      type.primitive = *primitive;
    } else {
      type.kind = schema::Type::Kind::Named;
      type.name = variable->type;
    }
    LATTICE_TRY(Json value, schema::parse_url_value(text, type, schema, name));
    object.set(name, std::move(value));
  }
  return object;
}

int show(const client::Answer& answer, const Inputs& inputs) {
  for (const client::Exchange& exchange : answer.slices) {
    if (inputs.is_verbose) {
      std::string line = exchange.rung + " " + exchange.target + " → " +
                         std::to_string(exchange.status) + "\n";
      std::fputs(line.c_str(), stderr);
    }
    if (!inputs.as_tree) print(exchange.body);
  }
  if (inputs.as_tree) {
    auto tree = client::build_tree(*answer.plan, answer.bindings, answer.store);
    if (!tree) return report(tree.error(), nullptr, inputs.as_json);
    print(to_pretty_json(*tree) + "\n");
  }
  for (const std::string& left_out : answer.left_out) {
    std::fprintf(stderr, "left out: %s\n", left_out.c_str());
  }
  return kExitOk;
}

int ask(http::Client& client, client::LadderOptions options, const Inputs& inputs,
        const Document& document) {
  auto pairs = split_variables(inputs.variables);
  if (!pairs) return report(pairs.error(), nullptr, inputs.as_json);
  if (!inputs.token.empty()) options.authorization = "Bearer " + inputs.token;
  auto ladder = client::Ladder::open(client, std::move(options));
  if (!ladder) return report(ladder.error(), nullptr, inputs.as_json);
  auto variables = read_variables(*pairs, document, (*ladder)->schema());
  if (!variables) return report(variables.error(), &document, inputs.as_json);
  auto answer = (*ladder)->ask(document.text, *variables, imports_of(document));
  if (!answer) return report(answer.error(), &document, inputs.as_json);
  return show(*answer, inputs);
}

int ask_origin(const Inputs& inputs, const Document& document) {
  auto url = http::parse_url(inputs.origin_url);
  if (!url) return report(url.error(), nullptr, inputs.as_json);
  auto client = http::Client::open(*url);
  if (!client) return report(client.error(), nullptr, inputs.as_json);
  client::LadderOptions options;
  options.vc = inputs.vc;
  options.proof = inputs.proof;
  return ask(**client, std::move(options), inputs, document);
}

// Serves the store on a loopback port for this one question, so that both ways give the same answer.
int ask_store(const Inputs& inputs, const Document& document) {
  auto schema = load_schema_file(inputs.schema_file);
  if (!schema) return report(schema.error().error, &schema.error().document, inputs.as_json);
  origin::DeploymentConfig config;
  if (!inputs.config_file.empty()) {
    auto text = read_document(inputs.config_file);
    if (!text) return report(text.error(), nullptr, inputs.as_json);
    auto loaded = origin::load_config(text->text, folder_of(inputs.config_file));
    if (!loaded) return report(loaded.error(), &*text, inputs.as_json);
    config = std::move(*loaded);
  }
  client::LadderOptions options;
  origin::ProofKey key{origin::ProofKey::Kind::Hmac, random_bytes(32)};
  config.origin.proof_keys.push_back(key);
  if (!inputs.claims.empty()) {
    auto claims = parse_json(inputs.claims);
    if (claims && !claims->is_object()) {
      return report(usage("--claims wants a JSON object"), nullptr, inputs.as_json);
    }
    if (!claims) return report(claims.error(), nullptr, inputs.as_json);
    options.vc = base64url_encode(canonical_json(*claims));
    auto now = std::chrono::floor<std::chrono::seconds>(system_clock().now());
    options.proof = origin::sign_proof(key, options.vc, now.time_since_epoch().count() + 3600);
  }
  auto store = store::open_store(inputs.store_url, schema->schema, config.store);
  if (!store) return report(store.error(), &schema->document, inputs.as_json);
  auto origin = origin::Origin::create(std::move(config.origin), schema->schema, std::move(*store),
                                       system_clock());
  if (!origin) return report(origin.error(), nullptr, inputs.as_json);
  auto server = http::Server::start(
      {.address = "127.0.0.1", .port = 0},
      [&origin](const http::Request& request, http::ResponseWriter& writer) {
        return (*origin)->handle(request, writer);
      });
  if (!server) return report(server.error(), nullptr, inputs.as_json);
  http::Url url{"http", "127.0.0.1", (*server)->port(), "/"};
  auto client = http::Client::open(url);
  if (!client) return report(client.error(), nullptr, inputs.as_json);
  return ask(**client, std::move(options), inputs, document);
}

}  // namespace

int run_query(const Arguments& arguments) {
  Inputs inputs;
  if (auto exit = parse_inputs(arguments, inputs)) return *exit;
  bool names_store = !inputs.store_url.empty() && !inputs.schema_file.empty();
  if (inputs.origin_url.empty() == !names_store) {
    return report(usage("give either --origin URL, or both --schema F and --store URL"), nullptr,
                  inputs.as_json);
  }
  auto document = read_query(inputs.query);
  if (!document) return report(document.error(), nullptr, inputs.as_json);
  return names_store ? ask_store(inputs, *document) : ask_origin(inputs, *document);
}

}  // namespace lattice::cli
