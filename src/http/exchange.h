// One request with its answer in progress: what the handler holds on to, whatever becomes of the
// connection. Internal to http.
//
//   session ──begin──▶ Exchange ──run──▶ handler task
//   An exchange ends when its task has ended and its session has let go of it; then it deletes
//   itself.
//
// Everything here belongs to one event loop.
#pragma once

#include <coroutine>
#include <exception>
#include <functional>

#include "http/server.h"

namespace lattice::http {

class Exchange;

// The running exchanges of a loop, so that a stopping loop can end them.
class ExchangeList {
 public:
  bool empty() const { return first_ == nullptr; }
  Exchange* first() const { return first_; }

 private:
  friend class Exchange;
  Exchange* first_ = nullptr;
};

// The `Date` header line, rendered once a second.
class DateLine {
 public:
  std::string_view now();  // "Date: Tue, 15 Nov 1994 08:12:31 GMT\r\n"
  std::string_view value() { return now().substr(6, 29); }

 private:
  int64_t second_ = -1;
  std::string text_;
};

// What the sessions of one loop share. Outlives them.
struct SessionContext {
  const ServerOptions& options;
  const Handler& handler;
  ExchangeList exchanges;
  DateLine date;
};

class Exchange : public ResponseWriter {
 public:
  explicit Exchange(SessionContext& context) : context_(context) {}
  ~Exchange() override;
  Exchange(const Exchange&) = delete;

  Request request;

  // Starts the handler; it may have ended when this returns. on_task_end() is called when it ends.
  void run();
  bool is_running() const { return is_running_; }

  // ResponseWriter; each protocol sends in its own way through the do_ functions.
  void send(Response response) final;
  void send_interim(int status, const Headers& headers) final;
  void start(int status, const Headers& headers) final;
  Task<bool> write(std::string bytes) final;
  void finish(const Headers& trailers) final;
  void abort() final;
  bool is_open() const final { return is_attached_ && !peer_is_gone_; }
  void on_peer_gone(std::function<void()> callback) final;

  // The peer can no longer be reached, but the session is still there. Wakes the writer.
  void mark_peer_gone();
  // The session forgets the exchange; ends it when its task has ended. Wakes the writer.
  void detach();
  // Destroys a task that waits for something that will not come (only while the loop stops).
  void destroy();

 protected:
  enum class Stage : uint8_t { Fresh, Streaming, Ended };
  Stage stage() const { return stage_; }
  void reset_for_next();  // the same object for the next request of a connection

  // HEAD, or a status without body: what the handler writes is dropped.
  bool drops_body(int status) const;

  // Called only while attached and the peer is there. do_write gets no empty piece, and none when
  // the body is dropped. A declared Content-Length was checked.
  virtual void do_send(Response&& response) = 0;
  virtual void do_interim(int status, const Headers& headers) = 0;
  virtual void do_start(int status, const Headers& headers) = 0;
  virtual void do_write(std::string&& bytes) = 0;
  virtual void do_finish(const Headers& trailers) = 0;
  virtual void do_abort() = 0;
  virtual size_t unsent_bytes() const = 0;
  // The handler's task is over and the answer is ended (a forgotten one as 500 or aborted). The
  // session may delete the exchange in here.
  virtual void on_task_end() = 0;

  // To be called when bytes went out: resumes the waiting writer when there is room again.
  void wake_writer_if_room();

  SessionContext& context_;

 private:
  struct Root;
  static Root drive(Exchange& self);
  void end_task();
  void report(std::exception_ptr failure) noexcept;
  void notice_gone();
  void link();
  void unlink();

  std::coroutine_handle<> root_;
  std::coroutine_handle<> waiting_writer_;
  std::function<void()> gone_callback_;
  Stage stage_ = Stage::Fresh;
  bool drops_body_ = false;                // of the started stream
  std::optional<uint64_t> declared_left_;  // of its Content-Length
  bool is_attached_ = true;
  bool peer_is_gone_ = false;
  bool is_running_ = false;
  std::exception_ptr failure_;
  Exchange* previous_ = nullptr;
  Exchange* next_ = nullptr;
};

}  // namespace lattice::http
