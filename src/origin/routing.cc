#include "origin/routing.h"

#include "base/percent.h"

namespace lattice::origin {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    size_t end = text.find(separator);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

Endpoint query_endpoint(const std::vector<std::string_view>& segments) {
  switch (segments.size()) {
    case 1:
      return Endpoint::Query;
    case 2:
      return Endpoint::QueryHash;
    case 3:
      if (segments[2] == "source") return Endpoint::QuerySource;
      if (segments[2] == "explain") return Endpoint::QueryExplain;
      break;
    case 4:
      if (segments[2] == "plan") return Endpoint::PlanDocument;
      break;
    default:
      break;
  }
  return Endpoint::NotFound;
}

Endpoint schema_endpoint(const std::vector<std::string_view>& segments) {
  if (segments.size() == 3 && segments[1] == "dict") return Endpoint::SchemaDictionary;
  if (segments.size() != 2) return Endpoint::NotFound;
  if (segments[1] == "current") return Endpoint::SchemaCurrent;
  if (segments[1] == "check") return Endpoint::SchemaCheck;
  if (segments[1] == "corpus") return Endpoint::SchemaCorpus;
  return Endpoint::SchemaDocument;
}

Endpoint find_endpoint(const std::vector<std::string_view>& segments) {
  std::string_view first = segments.front();
  if (first == "q") return query_endpoint(segments);
  if (first == "schema") return schema_endpoint(segments);
  if (first == "e" && segments.size() == 2) return Endpoint::EntityCollection;
  if (first == "e" && segments.size() == 3) return Endpoint::Entity;
  if (first == "m" && segments.size() == 2) return Endpoint::Mutation;
  if (first == "invalidations" && segments.size() == 1) return Endpoint::Invalidations;
  if (first == ".well-known" && segments.size() == 2 && segments[1] == "lattice") {
    return Endpoint::Discovery;
  }
  return Endpoint::NotFound;
}

// The segments of a path that vary, by endpoint.
std::vector<size_t> captured_segments(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::QueryHash:
    case Endpoint::QuerySource:
    case Endpoint::QueryExplain:
    case Endpoint::EntityCollection:
    case Endpoint::Mutation:
    case Endpoint::SchemaDocument:
      return {1};
    case Endpoint::PlanDocument:
      return {1, 3};
    case Endpoint::Entity:
      return {1, 2};
    case Endpoint::SchemaDictionary:
      return {2};
    default:
      return {};
  }
}

}  // namespace

Route find_route(std::string_view path) {
  if (!path.starts_with('/')) return {};
  std::vector<std::string_view> segments = split(path.substr(1), '/');
  if (std::find(segments.begin(), segments.end(), "") != segments.end()) return {};
  Route route{find_endpoint(segments), {}};
  for (size_t index : captured_segments(route.endpoint)) {
    auto text = percent_decode(segments[index]);
    if (!text) return {};
    bool is_key = route.endpoint == Endpoint::Entity && index == 2;
    route.captures.push_back(is_key ? std::string(segments[index]) : std::move(*text));
  }
  return route;
}

std::string_view allowed_methods(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::Query:
      return "GET, HEAD, QUERY, POST";
    case Endpoint::Entity:
      return "GET, HEAD, PUT, PATCH, DELETE";
    case Endpoint::EntityCollection:
      return "POST, PATCH, DELETE";
    case Endpoint::Mutation:
    case Endpoint::SchemaCheck:
      return "POST";
    default:
      return "GET, HEAD";
  }
}

bool is_allowed(Endpoint endpoint, std::string_view method) {
  for (std::string_view item : split(allowed_methods(endpoint), ',')) {
    if (item.starts_with(' ')) item.remove_prefix(1);
    if (item == method) return true;
  }
  return false;
}

Result<std::vector<std::string>> split_key(std::string_view segment, size_t key_columns) {
  std::vector<std::string> out;
  std::vector<std::string_view> raw = split(segment, ',');
  if (raw.size() != key_columns && key_columns == 1) raw = {segment};
  for (std::string_view part : raw) {
    LATTICE_TRY(std::string text, percent_decode(part));
    out.push_back(std::move(text));
  }
  // `Membership/7%2C9` names the same row as `Membership/7,9` when that is the only way to read it.
  if (out.size() != key_columns && raw.size() == 1) {
    std::string whole = std::move(out.front());
    out.clear();
    for (std::string_view part : split(whole, ',')) out.emplace_back(part);
  }
  if (out.size() == key_columns) return out;
  return fail(Code::BadRequest, "the key `" + std::string(segment) + "` has " +
                                    std::to_string(out.size()) + " fields; this type has " +
                                    std::to_string(key_columns));
}

}  // namespace lattice::origin
