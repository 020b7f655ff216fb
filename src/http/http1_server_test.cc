// The HTTP/1.1 server over real sockets.
#include <doctest/doctest.h>

#include "http/client.h"
#include "http/server.h"
#include "tests/support/raw_socket.h"

using namespace lattice;
using namespace lattice::http;
using lattice::testing::RawSocket;
using namespace std::chrono_literals;

namespace {

// Echoes method, target and body.
Task<void> echo(const Request& request, ResponseWriter& writer) {
  Headers headers{{"Content-Type", "text/plain"}};
  writer.send({200, headers, request.method + " " + request.target + "|" + request.body, {}});
  co_return;
}

std::unique_ptr<Server> start(Handler handler, ServerOptions options = {}) {
  auto server = Server::start(std::move(options), std::move(handler));
  REQUIRE(server);
  return std::move(*server);
}

std::unique_ptr<Client> open(const Server& server, ClientOptions options = {}) {
  auto client = Client::open({"http", "127.0.0.1", server.port(), "/"}, options);
  REQUIRE(client);
  return std::move(*client);
}

ClientResponse must(Result<ClientResponse> answer) {
  if (!answer) FAIL(answer.error().message);
  return std::move(*answer);
}

}  // namespace

TEST_CASE("requests of any method reach the handler and keep the connection") {
  auto server = start(echo);
  auto client = open(*server);
  for (std::string_view method : {"GET", "QUERY", "POST", "DELETE", "X-Custom"}) {
    auto answer = must(client->send(method, "/a?b=1", {}, method == "GET" ? "" : "{x}"));
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.body == std::string(method) + " /a?b=1|" + (method == "GET" ? "" : "{x}"));
    CHECK(answer.headers.find("content-type") == "text/plain");
    CHECK(answer.headers.contains("Date"));
  }
}

TEST_CASE("HEAD keeps the headers and drops the body") {
  auto server = start(echo);
  RawSocket socket(server->port());
  socket.write("HEAD /abc HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  std::string all = socket.read_all();
  size_t end = all.find("\r\n\r\n");
  CHECK(all.substr(0, end).find("Content-Length: 10") != std::string::npos);
  CHECK(all.substr(end + 4).starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("pipelined requests are answered in order, also when a handler waits") {
  auto server = start([](const Request& request, ResponseWriter& writer) -> Task<void> {
    if (request.path == "/slow") co_await sleep_for(30ms);
    writer.send({200, {}, request.path, {}});
  });
  RawSocket socket(server->port());
  socket.write(
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n"
      "GET /slow HTTP/1.1\r\nHost: x\r\n\r\nGET /d HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  CHECK(socket.read_response().ends_with("\r\n\r\n/slow"));
  CHECK(socket.read_response().ends_with("\r\n\r\n/b"));
  CHECK(socket.read_response().ends_with("\r\n\r\n/slow"));
  CHECK(socket.read_response().ends_with("\r\n\r\n/d"));
  CHECK(socket.read_all().empty());
}

TEST_CASE("a stream arrives in pieces, with trailers and interim responses") {
  auto server = start([](const Request&, ResponseWriter& writer) -> Task<void> {
    writer.send_interim(103, {{"Link", "</a>; rel=preload"}});
    writer.start(200, {{"Trailer", "Lattice-Sum"}});
    for (int i = 0; i < 3; ++i) {
      co_await sleep_for(1ms);
      bool open = co_await writer.write("piece" + std::to_string(i) + "\n");
      CHECK(open);
    }
    writer.finish({{"Lattice-Sum", "3"}});
  });
  auto client = open(*server);
  auto answer = must(client->send("GET", "/"));
  CHECK(answer.body == "piece0\npiece1\npiece2\n");
  CHECK(answer.complete);
  CHECK(answer.trailers.find("lattice-sum") == "3");
  REQUIRE(answer.interim.size() == 1);
  CHECK(answer.interim[0].status == 103);
  CHECK(answer.interim[0].headers.find("link") == "</a>; rel=preload");
}
