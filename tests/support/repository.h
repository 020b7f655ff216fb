// Where a test program stands: the repository it was built in, and the shared folder of
// specifications and outside suites beside it, which is no part of the repository.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>

namespace lattice::testing {

// The folder that holds src/ and tests/: above the test's own executable, which is built inside it.
inline std::filesystem::path repository_folder() {
  auto folder = std::filesystem::read_symlink("/proc/self/exe");
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (std::filesystem::exists(folder / "src/layers.txt")) return folder;
  }
  throw std::runtime_error("the test is not built inside its repository");
}

// $LATTICE_SHARED, else ../shared or ../../shared seen from the repository; nullopt: none of them.
inline std::optional<std::filesystem::path> find_shared_folder() {
  if (const char* named = std::getenv("LATTICE_SHARED")) return std::filesystem::path(named);
  for (const char* place : {"../shared", "../../shared"}) {
    auto folder = (repository_folder() / place).lexically_normal();
    if (std::filesystem::is_directory(folder)) return folder;
  }
  return std::nullopt;
}

}  // namespace lattice::testing
