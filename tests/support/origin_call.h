// Calls an origin without a socket: a request in, the response out. For origins whose stores answer
// at once and whose coalescing window is 0.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "http/server.h"
#include "origin/origin.h"

namespace lattice::testing {

class BufferedWriter final : public http::ResponseWriter {
 public:
  void send(http::Response response) override {
    LATTICE_CHECK(!sent_);
    sent_ = true;
    response_ = std::move(response);
  }
  void send_interim(int, const http::Headers&) override {}
  void start(int status, const http::Headers& headers) override {
    send({.status = status, .headers = headers, .body = {}, .trailers = {}});
  }
  Task<bool> write(std::string bytes) override {
    response_.body += bytes;
    co_return true;
  }
  void finish(const http::Headers& trailers) override { response_.trailers = trailers; }
  void abort() override {}
  bool is_open() const override { return true; }

  http::Response take() {
    LATTICE_CHECK(sent_);
    return std::move(response_);
  }

 private:
  bool sent_ = false;
  http::Response response_;
};

inline http::Response call_origin(origin::Origin& origin, std::string_view method,
                                  std::string_view target, http::Headers headers = {},
                                  std::string_view body = {}) {
  http::Request request;
  request.method = method;
  request.target = target;
  size_t question = target.find('?');
  request.path = target.substr(0, question);
  if (question != std::string_view::npos) request.query = target.substr(question + 1);
  request.headers = std::move(headers);
  request.body = body;
  request.peer_address = "127.0.0.1";
  BufferedWriter writer;
  origin.handle(request, writer).run_ready();
  return writer.take();
}

}  // namespace lattice::testing
