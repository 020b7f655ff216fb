// Reads HTTP/1.0 and HTTP/1.1 messages from bytes, strictly (RFC 9112).
//
//   std::string_view input = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
//   parser.next(input)  → Event::Head, parser.head().target == "/a"
//   parser.next(input)  → Event::Done
//
// What two readers could understand differently is refused, never repaired: a bare LF or CR, a
// folded line, space before the colon, control bytes, a Transfer-Encoding that is not exactly
// `chunked`, Content-Length twice or beside Transfer-Encoding, chunk sizes with anything but hex
// digits. No sockets, no time. One message after the other; not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace lattice::http {

class Http1Parser {
 public:
  struct Limits {
    size_t header_bytes_max = 32 * 1024;  // all header lines, and again all trailer lines
    size_t target_bytes_max = 16 * 1024;
    uint64_t body_bytes_max = 4 * 1024 * 1024;
  };

  struct Head {
    // Request
    std::string method;
    std::string target;  // origin form, or `*`; an absolute form has become Host and origin form
    bool expects_continue = false;
    // Response
    int status = 0;
    // Both
    Version version = Version::Http1_1;
    Headers headers;
    bool keep_alive = true;
    bool is_chunked = false;
    std::optional<uint64_t> content_length;
  };

  struct Failure {
    int status = 400;  // what a server answers
    std::string message;
  };

  enum class Event : uint8_t {
    NeedMore,  // call again with the unconsumed rest and more bytes behind it
    Head,      // head() is complete
    Body,      // body() is the next piece, a view into the input
    Done,      // the message is complete, trailers() too; call restart() before the next
    Failed,    // failure(); nothing further can be read
  };

  static Http1Parser for_requests(Limits limits) { return Http1Parser(true, limits); }
  static Http1Parser for_responses(Limits limits) { return Http1Parser(false, limits); }

  // Reads on, and takes what it consumed off the front of `input`.
  Event next(std::string_view& input);
  // The peer ended its side. Done for a response whose body ends so, else Failed; NeedMore when
  // nothing of a message was read.
  Event end_of_input();

  // The head may be moved from after Event::Head.
  Head& head() { return head_; }
  std::string_view body() const { return piece_; }
  Headers& trailers() { return trailers_; }
  const Failure& failure() const { return failure_; }

  // For the next message of the connection. `body_is_absent`: the response to a HEAD request.
  void restart(bool body_is_absent = false);
  // Whether a byte of the current message was read.
  bool has_begun() const { return state_ != State::StartLine || line_bytes_ > 0; }
  bool is_in_head() const { return state_ == State::StartLine || state_ == State::Fields; }

 private:
  enum class State : uint8_t {
    StartLine,
    Fields,
    SizedBody,
    BodyToEnd,
    ChunkSize,
    ChunkData,
    ChunkEnd,
    Trailers,
    Done,
    Failed
  };

  Http1Parser(bool is_request, Limits limits) : is_request_(is_request), limits_(limits) {}

  Event fail(int status, std::string message);
  enum class Line : uint8_t { Complete, NeedMore, Failed };
  Line take_line(std::string_view& input, size_t bytes_max, int limit_status,
                 std::string_view& line);
  bool parse_request_line(std::string_view line);
  bool parse_status_line(std::string_view line);
  bool parse_version(std::string_view text);
  bool parse_target(std::string_view text);
  bool parse_field(std::string_view line, Headers& into);
  bool parse_framing_field(std::string_view name, std::string_view value);
  bool parse_chunk_size(std::string_view line);
  bool finish_request_head();
  bool finish_head();
  Event next_fields(std::string_view& input);
  Event next_chunked(std::string_view& input);
  Event next_sized(std::string_view& input);

  bool is_request_;
  bool body_is_absent_ = false;
  Limits limits_;
  State state_ = State::StartLine;
  Head head_;
  Headers trailers_;
  Failure failure_;
  std::string_view piece_;
  std::string absolute_authority_;  // of an absolute-form target
  bool is_absolute_ = false;
  bool has_empty_line_ = false;  // one empty line before the request is passed over
  unsigned host_count_ = 0;
  size_t line_bytes_ = 0;   // bytes of the unfinished line that hold no LF
  size_t block_bytes_ = 0;  // bytes of header or trailer lines so far
  uint64_t left_ = 0;       // body or chunk bytes still to come
  uint64_t body_bytes_ = 0;
};

// Whether `text` may stand as a Host field: host and optional port, without user, path or space.
bool is_valid_authority(std::string_view text);
// Whether `text` is an origin-form target (a path with an optional query, visible ASCII, no `#`).
bool is_origin_form(std::string_view text);

}  // namespace lattice::http
