// Child processes of tests: started, waited for, stopped by their id; nothing is left behind.
#pragma once

#include <chrono>
#include <string>
#include <sys/types.h>
#include <vector>

#include "base/result.h"

namespace lattice::runner {

// A running `lattice` server. The destructor stops it.
class ServerProcess {
 public:
  ServerProcess() = default;
  ServerProcess(ServerProcess&& other) noexcept;
  ServerProcess& operator=(ServerProcess&& other) noexcept;
  ~ServerProcess();

  // Starts `arguments` (the first is the program) with its output in `log_file`, and waits until a
  // line of the log holds `http://HOST:PORT`. Errors: lattice:io with the log's text.
  static Result<ServerProcess> start(const std::vector<std::string>& arguments,
                                     std::string log_file, std::chrono::milliseconds timeout);
  uint16_t port() const { return port_; }
  // Sends the signal; then waits for the end and returns the exit code (-1: it had to be killed).
  int stop(int signal, std::chrono::milliseconds timeout);

 private:
  pid_t pid_ = -1;
  uint16_t port_ = 0;
};

struct Output {
  int exit_code = 0;
  std::string out, err;
};
// Runs a command to its end. Errors: lattice:io when it cannot start or takes longer than `timeout`.
Result<Output> run_command(const std::vector<std::string>& arguments, std::string_view input,
                           const std::string& directory, std::chrono::milliseconds timeout);

// A fresh folder that is removed with everything in it when the object dies.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace lattice::runner
