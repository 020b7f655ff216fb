// One accepted socket: moves bytes between it, TLS and the protocol session. Internal to http.
#pragma once

#include <memory>
#include <string>

#include "http/event_loop.h"

namespace lattice::http {

// Kept alive by its loop until it is closed, and by its pending operations.
class Connection final : public Link, public std::enable_shared_from_this<Connection> {
 public:
  Connection(EventLoop& loop, boost::asio::ip::tcp::socket socket);
  ~Connection() override;

  void begin();
  void drain();
  void close();  // now; the session is dropped
  // Several times a second: timeouts, and giving back what an idle connection does not need.
  void on_tick(SteadyTime now);

  void flush_soon() override;

  size_t index = 0;  // in its loop's list

 private:
  enum class Stage : uint8_t { Open, Lingering, Closed };

  void start_read();
  void wait_for_bytes();
  void on_read(const boost::system::error_code& error, size_t count);
  void receive(std::string_view bytes);
  void receive_plain(std::string_view bytes);
  void receive_end();
  bool choose_session(std::string_view& bytes);
  void finish_turn();
  void flush();
  bool write_some(OutputQueue& queue);
  void wait_for_room();
  void begin_linger();

  EventLoop& loop_;
  boost::asio::ip::tcp::socket socket_;
  std::unique_ptr<TlsFilter> tls_;
  std::unique_ptr<Session> session_;
  Peer peer_;
  std::string first_bytes_;  // until the protocol is known
  std::unique_ptr<char[]> buffer_;
  SteadyTime begin_deadline_;
  SteadyTime last_read_;
  SteadyTime last_write_;
  SteadyTime linger_deadline_ = SteadyTime::max();
  size_t lingered_bytes_ = 0;
  Stage stage_ = Stage::Open;
  bool is_reading_ = false;
  bool is_waiting_for_bytes_ = false;
  bool is_in_turn_ = false;
  bool is_flush_posted_ = false;
  bool is_write_blocked_ = false;
  bool has_read_end_ = false;
  bool is_draining_ = false;
};

}  // namespace lattice::http
