#include "origin/cors.h"

#include <algorithm>

namespace lattice::origin {

namespace {

constexpr std::string_view kExposed =
    "Location, Content-Location, ETag, Lattice-Plan, Lattice-Schema, Lattice-Snapshot, "
    "Lattice-Snapshot-Floor, Lattice-Outcome, Surrogate-Key, Idempotency-Replayed, Retry-After";
constexpr std::string_view kRequested =
    "Authorization, Content-Type, Content-Digest, Idempotency-Key, If-Match, If-None-Match, "
    "Cache-Control, Lattice-Client, Lattice-Query-Name, X-Have, X-Have-Digest, "
    "X-Lattice-Query-Sig, "
    "X-Vc-Auth";

}  // namespace

Cors::Cors(std::vector<std::string> origins) : origins_(std::move(origins)) {
  any_ = std::find(origins_.begin(), origins_.end(), "*") != origins_.end();
}

bool Cors::is_preflight(const http::Request& request) {
  return request.method == "OPTIONS" && request.headers.contains("Origin") &&
         request.headers.contains("Access-Control-Request-Method");
}

bool Cors::allows(const http::Request& request) const {
  if (any_) return true;
  auto origin = request.headers.find("Origin");
  return origin && std::find(origins_.begin(), origins_.end(), *origin) != origins_.end();
}

void Cors::allow_methods(const http::Request& request, std::string_view methods,
                         http::Headers& headers) const {
  headers.set("Cache-Control", "no-store");
  if (!allows(request)) return;
  headers.set("Access-Control-Allow-Methods", methods);
  headers.set("Access-Control-Allow-Headers", kRequested);
  headers.set("Access-Control-Max-Age", "600");
}

void Cors::apply(const http::Request& request, http::Headers& headers) const {
  if (!is_on()) return;
  // One answer for everyone keeps one entry in shared caches, whoever asked first; a list varies.
  if (!any_) headers.add("Vary", "Origin");
  if (!allows(request)) return;
  headers.set("Access-Control-Allow-Origin",
              any_ ? std::string_view("*") : *request.headers.find("Origin"));
  headers.set("Access-Control-Expose-Headers", kExposed);
}

}  // namespace lattice::origin
