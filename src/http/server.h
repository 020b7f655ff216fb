// The HTTP server: HTTP/1.1 and HTTP/2 (cleartext with prior knowledge and upgrade-free preface
// detection, TLS with ALPN) over one event loop a thread.
//
//   LATTICE_TRY(auto server, Server::start({.address = "127.0.0.1", .port = 0}, handler));
//   server->port();   // the port it got
//   server->drain(5s) // no new connections; waits for the open requests; then stops
//
// A handler is called on the loop that owns the connection, with a whole request (body included),
// and answers through the ResponseWriter, now or later, on that same loop. `HEAD` reaches the
// handler as it is; the server drops the body that the handler writes and keeps the headers.
// Refused by the server itself: a missing or doubled Host, obs-fold, a Transfer-Encoding that is
// not exactly `chunked`, Content-Length with Transfer-Encoding, doubled Content-Length, bare LF,
// headers or bodies over the limits (431, 413), slow headers (408), unfinished bodies.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "http/loop.h"
#include "http/message.h"

namespace lattice::http {

class ResponseWriter {
 public:
  virtual ~ResponseWriter() = default;

  // The whole answer at once, with Content-Length. Exactly one of send and start, once.
  virtual void send(Response response) = 0;

  // An interim response (103 Early Hints), before send or start. Silently dropped on HTTP/1.0.
  virtual void send_interim(int status, const Headers& headers) = 0;

  // Opens a streamed answer. Then write any number of times, then finish or abort.
  virtual void start(int status, const Headers& headers) = 0;
  // Queues `bytes` and waits while more than ServerOptions::write_buffer_bytes are unsent. False
  // when the peer is gone; the handler should stop.
  virtual Task<bool> write(std::string bytes) = 0;
  // Ends the answer; trailers are sent where the protocol version carries them.
  virtual void finish(const Headers& trailers = {}) = 0;
  // Ends it so that the peer sees it incomplete: no last chunk, or a stream reset.
  virtual void abort() = 0;

  virtual bool is_open() const = 0;  // false once the peer is gone
  // Calls `callback` on the loop when the peer goes away before the answer has ended, at once when
  // it is gone already; for handlers that wait for something else than the peer. One callback: a
  // later one replaces it, and it is dropped when the handler's task ends. A writer that does not
  // know its peer never calls it.
  virtual void on_peer_gone(std::function<void()> callback) { (void)callback; }
};

// `request` and `writer` live until the task is done. An exception ends the connection's request
// with a plain 500 when nothing was sent, else with abort(); so does a task that ends without an
// answer. Calls out of order (two answers, a write after the end) and header fields that would
// break the framing (line ends in a value) are failed checks.
using Handler = std::function<Task<void>(const Request& request, ResponseWriter& writer)>;

struct TlsOptions {
  std::string certificate_file;  // PEM chain; empty: no TLS
  std::string key_file;          // PEM
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: any free port
  unsigned thread_count = 1;
  TlsOptions tls = {};
  size_t header_bytes_max = 32 * 1024;
  size_t target_bytes_max = 16 * 1024;
  size_t body_bytes_max = 4 * 1024 * 1024;
  size_t write_buffer_bytes = 256 * 1024;
  unsigned connections_max = 10'000;
  unsigned streams_max = 100;        // concurrent HTTP/2 streams a connection
  unsigned stream_resets_max = 200;  // by an HTTP/2 peer in a burst; refilled at a tenth a second
  std::chrono::milliseconds header_timeout{
      10'000};                                     // from a request's first byte to its last header
  std::chrono::milliseconds body_timeout{30'000};  // for the whole body
  std::chrono::milliseconds idle_timeout{60'000};  // between requests
  std::chrono::milliseconds write_timeout{60'000};  // without progress while bytes are unsent
  // Told of a handler's exception (on the handler's loop; must not throw). Default: a line on
  // stderr.
  std::function<void(const Request& request, std::string_view what)> on_failure = {};
};

class Server {
 public:
  virtual ~Server() = default;  // stops at once

  // Binds, listens and serves on its own threads.
  // Errors: lattice:io with one clear sentence (port in use, no such address, unreadable key).
  static Result<std::unique_ptr<Server>> start(ServerOptions options, Handler handler);

  virtual uint16_t port() const = 0;
  // Stops accepting, lets open requests finish (HTTP/2: GOAWAY; HTTP/1.1: Connection: close), and
  // returns when all are done or `timeout` has passed; true when none was cut.
  virtual bool drain(std::chrono::milliseconds timeout) = 0;
};

}  // namespace lattice::http
