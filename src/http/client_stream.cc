#include "http/client_stream.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lattice::http {

namespace {

constexpr size_t kReadBytes = 16 * 1024;

struct AddressList {
  addrinfo* first = nullptr;
  ~AddressList() {
    if (first != nullptr) freeaddrinfo(first);
  }
};

std::string explain(const std::string& name, const char* doing, int error) {
  return name + ": " + doing + ": " + std::strerror(error);
}

}  // namespace

ClientStream::~ClientStream() {
  if (tls_ != nullptr && socket_ >= 0) {
    tls_->shutdown();
    std::array<std::string_view, 1> piece;
    if (tls_->cipher.gather(piece) > 0) {
      ::send(socket_, piece[0].data(), piece[0].size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }
  if (socket_ >= 0) ::close(socket_);
}

Result<std::unique_ptr<ClientStream>> ClientStream::connect(const Url& url,
                                                            const ClientOptions& options,
                                                            ClientDeadline deadline) {
  std::string name = url.host + ":" + std::to_string(url.port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  AddressList list;
  int found = getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &list.first);
  if (found != 0) return fail(Code::Io, name + ": no such host: " + gai_strerror(found));
  std::string failure = name + ": no address";
  for (addrinfo* at = list.first; at != nullptr; at = at->ai_next) {
    int type = at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC;
    int socket = ::socket(at->ai_family, type, at->ai_protocol);
    if (socket < 0) return fail(Code::Io, explain(name, "no socket", errno));
    std::unique_ptr<ClientStream> stream(new ClientStream(socket, name));
    int error = ::connect(socket, at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      if (auto waited = stream->wait(POLLOUT, deadline, "connecting"); !waited) {
        failure = waited.error().message;
        continue;
      }
      socklen_t size = sizeof(error);
      getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error != 0) {
      failure = explain(name, "cannot connect", error);
      continue;
    }
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (url.scheme == "https") {
      LATTICE_TRY(auto context, TlsContext::for_client(options.http2, options.verify_certificate));
      stream->tls_ = TlsFilter::connect(std::move(context), url.host);
      LATTICE_TRY_VOID(stream->handshake(deadline));
    }
    return stream;
  }
  return fail(Code::Io, failure);
}

Result<void> ClientStream::wait(short events, ClientDeadline deadline, const char* doing) {
  while (true) {
    auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return fail(Code::Io, name_ + ": timed out while " + doing);
    pollfd entry{socket_, events, 0};
    int ready = ::poll(&entry, 1, static_cast<int>(std::min<int64_t>(left.count(), 1 << 30)));
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return fail(Code::Io, explain(name_, doing, errno));
  }
}

Result<void> ClientStream::handshake(ClientDeadline deadline) {
  std::array<char, kReadBytes> buffer;
  std::string_view bytes;
  while (true) {
    bool is_sound = tls_->receive(bytes, early_);
    auto sent = write_cipher(deadline);
    if (!is_sound) return fail(Code::Io, name_ + ": TLS failed: " + tls_->failure());
    if (!sent) return sent;
    if (tls_->is_open()) return {};
    LATTICE_TRY(size_t count, read_socket(buffer.data(), buffer.size(), deadline));
    if (count == 0)
      return fail(Code::Io, name_ + ": the connection was closed in the TLS handshake");
    bytes = {buffer.data(), count};
  }
}

Result<size_t> ClientStream::read_socket(char* data, size_t size, ClientDeadline deadline) {
  while (true) {
    ssize_t count = ::recv(socket_, data, size, 0);
    if (count >= 0) return static_cast<size_t>(count);
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      return fail(Code::Io, explain(name_, "cannot read", errno));
    }
    LATTICE_TRY_VOID(wait(POLLIN, deadline, "waiting for the answer"));
  }
}

Result<void> ClientStream::write_socket(std::string_view bytes, ClientDeadline deadline) {
  while (!bytes.empty()) {
    ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      LATTICE_TRY_VOID(wait(POLLOUT, deadline, "sending"));
    } else if (errno != EINTR) {
      return fail(Code::Io, explain(name_, "cannot send", errno));
    }
  }
  return {};
}

Result<void> ClientStream::write_cipher(ClientDeadline deadline) {
  while (!tls_->cipher.empty()) {
    std::array<std::string_view, 1> piece;
    tls_->cipher.gather(piece);
    LATTICE_TRY_VOID(write_socket(piece[0], deadline));
    tls_->cipher.consume(piece[0].size());
  }
  return {};
}

Result<bool> ClientStream::read(std::string& into, ClientDeadline deadline) {
  if (!early_.empty()) {
    into += std::exchange(early_, {});
    return true;
  }
  std::array<char, kReadBytes> buffer;
  while (true) {
    if (tls_ != nullptr && tls_->peer_has_ended()) return false;
    LATTICE_TRY(size_t count, read_socket(buffer.data(), buffer.size(), deadline));
    if (count == 0) return false;
    if (tls_ == nullptr) {
      into.append(buffer.data(), count);
      return true;
    }
    size_t before = into.size();
    bool is_sound = tls_->receive({buffer.data(), count}, into);
    LATTICE_TRY_VOID(write_cipher(deadline));
    if (!is_sound) return fail(Code::Io, name_ + ": TLS failed: " + tls_->failure());
    if (into.size() > before) return true;
  }
}

Result<void> ClientStream::write(std::string_view bytes, ClientDeadline deadline) {
  if (tls_ == nullptr) return write_socket(bytes, deadline);
  OutputQueue plain;
  plain.append_copy(bytes);
  while (!plain.empty()) {
    if (!tls_->encrypt(plain)) return fail(Code::Io, name_ + ": TLS failed: " + tls_->failure());
    LATTICE_TRY_VOID(write_cipher(deadline));
  }
  return {};
}

bool ClientStream::has_input() {
  if (!early_.empty()) return true;
  pollfd entry{socket_, POLLIN, 0};
  return ::poll(&entry, 1, 0) > 0;
}

bool ClientStream::is_stale() {
  if (tls_ != nullptr && tls_->peer_has_ended()) return true;
  char byte = 0;
  ssize_t count = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  // Over TLS, session tickets may lie unread; they are no sign of an end.
  if (count > 0) return tls_ == nullptr;
  return count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
}

}  // namespace lattice::http
