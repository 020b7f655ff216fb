// Runs the HTTP scenarios of a vector folder against real origins on loopback ports.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "tests/http_vectors/vector_origin.h"

namespace lattice::vectors {

// Everything that went wrong in one scenario, a line each; empty: it passed.
std::vector<std::string> run_scenario(const Json& scenario, const VectorFolder& folder);

struct Summary {
  int passed = 0, failed = 0, not_yet = 0;
};

// Runs every scenario of `folder`/http.json. `not_yet` maps names to reasons: such a case may fail,
// and one that passes is a failure when `insists`. Prints a line a failure, and at the end "http: N
// passed, N failed, N not yet". Errors: lattice:io, lattice:encoding for a folder or file that
// cannot be used.
Result<Summary> run_folder(const std::filesystem::path& folder,
                           const std::map<std::string, std::string>& not_yet, bool insists);

// The entries "http/name  reason" of a not-yet list.
Result<std::map<std::string, std::string>> read_not_yet(const std::filesystem::path& file);

}  // namespace lattice::vectors
