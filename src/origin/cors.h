// Cross-origin access for browsers: off unless origins are configured.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace lattice::origin {

// Immutable; any thread.
class Cors {
 public:
  // `origins` holds "https://app.example" entries, or "*".
  explicit Cors(std::vector<std::string> origins);

  bool is_on() const { return !origins_.empty(); }
  // A preflight: OPTIONS with an Origin and the method it asks about.
  static bool is_preflight(const http::Request& request);
  // What the answer to a preflight adds to apply; `methods` are those of the resource.
  void allow_methods(const http::Request& request, std::string_view methods,
                     http::Headers& headers) const;
  // Adds what lets an allowed origin read the response.
  void apply(const http::Request& request, http::Headers& headers) const;

 private:
  bool allows(const http::Request& request) const;
  std::vector<std::string> origins_;
  bool any_ = false;
};

}  // namespace lattice::origin
