#include "http/exchange.h"

#include <time.h>

#include <charconv>
#include <cstdio>

#include "http/problem.h"

namespace lattice::http {

namespace {

constexpr int kStatusMax = 599;

void check_fields(const Headers& headers) {
  for (const Header& field : headers.fields()) {
    LATTICE_CHECK(is_token(field.name) && is_field_value(field.value), field.name, field.value);
  }
}

}  // namespace

std::string_view DateLine::now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME_COARSE, &time);
  if (time.tv_sec != second_) {
    second_ = time.tv_sec;
    tm parts{};
    gmtime_r(&time.tv_sec, &parts);
    static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char text[64];
    int length = std::snprintf(text, sizeof(text), "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                               kDays[parts.tm_wday], parts.tm_mday, kMonths[parts.tm_mon],
                               parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
    text_.assign(text, static_cast<size_t>(length));
  }
  return text_;
}

// The outermost coroutine: its end is the exchange's task end. It is destroyed by its exchange.
struct Exchange::Root {
  struct promise_type {
    explicit promise_type(Exchange& exchange) : self(exchange) {}
    Exchange& self;

    Root get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
      bool await_ready() noexcept { return false; }
      // The frame is suspended here, so that the exchange may destroy it.
      void await_suspend(std::coroutine_handle<promise_type> frame) noexcept {
        frame.promise().self.end_task();
      }
      void await_resume() noexcept {}
    };
    Final final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { self.failure_ = std::current_exception(); }
  };
  std::coroutine_handle<promise_type> frame;
};

Exchange::Root Exchange::drive(Exchange& self) {
  co_await self.context_.handler(self.request, self);
}

Exchange::~Exchange() {
  if (root_) root_.destroy();
  unlink();
}

void Exchange::link() {
  next_ = context_.exchanges.first_;
  previous_ = nullptr;
  if (next_ != nullptr) next_->previous_ = this;
  context_.exchanges.first_ = this;
}

void Exchange::unlink() {
  if (previous_ != nullptr) {
    previous_->next_ = next_;
  } else if (context_.exchanges.first_ == this) {
    context_.exchanges.first_ = next_;
  }
  if (next_ != nullptr) next_->previous_ = previous_;
  next_ = previous_ = nullptr;
}

void Exchange::run() {
  is_running_ = true;
  link();
  root_ = drive(*this).frame;
  root_.resume();
}

void Exchange::end_task() {
  is_running_ = false;
  unlink();
  gone_callback_ = nullptr;
  if (failure_) report(std::exchange(failure_, nullptr));
  Stage stage = std::exchange(stage_, Stage::Ended);
  if (is_open()) {
    if (stage == Stage::Fresh) do_send(make_problem_response({.status = 500}));
    if (stage == Stage::Streaming) do_abort();
  }
  if (is_attached_) {
    on_task_end();
  } else {
    delete this;
  }
}

void Exchange::report(std::exception_ptr failure) noexcept {
  std::string what = "unknown exception";
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  if (context_.options.on_failure) {
    context_.options.on_failure(request, what);
  } else {
    std::fprintf(stderr, "%s %s failed: %s\n", request.method.c_str(), request.target.c_str(),
                 what.c_str());
  }
}

void Exchange::reset_for_next() {
  LATTICE_CHECK(!is_running_);
  if (root_) std::exchange(root_, {}).destroy();
  stage_ = Stage::Fresh;
  peer_is_gone_ = drops_body_ = false;
  declared_left_.reset();
  request.headers.clear();
  request.body.clear();
}

bool Exchange::drops_body(int status) const {
  return request.method == "HEAD" || status < 200 || status == 204 || status == 304;
}

void Exchange::send(Response response) {
  LATTICE_CHECK(stage_ == Stage::Fresh);
  LATTICE_CHECK(response.status >= 200 && response.status <= kStatusMax, response.status);
  check_fields(response.headers);
  check_fields(response.trailers);
  stage_ = Stage::Ended;
  if (is_open()) do_send(std::move(response));
}

void Exchange::send_interim(int status, const Headers& headers) {
  LATTICE_CHECK(stage_ == Stage::Fresh);
  LATTICE_CHECK(status >= 100 && status < 200 && status != 101, status);
  check_fields(headers);
  if (is_open()) do_interim(status, headers);
}

void Exchange::start(int status, const Headers& headers) {
  LATTICE_CHECK(stage_ == Stage::Fresh);
  LATTICE_CHECK(status >= 200 && status <= kStatusMax, status);
  check_fields(headers);
  drops_body_ = drops_body(status);
  if (auto given = headers.find("Content-Length"); given && !drops_body_) {
    uint64_t length = 0;
    auto [end, error] = std::from_chars(given->begin(), given->end(), length);
    LATTICE_CHECK(error == std::errc() && end == given->end(), *given);
    declared_left_ = length;
  }
  stage_ = Stage::Streaming;
  if (is_open()) do_start(status, headers);
}

Task<bool> Exchange::write(std::string bytes) {
  LATTICE_CHECK(stage_ == Stage::Streaming);
  if (!is_open()) co_return false;
  if (bytes.empty() || drops_body_) co_return true;
  if (declared_left_) {
    LATTICE_CHECK(bytes.size() <= *declared_left_, bytes.size(), *declared_left_);
    *declared_left_ -= bytes.size();
  }
  do_write(std::move(bytes));
  struct Room {
    Exchange& self;
    bool await_ready() const {
      return !self.is_open() || self.unsent_bytes() <= self.context_.options.write_buffer_bytes;
    }
    void await_suspend(std::coroutine_handle<> writer) { self.waiting_writer_ = writer; }
    void await_resume() const {}
  };
  co_await Room{*this};
  co_return is_open();
}

void Exchange::finish(const Headers& trailers) {
  LATTICE_CHECK(stage_ == Stage::Streaming);
  check_fields(trailers);
  if (is_open()) {
    LATTICE_CHECK(declared_left_.value_or(0) == 0, *declared_left_);
    do_finish(trailers);
  }
  stage_ = Stage::Ended;
}

void Exchange::abort() {
  if (std::exchange(stage_, Stage::Ended) == Stage::Ended) return;
  if (is_open()) do_abort();
}

void Exchange::on_peer_gone(std::function<void()> callback) {
  gone_callback_ = std::move(callback);
  if (!is_open() && gone_callback_) std::exchange(gone_callback_, nullptr)();
}

void Exchange::wake_writer_if_room() {
  if (!waiting_writer_ || unsent_bytes() > context_.options.write_buffer_bytes) return;
  std::exchange(waiting_writer_, {}).resume();
}

// A writer that waits sees it by the result of write; only others need the callback. Either may end
// the task and with it this object.
void Exchange::notice_gone() {
  if (waiting_writer_) {
    std::exchange(waiting_writer_, {}).resume();
  } else if (gone_callback_ && stage_ != Stage::Ended) {
    std::exchange(gone_callback_, nullptr)();
  }
}

void Exchange::mark_peer_gone() {
  if (std::exchange(peer_is_gone_, true)) return;
  notice_gone();
}

void Exchange::detach() {
  is_attached_ = false;
  if (is_running_) {
    notice_gone();
  } else {
    delete this;
  }
}

void Exchange::destroy() {
  LATTICE_CHECK(!is_attached_);
  delete this;
}

}  // namespace lattice::http
