// A protocol session: HTTP/1.1 or HTTP/2 on one connection, as a machine without sockets or clock.
// Internal to http.
//
//   connection ──receive(bytes)──▶ Session ──output──▶ connection
//
// The connection hands bytes in and takes `output` out; the session says through its Link when
// there is something to take outside of these calls. Tests and fuzzers drive it without a network.
// One event loop; no call throws.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "http/output_queue.h"

namespace lattice::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// The connection as its session sees it.
class Link {
 public:
  virtual ~Link() = default;
  // `output` has grown, or the session's wishes have changed: look at them at the end of this turn.
  virtual void flush_soon() = 0;
};

struct Peer {
  std::string address;
  bool secure = false;
};

class Session {
 public:
  virtual ~Session() = default;

  virtual void receive(std::string_view bytes) = 0;
  virtual void receive_end() = 0;  // the peer sends nothing more
  // Moves what is due into `output`; called before output is taken.
  virtual void fill() {}
  // Bytes went out of `output`; writers that waited for room go on.
  virtual void sent() = 0;

  // When the session has waited long enough for the peer, by the steady clock; max: never.
  virtual SteadyTime deadline() const = 0;
  virtual void on_deadline() = 0;

  // No new requests; those that run end in order.
  virtual void drain() = 0;
  // The connection is lost: every exchange learns of it and is let go.
  virtual void drop() = 0;

  virtual bool wants_input() const = 0;
  virtual bool is_finished() const = 0;  // close once `output` is sent
  virtual bool is_quiet() const = 0;     // nothing half read: the read buffer may be freed
  // How to close. Linger: the peer may still be sending, and must get to read the answer. Reset:
  // the end must look like a failure (an answer that only the connection's end delimits was cut).
  enum class Ending : uint8_t { Close, Linger, Reset };
  virtual Ending ending() const = 0;

  OutputQueue output;
};

inline constexpr std::string_view kHttp2Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

std::unique_ptr<Session> make_http1_session(SessionContext& context, Link& link, Peer peer);
std::unique_ptr<Session> make_http2_session(SessionContext& context, Link& link, Peer peer);

}  // namespace lattice::http
