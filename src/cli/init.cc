// lattice init: writes the schema that serves an existing database.
#include "cli/commands.h"
#include "cli/document.h"
#include "cli/flags.h"
#include "store/store.h"

namespace lattice::cli {

int run_init(const Arguments& arguments) {
  std::string url;
  store::InitOptions options;
  bool as_json = false;
  Flags flags("lattice init",
              "Reads an existing database and prints a commented schema that serves it as it is.");
  flags.positional("URL", "sqlite:PATH", url);
  flags.flag("--public", "everything visible to all (by default: private)", options.is_public);
  flags.option("--name", "NAME", "the schema's name (by default from the file)", options.name);
  flags.flag("--json", "errors as JSON", as_json);
  flags.footer("example: lattice init --public sqlite:music.db > schema.lattice");
  if (auto exit = flags.parse(arguments)) return *exit;
  auto text = store::introspect_store(url, options);
  if (!text) return report(text.error(), nullptr, as_json);
  print(*text);
  return kExitOk;
}

}  // namespace lattice::cli
