// http_vectors_test [DIR]: the HTTP scenarios of DIR, or of the shared conformance folder. Without
// either it says that the cases are left out.
#include <cstdio>
#include <exception>

#include "tests/http_vectors/run.h"
#include "tests/support/repository.h"

namespace {

namespace fs = std::filesystem;

int run(int argc, char** argv) {
  std::optional<fs::path> folder;
  if (argc > 1) {
    folder = argv[1];
  } else if (auto shared = lattice::testing::find_shared_folder()) {
    folder = *shared / "conformance/protocol/vectors";
  }
  if (!folder) {
    std::puts("http: left out, there is no shared folder on this machine");
    return 0;
  }
  auto not_yet = lattice::vectors::read_not_yet(lattice::testing::repository_folder() /
                                                "tests/vectors/not_yet.txt");
  if (!not_yet) {
    std::fprintf(stderr, "%s\n", not_yet.error().message.c_str());
    return 1;
  }
  auto summary = lattice::vectors::run_folder(*folder, *not_yet, /*insists=*/argc == 1);
  if (!summary) {
    std::fprintf(stderr, "%s\n", summary.error().message.c_str());
    return 1;
  }
  return summary->failed == 0 && summary->passed > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "http_vectors_test: %s\n", error.what());
    return 1;
  }
}
