#include "tests/runner/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace lattice::runner {

namespace {

using SteadyClock = std::chrono::steady_clock;

std::vector<char*> argument_pointers(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The exit code of `pid` when it ends before `deadline`.
std::optional<int> wait_until(pid_t pid, SteadyClock::time_point deadline) {
  for (;;) {
    int status = 0;
    pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (ended < 0) return -1;
    if (SteadyClock::now() >= deadline) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

std::optional<uint16_t> find_port(const std::string& log) {
  size_t at = log.find("://");
  if (at == std::string::npos || log.find('\n', at) == std::string::npos) return std::nullopt;
  size_t colon = log.find(':', at + 3);
  if (colon == std::string::npos) return std::nullopt;
  int port = std::atoi(log.c_str() + colon + 1);
  if (port <= 0) return std::nullopt;
  return static_cast<uint16_t>(port);
}

}  // namespace

ServerProcess::ServerProcess(ServerProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), port_(other.port_) {}

ServerProcess& ServerProcess::operator=(ServerProcess&& other) noexcept {
  if (this != &other) {
    stop(SIGKILL, std::chrono::seconds(5));
    pid_ = std::exchange(other.pid_, -1);
    port_ = other.port_;
  }
  return *this;
}

ServerProcess::~ServerProcess() { stop(SIGTERM, std::chrono::seconds(10)); }

Result<ServerProcess> ServerProcess::start(const std::vector<std::string>& arguments,
                                           std::string log_file,
                                           std::chrono::milliseconds timeout) {
  ServerProcess process;
  auto pointers = argument_pointers(arguments);
  process.pid_ = fork();
  if (process.pid_ < 0) return fail(Code::Io, "cannot start " + arguments.front());
  if (process.pid_ == 0) {
    int log = open(log_file.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    dup2(log, 1);
    dup2(log, 2);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  auto deadline = SteadyClock::now() + timeout;
  for (;;) {
    std::string log = read_file(log_file);
    if (auto port = find_port(log)) {
      process.port_ = *port;
      return process;
    }
    if (auto code = wait_until(process.pid_, SteadyClock::now())) {
      process.pid_ = -1;
      return fail(Code::Io, "ended with code " + std::to_string(*code) + ": " + read_file(log_file));
    }
    if (SteadyClock::now() >= deadline) return fail(Code::Io, "did not come up: " + log);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

int ServerProcess::stop(int signal, std::chrono::milliseconds timeout) {
  if (pid_ <= 0) return 0;
  pid_t pid = std::exchange(pid_, -1);
  kill(pid, signal);
  if (auto code = wait_until(pid, SteadyClock::now() + timeout)) return *code;
  kill(pid, SIGKILL);
  wait_until(pid, SteadyClock::now() + std::chrono::seconds(10));
  return -1;
}

Result<Output> run_command(const std::vector<std::string>& arguments, std::string_view input,
                           const std::string& directory, std::chrono::milliseconds timeout) {
  TemporaryFolder folder;
  std::string in = folder.path() + "/in", out = folder.path() + "/out", err = folder.path() + "/err";
  std::ofstream(in, std::ios::binary) << input;
  auto pointers = argument_pointers(arguments);
  pid_t pid = fork();
  if (pid < 0) return fail(Code::Io, "cannot start " + arguments.front());
  if (pid == 0) {
    dup2(open(in.c_str(), O_RDONLY), 0);
    dup2(open(out.c_str(), O_CREAT | O_WRONLY, 0600), 1);
    dup2(open(err.c_str(), O_CREAT | O_WRONLY, 0600), 2);
    if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(126);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  auto code = wait_until(pid, SteadyClock::now() + timeout);
  if (!code) {
    kill(pid, SIGKILL);
    wait_until(pid, SteadyClock::now() + std::chrono::seconds(10));
    return fail(Code::Io, arguments.front() + " did not end in time");
  }
  return Output{*code, read_file(out), read_file(err)};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "lattice-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace lattice::runner
