// The client's HTTP/2, on nghttp2: one request at a time.
#include <nghttp2/nghttp2.h>

#include <charconv>

#include "http/client_protocol.h"

namespace lattice::http {

namespace {

constexpr int32_t kWindowBytes = 4 * 1024 * 1024;
constexpr size_t kInterimCountMax = 100;
constexpr uint32_t kHeaderListBytesMax = 256 * 1024;

std::string_view view(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

nghttp2_nv make_field(std::string_view name, std::string_view value) {
  auto bytes = [](std::string_view text) {
    return const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

class ClientHttp2 final : public ClientProtocol {
 public:
  explicit ClientHttp2(std::unique_ptr<ClientStream> stream);
  ~ClientHttp2() override { nghttp2_session_del(session_); }

  Result<ClientResponse> exchange(const ClientRequest& request, const ClientSink& sink) override;
  bool is_reusable() override;
  bool has_begun_answer() const override { return has_begun_; }

 private:
  static nghttp2_session_callbacks* make_callbacks();
  void on_field(int32_t id, std::string_view name, std::string_view value);
  void on_frame(const nghttp2_frame& frame);
  int on_data(int32_t id, std::string_view bytes);
  void on_close(int32_t id, uint32_t error_code);

  Result<void> submit(const ClientRequest& request);
  Result<void> flush(ClientDeadline deadline);
  Result<bool> receive(ClientDeadline deadline);

  std::unique_ptr<ClientStream> stream_;
  nghttp2_session* session_ = nullptr;
  std::string input_;
  // The running exchange
  int32_t id_ = -1;
  const ClientSink* sink_ = nullptr;
  std::string_view body_left_;
  ClientResponse answer_;
  int block_status_ = 0;  // of the header block that is coming in
  Headers block_;
  bool has_begun_ = false;
  bool is_closed_ = false;
  bool is_stopped_ = false;  // the sink wants no more
  bool is_too_large_ = false;
  bool has_ended_ = false;  // END_STREAM came
  uint32_t error_code_ = 0;
  bool is_broken_ = false;
};

nghttp2_session_callbacks* ClientHttp2::make_callbacks() {
  nghttp2_session_callbacks* out = nullptr;
  LATTICE_CHECK(nghttp2_session_callbacks_new(&out) == 0);
  nghttp2_session_callbacks_set_on_header_callback(
      out, [](nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
              const uint8_t* value, size_t value_size, uint8_t, void* self) {
        static_cast<ClientHttp2*>(self)->on_field(frame->hd.stream_id, view(name, name_size),
                                                  view(value, value_size));
        return 0;
      });
  nghttp2_session_callbacks_set_on_frame_recv_callback(
      out, [](nghttp2_session*, const nghttp2_frame* frame, void* self) {
        static_cast<ClientHttp2*>(self)->on_frame(*frame);
        return 0;
      });
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(
      out, [](nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
        return static_cast<ClientHttp2*>(self)->on_data(id, view(data, size));
      });
  nghttp2_session_callbacks_set_on_stream_close_callback(
      out, [](nghttp2_session*, int32_t id, uint32_t error_code, void* self) {
        static_cast<ClientHttp2*>(self)->on_close(id, error_code);
        return 0;
      });
  return out;
}

ClientHttp2::ClientHttp2(std::unique_ptr<ClientStream> stream) : stream_(std::move(stream)) {
  nghttp2_session_callbacks* callbacks = make_callbacks();
  int result = nghttp2_session_client_new(&session_, callbacks, this);
  nghttp2_session_callbacks_del(callbacks);
  LATTICE_CHECK(result == 0, result);
  nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kWindowBytes},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kHeaderListBytesMax},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, kWindowBytes);
}

void ClientHttp2::on_field(int32_t id, std::string_view name, std::string_view value) {
  if (id != id_) return;
  if (name == ":status") {
    std::from_chars(value.begin(), value.end(), block_status_);
  } else {
    block_.add(name, value);
  }
}

void ClientHttp2::on_frame(const nghttp2_frame& frame) {
  if (frame.hd.stream_id != id_) return;
  bool carries_end = frame.hd.type == NGHTTP2_HEADERS || frame.hd.type == NGHTTP2_DATA;
  if (carries_end && (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) has_ended_ = true;
  if (frame.hd.type != NGHTTP2_HEADERS) return;
  has_begun_ = true;
  Headers block = std::exchange(block_, {});
  int status = std::exchange(block_status_, 0);
  if (status >= 200) {
    answer_.status = status;
    answer_.headers = std::move(block);
  } else if (status >= 100) {
    if (answer_.interim.size() < kInterimCountMax) {
      answer_.interim.push_back({status, std::move(block), {}, {}});
    }
  } else {
    answer_.trailers = std::move(block);
  }
}

int ClientHttp2::on_data(int32_t id, std::string_view bytes) {
  if (id != id_ || is_stopped_ || sink_ == nullptr) return 0;
  if (sink_->stream != nullptr) {
    is_stopped_ = !(*sink_->stream)(bytes);
  } else if (answer_.body.size() + bytes.size() > sink_->options.body_bytes_max) {
    is_stopped_ = is_too_large_ = true;
  } else {
    answer_.body.append(bytes);
  }
  if (is_stopped_) nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
  return 0;
}

void ClientHttp2::on_close(int32_t id, uint32_t error_code) {
  if (id != id_) return;
  is_closed_ = true;
  error_code_ = error_code;
}

Result<void> ClientHttp2::submit(const ClientRequest& request) {
  std::vector<nghttp2_nv> fields;
  fields.push_back(make_field(":method", request.method));
  fields.push_back(make_field(":scheme", request.scheme));
  std::string_view authority = request.headers.find("Host").value_or(request.authority);
  fields.push_back(make_field(":authority", authority));
  fields.push_back(make_field(":path", request.target));
  for (const Header& field : request.headers.fields()) {
    if (equals_ignoring_case(field.name, "Host")) continue;
    if (equals_ignoring_case(field.name, "Content-Length")) continue;
    fields.push_back(make_field(field.name, field.value));
  }
  std::string length = std::to_string(request.body.size());
  if (!request.body.empty()) fields.push_back(make_field("content-length", length));
  body_left_ = request.body;
  nghttp2_data_provider provider{};
  provider.read_callback = [](nghttp2_session*, int32_t, uint8_t* into, size_t length_max,
                              uint32_t* flags, nghttp2_data_source*, void* self) -> ssize_t {
    std::string_view& left = static_cast<ClientHttp2*>(self)->body_left_;
    size_t count = std::min(length_max, left.size());
    std::memcpy(into, left.data(), count);
    left.remove_prefix(count);
    if (left.empty()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(count);
  };
  id_ = nghttp2_submit_request(session_, nullptr, fields.data(), fields.size(),
                               request.body.empty() ? nullptr : &provider, nullptr);
  if (id_ < 0) {
    return fail(Code::Io, std::string("HTTP/2 request failed: ") + nghttp2_strerror(id_));
  }
  return {};
}

Result<void> ClientHttp2::flush(ClientDeadline deadline) {
  while (true) {
    const uint8_t* data = nullptr;
    ssize_t size = nghttp2_session_mem_send(session_, &data);
    if (size < 0) {
      return fail(Code::Io,
                  "HTTP/2 failed: " + std::string(nghttp2_strerror(static_cast<int>(size))));
    }
    if (size == 0) return {};
    LATTICE_TRY_VOID(stream_->write(view(data, static_cast<size_t>(size)), deadline));
  }
}

// False at the end of the connection.
Result<bool> ClientHttp2::receive(ClientDeadline deadline) {
  input_.clear();
  LATTICE_TRY(bool more, stream_->read(input_, deadline));
  if (!more) return false;
  ssize_t taken = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(input_.data()), input_.size());
  if (taken < 0) {
    return fail(Code::Io, "the answer is not HTTP/2: " +
                              std::string(nghttp2_strerror(static_cast<int>(taken))));
  }
  return true;
}

Result<ClientResponse> ClientHttp2::exchange(const ClientRequest& request, const ClientSink& sink) {
  has_begun_ = is_closed_ = is_stopped_ = is_too_large_ = has_ended_ = false;
  error_code_ = 0;
  answer_ = {};
  block_ = {};
  block_status_ = 0;
  sink_ = &sink;
  is_broken_ = true;  // until the exchange has ended well
  LATTICE_TRY_VOID(submit(request));
  bool is_connected = true;
  while (!is_closed_ && is_connected) {
    auto sent = flush(sink.next());
    if (is_closed_) break;
    auto received = receive(sink.next());
    if (!received) return fail(std::move(sent ? received.error() : sent.error()));
    is_connected = *received;
  }
  sink_ = nullptr;
  if (is_too_large_) {
    return fail(Code::Io, "the answer's body is larger than " +
                              std::to_string(sink.options.body_bytes_max) + " bytes");
  }
  if (answer_.status == 0) {
    if (!is_connected) return fail(Code::Io, "the connection was closed before an answer came");
    return fail(Code::Io,
                "the server reset the stream: " + std::string(nghttp2_http2_strerror(error_code_)));
  }
  // A server that has answered may ask to be spared the rest of the request (RFC 9113 §8.1).
  answer_.complete = has_ended_ && error_code_ == NGHTTP2_NO_ERROR && !is_stopped_;
  is_broken_ = !is_connected || is_stopped_;
  return std::move(answer_);
}

bool ClientHttp2::is_reusable() {
  if (is_broken_) return false;
  while (stream_->has_input()) {
    auto received = receive(std::chrono::steady_clock::now() + std::chrono::seconds(1));
    if (!received || !*received) {
      is_broken_ = true;
      return false;
    }
  }
  return nghttp2_session_check_request_allowed(session_) != 0;
}

}  // namespace

std::unique_ptr<ClientProtocol> make_client_http2(std::unique_ptr<ClientStream> stream) {
  return std::make_unique<ClientHttp2>(std::move(stream));
}

}  // namespace lattice::http
