#include "http/http1_parser.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace lattice::http {

namespace {

constexpr size_t kFieldCountMax = 256;
constexpr size_t kChunkLineBytesMax = 1024;  // size and extensions
constexpr size_t kStatusLineBytesMax = 8 * 1024;
constexpr size_t kMethodBytesMax = 64;
constexpr size_t kVersionBytes = 8;  // "HTTP/1.1"

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// The offender in a message: its beginning, with what does not print as '?'.
std::string quoted(std::string_view text) {
  constexpr size_t kShownMax = 40;
  std::string out = "`";
  for (char c : text.substr(0, kShownMax)) out += c >= 0x20 && c < 0x7F ? c : '?';
  if (text.size() > kShownMax) out += "...";
  out += '`';
  return out;
}

}  // namespace

bool is_valid_authority(std::string_view text) {
  size_t host_end = text.size();
  if (!text.empty() && text.front() == '[') {
    size_t close = text.find(']');
    if (close == std::string_view::npos) return false;
    for (char c : text.substr(1, close - 1)) {
      bool is_hex = is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
      if (!is_hex && c != ':' && c != '.') return false;
    }
    host_end = close + 1;
  } else {
    host_end = std::min(text.find(':'), text.size());
    for (char c : text.substr(0, host_end)) {
      bool is_name = is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (!is_name && std::string_view("-._~%!$&'()*+;=").find(c) == std::string_view::npos)
        return false;
    }
  }
  if (host_end == text.size()) return true;
  if (text[host_end] != ':') return false;
  std::string_view port = text.substr(host_end + 1);
  return port.size() <= 5 && std::all_of(port.begin(), port.end(), is_digit);
}

bool is_origin_form(std::string_view text) {
  return text.starts_with('/') && std::all_of(text.begin(), text.end(), [](char c) {
           return c > 0x20 && c < 0x7F && c != '#';
         });
}

void Http1Parser::restart(bool body_is_absent) {
  body_is_absent_ = body_is_absent;
  state_ = State::StartLine;
  head_.method.clear();
  head_.target.clear();
  head_.headers.clear();
  head_.expects_continue = head_.is_chunked = false;
  head_.keep_alive = true;
  head_.status = 0;
  head_.content_length.reset();
  if (!trailers_.empty()) trailers_.clear();
  piece_ = {};
  is_absolute_ = has_empty_line_ = false;
  host_count_ = 0;
  line_bytes_ = block_bytes_ = 0;
  left_ = body_bytes_ = 0;
}

Http1Parser::Event Http1Parser::fail(int status, std::string message) {
  state_ = State::Failed;
  failure_ = {status, std::move(message)};
  return Event::Failed;
}

// Takes one line without its CRLF. Only the bytes that came since the last call are searched.
Http1Parser::Line Http1Parser::take_line(std::string_view& input, size_t bytes_max,
                                         int limit_status, std::string_view& line) {
  size_t end = input.find('\n', line_bytes_);
  size_t length = end == std::string_view::npos ? input.size() : end + 1;
  if (length > bytes_max + 2) {
    fail(limit_status,
         "a line of the message head is longer than " + std::to_string(bytes_max) + " bytes");
    return Line::Failed;
  }
  if (end == std::string_view::npos) {
    line_bytes_ = input.size();
    return Line::NeedMore;
  }
  if (end == 0 || input[end - 1] != '\r') {
    fail(400, "a line ends with LF alone; CRLF was expected");
    return Line::Failed;
  }
  line = input.substr(0, end - 1);
  input.remove_prefix(end + 1);
  line_bytes_ = 0;
  return Line::Complete;
}

Http1Parser::Event Http1Parser::next(std::string_view& input) {
  switch (state_) {
    case State::StartLine: {
      // Bytes that cannot begin a request (a TLS greeting, say) are refused without waiting for LF.
      if (is_request_ && !input.empty() && input[0] != '\r' && !is_token(input.substr(0, 1))) {
        return fail(400, "the request does not begin with a method");
      }
      std::string_view line;
      size_t bytes_max = is_request_
                             ? kMethodBytesMax + limits_.target_bytes_max + kVersionBytes + 2
                             : kStatusLineBytesMax;
      Line taken = take_line(input, bytes_max, is_request_ ? 414 : 400, line);
      if (taken == Line::NeedMore) return Event::NeedMore;
      if (taken == Line::Failed) return Event::Failed;
      if (line.empty() && is_request_ && !has_empty_line_) {
        has_empty_line_ = true;
        return next(input);
      }
      if (!(is_request_ ? parse_request_line(line) : parse_status_line(line))) return Event::Failed;
      state_ = State::Fields;
      [[fallthrough]];
    }
    case State::Fields:
      return next_fields(input);
    case State::SizedBody:
      return next_sized(input);
    case State::BodyToEnd:
      if (input.empty()) return Event::NeedMore;
      body_bytes_ += input.size();
      if (body_bytes_ > limits_.body_bytes_max) {
        return fail(413,
                    "the body is larger than " + std::to_string(limits_.body_bytes_max) + " bytes");
      }
      piece_ = input;
      input = {};
      return Event::Body;
    case State::ChunkSize:
    case State::ChunkData:
    case State::ChunkEnd:
    case State::Trailers:
      return next_chunked(input);
    case State::Done:
      return Event::Done;
    case State::Failed:
      return Event::Failed;
  }
  return Event::Failed;
}

Http1Parser::Event Http1Parser::end_of_input() {
  if (state_ == State::Failed || state_ == State::Done) {
    return state_ == State::Done ? Event::Done : Event::Failed;
  }
  if (state_ == State::BodyToEnd) {
    state_ = State::Done;
    return Event::Done;
  }
  if (!has_begun()) return Event::NeedMore;
  return fail(400, "the message ended before it was complete");
}

Http1Parser::Event Http1Parser::next_fields(std::string_view& input) {
  while (true) {
    std::string_view line;
    Line taken = take_line(input, limits_.header_bytes_max, 431, line);
    if (taken == Line::NeedMore) return Event::NeedMore;
    if (taken == Line::Failed) return Event::Failed;
    if (line.empty()) break;
    block_bytes_ += line.size() + 2;
    if (block_bytes_ > limits_.header_bytes_max || head_.headers.size() == kFieldCountMax) {
      return fail(431, "the header fields are more than " +
                           std::to_string(limits_.header_bytes_max) + " bytes or " +
                           std::to_string(kFieldCountMax) + " lines");
    }
    if (!parse_field(line, head_.headers)) return Event::Failed;
  }
  block_bytes_ = 0;
  if (is_request_ && !finish_request_head()) return Event::Failed;
  if (!finish_head()) return Event::Failed;
  return Event::Head;
}

bool Http1Parser::parse_request_line(std::string_view line) {
  size_t method_end = line.find(' ');
  std::string_view method = line.substr(0, method_end);
  if (method_end == std::string_view::npos || !is_token(method)) {
    fail(400, "the request line has no valid method: " + quoted(line));
    return false;
  }
  if (method.size() > kMethodBytesMax) {
    fail(501, "the method is longer than " + std::to_string(kMethodBytesMax) + " bytes");
    return false;
  }
  size_t target_end = line.find(' ', method_end + 1);
  if (target_end == std::string_view::npos) {
    fail(400, "the request line has no version: " + quoted(line));
    return false;
  }
  std::string_view target = line.substr(method_end + 1, target_end - method_end - 1);
  if (!parse_version(line.substr(target_end + 1))) return false;
  head_.method = method;
  if (target.size() > limits_.target_bytes_max) {
    fail(414, "the request target is longer than " + std::to_string(limits_.target_bytes_max) +
                  " bytes");
    return false;
  }
  if (method == "CONNECT") {
    fail(501, "CONNECT is not supported");
    return false;
  }
  return parse_target(target);
}

bool Http1Parser::parse_version(std::string_view text) {
  if (text.size() != kVersionBytes || !text.starts_with("HTTP/") || !is_digit(text[5]) ||
      text[6] != '.' || !is_digit(text[7])) {
    fail(400, "expected the version HTTP/1.1, found " + quoted(text));
    return false;
  }
  if (text[5] != '1') {
    fail(505, "HTTP/1.1 is spoken here, not " + std::string(text));
    return false;
  }
  head_.version = text[7] == '0' ? Version::Http1_0 : Version::Http1_1;
  head_.keep_alive = head_.version == Version::Http1_1;
  return true;
}

bool Http1Parser::parse_status_line(std::string_view line) {
  if (!parse_version(line.substr(0, kVersionBytes))) return false;
  std::string_view rest = line.substr(kVersionBytes);
  if (rest.size() < 4 || rest[0] != ' ' ||
      !std::all_of(rest.begin() + 1, rest.begin() + 4, is_digit) || rest[1] == '0' ||
      (rest.size() > 4 && rest[4] != ' ')) {
    fail(400, "expected a status of three digits in " + quoted(line));
    return false;
  }
  std::from_chars(rest.data() + 1, rest.data() + 4, head_.status);
  if (!is_field_value(rest)) {
    fail(400, "the status line holds control bytes");
    return false;
  }
  return true;
}

bool Http1Parser::parse_target(std::string_view text) {
  if (is_origin_form(text)) {
    head_.target = text;
    return true;
  }
  if (text == "*" && head_.method == "OPTIONS") {
    head_.target = text;
    return true;
  }
  size_t scheme_end = text.find("://");
  std::string_view scheme = text.substr(0, scheme_end);
  if (scheme_end != std::string_view::npos &&
      (equals_ignoring_case(scheme, "http") || equals_ignoring_case(scheme, "https"))) {
    std::string_view rest = text.substr(scheme_end + 3);
    size_t path_begin = std::min(rest.find_first_of("/?#"), rest.size());
    std::string_view authority = rest.substr(0, path_begin);
    std::string path(rest.substr(path_begin));
    if (!path.starts_with('/')) path.insert(0, "/");
    bool has_host = !authority.empty() && authority.front() != ':';
    if (has_host && is_valid_authority(authority) && is_origin_form(path)) {
      is_absolute_ = true;
      absolute_authority_ = authority;
      head_.target = std::move(path);
      return true;
    }
  }
  fail(400, "the request target must be a path or an http URL of visible ASCII: " + quoted(text));
  return false;
}

bool Http1Parser::parse_field(std::string_view line, Headers& into) {
  if (line.front() == ' ' || line.front() == '\t') {
    fail(400, "a header line begins with space: folded lines are not accepted");
    return false;
  }
  size_t colon = line.find(':');
  std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || !is_token(name)) {
    fail(400, "not a header line (name, colon, value): " + quoted(line));
    return false;
  }
  std::string_view value = trim(line.substr(colon + 1));
  if (!is_field_value(value)) {
    fail(400, "the value of " + quoted(name) + " holds control bytes");
    return false;
  }
  bool in_head = &into == &head_.headers;
  if (in_head && !parse_framing_field(name, value)) return false;
  into.add(name, value);
  return true;
}

// The fields that say where the message ends and what becomes of the connection.
bool Http1Parser::parse_framing_field(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      if (is_request_ && equals_ignoring_case(name, "host")) {
        ++host_count_;
        if (!is_valid_authority(value)) {
          fail(400, "Host is not a host with an optional port: " + quoted(value));
          return false;
        }
      }
      return true;
    case 6:
      if (is_request_ && equals_ignoring_case(name, "expect")) {
        if (!equals_ignoring_case(value, "100-continue")) {
          fail(417, "only `Expect: 100-continue` is known, not " + quoted(value));
          return false;
        }
        head_.expects_continue = true;
      }
      return true;
    case 10:
      if (equals_ignoring_case(name, "connection")) {
        if (has_list_token(value, "close")) {
          head_.keep_alive = false;
        } else if (head_.version == Version::Http1_0 && has_list_token(value, "keep-alive")) {
          head_.keep_alive = true;
        }
      }
      return true;
    case 14:
      if (equals_ignoring_case(name, "content-length")) {
        constexpr size_t kDigitsMax = 18;
        uint64_t length = 0;
        bool is_number = !value.empty() && value.size() <= kDigitsMax &&
                         std::all_of(value.begin(), value.end(), is_digit);
        if (head_.content_length || !is_number) {
          fail(400, head_.content_length ? "Content-Length is given twice"
                                         : "Content-Length is not a number: " + quoted(value));
          return false;
        }
        std::from_chars(value.data(), value.data() + value.size(), length);
        head_.content_length = length;
      }
      return true;
    case 17:
      if (equals_ignoring_case(name, "transfer-encoding")) {
        if (head_.is_chunked || !equals_ignoring_case(value, "chunked")) {
          fail(400, "Transfer-Encoding must be exactly `chunked`, once, not " + quoted(value));
          return false;
        }
        head_.is_chunked = true;
      }
      return true;
    default:
      return true;
  }
}

bool Http1Parser::finish_request_head() {
  if (host_count_ > 1) {
    fail(400, "Host is given twice");
    return false;
  }
  if (host_count_ == 0 && head_.version == Version::Http1_1) {
    fail(400, "Host is missing");
    return false;
  }
  if (is_absolute_) head_.headers.set("Host", absolute_authority_);
  if (head_.is_chunked && head_.version == Version::Http1_0) {
    fail(400, "Transfer-Encoding does not exist in HTTP/1.0");
    return false;
  }
  if (head_.version == Version::Http1_0) head_.expects_continue = false;
  return true;
}

bool Http1Parser::finish_head() {
  if (head_.is_chunked && head_.content_length) {
    fail(400, "Content-Length and Transfer-Encoding are both given");
    return false;
  }
  if (head_.content_length.value_or(0) > limits_.body_bytes_max && !body_is_absent_) {
    fail(413, "the body is larger than " + std::to_string(limits_.body_bytes_max) + " bytes");
    return false;
  }
  int status = head_.status;
  bool never_has_body =
      !is_request_ && (body_is_absent_ || status < 200 || status == 204 || status == 304);
  if (never_has_body) {
    state_ = State::Done;
  } else if (head_.is_chunked) {
    state_ = State::ChunkSize;
  } else if (head_.content_length || is_request_) {
    left_ = head_.content_length.value_or(0);
    state_ = left_ > 0 ? State::SizedBody : State::Done;
  } else {
    state_ = State::BodyToEnd;
    head_.keep_alive = false;
  }
  return true;
}

Http1Parser::Event Http1Parser::next_sized(std::string_view& input) {
  if (input.empty()) return Event::NeedMore;
  piece_ = input.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, input.size())));
  input.remove_prefix(piece_.size());
  left_ -= piece_.size();
  if (left_ == 0) state_ = State::Done;
  return Event::Body;
}

Http1Parser::Event Http1Parser::next_chunked(std::string_view& input) {
  while (true) {
    if (state_ == State::ChunkData) {
      if (input.empty()) return Event::NeedMore;
      piece_ = input.substr(0, static_cast<size_t>(std::min<uint64_t>(left_, input.size())));
      input.remove_prefix(piece_.size());
      left_ -= piece_.size();
      if (left_ == 0) state_ = State::ChunkEnd;
      return Event::Body;
    }
    if (state_ == State::ChunkEnd && !input.empty() && input[0] != '\r') {
      return fail(400, "the bytes of a chunk are not followed by CRLF");
    }
    std::string_view line;
    bool is_trailer = state_ == State::Trailers;
    size_t bytes_max = is_trailer ? limits_.header_bytes_max
                                  : (state_ == State::ChunkEnd ? 0 : kChunkLineBytesMax);
    Line taken = take_line(input, bytes_max, is_trailer ? 431 : 400, line);
    if (taken == Line::NeedMore) return Event::NeedMore;
    if (taken == Line::Failed) return Event::Failed;
    if (state_ == State::ChunkEnd) {  // take_line let only the empty line through
      state_ = State::ChunkSize;
    } else if (state_ == State::ChunkSize) {
      if (!parse_chunk_size(line)) return Event::Failed;
    } else if (line.empty()) {
      state_ = State::Done;
      return Event::Done;
    } else {
      block_bytes_ += line.size() + 2;
      if (block_bytes_ > limits_.header_bytes_max || trailers_.size() == kFieldCountMax) {
        return fail(431, "the trailer fields are more than " +
                             std::to_string(limits_.header_bytes_max) + " bytes or " +
                             std::to_string(kFieldCountMax) + " lines");
      }
      if (!parse_field(line, trailers_)) return Event::Failed;
    }
  }
}

bool Http1Parser::parse_chunk_size(std::string_view line) {
  constexpr size_t kHexDigitsMax = 15;
  std::string_view digits = line.substr(0, line.find(';'));
  uint64_t size = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, 16);
  bool is_hex = !digits.empty() && digits.size() <= kHexDigitsMax && digits[0] != '-' &&
                error == std::errc() && end == digits.data() + digits.size();
  if (!is_hex || !is_field_value(line)) {
    fail(400, "not a chunk size in hex: " + quoted(line));
    return false;
  }
  body_bytes_ += size;
  if (body_bytes_ > limits_.body_bytes_max) {
    fail(413, "the body is larger than " + std::to_string(limits_.body_bytes_max) + " bytes");
    return false;
  }
  left_ = size;
  state_ = size > 0 ? State::ChunkData : State::Trailers;
  return true;
}

}  // namespace lattice::http
