// The blocking client: URLs, broken peers, and connections that end between requests.
#include "http/client.h"

#include "tests/support/http_server.h"

using namespace lattice;
using namespace lattice::http;

namespace {

// A server that plays one fixed role for each connection it gets: reads a request's head and writes
// what the script says, then closes.
class ScriptedPeer {
 public:
  explicit ScriptedPeer(std::vector<std::string> scripts) : scripts_(std::move(scripts)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    REQUIRE(::listen(listener_, 8) == 0);
    socklen_t size = sizeof(address);
    getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
  }
  ~ScriptedPeer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }

  std::unique_ptr<Client> client(ClientOptions options = {}) const {
    auto out = Client::open({"http", "127.0.0.1", port_, "/"}, options);
    REQUIRE(out);
    return std::move(*out);
  }
  int connection_count() const { return connection_count_; }

 private:
  void run() {
    for (const std::string& script : scripts_) {
      int socket = ::accept(listener_, nullptr, nullptr);
      if (socket < 0) return;
      ++connection_count_;
      std::string head;
      char byte = 0;
      while (head.find("\r\n\r\n") == std::string::npos && ::recv(socket, &byte, 1, 0) == 1)
        head += byte;
      ::send(socket, script.data(), script.size(), MSG_NOSIGNAL);
      if (script.empty()) {  // says nothing, for as long as the client waits
        while (::recv(socket, &byte, 1, 0) == 1) {
        }
      }
      ::close(socket);
    }
  }

  std::vector<std::string> scripts_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<int> connection_count_{0};
  std::thread thread_;
};

}  // namespace

TEST_CASE("URLs in parts") {
  auto url = parse_url("http://127.0.0.1:8080/x?y#z");
  REQUIRE(url);
  CHECK(url->host == "127.0.0.1");
  CHECK(url->port == 8080);
  CHECK(url->target == "/x?y");
  url = parse_url("HTTPS://a.example");
  REQUIRE(url);
  CHECK(url->scheme == "https");
  CHECK(url->port == 443);
  CHECK(url->target == "/");
  url = parse_url("http://[::1]:80?q");
  REQUIRE(url);
  CHECK(url->host == "::1");
  CHECK(url->port == 80);
  CHECK(url->target == "/?q");
  for (std::string_view wrong :
       {"", "a.example", "ftp://a", "http://", "http://:80/", "http://a:0/", "http://a:65536/",
        "http://a:x/", "http://u@a/", "http://a/ b", "http://[::1", "http://a/\x01"}) {
    CAPTURE(wrong);
    auto refused = parse_url(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == Code::Usage);
    CHECK(refused.error().message.find(wrong) != std::string::npos);
  }
}

TEST_CASE("nobody listens") {
  uint16_t port = start_server(echo)->port();
  auto answer = (*Client::open({"http", "127.0.0.1", port, "/"}))->send("GET", "/");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::Io);
  CHECK(answer.error().message ==
        "127.0.0.1:" + std::to_string(port) + ": cannot connect: Connection refused");
}

TEST_CASE("a silent server is given up on in time") {
  for (bool http2 : {false, true}) {
    ScriptedPeer peer({""});
    auto answer = peer.client({.http2 = http2, .timeout = 50ms})->send("GET", "/");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.find("timed out") != std::string::npos);
  }
}

TEST_CASE("an answer that is no HTTP, or ends too early") {
  ScriptedPeer peer({"SSH-2.0-x\r\n", "HTTP/1.1 200 OK\r\nContent-",
                     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
                     "HTTP/1.1 200 OK\r\n\r\nto the end",
                     "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"});
  auto client = peer.client();
  CHECK_FALSE(client->send("GET", "/"));
  CHECK_FALSE(client->send("GET", "/"));
  for (int i = 0; i < 2; ++i) {
    auto answer = must(client->send("GET", "/"));
    CHECK(answer.body == "abc");
    CHECK_FALSE(answer.complete);
  }
  auto answer = must(client->send("GET", "/"));
  CHECK(answer.body == "to the end");
  CHECK(answer.complete);
  CHECK_FALSE(client->send("GET", "/"));
}

TEST_CASE("a kept connection that the server closed is opened again") {
  std::string kept = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n";
  for (std::string_view method : {"GET", "POST"}) {
    ScriptedPeer peer({kept + "a", kept + "b"});
    auto client = peer.client();
    CHECK(must(client->send(method, "/")).body == "a");
    // The end is seen before the next request is sent, so that no method is sent twice.
    CHECK(eventually([&] { return peer.connection_count() == 1; }));
    std::this_thread::sleep_for(20ms);
    CHECK(must(client->send(method, "/")).body == "b");
    CHECK(peer.connection_count() == 2);
  }
}

TEST_CASE("bodies larger than allowed are an error, a sink may stop") {
  auto server = start_server([](const Request&, ResponseWriter& writer) -> Task<void> {
    writer.start(200, {});
    while (co_await writer.write(std::string(10'000, 'x'))) {
    }
  });
  for (bool http2 : {false, true}) {
    auto client = open_client(*server, {.http2 = http2, .body_bytes_max = 100'000});
    auto answer = client->send("GET", "/");
    REQUIRE_FALSE(answer);
    CHECK(answer.error().message.find("100000 bytes") != std::string::npos);
    size_t bytes = 0;
    auto stopped = must(client->stream("GET", "/", {}, "", [&](std::string_view piece) {
      bytes += piece.size();
      return bytes < 500'000;
    }));
    CHECK(bytes >= 500'000);
    CHECK_FALSE(stopped.complete);
  }
}

TEST_CASE("requests that would break the framing are not sent") {
  auto client = *Client::open({"http", "127.0.0.1", 1, "/"});
  CHECK(client->send("GE T", "/").error().code == Code::Usage);
  CHECK(client->send("GET", "no path").error().code == Code::Usage);
  CHECK(client->send("GET", "/", {{"A", "b\r\nC: d"}}).error().code == Code::Usage);
  CHECK(client->send("GET", "/", {{"A B", "c"}}).error().code == Code::Usage);
}
