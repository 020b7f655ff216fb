// The client's HTTP/1.1.
#include "http/client_protocol.h"
#include "http/http1_parser.h"

namespace lattice::http {

namespace {

constexpr int kInterimCountMax = 100;

class ClientHttp1 final : public ClientProtocol {
 public:
  explicit ClientHttp1(std::unique_ptr<ClientStream> stream) : stream_(std::move(stream)) {}

  Result<ClientResponse> exchange(const ClientRequest& request, const ClientSink& sink) override;
  bool is_reusable() override { return keep_alive_ && !stream_->is_stale(); }
  bool has_begun_answer() const override { return has_begun_; }

 private:
  Result<Http1Parser::Event> next(Http1Parser& parser, const ClientSink& sink);
  Result<void> read_body(Http1Parser& parser, const ClientSink& sink, ClientResponse& out);

  std::unique_ptr<ClientStream> stream_;
  std::string input_;  // received, not yet parsed
  bool keep_alive_ = true;
  bool has_begun_ = false;
};

std::string render(const ClientRequest& request) {
  std::string out;
  out.append(request.method).append(" ").append(request.target).append(" HTTP/1.1\r\n");
  if (!request.headers.contains("Host")) {
    out.append("Host: ").append(request.authority).append("\r\n");
  }
  for (const Header& field : request.headers.fields()) {
    if (equals_ignoring_case(field.name, "Content-Length")) continue;
    out.append(field.name).append(": ").append(field.value).append("\r\n");
  }
  bool is_bodyless = request.method == "GET" || request.method == "HEAD";
  if (!request.body.empty() || !is_bodyless) {
    out.append("Content-Length: ").append(std::to_string(request.body.size())).append("\r\n");
  }
  return out.append("\r\n").append(request.body);
}

// The next event of the parser, with more bytes from the peer where it needs some.
Result<Http1Parser::Event> ClientHttp1::next(Http1Parser& parser, const ClientSink& sink) {
  while (true) {
    std::string_view rest = input_;
    Http1Parser::Event event = parser.next(rest);
    if (event == Http1Parser::Event::Body)
      return event;  // the piece is a view: dropped in read_body
    input_.erase(0, input_.size() - rest.size());
    if (event == Http1Parser::Event::Failed) {
      return fail(Code::Io, "the answer cannot be read: " + parser.failure().message);
    }
    if (event != Http1Parser::Event::NeedMore) return event;
    LATTICE_TRY(bool more, stream_->read(input_, sink.next()));
    if (!more) {
      keep_alive_ = false;
      event = parser.end_of_input();
      if (event == Http1Parser::Event::NeedMore) {
        return fail(Code::Io, "the connection was closed before an answer came");
      }
      return event;
    }
    has_begun_ = true;
  }
}

// Reads to the message's end. A body that is cut short is no error: `complete` says it.
Result<void> ClientHttp1::read_body(Http1Parser& parser, const ClientSink& sink,
                                    ClientResponse& out) {
  while (true) {
    auto event = next(parser, sink);
    if (!event) return fail(std::move(event.error()));
    if (*event == Http1Parser::Event::Body) {
      std::string_view piece = parser.body();
      bool go_on = true;
      if (sink.stream != nullptr) {
        go_on = (*sink.stream)(piece);
      } else if (out.body.size() + piece.size() > sink.options.body_bytes_max) {
        return fail(Code::Io, "the answer's body is larger than " +
                                  std::to_string(sink.options.body_bytes_max) + " bytes");
      } else {
        out.body.append(piece);
      }
      input_.erase(0, static_cast<size_t>(piece.data() - input_.data()) + piece.size());
      if (go_on) continue;
      keep_alive_ = out.complete = false;
      return {};
    }
    if (*event == Http1Parser::Event::Failed) {
      out.complete = false;
    } else {
      out.trailers = std::move(parser.trailers());
    }
    return {};
  }
}

Result<ClientResponse> ClientHttp1::exchange(const ClientRequest& request, const ClientSink& sink) {
  has_begun_ = false;
  // A server may answer and close before it has read the whole request: then the answer counts.
  auto sent = stream_->write(render(request), sink.next());
  if (!sent) keep_alive_ = false;
  Http1Parser parser = Http1Parser::for_responses(
      {.header_bytes_max = 256 * 1024,
       .body_bytes_max = sink.stream != nullptr ? std::numeric_limits<int64_t>::max()
                                                : sink.options.body_bytes_max});
  ClientResponse out;
  while (true) {
    parser.restart(request.method == "HEAD");
    auto event = next(parser, sink);
    if (!event) return sent ? fail(std::move(event.error())) : fail(std::move(sent.error()));
    if (*event == Http1Parser::Event::Failed) {
      return fail(Code::Io, "the connection was closed in the middle of the answer's head");
    }
    Http1Parser::Head& head = parser.head();
    if (head.status >= 200) break;
    if (out.interim.size() == kInterimCountMax) return fail(Code::Io, "too many interim answers");
    out.interim.push_back({head.status, std::move(head.headers), {}, {}});
  }
  out.status = parser.head().status;
  out.headers = std::move(parser.head().headers);
  keep_alive_ = keep_alive_ && parser.head().keep_alive;
  LATTICE_TRY_VOID(read_body(parser, sink, out));
  return out;
}

}  // namespace

std::unique_ptr<ClientProtocol> make_client_http1(std::unique_ptr<ClientStream> stream) {
  return std::make_unique<ClientHttp1>(std::move(stream));
}

}  // namespace lattice::http
