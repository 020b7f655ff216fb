// TLS as a filter between a socket's bytes and a protocol's bytes. Internal to http.
//
//   socket ──receive──▶ TlsFilter ──▶ plain text      plain text ──encrypt──▶ cipher ──▶ socket
//
// It does no input or output of its own, so that servers and the blocking client use it alike and
// an idle connection holds no record buffers. A filter belongs to one thread; a context may be
// shared.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/output_queue.h"
#include "http/server.h"

struct ssl_ctx_st;
struct ssl_st;
struct bio_st;

namespace lattice::http {

class TlsContext {
 public:
  // TLS 1.2 and 1.3; offers h2 and http/1.1.
  // Errors: lattice:io naming the file that cannot be read, or does not fit.
  static Result<std::shared_ptr<TlsContext>> for_server(const TlsOptions& options);
  // `http2` decides what is offered by ALPN. Certificates are checked against the system's store
  // unless `verify_certificate` is off.
  static Result<std::shared_ptr<TlsContext>> for_client(bool http2, bool verify_certificate);

  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  ssl_ctx_st* handle() const { return context_; }
  bool verifies() const { return verifies_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;
  bool verifies_ = false;
};

class TlsFilter {
 public:
  static std::unique_ptr<TlsFilter> accept(std::shared_ptr<TlsContext> context);
  // `host` goes into SNI and is what the certificate must name.
  static std::unique_ptr<TlsFilter> connect(std::shared_ptr<TlsContext> context,
                                            const std::string& host);
  ~TlsFilter();
  TlsFilter(const TlsFilter&) = delete;

  // Takes bytes from the socket (empty: just go on) and appends what they hold to `plain`. False
  // when the connection is broken; failure() says why.
  bool receive(std::string_view bytes, std::string& plain);
  // Encrypts from the front of `plain` while little is waiting in `cipher`. Does nothing before the
  // handshake is done.
  bool encrypt(OutputQueue& plain);
  void shutdown();  // says to the peer that nothing follows

  OutputQueue cipher;  // for the socket

  bool is_open() const { return is_open_; }           // the handshake is done
  bool peer_has_ended() const { return has_ended_; }  // it said that nothing follows
  bool speaks_http2() const;                          // by ALPN; once open
  const std::string& failure() const { return failure_; }

 private:
  explicit TlsFilter(std::shared_ptr<TlsContext> context);
  bool fail(int result);
  void collect();

  std::shared_ptr<TlsContext> context_;
  ssl_st* ssl_;
  bio_st* incoming_;  // owned by ssl_
  bio_st* outgoing_;
  bool is_open_ = false;
  bool has_ended_ = false;
  std::string failure_;
};

}  // namespace lattice::http
