#include "tests/http_vectors/run.h"

#include <cstdio>
#include <thread>

#include "base/base64url.h"
#include "base/deflate.h"
#include "tests/http_vectors/expect.h"

namespace lattice::vectors {

namespace {

std::string last_segment(const std::string& text) {
  size_t slash = text.rfind('/');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

class Scenario {
 public:
  Scenario(const VectorFolder& folder, VectorOrigin& origin) : folder_(folder), origin_(origin) {}

  std::vector<std::string> run(const Json::Array& steps) {
    for (size_t i = 0; i < steps.size() && complaints_.empty(); ++i) {
      step(steps[i]);
      for (std::string& line : complaints_) {
        line = "step " + std::to_string(i + 1) + ": " + line;
      }
    }
    return std::move(complaints_);
  }

 private:
  struct Sent {
    std::string method, target, body;
    http::Headers headers;
  };

  void complain(std::string text) { complaints_.push_back(std::move(text)); }

  void step(const Json& step) {
    if (const Json* request = step.find("request")) {
      auto answer = send(prepare(*request));
      if (!answer) return complain(answer.error().message);
      finish(step, *answer);
    } else if (const Json* parallel = step.find("parallel")) {
      run_parallel(parallel->as_array());
    } else if (const Json* action = step.find("do")) {
      act(action->as_string(), step);
    } else if (const Json* loads = step.find("expectLoads")) {
      auto got = static_cast<int64_t>(origin_.store().counters().loads - loads_before_);
      if (*loads != Json(got)) complain(std::to_string(got) + " loads, wanted " + to_json(*loads));
    } else {
      complain("this runner has no step " + step.as_object().front().first);
    }
  }

  // Everything that the step says of an answer: expectations, then what is kept for later steps.
  void finish(const Json& step, const Answered& answer) {
    if (const Json* expect = step.find("expect")) {
      check_expectations(filled(*expect), answer, folder_, complaints_);
    }
    const Json* save = step.find("save");
    if (!save || !complaints_.empty()) return;
    for (const auto& [name, what] : save->as_object()) keep(name, what.as_string(), answer);
  }

  // --- Requests ---

  Sent prepare(const Json& request) {
    Sent out{
        request.find("method")->as_string(), filled(request.find("target")->as_string()), {}, {}};
    if (const Json* headers = request.find("headers")) {
      for (const auto& [name, value] : headers->as_object()) {
        out.headers.add(name, filled(value.as_string()));
      }
    }
    if (const Json* body = request.find("body")) out.body = body_of(*body);
    return out;
  }

  std::string body_of(const Json& body) {
    if (body.is_string()) return filled(body.as_string());
    const Json* fixture = body.find("$fixture");
    if (!fixture) return to_json(filled(body));
    auto text = read_text(folder_.fixtures / fixture->as_string());
    if (!text) {
      complain(text.error().message);
      return {};
    }
    if (const Json* edits = body.find("$replace")) {
      for (const Json& edit : edits->as_array()) {
        const std::string& from = edit.as_array()[0].as_string();
        size_t at = text->find(from);
        if (at == std::string::npos) complain("the fixture has nothing to replace: " + from);
        if (at != std::string::npos) text->replace(at, from.size(), edit.as_array()[1].as_string());
      }
    }
    return *text;
  }

  Result<Answered> send(const Sent& sent) const {
    LATTICE_TRY(auto url, http::parse_url("http://127.0.0.1:" + std::to_string(origin_.port())));
    LATTICE_TRY(auto client, http::Client::open(url));
    LATTICE_TRY(auto response, client->send(sent.method, sent.target, sent.headers, sent.body));
    return read_answer(std::move(response));
  }

  void run_parallel(const Json::Array& requests) {
    std::vector<Result<Answered>> answers(requests.size(), fail(Code::Io, "not sent"));
    std::vector<std::thread> threads;
    for (size_t i = 0; i < requests.size(); ++i) {
      Sent sent = prepare(*requests[i].find("request"));
      threads.emplace_back([this, sent, &answer = answers[i]] { answer = send(sent); });
    }
    for (std::thread& thread : threads) thread.join();
    for (size_t i = 0; i < requests.size(); ++i) {
      if (!answers[i]) return complain(answers[i].error().message);
      finish(requests[i], *answers[i]);
    }
  }

  // --- Actions on the test origin ---

  void act(const std::string& action, const Json& step) {
    if (action == "fail") {
      const Json* retryable = step.find("retryable");
      // An edge of several owner types is one loader ("Character via Droid|Human.friends"), so the
      // owner in the vector's "Droid.friends" is not looked at.
      const std::string& loader = step.find("loader")->as_string();
      Error down{Code::UpstreamUnavailable, "the vector makes this loader fail", {}, {}, false};
      down.retryable = retryable && retryable->as_bool();
      origin_.store().testing_fail_loads(loader.substr(loader.find('.') + 1), std::move(down));
    } else if (action == "advanceClock") {
      origin_.clock().advance(std::chrono::seconds(step.find("seconds")->as_int64()));
    } else if (action == "countLoads") {
      loads_before_ = origin_.store().counters().loads;
    } else if (action == "deflate") {
      const Json* dictionary = step.find("dictionary");
      std::string window = dictionary ? filled(dictionary->as_string()) : std::string();
      saved_[step.find("as")->as_string()] =
          base64url_encode(deflate_raw(filled(step.find("text")->as_string()), window));
    } else {
      complain("this runner cannot do `" + action + "`");
    }
  }

  // --- What later steps refer to ---

  void keep(const std::string& name, const std::string& what, const Answered& answer) {
    std::optional<std::string> value;
    if (what.starts_with("header:")) {
      value = answer.response.headers.combined(what.substr(7));
    } else if (what == "body") {
      value = answer.response.body;
    } else if (what.starts_with("json:")) {
      value = json_path(answer, what.substr(5));
    } else if (what.starts_with("entity:") && what.ends_with(":ver")) {
      std::string ref = what.substr(7, what.size() - 7 - 4);
      for (const client::Record& record : answer.records) {
        if (record.kind == "entity" && record.id == ref) value = record.version;
      }
    }
    if (!value) return complain("there is no " + what + " to save as " + name);
    saved_[name] = std::move(*value);
  }

  static std::optional<std::string> json_path(const Answered& answer, std::string path) {
    const Json* at = answer.json ? &*answer.json : nullptr;
    while (at && !path.empty()) {
      size_t dot = path.find('.');
      at = at->find(path.substr(0, dot));
      path = dot == std::string::npos ? "" : path.substr(dot + 1);
    }
    if (!at) return std::nullopt;
    return at->is_string() ? at->as_string() : to_json(*at);
  }

  // `${name}` and `${name:last-segment}` in strings, replaced.
  std::string filled(const std::string& text) {
    std::string out;
    size_t at = 0;
    while (true) {
      size_t open = text.find("${", at);
      out += text.substr(at, open - at);
      if (open == std::string::npos) return out;
      size_t close = text.find('}', open);
      std::string name = text.substr(open + 2, close - open - 2);
      size_t colon = name.find(":last-segment");
      auto saved = saved_.find(name.substr(0, colon));
      if (saved == saved_.end()) {
        complain("nothing was saved as " + name);
      } else {
        out += colon == std::string::npos ? saved->second : last_segment(saved->second);
      }
      at = close + 1;
    }
  }
  Json filled(const Json& value) {
    if (value.is_string()) return filled(value.as_string());
    if (value.is_array()) {
      Json out = Json::array();
      for (const Json& item : value.as_array()) out.push_back(filled(item));
      return out;
    }
    if (!value.is_object()) return value;
    Json out = Json::object();
    for (const auto& [key, member] : value.as_object()) out.set(key, filled(member));
    return out;
  }

  const VectorFolder& folder_;
  VectorOrigin& origin_;
  std::map<std::string, std::string> saved_;
  uint64_t loads_before_ = 0;
  std::vector<std::string> complaints_;
};

}  // namespace

std::vector<std::string> run_scenario(const Json& scenario, const VectorFolder& folder) {
  auto origin =
      VectorOrigin::start(folder, scenario.find("dataset")->as_string(), scenario.find("config"));
  if (!origin) return {"the test origin does not start: " + origin.error().message};
  return Scenario(folder, **origin).run(scenario.find("steps")->as_array());
}

Result<std::map<std::string, std::string>> read_not_yet(const std::filesystem::path& file) {
  LATTICE_TRY(std::string text, read_text(file));
  std::map<std::string, std::string> out;
  constexpr std::string_view kPrefix = "http/";
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(kPrefix)) continue;
    size_t space = std::min(line.find(' '), line.size());
    size_t reason = std::min(line.find_first_not_of(' ', space), line.size());
    if (reason == line.size()) {
      return fail(Code::Encoding, file.string() + ": no reason given: " + line);
    }
    out[line.substr(kPrefix.size(), space - kPrefix.size())] = line.substr(reason);
  }
  return out;
}

Result<Summary> run_folder(const std::filesystem::path& folder,
                           const std::map<std::string, std::string>& not_yet, bool insists) {
  LATTICE_TRY(VectorFolder opened, open_folder(folder));
  LATTICE_TRY(std::string text, read_text(folder / "http.json"));
  LATTICE_TRY(Json scenarios, parse_json(text));
  Summary summary;
  for (const Json& scenario : scenarios.as_array()) {
    const std::string& name = scenario.find("name")->as_string();
    std::vector<std::string> complaints = run_scenario(scenario, opened);
    bool is_listed = not_yet.contains(name);
    if (complaints.empty() && is_listed && insists) {
      complaints.push_back("it passes: take it off the not-yet list");
    } else if (complaints.empty()) {
      ++summary.passed;
      continue;
    } else if (is_listed) {
      ++summary.not_yet;
      continue;
    }
    ++summary.failed;
    for (const std::string& line : complaints) {
      std::printf("http/%s: %s\n", name.c_str(), line.c_str());
    }
  }
  std::printf("http: %d passed, %d failed, %d not yet\n", summary.passed, summary.failed,
              summary.not_yet);
  return summary;
}

}  // namespace lattice::vectors
