// lattice: finds the command and runs it.
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <string_view>

#include "base/check.h"
#include "base/diagnostic.h"
#include "cli/commands.h"
#include "cli/flags.h"

namespace lattice::cli {
namespace {

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments&);
};

constexpr Command kCommands[] = {
    {"origin", "serve a database over the Lattice protocol", run_origin},
    {"init", "write the schema that serves an existing database", run_init},
    {"query", "ask an origin, or a store directly", run_query},
    {"fmt", "format a schema or a query", run_fmt},
    {"canon", "print the canonical text of a query", run_canon},
    {"hash", "print the hash of a query", run_hash},
    {"plan", "print the compiled plan of a query as data", run_plan},
    {"explain", "print the compiled plan of a query for a person", run_explain},
    {"mint", "sign a visibility proof for claims", run_mint},
};

void print_usage(FILE* out) {
  std::fputs("usage: lattice COMMAND [ARGUMENTS]   (lattice COMMAND --help tells more)\n\n", out);
  for (const Command& command : kCommands) {
    std::fprintf(out, "  %-9s %s\n", command.name.data(), command.summary.data());
  }
  std::fputs("\nexit codes: 0 fine, 1 the text or data is wrong, 2 the command line is wrong,\n"
             "3 a file, port or server failed, 70 a bug in lattice\n", out);
}

int run(int argc, char** argv) {
  if (argc < 2) {
    print_usage(stderr);
    return kExitUsage;
  }
  std::string_view name = argv[1];
  if (name == "--help" || name == "-h" || name == "help") {
    print_usage(stdout);
    return kExitOk;
  }
  if (name == "--version") {
    std::puts("lattice " LATTICE_VERSION);
    return kExitOk;
  }
  Arguments arguments(argv + 2, argv + argc);
  std::string_view names[std::size(kCommands)];
  for (size_t i = 0; i < std::size(kCommands); ++i) {
    if (kCommands[i].name == name) return kCommands[i].run(arguments);
    names[i] = kCommands[i].name;
  }
  std::fprintf(stderr, "lattice: no command `%.*s`%s\n", static_cast<int>(name.size()), name.data(),
               did_you_mean(name, names).c_str());
  print_usage(stderr);
  return kExitUsage;
}

}  // namespace
}  // namespace lattice::cli

int main(int argc, char** argv) {
  // A reader that went away (a closed pipe or socket) is an ordinary write error.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return lattice::cli::run(argc, argv);
  } catch (const std::exception& bug) {
    std::fprintf(stderr, "lattice: internal error: %s\n", bug.what());
    return lattice::cli::kExitBug;
  }
}
