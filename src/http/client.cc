#include "http/client.h"

#include <algorithm>
#include <charconv>

#include "http/client_protocol.h"
#include "http/http1_parser.h"

namespace lattice::http {

namespace {

// Sending it twice does what sending it once does (RFC 9110 §9.2.2, RFC 10008).
bool is_idempotent(std::string_view method) {
  constexpr std::string_view kMethods[] = {"GET",   "HEAD", "QUERY", "OPTIONS",
                                           "TRACE", "PUT",  "DELETE"};
  return std::find(std::begin(kMethods), std::end(kMethods), method) != std::end(kMethods);
}

std::string print_authority(const Url& url) {
  std::string out = url.host.find(':') != std::string::npos ? "[" + url.host + "]" : url.host;
  uint16_t usual = url.scheme == "https" ? 443 : 80;
  if (url.port != usual) out += ":" + std::to_string(url.port);
  return out;
}

class BlockingClient final : public Client {
 public:
  BlockingClient(Url base, ClientOptions options)
      : base_(std::move(base)), options_(options), authority_(print_authority(base_)) {}

  Result<ClientResponse> send(std::string_view method, std::string_view target,
                              const Headers& headers, std::string_view body) override {
    return run(method, target, headers, body, nullptr);
  }
  Result<ClientResponse> stream(std::string_view method, std::string_view target,
                                const Headers& headers, std::string_view body,
                                const std::function<bool(std::string_view)>& sink) override {
    return run(method, target, headers, body, &sink);
  }

 private:
  Result<ClientResponse> run(std::string_view method, std::string_view target,
                             const Headers& headers, std::string_view body,
                             const std::function<bool(std::string_view)>* stream);
  Result<void> connect(ClientDeadline deadline);

  Url base_;
  ClientOptions options_;
  std::string authority_;
  std::unique_ptr<ClientProtocol> protocol_;
};

Result<void> check_request(std::string_view method, std::string_view target,
                           const Headers& headers) {
  if (!is_token(method)) return fail(Code::Usage, "not an HTTP method: " + std::string(method));
  if (!is_origin_form(target) && target != "*") {
    return fail(Code::Usage, "not a request target: " + std::string(target));
  }
  for (const Header& field : headers.fields()) {
    if (!is_token(field.name) || !is_field_value(field.value)) {
      return fail(Code::Usage, "not a header: " + field.name + ": " + field.value);
    }
  }
  return {};
}

Result<void> BlockingClient::connect(ClientDeadline deadline) {
  LATTICE_TRY(auto stream, ClientStream::connect(base_, options_, deadline));
  bool use_http2 = base_.scheme == "https" ? stream->speaks_http2() : options_.http2;
  protocol_ =
      use_http2 ? make_client_http2(std::move(stream)) : make_client_http1(std::move(stream));
  return {};
}

Result<ClientResponse> BlockingClient::run(std::string_view method, std::string_view target,
                                           const Headers& headers, std::string_view body,
                                           const std::function<bool(std::string_view)>* stream) {
  LATTICE_TRY_VOID(check_request(method, target, headers));
  ClientDeadline deadline = std::chrono::steady_clock::now() + options_.timeout;
  ClientRequest request{method, target, headers, body, authority_, base_.scheme};
  ClientSink sink{options_, stream, deadline};
  bool is_reused = protocol_ != nullptr && protocol_->is_reusable();
  if (!is_reused) LATTICE_TRY_VOID(connect(deadline));
  auto answer = protocol_->exchange(request, sink);
  // The server may have closed the kept connection just when the request was on its way.
  bool may_repeat = !answer && is_reused && !protocol_->has_begun_answer() &&
                    is_idempotent(method) && std::chrono::steady_clock::now() < deadline;
  if (may_repeat) {
    LATTICE_TRY_VOID(connect(deadline));
    answer = protocol_->exchange(request, sink);
  }
  if (!answer || !protocol_->is_reusable()) protocol_.reset();
  return answer;
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  auto wrong = [&](std::string_view why) {
    return fail(Code::Usage, "not a URL (" + std::string(why) + "): " + std::string(text));
  };
  Url out;
  size_t scheme_end = text.find("://");
  out.scheme = text.substr(0, scheme_end == std::string_view::npos ? 0 : scheme_end);
  for (char& c : out.scheme) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  if (out.scheme != "http" && out.scheme != "https")
    return wrong("http:// or https:// was expected");
  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  size_t path_begin = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, path_begin);
  std::string_view path = rest.substr(path_begin);
  if (authority.empty() || !is_valid_authority(authority)) return wrong("a host was expected");
  size_t host_end = authority.front() == '[' ? authority.find(']') + 1
                                             : std::min(authority.find(':'), authority.size());
  out.host =
      authority.front() == '[' ? authority.substr(1, host_end - 2) : authority.substr(0, host_end);
  if (out.host.empty()) return wrong("a host was expected");
  out.port = out.scheme == "https" ? 443 : 80;
  if (host_end + 1 < authority.size()) {
    std::string_view digits = authority.substr(host_end + 1);
    auto [end, error] = std::from_chars(digits.begin(), digits.end(), out.port);
    if (error != std::errc() || end != digits.end() || out.port == 0)
      return wrong("port 1 to 65535");
  }
  out.target = path.starts_with('/') ? std::string(path) : "/" + std::string(path);
  if (!is_origin_form(out.target)) return wrong("the path holds characters that must be escaped");
  return out;
}

Result<std::unique_ptr<Client>> Client::open(const Url& base, ClientOptions options) {
  if (base.scheme != "http" && base.scheme != "https") {
    return fail(Code::Usage, "http or https was expected, not `" + base.scheme + "`");
  }
  return std::make_unique<BlockingClient>(base, options);
}

}  // namespace lattice::http
