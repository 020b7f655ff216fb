// Which endpoint a request is for, and which methods that endpoint takes (spec §6, §7, §11, §17,
// §18).
//
//   GET /q/s4V38/plan/pl_9dK2  ──find_route──▶ {PlanDocument, ["s4V38", "pl_9dK2"]}
//
// Functions of their arguments; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace lattice::origin {

enum class Endpoint : uint8_t {
  NotFound,
  Discovery,         // /.well-known/lattice
  Query,             // /q: inline, QUERY, POST
  QueryHash,         // /q/{hash}
  QuerySource,       // /q/{hash}/source
  QueryExplain,      // /q/{hash}/explain
  PlanDocument,      // /q/{hash}/plan/{plan}
  Entity,            // /e/{Type}/{key}
  EntityCollection,  // /e/{Type}
  Mutation,          // /m/{name}
  SchemaCurrent,     // /schema/current
  SchemaDocument,    // /schema/{hash}
  SchemaDictionary,  // /schema/dict/{hash}
  SchemaCheck,       // /schema/check
  SchemaCorpus,      // /schema/corpus
  Invalidations,     // /invalidations
};

struct Route {
  Endpoint endpoint = Endpoint::NotFound;
  std::vector<std::string>
      captures;  // percent-decoded, in path order; a key stays as it was written
};

// `path` is the target up to `?`, not decoded. Broken escapes and empty segments lead nowhere.
Route find_route(std::string_view path);

// The Allow list: "GET, HEAD, QUERY, POST".
std::string_view allowed_methods(Endpoint endpoint);
bool is_allowed(Endpoint endpoint, std::string_view method);

// The key fields of a point fetch from its path segment: commas separate them, and an escaped comma
// is data. Errors: lattice:bad-request when there are not `key_columns` of them.
Result<std::vector<std::string>> split_key(std::string_view segment, size_t key_columns);

}  // namespace lattice::origin
