// HTTP/1.1 and HTTP/1.0 on one connection: requests are read one after the other and answered in
// order.
#include <algorithm>
#include <array>
#include <charconv>

#include "http/http1_parser.h"
#include "http/problem.h"
#include "http/session.h"

namespace lattice::http {

namespace {

// Input that is kept while a request is being answered (pipelined requests); beyond it the
// connection stops reading.
constexpr size_t kStashBytesMax = 64 * 1024;
constexpr SteadyTime kNever = SteadyTime::max();

SteadyTime after(std::chrono::milliseconds delay) {
  return std::chrono::steady_clock::now() + delay;
}

bool may_have_body(int status) {
  return status >= 200 && status != 204 && status != 304;
}

// "HTTP/1.1 200 OK\r\n", rendered once.
std::string_view status_line(int status) {
  constexpr int kStatusCount = 600;
  static const std::array<std::string, kStatusCount> lines = [] {
    std::array<std::string, kStatusCount> out;
    for (int i = 100; i < kStatusCount; ++i) {
      out[i].append("HTTP/1.1 ").append(std::to_string(i)).append(" ");
      out[i].append(reason_phrase(i)).append("\r\n");
    }
    return out;
  }();
  return lines[status];
}

void append_number(std::string& out, uint64_t value, int base) {
  char digits[24];
  auto [end, error] = std::to_chars(digits, digits + sizeof(digits), value, base);
  out.append(digits, end);
}

void append_field(std::string& out, const Header& field) {
  out.append(field.name).append(": ").append(field.value).append("\r\n");
}

// The fields that frame a message are the session's own business.
enum class Special : uint8_t { None, ContentLength, Connection, Drop, Date };
Special classify(std::string_view name) {
  switch (name.size()) {
    case 4:
      return equals_ignoring_case(name, "date") ? Special::Date : Special::None;
    case 10:
      if (equals_ignoring_case(name, "connection")) return Special::Connection;
      return equals_ignoring_case(name, "keep-alive") ? Special::Drop : Special::None;
    case 14:
      return equals_ignoring_case(name, "content-length") ? Special::ContentLength : Special::None;
    case 17:
      return equals_ignoring_case(name, "transfer-encoding") ? Special::Drop : Special::None;
    default:
      return Special::None;
  }
}

class Http1Session;

class Http1Exchange final : public Exchange {
 public:
  Http1Exchange(SessionContext& context, Http1Session& session)
      : Exchange(context), session_(session) {}

  void prepare() { reset_for_next(); }
  using Exchange::drops_body;
  bool is_streaming() const { return stage() == Stage::Streaming; }

 protected:
  void do_send(Response&& response) override;
  void do_interim(int status, const Headers& headers) override;
  void do_start(int status, const Headers& headers) override;
  void do_write(std::string&& bytes) override;
  void do_finish(const Headers& trailers) override;
  void do_abort() override;
  size_t unsent_bytes() const override;
  void on_task_end() override;

 private:
  friend class Http1Session;
  Http1Session& session_;
};

class Http1Session final : public Session {
 public:
  Http1Session(SessionContext& context, Link& link, Peer peer)
      : context_(context),
        link_(link),
        peer_(std::move(peer)),
        parser_(Http1Parser::for_requests({.header_bytes_max = context.options.header_bytes_max,
                                           .target_bytes_max = context.options.target_bytes_max,
                                           .body_bytes_max = context.options.body_bytes_max})),
        deadline_(after(context.options.header_timeout)) {}
  ~Http1Session() override { drop(); }

  void receive(std::string_view bytes) override;
  void receive_end() override;
  void fill() override { advance_stash(); }
  void sent() override {
    if (exchange_ != nullptr) exchange_->wake_writer_if_room();
  }
  SteadyTime deadline() const override { return deadline_; }
  void on_deadline() override;
  void drain() override;
  void drop() override;
  bool wants_input() const override {
    return !is_finished_ && !peer_has_ended_ && stash_.size() < kStashBytesMax && has_room();
  }
  bool is_finished() const override { return is_finished_; }
  bool is_quiet() const override {
    return stash_.empty() && (is_answering_ || !parser_.has_begun());
  }
  Ending ending() const override { return ending_; }

 private:
  friend class Http1Exchange;
  enum class Body : uint8_t { None, Sized, Chunked, ToEnd };

  // A peer that sends requests and reads no answers is not read from either.
  bool has_room() const { return output.size() <= context_.options.write_buffer_bytes; }
  void advance(std::string_view& input);
  void advance_stash();
  void wait_for_more();
  void begin_request(bool body_follows_already);
  void dispatch();
  void refuse(int status, std::string_view message);

  void send_response(Response&& response);
  void write_head(int status, const Headers& headers, Body body, uint64_t length,
                  const Headers* trailers);
  void start_stream(int status, const Headers& headers);
  void write_chunk_head(size_t length);
  void write_piece(std::string&& bytes);
  void finish_stream(const Headers& trailers);
  void end_response();
  void abort_response();

  SessionContext& context_;
  Link& link_;
  Peer peer_;
  Http1Parser parser_;
  std::string stash_;                  // received, not yet parsed
  Http1Exchange* exchange_ = nullptr;  // the current request, or a spent one for the next
  SteadyTime deadline_;
  bool is_advancing_ = false;
  bool is_answering_ = false;  // the handler was called and its answer has not ended
  bool is_timing_head_ = false;
  bool keep_alive_ = true;  // of the current request
  bool is_draining_ = false;
  bool peer_has_ended_ = false;
  bool is_finished_ = false;
  Ending ending_ = Ending::Close;
  Body body_ = Body::None;  // of the current answer
};

void Http1Session::receive(std::string_view bytes) {
  if (is_finished_) return;
  if (!stash_.empty() || is_answering_) {
    stash_.append(bytes);
    advance_stash();
    return;
  }
  advance(bytes);
  if (!is_finished_) stash_.append(bytes);
}

void Http1Session::advance_stash() {
  if (stash_.empty() || is_answering_ || is_finished_ || is_advancing_) return;
  std::string_view rest = stash_;
  advance(rest);
  stash_.erase(0, stash_.size() - rest.size());
  if (stash_.empty() && stash_.capacity() > kStashBytesMax / 4) std::string().swap(stash_);
}

void Http1Session::receive_end() {
  if (is_finished_) return;
  peer_has_ended_ = true;
  if (!is_answering_) {
    wait_for_more();
  } else if (exchange_->is_streaming()) {
    // Nobody reads a stream any more; a whole answer is still sent to a peer that half-closed.
    is_finished_ = true;
    exchange_->mark_peer_gone();
  }
}

// Parses and answers until the input is used up or a handler needs time. `input` is the unparsed
// rest; the handler of a request may run in here.
void Http1Session::advance(std::string_view& input) {
  is_advancing_ = true;
  while (!is_answering_ && !is_finished_ && has_room()) {
    Http1Parser::Event event = parser_.next(input);
    if (event == Http1Parser::Event::Head) {
      begin_request(!input.empty());
    } else if (event == Http1Parser::Event::Body) {
      exchange_->request.body.append(parser_.body());
    } else if (event == Http1Parser::Event::Done) {
      dispatch();
    } else if (event == Http1Parser::Event::Failed) {
      refuse(parser_.failure().status, parser_.failure().message);
    } else {
      wait_for_more();
      break;
    }
  }
  is_advancing_ = false;
}

void Http1Session::wait_for_more() {
  if (peer_has_ended_ || (is_draining_ && !parser_.has_begun())) {
    if (parser_.has_begun()) return refuse(400, "the request ended before it was complete");
    is_finished_ = true;
    link_.flush_soon();
    return;
  }
  if (!parser_.has_begun()) {
    deadline_ = after(context_.options.idle_timeout);
  } else if (parser_.is_in_head() && !is_timing_head_) {
    is_timing_head_ = true;
    deadline_ = after(context_.options.header_timeout);
  }
}

void Http1Session::begin_request(bool body_follows_already) {
  if (exchange_ != nullptr && exchange_->is_running()) {
    exchange_->detach();  // its answer has ended; what else it does is its own affair
    exchange_ = nullptr;
  }
  if (exchange_ == nullptr) {
    exchange_ = new Http1Exchange(context_, *this);
    exchange_->request.peer_address = peer_.address;
    exchange_->request.secure = peer_.secure;
  } else {
    exchange_->prepare();
  }
  Http1Parser::Head& head = parser_.head();
  Request& request = exchange_->request;
  std::swap(request.method, head.method);
  std::swap(request.target, head.target);
  std::swap(request.headers, head.headers);
  request.version = head.version;
  split_target(request);
  keep_alive_ = head.keep_alive;
  is_timing_head_ = false;
  bool has_body = head.is_chunked || head.content_length.value_or(0) > 0;
  if (!has_body) return;
  deadline_ = after(context_.options.body_timeout);
  if (head.expects_continue && !body_follows_already) {
    output.append_copy("HTTP/1.1 100 Continue\r\n\r\n");
    link_.flush_soon();
  }
}

void Http1Session::dispatch() {
  is_answering_ = true;
  deadline_ = kNever;
  parser_.restart();
  exchange_->run();
}

// Answers what is no acceptable request, and ends the connection.
void Http1Session::refuse(int status, std::string_view message) {
  Response response = make_problem_response({.status = status, .detail = std::string(message)});
  keep_alive_ = false;
  is_finished_ = true;
  ending_ = Ending::Linger;
  write_head(status, response.headers, Body::Sized, response.body.size(), nullptr);
  output.append(std::move(response.body));
  stash_.clear();
  deadline_ = kNever;
  link_.flush_soon();
}

void Http1Session::on_deadline() {
  deadline_ = kNever;
  if (is_answering_ || is_finished_) return;
  if (parser_.has_begun()) {
    refuse(408, parser_.is_in_head() ? "the request headers took too long"
                                     : "the request body took too long");
  } else {
    is_finished_ = true;
    link_.flush_soon();
  }
}

void Http1Session::drain() {
  is_draining_ = true;
  if (!is_answering_ && !parser_.has_begun() && stash_.empty()) is_finished_ = true;
  link_.flush_soon();
}

void Http1Session::drop() {
  is_finished_ = true;
  if (exchange_ != nullptr) std::exchange(exchange_, nullptr)->detach();
}

void Http1Session::send_response(Response&& response) {
  bool drops_body = exchange_->drops_body(response.status);
  bool with_trailers = !response.trailers.empty() && may_have_body(response.status) &&
                       exchange_->request.version == Version::Http1_1;
  body_ = with_trailers ? Body::Chunked : Body::Sized;
  const size_t length = response.body_bytes();
  write_head(response.status, response.headers, body_, length,
             with_trailers ? &response.trailers : nullptr);
  if (drops_body) return end_response();
  if (with_trailers && length > 0) write_chunk_head(length);
  if (response.shared_body != nullptr) {
    output.append_shared(std::move(response.shared_body), 0, length);
  } else {
    output.append(std::move(response.body));
  }
  if (!with_trailers) return end_response();
  if (length > 0) output.append_copy("\r\n");
  finish_stream(response.trailers);
}

// Writes status line and fields. `length` belongs to Body::Sized. `trailers` are announced when
// given.
void Http1Session::write_head(int status, const Headers& headers, Body body, uint64_t length,
                              const Headers* trailers) {
  bool is_head = exchange_ != nullptr && exchange_->request.method == "HEAD";
  OutputQueue::Tail out(output);
  out->append(status_line(status));
  bool has_date = false;
  bool has_length = false;
  for (const Header& field : headers.fields()) {
    switch (classify(field.name)) {
      case Special::Drop:
        continue;
      case Special::Connection:
        if (has_list_token(field.value, "close")) keep_alive_ = false;
        continue;
      case Special::ContentLength:
        // What a GET would have had, or a 304's; everywhere else the real length counts.
        if ((!is_head && status != 304) || has_length || (body == Body::Sized && length > 0))
          continue;
        has_length = true;
        break;
      case Special::Date:
        has_date = true;
        break;
      case Special::None:
        break;
    }
    append_field(*out, field);
  }
  if (!has_date) out->append(context_.date.now());
  if (body == Body::Sized && !has_length && may_have_body(status)) {
    out->append("Content-Length: ");
    append_number(*out, length, 10);
    out->append("\r\n");
  } else if (body == Body::Chunked && may_have_body(status)) {
    out->append("Transfer-Encoding: chunked\r\n");
  }
  if (trailers != nullptr) {
    for (const Header& field : trailers->fields()) {
      out->append("Trailer: ").append(field.name).append("\r\n");
    }
  }
  if (is_draining_ || body == Body::ToEnd) keep_alive_ = false;
  bool is_old = exchange_ != nullptr && exchange_->request.version == Version::Http1_0;
  if (!keep_alive_) {
    out->append("Connection: close\r\n\r\n");
  } else {
    out->append(is_old ? "Connection: keep-alive\r\n\r\n" : "\r\n");
  }
}

void Http1Session::start_stream(int status, const Headers& headers) {
  Body framing = exchange_->request.version == Version::Http1_0 ? Body::ToEnd : Body::Chunked;
  uint64_t length = 0;
  if (auto given = headers.find("Content-Length")) {
    std::from_chars(given->begin(), given->end(), length);
    framing = Body::Sized;
  }
  body_ = exchange_->drops_body(status) ? Body::None : framing;
  write_head(status, headers, body_, length, nullptr);
  link_.flush_soon();
}

void Http1Session::write_chunk_head(size_t length) {
  OutputQueue::Tail out(output);
  append_number(*out, length, 16);
  out->append("\r\n");
}

void Http1Session::write_piece(std::string&& bytes) {
  if (body_ == Body::Chunked) write_chunk_head(bytes.size());
  output.append(std::move(bytes));
  if (body_ == Body::Chunked) output.append_copy("\r\n");
  link_.flush_soon();
}

void Http1Session::finish_stream(const Headers& trailers) {
  if (body_ == Body::Chunked) {
    OutputQueue::Tail out(output);
    out->append("0\r\n");
    for (const Header& field : trailers.fields()) {
      if (classify(field.name) == Special::None) append_field(*out, field);
    }
    out->append("\r\n");
  }
  end_response();
}

void Http1Session::end_response() {
  is_answering_ = false;
  if (!keep_alive_ || is_draining_) {
    is_finished_ = true;
    ending_ = Ending::Linger;
  } else if (!is_advancing_ && stash_.empty()) {
    wait_for_more();
  }
  link_.flush_soon();
}

void Http1Session::abort_response() {
  is_answering_ = false;
  is_finished_ = true;
  // The end of a body that only the connection's end delimits would look like success.
  if (body_ == Body::ToEnd) ending_ = Ending::Reset;
  link_.flush_soon();
}

void Http1Exchange::do_send(Response&& response) {
  session_.send_response(std::move(response));
}
void Http1Exchange::do_start(int status, const Headers& headers) {
  session_.start_stream(status, headers);
}
void Http1Exchange::do_write(std::string&& bytes) {
  session_.write_piece(std::move(bytes));
}
void Http1Exchange::do_finish(const Headers& trailers) {
  session_.finish_stream(trailers);
}
void Http1Exchange::do_abort() {
  session_.abort_response();
}
size_t Http1Exchange::unsent_bytes() const {
  return session_.output.size();
}

void Http1Exchange::do_interim(int status, const Headers& headers) {
  if (request.version == Version::Http1_0) return;
  OutputQueue::Tail out(session_.output);
  out->append(status_line(status));
  for (const Header& field : headers.fields()) {
    Special special = classify(field.name);
    if (special == Special::None || special == Special::Date) append_field(*out, field);
  }
  out->append("\r\n");
  session_.link_.flush_soon();
}

// The exchange stays, spent, for the connection's next request.
void Http1Exchange::on_task_end() {
  session_.link_.flush_soon();
}

}  // namespace

std::unique_ptr<Session> make_http1_session(SessionContext& context, Link& link, Peer peer) {
  return std::make_unique<Http1Session>(context, link, std::move(peer));
}

}  // namespace lattice::http
