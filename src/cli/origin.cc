// lattice origin: serves a database until it is told to stop.
#include <csignal>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/flags.h"
#include "cli/sources.h"
#include "origin/config.h"

namespace lattice::cli {
namespace {

constexpr std::chrono::seconds kDrainTimeout{30};

// "127.0.0.1:8917", "[::1]:0", ":8917".
Result<void> parse_listen(std::string_view text, http::ServerOptions& options) {
  size_t colon = text.rfind(':');
  uint32_t port = 0;
  std::string_view digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  auto [end, error] = std::from_chars(digits.begin(), digits.end(), port);
  if (digits.empty() || error != std::errc() || end != digits.end() || port > 65535) {
    return fail(Code::Usage, "--listen wants ADDRESS:PORT, not `" + std::string(text) + "`");
  }
  std::string_view address = text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) {
    address = address.substr(1, address.size() - 2);
  }
  options.address = address.empty() ? "127.0.0.1" : std::string(address);
  options.port = static_cast<uint16_t>(port);
  return {};
}

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

std::string folder_of(std::string_view path) {
  size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? "." : std::string(path.substr(0, slash));
}

// Blocks until SIGTERM or SIGINT; both were blocked before any thread started.
void wait_for_stop(const sigset_t& signals) {
  int received = 0;
  sigwait(&signals, &received);
}

int serve(origin::DeploymentConfig config, schema::SchemaPtr schema, const std::string& store_url,
          const Document& schema_document, bool as_json) {
  auto store = store::open_store(store_url, schema, config.store);
  if (!store) return report(store.error(), &schema_document, as_json);
  if (config.origin.insecure_dev && !is_loopback(config.server.address)) {
    return report(Error{Code::Usage, "--insecure-dev serves on loopback only, not on " +
                                         config.server.address, {}, {}, false},
                  nullptr, as_json);
  }
  auto origin = origin::Origin::create(std::move(config.origin), schema, std::move(*store),
                                       system_clock());
  if (!origin) return report(origin.error(), nullptr, as_json);

  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  bool secure = !config.server.tls.certificate_file.empty();
  std::string address = config.server.address;
  auto server = http::Server::start(
      std::move(config.server),
      [&origin](const http::Request& request, http::ResponseWriter& writer) {
        return (*origin)->handle(request, writer);
      });
  if (!server) return report(server.error(), nullptr, as_json);
  for (const std::string& note : (*origin)->startup_notes()) print("note: " + note + "\n");
  if (address.find(':') != std::string::npos) address = "[" + address + "]";
  print(std::string("lattice origin for ") + schema->name + " on " +
        (secure ? "https://" : "http://") + address + ":" + std::to_string((*server)->port()) +
        "\n");
  wait_for_stop(signals);
  bool whole = (*server)->drain(std::chrono::duration_cast<std::chrono::milliseconds>(kDrainTimeout));
  print(whole ? "stopped\n" : "stopped; some requests were cut\n");
  return kExitOk;
}

}  // namespace

int run_origin(const Arguments& arguments) {
  std::string schema_file, store_url, listen = "127.0.0.1:8917", config_file;
  bool insecure_dev = false, as_json = false;
  Flags flags("lattice origin", "Serves a database over the Lattice protocol.");
  flags.option("--schema", "F", "the schema document", schema_file, true);
  flags.option("--store", "URL", "memory:[FILE.json], sqlite:PATH", store_url, true);
  flags.option("--listen", "ADDR:PORT", "where to listen (127.0.0.1:8917; port 0: any)", listen);
  flags.option("--config", "F", "configuration (docs/configuration.md)", config_file);
  flags.flag("--insecure-dev",
             "development: any bearer text is the principal, any claims are believed; loopback only",
             insecure_dev);
  flags.flag("--json", "errors as JSON", as_json);
  if (auto exit = flags.parse(arguments)) return *exit;

  auto schema = load_schema_file(schema_file);
  if (!schema) return report(schema.error().error, &schema.error().document, as_json);
  origin::DeploymentConfig config;
  if (!config_file.empty()) {
    auto document = read_document(config_file);
    if (!document) return report(document.error(), nullptr, as_json);
    auto loaded = origin::load_config(document->text, folder_of(config_file));
    if (!loaded) return report(loaded.error(), &*document, as_json);
    config = std::move(*loaded);
  }
  config.origin.insecure_dev = insecure_dev;
  if (auto parsed = parse_listen(listen, config.server); !parsed) {
    return report(parsed.error(), nullptr, as_json);
  }
  return serve(std::move(config), schema->schema, store_url, schema->document, as_json);
}

}  // namespace lattice::cli
