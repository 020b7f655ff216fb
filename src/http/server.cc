#include "http/server.h"

#include <sys/socket.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/post.hpp>

#include "http/connection.h"
#include "http/event_loop.h"

namespace lattice::http {

namespace {

using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds kAcceptRetryDelay{50};

class AsioServer final : public Server {
 public:
  AsioServer(ServerOptions options, Handler handler, std::shared_ptr<TlsContext> tls)
      : options_(std::move(options)), handler_(std::move(handler)) {
    for (unsigned i = 0; i < std::max(1u, options_.thread_count); ++i) {
      loops_.push_back(std::make_unique<EventLoop>(options_, handler_, tls, open_count_));
    }
    acceptor_.emplace(loops_.front()->io);
    retry_timer_.emplace(loops_.front()->io);
  }
  ~AsioServer() override { stop(); }

  Result<void> listen();
  void run();

  uint16_t port() const override { return port_; }
  bool drain(std::chrono::milliseconds timeout) override;

 private:
  void accept();
  void on_accept(const error_code& error, tcp::socket socket, EventLoop& target);
  void refuse(tcp::socket& socket);
  void close_acceptor();
  void stop();

  ServerOptions options_;
  Handler handler_;
  OpenCount open_count_;
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::optional<tcp::acceptor> acceptor_;  // on the first loop
  std::optional<boost::asio::steady_timer> retry_timer_;
  size_t next_loop_ = 0;
  uint16_t port_ = 0;
};

std::string explain(const error_code& error) {
  if (error == boost::asio::error::address_in_use) return "the port is in use";
  if (error == boost::asio::error::access_denied) return "permission was denied";
  if (error.value() == EADDRNOTAVAIL) return "this machine has no such address";
  return error.message();
}

Result<void> AsioServer::listen() {
  error_code error;
  std::string host = options_.address == "localhost" ? "127.0.0.1" : options_.address;
  auto address = boost::asio::ip::make_address(host, error);
  if (error) {
    return fail(Code::Io, "cannot listen on `" + options_.address +
                              "`: an IP address was expected, such as 127.0.0.1, 0.0.0.0 or ::1");
  }
  tcp::endpoint endpoint(address, options_.port);
  acceptor_->open(endpoint.protocol(), error);
  if (!error) acceptor_->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_->bind(endpoint, error);
  if (!error) acceptor_->listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) {
    bool is_v6 = address.is_v6();
    return fail(Code::Io, "cannot listen on " + (is_v6 ? "[" + host + "]" : host) + ":" +
                              std::to_string(options_.port) + ": " + explain(error));
  }
  port_ = acceptor_->local_endpoint(error).port();
  return {};
}

void AsioServer::run() {
  for (auto& loop : loops_) loop->run_thread();
  boost::asio::post(loops_.front()->io, [this] { accept(); });
}

void AsioServer::accept() {
  EventLoop& target = *loops_[next_loop_];
  next_loop_ = (next_loop_ + 1) % loops_.size();
  acceptor_->async_accept(target.io, [this, &target](const error_code& error, tcp::socket socket) {
    on_accept(error, std::move(socket), target);
  });
}

void AsioServer::on_accept(const error_code& error, tcp::socket socket, EventLoop& target) {
  if (!acceptor_->is_open() || error == boost::asio::error::operation_aborted) return;
  if (error) {
    // Out of descriptors, mostly: connections wait in the backlog until some are free.
    retry_timer_->expires_after(kAcceptRetryDelay);
    retry_timer_->async_wait([this](const error_code& cancelled) {
      if (!cancelled && acceptor_->is_open()) accept();
    });
    return;
  }
  if (open_count_.value() >= options_.connections_max) {
    refuse(socket);
  } else {
    open_count_.change(1);
    if (&target == loops_.front().get()) {
      target.adopt(std::move(socket));
    } else {
      boost::asio::post(target.io, [&target, socket = std::move(socket)]() mutable {
        target.adopt(std::move(socket));
      });
    }
  }
  accept();
}

// One connection too many: told so where that is possible without waiting.
void AsioServer::refuse(tcp::socket& socket) {
  static constexpr std::string_view kAnswer =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json\r\n"
      "Retry-After: 1\r\nContent-Length: 102\r\nConnection: close\r\n\r\n"
      "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
      "\"detail\":\"too many open connections\"}";
  error_code error;
  if (options_.tls.certificate_file.empty()) {
    ::send(socket.native_handle(), kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  socket.shutdown(tcp::socket::shutdown_send, error);
  socket.close(error);
}

void AsioServer::close_acceptor() {
  boost::asio::post(loops_.front()->io, [this] {
    error_code error;
    acceptor_->close(error);
    retry_timer_->cancel();
  });
}

bool AsioServer::drain(std::chrono::milliseconds timeout) {
  SteadyTime deadline = std::chrono::steady_clock::now() + timeout;
  close_acceptor();
  for (auto& loop : loops_) loop->drain();
  bool none_cut = open_count_.wait_for_none(deadline);
  stop();
  return none_cut;
}

void AsioServer::stop() {
  close_acceptor();
  for (auto& loop : loops_) loop->stop();
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Handler handler) {
  std::shared_ptr<TlsContext> tls;
  if (!options.tls.certificate_file.empty()) {
    LATTICE_TRY(tls, TlsContext::for_server(options.tls));
  }
  auto server =
      std::make_unique<AsioServer>(std::move(options), std::move(handler), std::move(tls));
  LATTICE_TRY_VOID(server->listen());
  server->run();
  return server;
}

}  // namespace lattice::http
