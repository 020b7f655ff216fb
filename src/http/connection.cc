#include "http/connection.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <cerrno>

namespace lattice::http {

namespace {

using boost::system::error_code;

constexpr size_t kReadBytes = 16 * 1024;
constexpr size_t kPiecesMax = 16;
constexpr int kWritesMax = 16;  // in a row, before other connections get their turn
constexpr std::chrono::milliseconds kLingerTime{1000};
constexpr size_t kLingerBytesMax = 8 * 1024 * 1024;
// After so long without bytes the read buffer is given back.
constexpr std::chrono::milliseconds kQuietTime{1000};

}  // namespace

Connection::Connection(EventLoop& loop, boost::asio::ip::tcp::socket socket)
    : loop_(loop), socket_(std::move(socket)) {
  SteadyTime now = std::chrono::steady_clock::now();
  begin_deadline_ = now + loop_.context.options.header_timeout;
  last_read_ = last_write_ = now;
}

Connection::~Connection() = default;

void Connection::begin() {
  error_code error;
  socket_.non_blocking(true, error);
  socket_.set_option(boost::asio::ip::tcp::no_delay(true), error);
  auto remote = socket_.remote_endpoint(error);
  if (error) return close();
  peer_.address = remote.address().to_string();
  peer_.secure = loop_.tls != nullptr;
  if (loop_.tls != nullptr) tls_ = TlsFilter::accept(loop_.tls);
  start_read();
}

void Connection::drain() {
  is_draining_ = true;
  if (stage_ != Stage::Open) return;
  if (session_ == nullptr) return close();
  session_->drain();
  flush_soon();
}

void Connection::close() {
  if (stage_ == Stage::Closed) return;
  stage_ = Stage::Closed;
  auto self = shared_from_this();
  error_code error;
  if (session_ != nullptr) {
    if (session_->ending() == Session::Ending::Reset) {
      socket_.set_option(boost::asio::socket_base::linger(true, 0), error);
    }
    session_->drop();
  }
  socket_.close(error);
  loop_.forget(*this);
}

void Connection::flush_soon() {
  if (is_in_turn_ || is_flush_posted_ || stage_ != Stage::Open) return;
  is_flush_posted_ = true;
  boost::asio::post(loop_.io, [self = shared_from_this()] {
    self->is_flush_posted_ = false;
    self->finish_turn();
  });
}

void Connection::start_read() {
  if (is_reading_ || is_waiting_for_bytes_ || stage_ == Stage::Closed || has_read_end_) return;
  if (stage_ == Stage::Open && session_ != nullptr && !session_->wants_input()) return;
  if (buffer_ == nullptr) buffer_ = std::make_unique_for_overwrite<char[]>(kReadBytes);
  is_reading_ = true;
  socket_.async_read_some(boost::asio::buffer(buffer_.get(), kReadBytes),
                          [self = shared_from_this()](const error_code& error, size_t count) {
                            self->on_read(error, count);
                          });
}

// As start_read, but holds no buffer meanwhile.
void Connection::wait_for_bytes() {
  if (is_waiting_for_bytes_) return;
  is_waiting_for_bytes_ = true;
  buffer_.reset();
  socket_.async_wait(boost::asio::socket_base::wait_read,
                     [self = shared_from_this()](const error_code&) {
                       self->is_waiting_for_bytes_ = false;
                       self->start_read();
                     });
}

void Connection::on_read(const error_code& error, size_t count) {
  is_reading_ = false;
  if (stage_ == Stage::Closed) return;
  if (error == boost::asio::error::operation_aborted) return wait_for_bytes();  // see on_tick
  if (error && error != boost::asio::error::eof) return close();
  last_read_ = std::chrono::steady_clock::now();
  if (stage_ == Stage::Lingering) {
    lingered_bytes_ += count;
    if (error || lingered_bytes_ > kLingerBytesMax) return close();
    return start_read();
  }
  is_in_turn_ = true;
  if (error) {
    receive_end();
  } else {
    receive({buffer_.get(), count});
  }
  finish_turn();
}

void Connection::receive(std::string_view bytes) {
  if (tls_ == nullptr) return receive_plain(bytes);
  loop_.scratch.clear();
  bool is_sound = tls_->receive(bytes, loop_.scratch);
  if (!loop_.scratch.empty()) receive_plain(loop_.scratch);
  if (!is_sound) {
    write_some(tls_->cipher);  // the alert, as far as it goes at once
    return close();
  }
  if (tls_->peer_has_ended()) receive_end();
}

void Connection::receive_plain(std::string_view bytes) {
  if (session_ == nullptr) {
    if (!choose_session(bytes)) return;
    session_->receive(bytes);
    std::string().swap(first_bytes_);
    if (is_draining_) session_->drain();
    return;
  }
  session_->receive(bytes);
}

// HTTP/2 announces itself: by ALPN over TLS, by its preface otherwise. `bytes` become all that came
// so far. False while that is too little to tell.
bool Connection::choose_session(std::string_view& bytes) {
  bool is_http2 = tls_ != nullptr && tls_->speaks_http2();
  if (tls_ == nullptr) {
    first_bytes_.append(bytes);
    bytes = first_bytes_;
    std::string_view begin = bytes.substr(0, kHttp2Preface.size());
    is_http2 = kHttp2Preface.starts_with(begin);
    if (is_http2 && begin.size() < kHttp2Preface.size()) return false;
  }
  session_ = is_http2 ? make_http2_session(loop_.context, *this, peer_)
                      : make_http1_session(loop_.context, *this, peer_);
  return true;
}

void Connection::receive_end() {
  if (std::exchange(has_read_end_, true)) return;
  if (session_ == nullptr) return close();
  session_->receive_end();
}

void Connection::finish_turn() {
  is_in_turn_ = true;
  flush();
  is_in_turn_ = false;
  start_read();
}

void Connection::flush() {
  for (int writes = 0; stage_ == Stage::Open && !is_write_blocked_; ++writes) {
    if (writes == kWritesMax) {
      is_in_turn_ = false;
      return flush_soon();
    }
    if (session_ != nullptr) session_->fill();
    OutputQueue* queue = session_ != nullptr ? &session_->output : nullptr;
    if (tls_ != nullptr) {
      if (session_ != nullptr && !tls_->encrypt(session_->output)) return close();
      queue = &tls_->cipher;
    }
    if (queue == nullptr || queue->empty()) break;
    if (!write_some(*queue)) return;
    if (session_ != nullptr) session_->sent();
  }
  bool is_done = stage_ == Stage::Open && session_ != nullptr && session_->is_finished() &&
                 session_->output.empty() && !is_write_blocked_;
  if (is_done) begin_linger();
}

// One write of as much as the socket takes. False when nothing more can be written now.
bool Connection::write_some(OutputQueue& queue) {
  std::array<std::string_view, kPiecesMax> pieces;
  std::array<iovec, kPiecesMax> vectors;
  size_t count = queue.gather(pieces);
  if (count == 0) return true;
  for (size_t i = 0; i < count; ++i) {
    vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK) {
    close();
    return false;
  }
  if (sent > 0) {
    last_write_ = std::chrono::steady_clock::now();
    queue.consume(static_cast<size_t>(sent));
  }
  if (sent < 0) wait_for_room();
  return sent >= 0;
}

void Connection::wait_for_room() {
  is_write_blocked_ = true;
  socket_.async_wait(boost::asio::socket_base::wait_write,
                     [self = shared_from_this()](const error_code& error) {
                       self->is_write_blocked_ = false;
                       if (self->stage_ == Stage::Closed) return;
                       if (error) return self->close();
                       self->finish_turn();
                     });
}

// Everything is sent. Closing at once could destroy, by a reset, what the peer has not read yet, so
// a peer that may still be sending is listened to for a moment.
void Connection::begin_linger() {
  if (tls_ != nullptr) {
    tls_->shutdown();
    write_some(tls_->cipher);
    if (stage_ != Stage::Open) return;
  }
  if (session_->ending() != Session::Ending::Linger || has_read_end_) return close();
  error_code error;
  socket_.shutdown(boost::asio::socket_base::shutdown_send, error);
  stage_ = Stage::Lingering;
  linger_deadline_ = std::chrono::steady_clock::now() + kLingerTime;
  session_->drop();
}

void Connection::on_tick(SteadyTime now) {
  if (stage_ == Stage::Lingering && now >= linger_deadline_) return close();
  if (stage_ != Stage::Open) return;
  if (is_write_blocked_ && now - last_write_ > loop_.context.options.write_timeout) return close();
  if (session_ == nullptr) {
    if (now >= begin_deadline_) close();
    return;
  }
  if (now >= session_->deadline()) {
    is_in_turn_ = true;
    session_->on_deadline();
    return finish_turn();
  }
  bool is_idle =
      is_reading_ && !is_write_blocked_ && session_->is_quiet() && now - last_read_ > kQuietTime;
  if (is_idle) {
    error_code error;
    socket_.cancel(error);  // on_read goes on waiting without a buffer
    session_->output.release();
  }
}

}  // namespace lattice::http
