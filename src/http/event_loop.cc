#include "http/event_loop.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>

#include "http/connection.h"

namespace lattice::http {

namespace {

constexpr std::chrono::milliseconds kTickPeriod{50};
// How long tasks have, once everything is cut, to notice it.
constexpr std::chrono::milliseconds kStopGrace{1000};
constexpr std::chrono::milliseconds kStopStep{5};

thread_local EventLoop* current_loop = nullptr;

}  // namespace

Loop* Loop::current() {
  return current_loop;
}

void OpenCount::change(int by) {
  unsigned now = value_.fetch_add(static_cast<unsigned>(by)) + static_cast<unsigned>(by);
  if (now > 0) return;
  std::lock_guard lock(mutex_);
  none_left_.notify_all();
}

bool OpenCount::wait_for_none(SteadyTime deadline) {
  std::unique_lock lock(mutex_);
  return none_left_.wait_until(lock, deadline, [&] { return value_.load() == 0; });
}

EventLoop::EventLoop(const ServerOptions& options, const Handler& handler,
                     std::shared_ptr<TlsContext> tls_context, OpenCount& open_count)
    : context{options, handler, {}, {}},
      tls(std::move(tls_context)),
      open_count_(open_count),
      tick_timer_(io),
      wake_timer_(io),
      work_guard_(io.get_executor()) {}

EventLoop::~EventLoop() {
  stop();
}

void EventLoop::run_thread() {
  thread_ = std::thread([this] {
    current_loop = this;
    io.run();
    // Stopped: everything is cut, and the tasks that are left get to notice it.
    SteadyTime until = std::chrono::steady_clock::now() + kStopGrace;
    io.restart();
    io.poll();
    while (!context.exchanges.empty() && std::chrono::steady_clock::now() < until) {
      io.restart();
      io.run_for(kStopStep);
    }
    while (!context.exchanges.empty()) context.exchanges.first()->destroy();
    current_loop = nullptr;
  });
}

void EventLoop::drain() {
  boost::asio::post(io, [this] {
    is_draining_ = true;
    // Draining may close a connection, which leaves the list then: go over a copy.
    auto all = connections_;
    for (auto& connection : all) connection->drain();
  });
}

void EventLoop::stop() {
  if (is_stopped_.exchange(true)) return;
  if (!thread_.joinable()) return;
  boost::asio::post(io, [this] { cut_everything(); });
  thread_.join();
}

void EventLoop::cut_everything() {
  is_stopping_ = is_draining_ = true;
  tick_timer_.cancel();
  while (!connections_.empty()) {
    auto last = connections_.back();
    last->close();
  }
  run_timers(SteadyTime::max());
  io.stop();
}

void EventLoop::post(std::function<void()> work) {
  boost::asio::post(io, std::move(work));
}

void EventLoop::adopt(boost::asio::ip::tcp::socket socket) {
  auto connection = std::make_shared<Connection>(*this, std::move(socket));
  connection->index = connections_.size();
  connections_.push_back(connection);
  if (is_draining_) return connection->close();
  connection->begin();
  arm_tick();
}

void EventLoop::forget(Connection& connection) {
  size_t index = connection.index;
  LATTICE_CHECK(index < connections_.size() && connections_[index].get() == &connection, index);
  std::swap(connections_[index], connections_.back());
  connections_[index]->index = index;
  connections_.pop_back();
  open_count_.change(-1);
}

void EventLoop::arm_tick() {
  if (is_ticking_ || connections_.empty() || is_stopping_) return;
  is_ticking_ = true;
  tick_timer_.expires_after(kTickPeriod);
  tick_timer_.async_wait([this](const boost::system::error_code& error) {
    is_ticking_ = false;
    if (error || is_stopping_) return;
    tick();
    arm_tick();
  });
}

void EventLoop::tick() {
  SteadyTime now = std::chrono::steady_clock::now();
  // Downwards: a connection that closes is replaced by the last, which was visited.
  for (size_t i = connections_.size(); i-- > 0;) {
    if (i >= connections_.size()) continue;
    auto connection = connections_[i];  // may leave the list
    connection->on_tick(now);
  }
}

Loop::Timer EventLoop::call_after(std::chrono::milliseconds delay, std::function<void()> work) {
  LATTICE_CHECK(current_loop == this);
  Timer timer = next_timer_++;
  if (is_stopping_) return timer;
  SteadyTime time = std::chrono::steady_clock::now() + delay;
  timer_times_[timer] = time;
  auto place = timers_.emplace(TimerKey(time, timer), std::move(work)).first;
  if (place == timers_.begin()) arm_timers();
  return timer;
}

void EventLoop::cancel(Timer timer) {
  auto found = timer_times_.find(timer);
  if (found == timer_times_.end()) return;
  timers_.erase({found->second, timer});
  timer_times_.erase(found);
}

void EventLoop::arm_timers() {
  if (timers_.empty()) return;
  wake_timer_.expires_at(timers_.begin()->first.first);
  wake_timer_.async_wait([this](const boost::system::error_code& error) {
    if (error || is_stopping_) return;
    run_timers(std::chrono::steady_clock::now());
    arm_timers();
  });
}

void EventLoop::run_timers(SteadyTime until) {
  while (!timers_.empty() && timers_.begin()->first.first <= until) {
    auto node = timers_.extract(timers_.begin());
    timer_times_.erase(node.key().second);
    node.mapped()();
  }
}

Task<void> sleep_for(std::chrono::milliseconds duration) {
  struct Sleep {
    Loop& loop;
    std::chrono::milliseconds duration;
    Loop::Timer timer = 0;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> sleeper) {
      timer = loop.call_after(duration, [sleeper] { sleeper.resume(); });
    }
    void await_resume() { timer = 0; }
    ~Sleep() {
      if (timer != 0) loop.cancel(timer);
    }
  };
  LATTICE_CHECK(current_loop != nullptr);
  Sleep sleep{*current_loop, duration};  // a variable: g++ 12 destroys such temporaries twice
  co_await sleep;
}

Task<bool> wait_ready(int fd, Readiness what, std::chrono::milliseconds timeout) {
  using Descriptor = boost::asio::posix::stream_descriptor;
  // Shared with the callbacks, which may come after the task is gone.
  struct State {
    State(boost::asio::io_context& io, int fd) : descriptor(io, fd) {}
    Descriptor descriptor;
    std::coroutine_handle<> waiter;
    bool is_ready = false;
  };
  struct Wait {
    EventLoop& loop;
    std::shared_ptr<State> state;
    Descriptor::wait_type type;
    std::chrono::milliseconds timeout;
    Loop::Timer timer = 0;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> waiter) {
      state->waiter = waiter;
      state->descriptor.async_wait(type, [state = state](const boost::system::error_code& error) {
        state->is_ready = !error;
        if (auto resumed = std::exchange(state->waiter, {})) resumed.resume();
      });
      timer = loop.call_after(timeout, [state = state] {
        if (auto resumed = std::exchange(state->waiter, {})) resumed.resume();
      });
    }
    bool await_resume() { return state->is_ready; }
    ~Wait() {
      state->waiter = {};
      loop.cancel(timer);
      state->descriptor.release();  // the descriptor stays its owner's
    }
  };
  LATTICE_CHECK(current_loop != nullptr);
  auto type = what == Readiness::Read ? Descriptor::wait_read : Descriptor::wait_write;
  auto state = std::make_shared<State>(current_loop->io, fd);
  Wait wait{*current_loop, std::move(state), type, timeout};  // a variable, as in sleep_for
  co_return co_await wait;
}

}  // namespace lattice::http
