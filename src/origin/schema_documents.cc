// Schema documents and compression dictionaries, content-addressed (spec §7.1, §5.2).
#include "origin/service.h"

namespace lattice::origin {

namespace {

http::Response render_immutable(std::string_view type, std::string body) {
  http::Response response;
  response.headers.set("Content-Type", type);
  response.headers.set("Cache-Control", kImmutable);
  response.body = std::move(body);
  return response;
}

}  // namespace

Reply Service::schema_current(const Call&) const {
  http::Response response;
  response.status = 307;
  response.headers.set("Location", "/schema/" + schema_->hash);
  response.headers.set("Cache-Control", kSchemaPointerLifetime);
  return response;
}

Reply Service::schema_document(const Call& call) const {
  const std::string& hash = call.route.captures[0];
  if (hash == schema_->hash) {
    return render_immutable("text/plain; charset=utf-8", schema_->canonical_text);
  }
  return refuse(Code::NotFound, "this origin serves the schema " + schema_->hash + ", not " + hash);
}

Reply Service::schema_dictionary(const Call& call) const {
  const std::string& hash = call.route.captures[0];
  if (hash == dictionary_hash_) {
    return render_immutable("application/octet-stream", dictionary_);
  }
  return refuse(Code::NotFound, "this origin never published the dictionary " + hash);
}

}  // namespace lattice::origin
