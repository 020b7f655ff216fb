// One thread's event loop with its connections, on Asio. Internal to http; only the few files that
// speak Asio include it.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "http/exchange.h"
#include "http/loop.h"
#include "http/session.h"
#include "http/tls.h"

namespace lattice::http {

class Connection;

// The open connections of all loops. Any thread.
class OpenCount {
 public:
  void change(int by);
  unsigned value() const { return value_.load(std::memory_order_relaxed); }
  // False when some are left at `deadline`.
  bool wait_for_none(SteadyTime deadline);

 private:
  std::atomic<unsigned> value_{0};
  std::mutex mutex_;
  std::condition_variable none_left_;
};

class EventLoop final : public Loop {
 public:
  EventLoop(const ServerOptions& options, const Handler& handler, std::shared_ptr<TlsContext> tls,
            OpenCount& open_count);
  ~EventLoop() override;

  void run_thread();  // starts the loop's thread
  // From another thread; each is carried out on the loop.
  void drain();
  // Cuts all connections, lets the tasks notice it, destroys those that do not end. Joins the
  // thread.
  void stop();

  // Loop
  void post(std::function<void()> work) override;
  Timer call_after(std::chrono::milliseconds delay, std::function<void()> work) override;
  void cancel(Timer timer) override;
  bool is_stopping() const override { return is_stopping_; }

  // On the loop's thread.
  void adopt(boost::asio::ip::tcp::socket socket);  // a connection begins
  void forget(Connection& connection);
  bool is_draining() const { return is_draining_; }

  boost::asio::io_context io{1};
  SessionContext context;
  const std::shared_ptr<TlsContext> tls;
  std::string scratch;  // decrypted bytes, within one turn of one connection

 private:
  friend class Connection;
  using TimerKey = std::pair<SteadyTime, Timer>;

  void tick();
  void arm_tick();
  void arm_timers();
  void run_timers(SteadyTime until);
  void cut_everything();

  OpenCount& open_count_;
  std::vector<std::shared_ptr<Connection>> connections_;
  boost::asio::steady_timer tick_timer_;
  bool is_ticking_ = false;
  boost::asio::steady_timer wake_timer_;
  std::map<TimerKey, std::function<void()>> timers_;
  std::map<Timer, SteadyTime> timer_times_;
  Timer next_timer_ = 1;
  bool is_draining_ = false;
  bool is_stopping_ = false;
  std::atomic<bool> is_stopped_{false};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_guard_;
  std::thread thread_;
};

}  // namespace lattice::http
