// Where tests find their data: the repository, and the shared folder of specifications and outside
// suites that stands beside it and is not part of it.
//
//   auto text = testing::read_shared("conformance/protocol/vectors/hashes.json");
//   if (!text) return;  // said so already: no shared folder on this machine
//
// The folder is $LATTICE_SHARED, else ../shared or ../../shared seen from the repository. A machine
// without it leaves these cases out; a folder without the file is a failure.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/support/repository.h"

namespace lattice::testing {

// The whole file; a file that cannot be read ends the test case.
inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE_MESSAGE(file.good(), "cannot read " << path.string());
  return std::string(std::istreambuf_iterator<char>(file), {});
}

inline std::optional<std::filesystem::path> shared_folder() {
  auto folder = find_shared_folder();
  if (folder) {
    REQUIRE_MESSAGE(std::filesystem::is_directory(*folder),
                    "LATTICE_SHARED is no folder: " << folder->string());
  }
  return folder;
}

// The path of a file or folder under the shared one; nullopt, with a message, when there is no
// shared folder.
inline std::optional<std::filesystem::path> find_shared(std::string_view relative) {
  auto folder = shared_folder();
  if (!folder) {
    MESSAGE("left out: no shared folder for " << std::string(relative));
    return std::nullopt;
  }
  auto path = *folder / relative;
  REQUIRE_MESSAGE(std::filesystem::exists(path), "not in the shared folder: " << path.string());
  return path;
}

inline std::optional<std::string> read_shared(std::string_view relative) {
  auto path = find_shared(relative);
  if (!path) return std::nullopt;
  return read_file(*path);
}

}  // namespace lattice::testing
