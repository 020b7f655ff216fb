// What the client's two protocols share. Internal to http.
#pragma once

#include "http/client_stream.h"

namespace lattice::http {

struct ClientRequest {
  std::string_view method;
  std::string_view target;
  const Headers& headers;
  std::string_view body;
  std::string authority;  // host and port, for Host
  std::string_view scheme;
};

// Where the answer's body goes and how long to wait.
struct ClientSink {
  const ClientOptions& options;
  const std::function<bool(std::string_view)>* stream = nullptr;  // else into ClientResponse::body
  ClientDeadline deadline;

  // The deadline of the next wait.
  ClientDeadline next() const {
    return stream != nullptr ? std::chrono::steady_clock::now() + options.timeout : deadline;
  }
};

// One connection that speaks one protocol.
class ClientProtocol {
 public:
  virtual ~ClientProtocol() = default;
  virtual Result<ClientResponse> exchange(const ClientRequest& request, const ClientSink& sink) = 0;
  virtual bool is_reusable() = 0;             // for another request
  virtual bool has_begun_answer() const = 0;  // a byte of the last exchange's answer came
};

std::unique_ptr<ClientProtocol> make_client_http1(std::unique_ptr<ClientStream> stream);
std::unique_ptr<ClientProtocol> make_client_http2(std::unique_ptr<ClientStream> stream);

}  // namespace lattice::http
