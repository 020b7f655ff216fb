// Command-line flags: a thin face over the option parser, so that its heavy header has one home.
//
//   Flags flags("lattice hash", "Prints the query hash of a query.");
//   flags.positional("QUERY", "a file, `-` for standard input, or the text itself", query);
//   flags.option("--schema", "F", "the schema document", schema);
//   if (auto exit = flags.parse(arguments)) return *exit;
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lattice::cli {

// Exit codes of every command.
inline constexpr int kExitOk = 0;
inline constexpr int kExitWrong = 1;  // the text, the data or the answer is wrong
inline constexpr int kExitUsage = 2;  // the command line is wrong
inline constexpr int kExitWorld = 3;  // a file, a port, a server: the world around
inline constexpr int kExitBug = 70;   // we are wrong

class Flags {
 public:
  Flags(std::string_view command, std::string_view summary);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  // Targets live as long as the Flags object.
  void positional(std::string_view name, std::string_view help, std::string& target);
  void option(std::string_view name, std::string_view value, std::string_view help,
              std::string& target, bool is_required = false);
  void option(std::string_view name, std::string_view value, std::string_view help,
              std::vector<std::string>& target);
  void option(std::string_view name, std::string_view value, std::string_view help,
              uint32_t& target);
  void flag(std::string_view name, std::string_view help, bool& target);
  void footer(std::string_view text);  // examples, under the help

  // Parses; an exit code when the command is over already (--help, or a usage error, printed).
  std::optional<int> parse(const std::vector<std::string>& arguments);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lattice::cli
