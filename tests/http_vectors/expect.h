// What a step expects of a response, and whether it got it (the format is that of the vectors'
// README).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "client/records.h"
#include "http/client.h"
#include "tests/http_vectors/vector_origin.h"

namespace lattice::vectors {

// A response as the expectations see it.
struct Answered {
  http::ClientResponse response;
  std::vector<client::Record> records;  // when it is an entity stream
  std::optional<Json> json;             // when it is one JSON document
};
Answered read_answer(http::ClientResponse response);

// Appends a line to `complaints` for everything in `expect` that `answer` does not satisfy, and for
// every member of `expect` that the checker does not know.
void check_expectations(const Json& expect, const Answered& answer, const VectorFolder& folder,
                        std::vector<std::string>& complaints);

// Whether `value` holds everything that `wanted` has: objects by member, the rest by equality.
bool contains(const Json& value, const Json& wanted);

}  // namespace lattice::vectors
