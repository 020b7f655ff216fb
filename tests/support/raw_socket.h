// A bare TCP connection for tests whose subject is the bytes on the wire.
//
//   RawSocket socket(server->port());
//   socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
//   CHECK(socket.read_until("\r\n\r\n").starts_with("HTTP/1.1 200 "));
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lattice::testing {

class RawSocket {
 public:
  explicit RawSocket(uint16_t port, int receive_buffer_bytes = 0) {
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (receive_buffer_bytes > 0) {
      setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes,
                 sizeof(receive_buffer_bytes));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
      ::close(socket_);
      throw std::runtime_error("cannot connect to port " + std::to_string(port));
    }
  }
  ~RawSocket() { close(); }
  RawSocket(const RawSocket&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) return;  // the peer is gone: what it answered is still to be read
      bytes.remove_prefix(static_cast<size_t>(count));
    }
  }
  void end_writing() { ::shutdown(socket_, SHUT_WR); }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  // Closes so that the peer sees a reset.
  void reset() {
    linger now{1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
  }

  // Everything up to and with `mark`; what came when the connection ended before.
  std::string read_until(std::string_view mark) {
    while (true) {
      size_t found = buffer_.find(mark);
      if (found != std::string::npos) return take(found + mark.size());
      if (!receive()) return take(buffer_.size());
    }
  }
  std::string read_bytes(size_t count) {
    while (buffer_.size() < count && receive()) {
    }
    return take(std::min(count, buffer_.size()));
  }
  // Everything up to the end of the connection.
  std::string read_all() {
    while (receive()) {
    }
    return take(buffer_.size());
  }
  // A response with Content-Length, or without body.
  std::string read_response() {
    std::string head = read_until("\r\n\r\n");
    size_t at = head.find("Content-Length: ");
    if (at == std::string::npos) return head;
    return head + read_bytes(std::stoul(head.substr(at + 16)));
  }
  bool was_reset() const { return was_reset_; }
  int descriptor() const { return socket_; }

 private:
  static constexpr int kPatienceMs = 20'000;  // a test that waits so long has failed

  bool receive() {
    pollfd entry{socket_, POLLIN, 0};
    if (::poll(&entry, 1, kPatienceMs) <= 0)
      throw std::runtime_error("nothing came; have: " + buffer_);
    char bytes[16 * 1024];
    ssize_t count = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (count < 0) was_reset_ = true;
    if (count <= 0) return false;
    buffer_.append(bytes, static_cast<size_t>(count));
    return true;
  }
  std::string take(size_t count) {
    std::string out = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return out;
  }

  int socket_ = -1;
  std::string buffer_;
  bool was_reset_ = false;
};

}  // namespace lattice::testing
