// HTTP messages: what a handler sees of a request and what it answers with. Knows no Lattice.
// Values; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lattice::http {

struct Header {
  std::string name;  // as received or written; compared without case
  std::string value;
};

// Header fields in order. Names compare without case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> fields) : fields_(fields) {}

  // The first value, or nullopt. `combined` joins all lines with ", " (RFC 9110 §5.3).
  std::optional<std::string_view> find(std::string_view name) const;
  std::optional<std::string> combined(std::string_view name) const;
  bool contains(std::string_view name) const { return find(name).has_value(); }
  void add(std::string_view name, std::string_view value);
  void set(std::string_view name, std::string_view value);  // replaces every line of that name
  void remove(std::string_view name);
  void clear() { fields_.clear(); }

  const std::vector<Header>& fields() const { return fields_; }
  bool empty() const { return fields_.empty(); }
  size_t size() const { return fields_.size(); }

 private:
  std::vector<Header> fields_;
};

enum class Version : uint8_t { Http1_0, Http1_1, Http2 };

struct Request {
  std::string method;  // any token: GET, HEAD, QUERY, ...
  std::string target;  // origin form: "/q/abc?p=1"; `*` for OPTIONS
  std::string path;    // target up to `?`, not decoded
  std::string query;   // after `?`, not decoded, without `?`
  Headers headers;     // HTTP/2 pseudo-headers are not among them; `Host` holds :authority
  std::string body;    // whole; limited by ServerOptions::body_bytes_max
  Version version = Version::Http1_1;
  bool secure = false;       // over TLS
  std::string peer_address;  // "127.0.0.1"
};

struct Response {
  int status = 200;
  Headers headers;
  std::string body;
  Headers trailers;
  // A body that others hold too (a cache), in place of `body`: sent without a copy.
  std::shared_ptr<const std::string> shared_body = {};

  size_t body_bytes() const { return shared_body != nullptr ? shared_body->size() : body.size(); }
};

// The reason phrase of a status ("Not Found"), "" when unknown.
std::string_view reason_phrase(int status);
bool equals_ignoring_case(std::string_view left, std::string_view right);
// Whether a comma-separated field value ("keep-alive, Close") holds `token`, without case.
bool has_list_token(std::string_view value, std::string_view token);

// RFC 9110 §5.6.2 and §5.5: a non-empty token; a value without control bytes (tab is allowed).
bool is_token(std::string_view text);
bool is_field_value(std::string_view text);

// Fills `path` and `query` from `target`.
void split_target(Request& request);

}  // namespace lattice::http
