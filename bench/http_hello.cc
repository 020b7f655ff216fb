// The HTTP server with a handler that does nothing: what a request costs before there is any work.
//   http_hello PORT BODY_BYTES [THREADS] [CERTIFICATE KEY]
#include <poll.h>

#include <cstdio>
#include <cstdlib>

#include "http/server.h"

int main(int argc, char** argv) {
  using namespace lattice::http;
  if (argc < 3) {
    std::fprintf(stderr, "usage: http_hello PORT BODY_BYTES [THREADS] [CERTIFICATE KEY]\n");
    return 2;
  }
  ServerOptions options;
  options.port = static_cast<uint16_t>(std::atoi(argv[1]));
  options.thread_count = argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1;
  if (argc > 5) options.tls = {argv[4], argv[5]};
  auto body = std::make_shared<const std::string>(static_cast<size_t>(std::atoi(argv[2])), 'x');
  auto answer = [&](const Request&, ResponseWriter& writer) -> lattice::Task<void> {
    Response response;
    response.headers.add("Content-Type", "text/plain");
    response.shared_body = body;
    writer.send(std::move(response));
    co_return;
  };
  auto server = Server::start(options, answer);
  if (!server) {
    std::fprintf(stderr, "%s\n", server.error().message.c_str());
    return 1;
  }
  ::poll(nullptr, 0, -1);
}
