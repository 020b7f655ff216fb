// A server, a client and a certificate for tests that talk HTTP.
#pragma once

#include <doctest/doctest.h>

#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>

#include "http/client.h"
#include "http/server.h"
#include "tests/support/raw_socket.h"

namespace lattice::http {

using lattice::testing::RawSocket;
using namespace std::chrono_literals;

// Answers with method, target and body.
inline Task<void> echo(const Request& request, ResponseWriter& writer) {
  Headers headers{{"Content-Type", "text/plain"}};
  writer.send({200, headers, request.method + " " + request.target + "|" + request.body, {}});
  co_return;
}

inline std::unique_ptr<Server> start_server(Handler handler, ServerOptions options = {}) {
  auto server = Server::start(std::move(options), std::move(handler));
  if (!server) FAIL(server.error().message);
  return std::move(*server);
}

inline std::unique_ptr<Client> open_client(const Server& server, ClientOptions options = {},
                                           std::string scheme = "http") {
  auto client = Client::open({std::move(scheme), "127.0.0.1", server.port(), "/"}, options);
  if (!client) FAIL(client.error().message);
  return std::move(*client);
}

inline ClientResponse must(Result<ClientResponse> answer) {
  if (!answer) FAIL(answer.error().message);
  return std::move(*answer);
}

// A flag that one thread sets and another waits for.
class Event {
 public:
  void set() {
    std::lock_guard lock(mutex_);
    is_set_ = true;
    changed_.notify_all();
  }
  // False when it takes absurdly long.
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 20s, [&] { return is_set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
};

// Waits until `condition` holds; false when it takes absurdly long.
template <class Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 4000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

// A self-made certificate for 127.0.0.1 in a folder of its own, gone with the object.
class TestCertificate {
 public:
  TestCertificate() {
    std::string pattern = (std::filesystem::temp_directory_path() / "lattice-tls-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    folder_ = pattern;
    std::string command =
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1"
        " -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1,DNS:localhost"
        " -keyout " +
        key_file() + " -out " + certificate_file() + " 2>/dev/null";
    REQUIRE(std::system(command.c_str()) == 0);
  }
  ~TestCertificate() { std::filesystem::remove_all(folder_); }
  TestCertificate(const TestCertificate&) = delete;

  std::string certificate_file() const { return folder_ + "/certificate.pem"; }
  std::string key_file() const { return folder_ + "/key.pem"; }
  TlsOptions options() const { return {certificate_file(), key_file()}; }

 private:
  std::string folder_;
};

}  // namespace lattice::http
