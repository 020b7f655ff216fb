// Vector files: JSON arrays of named cases in the shared conformance folder.
//
//   TEST_CASE("canonical JSON vectors") {
//     testing::run_vectors("canonical-json.json", [](const Json& c) -> testing::Verdict {
//       auto parsed = parse_json(c.find("json")->as_string());
//       if (!parsed) return testing::failed(parsed.error().message);
//       return testing::expect_equal(canonical_json(*parsed), c.find("canonical")->as_string());
//     });
//   }
//
// A failing case that tests/vectors/not_yet.txt lists ("canonical-json/wide-integer  why") is
// counted, not failed. A listed case that passes, or that is not in the file, is a failure: take it
// off the list.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/json.h"
#include "tests/support/shared.h"

namespace lattice::testing {

struct Verdict {
  enum class Kind { Passed, Failed, NotMine } kind = Kind::Passed;
  std::string why;
};
inline Verdict passed() {
  return {};
}
inline Verdict failed(std::string why) {
  return {Verdict::Kind::Failed, std::move(why)};
}
// The case belongs to another test (a kind of hashes.json that this one does not know).
inline Verdict not_mine() {
  return {Verdict::Kind::NotMine, {}};
}
inline Verdict expect_equal(std::string_view got, std::string_view wanted) {
  if (got == wanted) return passed();
  return failed("got    " + std::string(got) + "\n  wanted " + std::string(wanted));
}

// The string member `key` of a case; a case without it is a failed check.
inline const std::string& text_of(const Json& vector, std::string_view key) {
  const Json* member = vector.find(key);
  LATTICE_CHECK(member != nullptr, key);
  return member->as_string();
}

// The names of `topic` in the not-yet list, with their reasons.
inline std::map<std::string, std::string> not_yet_list(std::string_view topic) {
  std::map<std::string, std::string> listed;
  std::string text = read_file(repository_folder() / "tests/vectors/not_yet.txt");
  std::string prefix = std::string(topic) + "/";
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(prefix)) continue;
    size_t space = line.find(' ');
    REQUIRE_MESSAGE(space != std::string::npos, "not_yet.txt: no reason given: " << line);
    size_t reason = line.find_first_not_of(' ', space);
    listed[line.substr(prefix.size(), space - prefix.size())] = line.substr(reason);
  }
  return listed;
}

inline Verdict run_guarded(const std::function<Verdict(const Json&)>& run, const Json& vector) {
  try {
    return run(vector);
  } catch (const std::exception& error) {
    return failed(std::string("threw ") + error.what());
  }
}

// `./dev vectors` looks at other folders: a file that is not there is no failure, and one line a topic
// ("@vectors topic passed failed not-yet") tells the counts.
inline bool reports_vectors() { return std::getenv("LATTICE_VECTORS_REPORT") != nullptr; }

// Runs every case of the file `name` of the protocol vectors ("hashes.json").
inline void run_vectors(std::string_view name, const std::function<Verdict(const Json&)>& run) {
  std::string place = "conformance/protocol/vectors/" + std::string(name);
  if (auto folder = shared_folder();
      reports_vectors() && folder && !std::filesystem::exists(*folder / place)) {
    return;
  }
  auto text = read_shared(place);
  if (!text) return;
  auto cases = parse_json(*text);
  REQUIRE_MESSAGE(cases.has_value(), std::string(name) << ": " << cases.error().message);
  std::string topic(name.substr(0, name.rfind(".json")));
  auto listed = not_yet_list(topic);
  int passed_count = 0;
  int not_yet_count = 0;
  int failed_count = 0;
  for (const Json& vector : cases->as_array()) {
    const std::string& title = text_of(vector, "name");
    std::string path = topic + "/" + title;
    Verdict verdict = run_guarded(run, vector);
    bool is_listed = listed.erase(title) > 0;
    if (verdict.kind == Verdict::Kind::NotMine) continue;
    bool has_passed = verdict.kind == Verdict::Kind::Passed;
    if (has_passed && is_listed && !reports_vectors())
      FAIL_CHECK(path << " passes: remove it from tests/vectors/not_yet.txt");
    if (!has_passed && !is_listed) FAIL_CHECK(path << "\n  " << verdict.why);
    failed_count += !has_passed && !is_listed;
    passed_count += has_passed;
    not_yet_count += !has_passed && is_listed;
  }
  if (reports_vectors()) {
    std::printf("@vectors %s %d %d %d\n", topic.c_str(), passed_count, failed_count, not_yet_count);
    return;
  }
  for (const auto& [title, reason] : listed) {
    FAIL_CHECK(topic << "/" << title << " is listed in not_yet.txt and not in the file");
  }
  CHECK_MESSAGE(passed_count > 0, topic << ": no case ran");
  MESSAGE(topic << ": " << passed_count << " passed, " << not_yet_count << " not yet");
}

}  // namespace lattice::testing
