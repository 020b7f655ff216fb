// HTTP/2 on one connection, on nghttp2: it frames, compresses and checks; we decide.
//
// nghttp2 calls back while it reads and writes; handlers never run inside those calls. The
// callbacks note what happened (`ready_`, `moved_`, `closed_`), and settle() acts on it afterwards.
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>

#include "http/http1_parser.h"
#include "http/problem.h"
#include "http/session.h"

namespace lattice::http {

namespace {

constexpr SteadyTime kNever = SteadyTime::max();
constexpr size_t kOutputBytesMax = 64 * 1024;  // framed ahead of the socket
constexpr size_t kFieldCountMax = 256;
constexpr uint32_t kStreamWindowBytes = 256 * 1024;
constexpr int32_t kConnectionWindowBytes = 1024 * 1024;
// Bodies of one connection's unanswered requests, in multiples of the largest allowed body.
constexpr size_t kBufferedBodiesMax = 4;
// Handlers of one connection that may still run, in multiples of streams_max: a peer that resets
// its streams does not get rid of the work it caused.
constexpr unsigned kRunningFactor = 2;
// Between the notice of a drain and the refusal of new streams (about a round trip).
constexpr std::chrono::milliseconds kDrainNotice{100};

SteadyTime after(std::chrono::milliseconds delay) {
  return std::chrono::steady_clock::now() + delay;
}

std::string_view view(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

nghttp2_nv make_field(std::string_view name, std::string_view value) {
  auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// Fields that belong to an HTTP/1.1 connection (RFC 9113 §8.2.2).
bool is_connection_field(std::string_view name) {
  constexpr std::string_view kNames[] = {"connection",        "keep-alive", "proxy-connection",
                                         "transfer-encoding", "upgrade",    "te"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view known) { return equals_ignoring_case(known, name); });
}

class Http2Session;

// One stream.
class Http2Exchange final : public Exchange {
 public:
  Http2Exchange(SessionContext& context, Http2Session& session, int32_t id,
                std::shared_ptr<unsigned> running)
      : Exchange(context), session_(session), id_(id), running_(std::move(running)) {
    ++*running_;
  }
  ~Http2Exchange() override { --*running_; }

 protected:
  void do_send(Response&& response) override;
  void do_interim(int status, const Headers& headers) override;
  void do_start(int status, const Headers& headers) override;
  void do_write(std::string&& bytes) override;
  void do_finish(const Headers& trailers) override;
  void do_abort() override;
  size_t unsent_bytes() const override { return body_.size(); }
  void on_task_end() override {}  // the exchange stays until its stream is closed

 private:
  friend class Http2Session;

  Http2Session& session_;
  const int32_t id_;
  const std::shared_ptr<unsigned> running_;  // exchanges of the connection, also forgotten ones
  size_t index_ = 0;                         // in the session's list
  // Request
  size_t header_bytes_ = 0;
  bool is_too_large_ = false;
  bool is_head_done_ = false;
  bool is_complete_ = false;  // the peer's side has ended
  bool is_refused_ = false;   // answered by the session itself; the rest is ignored
  std::string authority_;
  SteadyTime body_deadline_ = kNever;
  // Answer
  OutputQueue body_;
  Headers trailers_;
  SteadyTime stall_deadline_ = kNever;  // while `body_` holds something
  bool is_ended_ = false;               // nothing follows `body_` but trailers
  bool is_deferred_ = false;            // nghttp2 waits to be told of more
  bool is_moved_ = false;               // in moved_
  bool is_closed_ = false;              // in closed_
};

class Http2Session final : public Session {
 public:
  Http2Session(SessionContext& context, Link& link, Peer peer);
  ~Http2Session() override;

  void receive(std::string_view bytes) override;
  void receive_end() override;
  void fill() override;
  void sent() override {}
  SteadyTime deadline() const override;
  void on_deadline() override;
  void drain() override;
  void drop() override;
  bool wants_input() const override {
    return !is_broken_ && output.size() <= context_.options.write_buffer_bytes &&
           nghttp2_session_want_read(session_) != 0;
  }
  bool is_finished() const override {
    return is_broken_ ||
           (nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0);
  }
  bool is_quiet() const override { return true; }  // nghttp2 keeps what is half read
  Ending ending() const override { return Ending::Linger; }

 private:
  friend class Http2Exchange;
  using Fields = std::vector<nghttp2_nv>;

  // What nghttp2 tells. None of these may run a handler or throw.
  static nghttp2_session_callbacks* make_callbacks();
  int on_begin_headers(const nghttp2_frame& frame);
  int on_header(const nghttp2_frame& frame, std::string_view name, std::string_view value);
  int on_frame(const nghttp2_frame& frame);
  int on_data(int32_t id, std::string_view bytes);
  int on_frame_sent(const nghttp2_frame& frame);
  int on_close(int32_t id);
  ssize_t read_body(Http2Exchange& stream, size_t length_max, uint32_t& flags);
  int move_body(Http2Exchange& stream, std::string_view frame_head, size_t length);

  Http2Exchange* find(int32_t id) const {
    return static_cast<Http2Exchange*>(nghttp2_session_get_stream_user_data(session_, id));
  }
  void add_field(Http2Exchange& stream, std::string_view name, std::string_view value);
  void finish_head(Http2Exchange& stream);
  void check_head(Http2Exchange& stream);
  void finish_request(Http2Exchange& stream);
  void refuse(Http2Exchange& stream, int status, std::string_view message);
  void count_reset();
  void check_streams(SteadyTime now);
  void terminate(uint32_t error_code);
  bool settle();
  void remove(Http2Exchange& stream);

  Fields response_fields(std::string_view status, const Headers& headers,
                         std::string_view content_length, const Headers* trailers);
  void submit(Http2Exchange& stream, int status, const Headers& headers,
              std::string_view content_length, const Headers* trailers, bool has_body);
  void resume(Http2Exchange& stream);
  void watch_stall(Http2Exchange& stream);

  SessionContext& context_;
  Link& link_;
  Peer peer_;
  nghttp2_session* session_ = nullptr;
  std::vector<Http2Exchange*> streams_;
  std::vector<Http2Exchange*> ready_;  // whole requests, to be handed to the handler
  std::vector<Http2Exchange*> moved_;  // body bytes went out: there may be room
  std::vector<Http2Exchange*> closed_;
  std::shared_ptr<unsigned> running_ = std::make_shared<unsigned>(0);
  size_t buffered_bytes_ = 0;  // of request bodies
  SteadyTime last_activity_;
  SteadyTime header_deadline_ = kNever;
  SteadyTime body_deadline_ = kNever;   // not later than the earliest of the streams
  SteadyTime stall_deadline_ = kNever;  // not later than the earliest of the streams
  SteadyTime goaway_deadline_ = kNever;
  double resets_left_;
  SteadyTime resets_time_;
  bool is_draining_ = false;
  bool is_broken_ = false;
};

nghttp2_session_callbacks* Http2Session::make_callbacks() {
  nghttp2_session_callbacks* out = nullptr;
  LATTICE_CHECK(nghttp2_session_callbacks_new(&out) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(
      out, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Session*>(self)->on_begin_headers(*frame);
      });
  nghttp2_session_callbacks_set_on_header_callback(
      out, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
              const uint8_t* value, size_t value_size, uint8_t, void* self) {
        return static_cast<Http2Session*>(self)->on_header(*frame, view(name, name_size),
                                                           view(value, value_size));
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      out, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Session*>(self)->on_frame(*frame);
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      out, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
        return static_cast<Http2Session*>(self)->on_data(id, view(data, size));
      });
  nghttp2_session_callbacks_set_on_frame_send_callback(
      out, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        return static_cast<Http2Session*>(self)->on_frame_sent(*frame);
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      out, [](nghttp2_session*, int32_t id, uint32_t, void* self) {
        return static_cast<Http2Session*>(self)->on_close(id);
      });
  nghttp2_session_callbacks_set_send_data_callback(
      out, [](nghttp2_session*, nghttp2_frame*, const uint8_t* head, size_t length,
              nghttp2_data_source* source, void* self) {
        constexpr size_t kFrameHeadBytes = 9;
        auto* stream = static_cast<Http2Exchange*>(source->ptr);
        return static_cast<Http2Session*>(self)->move_body(*stream, view(head, kFrameHeadBytes),
                                                           length);
      });
  return out;
}

Http2Session::Http2Session(SessionContext& context, Link& link, Peer peer)
    : context_(context),
      link_(link),
      peer_(std::move(peer)),
      last_activity_(std::chrono::steady_clock::now()),
      resets_left_(context.options.stream_resets_max),
      resets_time_(last_activity_) {
  nghttp2_session_callbacks* callbacks = make_callbacks();
  nghttp2_option* option = nullptr;
  LATTICE_CHECK(nghttp2_option_new(&option) == 0);
  nghttp2_option_set_no_closed_streams(option, 1);
  int result = nghttp2_session_server_new2(&session_, callbacks, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  LATTICE_CHECK(result == 0, result);
  auto limit = [](size_t value) {
    return static_cast<uint32_t>(std::min<size_t>(value, 1u << 30));
  };
  nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, context.options.streams_max},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limit(context.options.header_bytes_max)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindowBytes},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kConnectionWindowBytes);
}

Http2Session::~Http2Session() {
  drop();
  nghttp2_session_del(session_);
}

// --- What comes in ---

void Http2Session::receive(std::string_view bytes) {
  if (is_broken_) return;
  last_activity_ = std::chrono::steady_clock::now();
  ssize_t taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()),
                                           bytes.size());
  // Mistakes of the peer that HTTP/2 has an answer for are answered by nghttp2; others end it here.
  if (taken < 0) terminate(NGHTTP2_PROTOCOL_ERROR);
  settle();
}

void Http2Session::receive_end() {
  is_broken_ = true;
  drop();
}

int Http2Session::on_begin_headers(const nghttp2_frame& frame) {
  if (header_deadline_ == kNever) header_deadline_ = after(context_.options.header_timeout);
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;  // request trailers
  int32_t id = frame.hd.stream_id;
  if (*running_ >= kRunningFactor * context_.options.streams_max) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return 0;
  }
  auto* stream = new Http2Exchange(context_, *this, id, running_);
  stream->index_ = streams_.size();
  streams_.push_back(stream);
  stream->request.version = Version::Http2;
  stream->request.peer_address = peer_.address;
  stream->request.secure = peer_.secure;
  nghttp2_session_set_stream_user_data(session_, id, stream);
  return 0;
}

int Http2Session::on_header(const nghttp2_frame& frame, std::string_view name,
                            std::string_view value) {
  constexpr size_t kFieldOverhead = 32;  // RFC 9113 §6.5.2
  Http2Exchange* stream = find(frame.hd.stream_id);
  if (stream == nullptr || stream->is_head_done_) return 0;
  bool is_target = name == ":path";
  stream->header_bytes_ += name.size() + kFieldOverhead + (is_target ? 0 : value.size());
  if (stream->header_bytes_ > context_.options.header_bytes_max ||
      stream->request.headers.size() == kFieldCountMax) {
    stream->is_too_large_ = true;
  }
  if (!stream->is_too_large_) add_field(*stream, name, value);
  return 0;
}

void Http2Session::add_field(Http2Exchange& stream, std::string_view name, std::string_view value) {
  Request& request = stream.request;
  if (name == ":method") {
    request.method = value;
  } else if (name == ":path") {
    request.target = value;
  } else if (name == ":authority") {
    stream.authority_ = value;
  } else if (name == ":scheme") {
    return;
  } else if (auto before = name == "cookie" ? request.headers.find(name) : std::nullopt) {
    // Cookies may come in crumbs (RFC 9113 §8.2.3).
    request.headers.set(name, std::string(*before).append("; ").append(value));
  } else {
    request.headers.add(name, value);
  }
}

int Http2Session::on_frame(const nghttp2_frame& frame) {
  if (frame.hd.type == NGHTTP2_RST_STREAM) count_reset();
  if (frame.hd.type == NGHTTP2_HEADERS) header_deadline_ = kNever;
  if (frame.hd.type != NGHTTP2_HEADERS && frame.hd.type != NGHTTP2_DATA) return 0;
  Http2Exchange* stream = find(frame.hd.stream_id);
  if (stream == nullptr) return 0;
  stream->is_complete_ = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (frame.hd.type == NGHTTP2_HEADERS && !stream->is_head_done_) finish_head(*stream);
  if (stream->is_complete_ && !stream->is_refused_) {
    stream->body_deadline_ = kNever;
    ready_.push_back(stream);
  }
  return 0;
}

void Http2Session::finish_head(Http2Exchange& stream) {
  stream.is_head_done_ = true;
  check_head(stream);
  if (stream.is_refused_ || stream.is_complete_) return;
  stream.body_deadline_ = after(context_.options.body_timeout);
  body_deadline_ = std::min(body_deadline_, stream.body_deadline_);
  auto expectation = stream.request.headers.find("expect");
  if (expectation && equals_ignoring_case(*expectation, "100-continue")) {
    nghttp2_nv status = make_field(":status", "100");
    nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id_, nullptr, &status, 1, nullptr);
  }
}

// nghttp2 has checked the pseudo-headers, names and values; the rest is as strict as HTTP/1.1.
void Http2Session::check_head(Http2Exchange& stream) {
  Request& request = stream.request;
  const ServerOptions& options = context_.options;
  if (stream.is_too_large_) {
    return refuse(stream, 431,
                  "the header fields are more than " + std::to_string(options.header_bytes_max) +
                      " bytes or " + std::to_string(kFieldCountMax) + " lines");
  }
  if (request.target.size() > options.target_bytes_max) {
    return refuse(
        stream, 414,
        "the request target is longer than " + std::to_string(options.target_bytes_max) + " bytes");
  }
  if (request.method == "CONNECT") return refuse(stream, 501, "CONNECT is not supported");
  bool is_asterisk = request.target == "*" && request.method == "OPTIONS";
  if (!is_asterisk && !is_origin_form(request.target)) {
    return refuse(stream, 400, "the request target must be a path of visible ASCII");
  }
  auto host = request.headers.combined("host");
  if (!stream.authority_.empty() && host && !equals_ignoring_case(*host, stream.authority_)) {
    return refuse(stream, 400, ":authority and Host differ");
  }
  if (!host) request.headers.add("Host", stream.authority_);
  if (!is_valid_authority(*request.headers.find("host"))) {
    return refuse(stream, 400, "Host is not a host with an optional port");
  }
  if (auto length = request.headers.find("content-length")) {
    uint64_t bytes = 0;
    auto [end, error] = std::from_chars(length->begin(), length->end(), bytes);
    if (error != std::errc() || bytes > options.body_bytes_max) {
      return refuse(stream, 413,
                    "the body is larger than " + std::to_string(options.body_bytes_max) + " bytes");
    }
  }
  auto expectation = request.headers.find("expect");
  if (expectation && !equals_ignoring_case(*expectation, "100-continue")) {
    return refuse(stream, 417, "only `Expect: 100-continue` is known");
  }
  split_target(request);
}

int Http2Session::on_data(int32_t id, std::string_view bytes) {
  Http2Exchange* stream = find(id);
  if (stream == nullptr || stream->is_refused_) return 0;
  const size_t bytes_max = context_.options.body_bytes_max;
  if (stream->request.body.size() + bytes.size() > bytes_max) {
    refuse(*stream, 413, "the body is larger than " + std::to_string(bytes_max) + " bytes");
    return 0;
  }
  if (buffered_bytes_ + bytes.size() > kBufferedBodiesMax * bytes_max) {
    refuse(*stream, 503, "too many unanswered bodies on this connection");
    return 0;
  }
  buffered_bytes_ += bytes.size();
  stream->request.body.append(bytes);
  return 0;
}

// A peer that opens and resets streams makes work that the limit on open streams does not see
// (CVE-2023-44487). A bucket of resets refills slowly.
void Http2Session::count_reset() {
  const double burst = context_.options.stream_resets_max;
  SteadyTime now = std::chrono::steady_clock::now();
  std::chrono::duration<double> passed = now - resets_time_;
  resets_time_ = now;
  resets_left_ = std::min(burst, resets_left_ + passed.count() * burst / 10) - 1;
  if (resets_left_ < 0) terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

int Http2Session::on_close(int32_t id) {
  Http2Exchange* stream = find(id);
  if (stream == nullptr || stream->is_closed_) return 0;
  stream->is_closed_ = true;
  closed_.push_back(stream);
  return 0;
}

// Answers instead of the handler. The peer is told to stop sending once the answer is out.
void Http2Session::refuse(Http2Exchange& stream, int status, std::string_view message) {
  if (stream.is_refused_) return;
  stream.is_refused_ = stream.is_ended_ = true;
  stream.body_deadline_ = kNever;
  Response response = make_problem_response({.status = status, .detail = std::string(message)});
  std::string length = std::to_string(response.body.size());
  stream.body_.append(std::move(response.body));
  submit(stream, status, response.headers, length, nullptr, true);
}

void Http2Session::terminate(uint32_t error_code) {
  nghttp2_session_terminate_session(session_, error_code);
  link_.flush_soon();
}

// --- What follows from it ---

// Runs what the callbacks noted. True when there was anything.
bool Http2Session::settle() {
  bool was_busy = false;
  while (!moved_.empty() || !ready_.empty() || !closed_.empty()) {
    was_busy = true;
    auto moved = std::exchange(moved_, {});
    auto ready = std::exchange(ready_, {});
    auto closed = std::exchange(closed_, {});
    for (Http2Exchange* stream : moved) {
      stream->is_moved_ = false;
      if (!stream->is_closed_) stream->wake_writer_if_room();
    }
    for (Http2Exchange* stream : ready) {
      if (!stream->is_closed_) stream->run();
    }
    for (Http2Exchange* stream : closed) remove(*stream);
  }
  return was_busy;
}

void Http2Session::remove(Http2Exchange& stream) {
  nghttp2_session_set_stream_user_data(session_, stream.id_, nullptr);
  buffered_bytes_ -= std::min(buffered_bytes_, stream.request.body.size());
  streams_[stream.index_] = streams_.back();
  streams_[stream.index_]->index_ = stream.index_;
  streams_.pop_back();
  last_activity_ = std::chrono::steady_clock::now();
  stream.detach();
}

void Http2Session::drop() {
  is_broken_ = true;
  moved_.clear();
  ready_.clear();
  closed_.clear();
  while (!streams_.empty()) remove(*streams_.back());
}

SteadyTime Http2Session::deadline() const {
  SteadyTime out = std::min({header_deadline_, body_deadline_, stall_deadline_, goaway_deadline_});
  if (streams_.empty()) out = std::min(out, last_activity_ + context_.options.idle_timeout);
  return out;
}

void Http2Session::on_deadline() {
  SteadyTime now = std::chrono::steady_clock::now();
  if (now >= goaway_deadline_) {
    goaway_deadline_ = kNever;
    nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                          nghttp2_session_get_last_proc_stream_id(session_), NGHTTP2_NO_ERROR,
                          nullptr, 0);
  }
  if (now >= header_deadline_) {
    header_deadline_ = kNever;
    terminate(NGHTTP2_CANCEL);
  }
  if (now >= std::min(body_deadline_, stall_deadline_)) check_streams(now);
  if (streams_.empty() && now >= last_activity_ + context_.options.idle_timeout) {
    last_activity_ = now;
    terminate(NGHTTP2_NO_ERROR);
  }
}

// Ends the streams whose peer has taken too long, to send a body or to let one go out.
void Http2Session::check_streams(SteadyTime now) {
  body_deadline_ = stall_deadline_ = kNever;
  for (Http2Exchange* stream : streams_) {
    if (now >= stream->body_deadline_) refuse(*stream, 408, "the request body took too long");
    if (now >= stream->stall_deadline_) {
      stream->stall_deadline_ = kNever;
      nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id_, NGHTTP2_CANCEL);
    }
    body_deadline_ = std::min(body_deadline_, stream->body_deadline_);
    stall_deadline_ = std::min(stall_deadline_, stream->stall_deadline_);
  }
}

void Http2Session::drain() {
  if (std::exchange(is_draining_, true)) return;
  nghttp2_submit_shutdown_notice(session_);
  goaway_deadline_ = after(kDrainNotice);
  link_.flush_soon();
}

// --- What goes out ---

void Http2Session::fill() {
  do {
    while (!is_broken_ && output.size() < kOutputBytesMax) {
      const uint8_t* data = nullptr;
      ssize_t size = nghttp2_session_mem_send(session_, &data);
      if (size < 0) return drop();
      if (size == 0) break;
      output.append_copy(view(data, static_cast<size_t>(size)));
    }
  } while (settle() && output.size() < kOutputBytesMax);
}

// nghttp2 asks how much of a body is there.
ssize_t Http2Session::read_body(Http2Exchange& stream, size_t length_max, uint32_t& flags) {
  size_t length = std::min(length_max, stream.body_.size());
  if (length == 0 && !stream.is_ended_) {
    stream.is_deferred_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (stream.is_ended_ && length == stream.body_.size()) {
    flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream.trailers_.empty()) {
      flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
      Fields fields;
      for (const Header& field : stream.trailers_.fields()) {
        if (is_connection_field(field.name)) continue;
        fields.push_back(make_field(field.name, field.value));
      }
      nghttp2_submit_trailer(session_, stream.id_, fields.data(), fields.size());
    }
  }
  return static_cast<ssize_t>(length);
}

// nghttp2 lets a DATA frame go: its head, then `length` bytes of the body.
int Http2Session::move_body(Http2Exchange& stream, std::string_view frame_head, size_t length) {
  if (output.size() >= kOutputBytesMax) return NGHTTP2_ERR_WOULDBLOCK;
  output.append_copy(frame_head);
  stream.body_.move_to(output, length);
  watch_stall(stream);
  if (!std::exchange(stream.is_moved_, true)) moved_.push_back(&stream);
  return 0;
}

int Http2Session::on_frame_sent(const nghttp2_frame& frame) {
  bool is_end = (frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA) &&
                (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (!is_end) return 0;
  Http2Exchange* stream = find(frame.hd.stream_id);
  if (stream != nullptr && !stream->is_complete_) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id_, NGHTTP2_NO_ERROR);
  }
  return 0;
}

Http2Session::Fields Http2Session::response_fields(std::string_view status, const Headers& headers,
                                                   std::string_view content_length,
                                                   const Headers* trailers) {
  Fields out;
  out.reserve(headers.size() + 4);
  out.push_back(make_field(":status", status));
  bool has_date = status.starts_with('1');
  for (const Header& field : headers.fields()) {
    if (is_connection_field(field.name)) continue;
    if (!content_length.empty() && equals_ignoring_case(field.name, "content-length")) continue;
    has_date = has_date || equals_ignoring_case(field.name, "date");
    out.push_back(make_field(field.name, field.value));
  }
  if (!has_date) out.push_back(make_field("date", context_.date.value()));
  if (!content_length.empty()) out.push_back(make_field("content-length", content_length));
  if (trailers != nullptr) {
    for (const Header& field : trailers->fields()) {
      out.push_back(make_field("trailer", field.name));
    }
  }
  return out;
}

// `content_length` empty: the handler's own, if any, stays.
void Http2Session::submit(Http2Exchange& stream, int status, const Headers& headers,
                          std::string_view content_length, const Headers* trailers, bool has_body) {
  std::string status_text = std::to_string(status);
  Fields fields = response_fields(status_text, headers, content_length, trailers);
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = [](nghttp2_session*, int32_t, uint8_t*, size_t length, uint32_t* flags,
                              nghttp2_data_source* source, void* self) {
    return static_cast<Http2Session*>(self)->read_body(*static_cast<Http2Exchange*>(source->ptr),
                                                       length, *flags);
  };
  int result = nghttp2_submit_response(session_, stream.id_, fields.data(), fields.size(),
                                       has_body ? &provider : nullptr);
  watch_stall(stream);
  if (result != 0) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, NGHTTP2_INTERNAL_ERROR);
  }
  link_.flush_soon();
}

// A peer that opens its window too slowly must not hold the body for ever.
void Http2Session::watch_stall(Http2Exchange& stream) {
  stream.stall_deadline_ = stream.body_.empty() ? kNever : after(context_.options.write_timeout);
  stall_deadline_ = std::min(stall_deadline_, stream.stall_deadline_);
}

void Http2Session::resume(Http2Exchange& stream) {
  if (stream.stall_deadline_ == kNever) watch_stall(stream);
  if (std::exchange(stream.is_deferred_, false)) {
    nghttp2_session_resume_data(session_, stream.id_);
  }
  link_.flush_soon();
}

void Http2Exchange::do_send(Response&& response) {
  bool drops = drops_body(response.status);
  // A HEAD answer without a body of its own says what length the handler says.
  bool has_own_length = response.status < 200 || response.status == 204 || response.status == 304 ||
                        (drops && response.body_bytes() == 0);
  std::string length = has_own_length ? "" : std::to_string(response.body_bytes());
  is_ended_ = true;
  trailers_ = std::move(response.trailers);
  bool has_body = !drops && (response.body_bytes() > 0 || !trailers_.empty());
  if (has_body && response.shared_body != nullptr) {
    body_.append_shared(std::move(response.shared_body), 0, std::string::npos);
  } else if (has_body) {
    body_.append(std::move(response.body));
  }
  session_.submit(*this, response.status, response.headers, length,
                  has_body && !trailers_.empty() ? &trailers_ : nullptr, has_body);
}

void Http2Exchange::do_interim(int status, const Headers& headers) {
  std::string status_text = std::to_string(status);
  auto fields = session_.response_fields(status_text, headers, {}, nullptr);
  nghttp2_submit_headers(session_.session_, NGHTTP2_FLAG_NONE, id_, nullptr, fields.data(),
                         fields.size(), nullptr);
  session_.link_.flush_soon();
}

void Http2Exchange::do_start(int status, const Headers& headers) {
  session_.submit(*this, status, headers, {}, nullptr, !drops_body(status));
}

void Http2Exchange::do_write(std::string&& bytes) {
  body_.append(std::move(bytes));
  session_.resume(*this);
}

void Http2Exchange::do_finish(const Headers& trailers) {
  is_ended_ = true;
  trailers_ = trailers;
  session_.resume(*this);
}

void Http2Exchange::do_abort() {
  nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, id_, NGHTTP2_INTERNAL_ERROR);
  session_.link_.flush_soon();
}

}  // namespace

std::unique_ptr<Session> make_http2_session(SessionContext& context, Link& link, Peer peer) {
  return std::make_unique<Http2Session>(context, link, std::move(peer));
}

}  // namespace lattice::http
