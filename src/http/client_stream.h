// A blocking byte stream with deadlines, over TCP or TLS: what the client speaks through.
// Internal to http. Not thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/client.h"
#include "http/tls.h"

namespace lattice::http {

using ClientDeadline = std::chrono::steady_clock::time_point;

class ClientStream {
 public:
  // Errors: lattice:io naming host and port, and what failed.
  static Result<std::unique_ptr<ClientStream>> connect(const Url& url, const ClientOptions& options,
                                                       ClientDeadline deadline);
  ~ClientStream();
  ClientStream(const ClientStream&) = delete;

  // Waits for bytes and appends them to `into`. False at the end of the stream.
  // Errors: lattice:io (timed out, reset, broken TLS).
  Result<bool> read(std::string& into, ClientDeadline deadline);
  // Writes everything. Errors: lattice:io.
  Result<void> write(std::string_view bytes, ClientDeadline deadline);

  // Whether the peer closed the connection, or sent something unasked, while it was unused.
  bool is_stale();
  // Whether a read would not wait.
  bool has_input();
  bool speaks_http2() const { return tls_ != nullptr && tls_->speaks_http2(); }

 private:
  ClientStream(int socket, std::string name) : socket_(socket), name_(std::move(name)) {}
  Result<void> wait(short events, ClientDeadline deadline, const char* doing);
  Result<void> handshake(ClientDeadline deadline);
  Result<size_t> read_socket(char* data, size_t size, ClientDeadline deadline);
  Result<void> write_socket(std::string_view bytes, ClientDeadline deadline);
  Result<void> write_cipher(ClientDeadline deadline);

  int socket_;
  std::string name_;  // "127.0.0.1:8080"
  std::unique_ptr<TlsFilter> tls_;
  std::string early_;  // decrypted with the handshake
};

}  // namespace lattice::http
