// scenario_runner [FILE...]: runs scenario scripts (all of tests/scenarios by default) against the real
// program. Environment: LATTICE (the program), LATTICE_REPOSITORY.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/runner/scenario.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  using namespace lattice::runner;
  const char* program = std::getenv("LATTICE");
  const char* repository = std::getenv("LATTICE_REPOSITORY");
  ScenarioOptions options{program ? program : LATTICE_PROGRAM,
                          repository ? repository : LATTICE_SOURCE_DIR, false};
  std::vector<std::string> files(argv + 1, argv + argc);
  if (files.empty()) {
    for (const auto& entry :
         std::filesystem::directory_iterator(options.repository + "/tests/scenarios")) {
      if (entry.path().extension() == ".lts") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
  }
  int passed = 0, failed = 0;
  for (const std::string& file : files) {
    for (const ScenarioResult& result : run_scenario(file, options)) {
      (result.passed ? passed : failed)++;
      if (!result.passed) std::printf("FAILED %s\n  %s\n", result.name.c_str(), result.failure.c_str());
    }
  }
  std::printf("scenarios: %d passed, %d failed\n", passed, failed);
  return failed > 0 || passed == 0 ? 1 : 0;
}
