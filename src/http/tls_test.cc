// TLS for both protocols, with a certificate made for the test.
#include "http/tls.h"

#include <fstream>

#include "tests/support/http_server.h"

using namespace lattice;
using namespace lattice::http;

namespace {

constexpr ClientOptions kHttp1{.verify_certificate = false};
constexpr ClientOptions kHttp2{.http2 = true, .verify_certificate = false};

Task<void> tell_version(const Request& request, ResponseWriter& writer) {
  CHECK(request.secure);
  writer.send({200, {}, request.version == Version::Http2 ? "h2" : "http/1.1", {}});
  co_return;
}

}  // namespace

TEST_CASE("ALPN chooses the protocol") {
  TestCertificate certificate;
  auto server = start_server(tell_version, {.tls = certificate.options()});
  for (int i = 0; i < 2; ++i) {
    auto client = open_client(*server, i == 0 ? kHttp1 : kHttp2, "https");
    for (int j = 0; j < 3; ++j)
      CHECK(must(client->send("GET", "/")).body == (i == 0 ? "http/1.1" : "h2"));
  }
}

TEST_CASE("large bodies and streams pass through TLS") {
  TestCertificate certificate;
  auto server = start_server(
      [](const Request& request, ResponseWriter& writer) -> Task<void> {
        writer.start(200, {});
        for (size_t at = 0; at < request.body.size(); at += 50'000) {
          CHECK(co_await writer.write(request.body.substr(at, 50'000)));
        }
        writer.finish({{"X-Sum", "1"}});
      },
      {.tls = certificate.options(), .body_bytes_max = 16 << 20, .write_buffer_bytes = 100'000});
  std::string body;
  for (int i = 0; body.size() < 5'000'000; ++i) body += std::to_string(i);
  for (const ClientOptions& options : {kHttp1, kHttp2}) {
    auto client = open_client(*server, options, "https");
    auto answer = must(client->send("POST", "/", {}, body));
    CHECK(answer.body == body);
    CHECK(answer.complete);
    CHECK(answer.trailers.find("x-sum") == "1");
  }
}

TEST_CASE("a certificate that nobody vouches for is refused by default") {
  TestCertificate certificate;
  auto server = start_server(tell_version, {.tls = certificate.options()});
  auto answer = open_client(*server, {}, "https")->send("GET", "/");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().code == Code::Io);
  CHECK(answer.error().message.find("self-signed certificate") != std::string::npos);
  // The server survives it, and plain text too.
  RawSocket plain(server->port());
  plain.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(plain.read_all().find("HTTP/1.1 200") == std::string::npos);
  CHECK(must(open_client(*server, kHttp1, "https")->send("GET", "/")).status == 200);
}

TEST_CASE("a connection that does not finish its handshake is cut") {
  TestCertificate certificate;
  auto server = start_server(tell_version, {.tls = certificate.options(), .header_timeout = 100ms});
  RawSocket silent(server->port());
  silent.write("\x16\x03\x01");
  CHECK(silent.read_all().empty());
}

TEST_CASE("drain over TLS") {
  TestCertificate certificate;
  auto server = start_server(tell_version, {.tls = certificate.options()});
  auto client = open_client(*server, kHttp1, "https");
  CHECK(must(client->send("GET", "/")).status == 200);
  CHECK(server->drain(5s));
  auto answer = client->send("GET", "/");
  REQUIRE_FALSE(answer);
  CHECK(answer.error().message.find("cannot connect: Connection refused") != std::string::npos);
}

TEST_CASE("files that do not fit are named in one sentence") {
  TestCertificate certificate;
  TestCertificate other;
  auto message = [](TlsOptions tls) {
    auto server = Server::start({.tls = std::move(tls)}, tell_version);
    REQUIRE_FALSE(server);
    CHECK(server.error().code == Code::Io);
    return server.error().message;
  };
  std::string missing = certificate.key_file() + ".missing";
  CHECK(message({certificate.certificate_file(), missing}) ==
        "the TLS key " + missing + " cannot be read: No such file or directory");
  CHECK(message({missing, certificate.key_file()}) ==
        "the TLS certificate " + missing + " cannot be read: No such file or directory");
  CHECK(message({certificate.certificate_file(), ""}) ==
        "TLS needs a key file beside the certificate");
  CHECK(message({certificate.certificate_file(), other.key_file()})
            .starts_with("the TLS key " + other.key_file() + " is not a PEM private key of "));
  std::string garbage = other.certificate_file() + ".garbage";
  std::ofstream(garbage) << "garbage\n";
  CHECK(message({garbage, certificate.key_file()})
            .starts_with("the TLS certificate " + garbage + " is not a PEM certificate chain: "));
  CHECK(message({certificate.certificate_file(), garbage})
            .starts_with("the TLS key " + garbage + " is not a PEM private key of "));
}
