#include "http/tls.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/check.h"

namespace lattice::http {

namespace {

constexpr size_t kCipherBytesMax = 64 * 1024;  // encrypted ahead of the socket
constexpr size_t kRecordBytesMax = 16 * 1024;
constexpr std::string_view kAlpnHttp2 = "\x02h2";
constexpr std::string_view kAlpnHttp1 = "\x08http/1.1";

std::string take_openssl_error() {
  unsigned long code = ERR_peek_last_error();
  ERR_clear_error();
  if (code == 0) return "unknown TLS error";
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "TLS error " + std::to_string(code);
}

// Why a file cannot be opened; empty when it can.
std::string explain_unreadable(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file == nullptr) return std::strerror(errno);
  std::fclose(file);
  return {};
}

// Of what the client offers, HTTP/2 first.
int select_alpn(SSL*, const unsigned char** out, unsigned char* out_length,
                const unsigned char* offered, unsigned offered_length, void*) {
  static const std::string ours = std::string(kAlpnHttp2) + std::string(kAlpnHttp1);
  unsigned char* chosen = nullptr;
  int result = SSL_select_next_proto(&chosen, out_length,
                                     reinterpret_cast<const unsigned char*>(ours.data()),
                                     static_cast<unsigned>(ours.size()), offered, offered_length);
  *out = chosen;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

void set_common(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  // What HTTP/2 allows of TLS 1.2 (RFC 9113 §9.2.2).
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

}  // namespace

Result<std::shared_ptr<TlsContext>> TlsContext::for_server(const TlsOptions& options) {
  if (options.key_file.empty())
    return lattice::fail(Code::Io, "TLS needs a key file beside the certificate");
  if (std::string why = explain_unreadable(options.certificate_file); !why.empty()) {
    return fail(Code::Io,
                "the TLS certificate " + options.certificate_file + " cannot be read: " + why);
  }
  if (std::string why = explain_unreadable(options.key_file); !why.empty()) {
    return fail(Code::Io, "the TLS key " + options.key_file + " cannot be read: " + why);
  }
  std::shared_ptr<TlsContext> out(new TlsContext(SSL_CTX_new(TLS_server_method())));
  LATTICE_CHECK(out->context_ != nullptr);
  set_common(out->context_);
  SSL_CTX_set_alpn_select_cb(out->context_, select_alpn, nullptr);
  if (SSL_CTX_use_certificate_chain_file(out->context_, options.certificate_file.c_str()) != 1) {
    return fail(Code::Io, "the TLS certificate " + options.certificate_file +
                              " is not a PEM certificate chain: " + take_openssl_error());
  }
  if (SSL_CTX_use_PrivateKey_file(out->context_, options.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return fail(Code::Io, "the TLS key " + options.key_file + " is not a PEM private key of " +
                              options.certificate_file + ": " + take_openssl_error());
  }
  return out;
}

Result<std::shared_ptr<TlsContext>> TlsContext::for_client(bool http2, bool verify_certificate) {
  std::shared_ptr<TlsContext> out(new TlsContext(SSL_CTX_new(TLS_client_method())));
  LATTICE_CHECK(out->context_ != nullptr);
  set_common(out->context_);
  std::string_view alpn = http2 ? kAlpnHttp2 : kAlpnHttp1;
  SSL_CTX_set_alpn_protos(out->context_, reinterpret_cast<const unsigned char*>(alpn.data()),
                          static_cast<unsigned>(alpn.size()));
  if (verify_certificate) {
    if (SSL_CTX_set_default_verify_paths(out->context_) != 1) {
      return fail(Code::Io,
                  "the system's certificate store cannot be read: " + take_openssl_error());
    }
    SSL_CTX_set_verify(out->context_, SSL_VERIFY_PEER, nullptr);
    out->verifies_ = true;
  }
  return out;
}

TlsContext::~TlsContext() {
  SSL_CTX_free(context_);
}

TlsFilter::TlsFilter(std::shared_ptr<TlsContext> context)
    : context_(std::move(context)),
      ssl_(SSL_new(context_->handle())),
      incoming_(BIO_new(BIO_s_mem())),
      outgoing_(BIO_new(BIO_s_mem())) {
  LATTICE_CHECK(ssl_ != nullptr && incoming_ != nullptr && outgoing_ != nullptr);
  BIO_set_mem_eof_return(incoming_, -1);  // empty means: not yet
  SSL_set_bio(ssl_, incoming_, outgoing_);
}

TlsFilter::~TlsFilter() {
  SSL_free(ssl_);
}

std::unique_ptr<TlsFilter> TlsFilter::accept(std::shared_ptr<TlsContext> context) {
  std::unique_ptr<TlsFilter> out(new TlsFilter(std::move(context)));
  SSL_set_accept_state(out->ssl_);
  return out;
}

std::unique_ptr<TlsFilter> TlsFilter::connect(std::shared_ptr<TlsContext> context,
                                              const std::string& host) {
  std::unique_ptr<TlsFilter> out(new TlsFilter(std::move(context)));
  SSL_set_connect_state(out->ssl_);
  bool is_address = host.find_first_not_of("0123456789.") == std::string::npos ||
                    host.find(':') != std::string::npos;
  if (!is_address) SSL_set_tlsext_host_name(out->ssl_, host.c_str());
  if (out->context_->verifies()) {
    if (is_address) {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(out->ssl_), host.c_str());
    } else {
      SSL_set1_host(out->ssl_, host.c_str());
    }
  }
  return out;
}

bool TlsFilter::fail(int result) {
  int kind = SSL_get_error(ssl_, result);
  if (kind == SSL_ERROR_WANT_READ || kind == SSL_ERROR_WANT_WRITE) return true;
  if (kind == SSL_ERROR_ZERO_RETURN) {
    has_ended_ = true;
    return true;
  }
  failure_ = take_openssl_error();
  if (long verdict = SSL_get_verify_result(ssl_); context_->verifies() && verdict != X509_V_OK) {
    failure_ += std::string(": ") + X509_verify_cert_error_string(verdict);
  }
  collect();  // the alert that tells the peer
  return false;
}

// Moves what OpenSSL wrote over to `cipher`.
void TlsFilter::collect() {
  char* data = nullptr;
  long length = BIO_get_mem_data(outgoing_, &data);
  if (length <= 0) return;
  cipher.append_copy({data, static_cast<size_t>(length)});
  BIO_reset(outgoing_);
}

bool TlsFilter::receive(std::string_view bytes, std::string& plain) {
  ERR_clear_error();
  if (!bytes.empty()) BIO_write(incoming_, bytes.data(), static_cast<int>(bytes.size()));
  if (!is_open_) {
    int result = SSL_do_handshake(ssl_);
    collect();
    if (result != 1) return fail(result);
    is_open_ = true;
  }
  while (true) {
    int count = 0;
    size_t before = plain.size();
    plain.resize_and_overwrite(before + kRecordBytesMax, [&](char* data, size_t) {
      count = SSL_read(ssl_, data + before, static_cast<int>(kRecordBytesMax));
      return before + static_cast<size_t>(count > 0 ? count : 0);
    });
    if (count > 0) continue;
    collect();
    return fail(count);
  }
}

bool TlsFilter::encrypt(OutputQueue& plain) {
  if (!is_open_) return true;
  ERR_clear_error();
  while (!plain.empty() && cipher.size() < kCipherBytesMax) {
    std::array<std::string_view, 16> pieces;
    size_t count = plain.gather(pieces);
    // Small pieces (a head and a body) share a record.
    std::string joined;
    std::string_view next = pieces[0];
    if (next.size() < kRecordBytesMax && count > 1) {
      for (size_t i = 0; i < count && joined.size() < kRecordBytesMax; ++i) {
        joined.append(pieces[i].substr(0, kRecordBytesMax - joined.size()));
      }
      next = joined;
    }
    next = next.substr(0, kRecordBytesMax);
    int written = SSL_write(ssl_, next.data(), static_cast<int>(next.size()));
    collect();
    if (written <= 0) return fail(written);
    plain.consume(static_cast<size_t>(written));
  }
  return true;
}

void TlsFilter::shutdown() {
  if (!is_open_ || !failure_.empty()) return;
  ERR_clear_error();
  SSL_shutdown(ssl_);
  collect();
}

bool TlsFilter::speaks_http2() const {
  const unsigned char* name = nullptr;
  unsigned length = 0;
  SSL_get0_alpn_selected(ssl_, &name, &length);
  return std::string_view(reinterpret_cast<const char*>(name), length) == kAlpnHttp2.substr(1);
}

}  // namespace lattice::http
