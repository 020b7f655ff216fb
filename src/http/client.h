// A small blocking HTTP client for command-line use and for tests: HTTP/1.1 and HTTP/2, with TLS.
//
//   LATTICE_TRY(auto url, parse_url("http://127.0.0.1:8080"));
//   LATTICE_TRY(auto client, Client::open(url));
//   LATTICE_TRY(auto answer, client->send("QUERY", "/q", {{"Content-Type", "text/plain"}}, "{a}"));
//
// One object is one connection, reopened when the server closed it. Not thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace lattice::http {

// "http://127.0.0.1:8080/x?y" in parts. Errors: lattice:usage naming the text.
struct Url {
  std::string scheme;  // http or https
  std::string host;    // without the brackets of an IPv6 address
  uint16_t port = 0;
  std::string target = "/";
};
Result<Url> parse_url(std::string_view text);

struct ClientOptions {
  bool http2 = false;                         // prior knowledge over cleartext, ALPN over TLS
  bool verify_certificate = true;             // off only for tests with a self-made certificate
  std::chrono::milliseconds timeout{30'000};  // send: for the whole exchange; stream: between bytes
  size_t body_bytes_max = 256 << 20;
};

struct ClientResponse {
  int status = 0;
  Headers headers;
  std::string body;
  Headers trailers;
  std::vector<Response> interim;  // 1xx, in order
  bool complete = true;           // false when the peer ended it without a last chunk
};

class Client {
 public:
  virtual ~Client() = default;
  // Connects lazily. `base` gives scheme, host and port.
  static Result<std::unique_ptr<Client>> open(const Url& base, ClientOptions options = {});

  // Sends and waits for the whole answer. `headers` need not hold Host or Content-Length.
  // A kept connection that the server has closed meanwhile is opened again, once; a request that
  // the server may have begun is sent again only when its method is safe or idempotent. Errors:
  // lattice:io (refused, timed out, broken answer), naming the address.
  virtual Result<ClientResponse> send(std::string_view method, std::string_view target,
                                      const Headers& headers = {}, std::string_view body = {}) = 0;
  // As send, but hands over body pieces as they arrive until `sink` returns false; then the
  // connection is closed and the response is not `complete`.
  virtual Result<ClientResponse> stream(std::string_view method, std::string_view target,
                                        const Headers& headers, std::string_view body,
                                        const std::function<bool(std::string_view)>& sink) = 0;
};

}  // namespace lattice::http
