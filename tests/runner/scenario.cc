#include "tests/runner/scenario.h"

#include <sqlite3.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "http/client.h"
#include "query/inline.h"
#include "tests/runner/match.h"
#include "tests/runner/process.h"

namespace lattice::runner {
namespace {

constexpr std::chrono::seconds kWait{30};
constexpr std::string_view kTestKey = "scenario-test-key";

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

Result<void> run_sql(const std::string& database, const std::string& sql) {
  sqlite3* connection = nullptr;
  int code = sqlite3_open(database.c_str(), &connection);
  if (code == SQLITE_OK) sqlite3_busy_timeout(connection, 5000);
  char* message = nullptr;
  if (code == SQLITE_OK) code = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &message);
  std::string text = message ? message : "";
  sqlite3_free(message);
  sqlite3_close(connection);
  if (code != SQLITE_OK) return fail(Code::Io, "sql failed: " + text);
  return {};
}

struct Origin {
  ServerProcess process;
  std::string database;  // SQLite file, "" for memory
  std::string schema_file;
  std::unique_ptr<http::Client> client;
};

struct PendingRequest {
  std::string origin, method, target;
  http::Headers headers;
  std::string body;
  bool is_sent = true;
};

// One run of one script on one backend. Any step that fails throws its sentence.
class Run {
 public:
  Run(std::string path, std::string backend, const ScenarioOptions& options)
      : folder_(std::filesystem::path(path).parent_path().string()),
        backend_(std::move(backend)),
        options_(options) {
    std::ofstream(temporary_.path() + "/test.key", std::ios::binary) << kTestKey;
    names_["dir"] = folder_;
    names_["tmp"] = temporary_.path();
    names_["root"] = options.repository;
    names_["key"] = temporary_.path() + "/test.key";
  }

  void step(std::string_view line) {
    if (line.starts_with("> ") || line == ">") return request_line(line.substr(1));
    if (line.starts_with("< ")) return response_line(trim(line.substr(2)));
    if (line.starts_with("= ") || line == "=" || line.starts_with("! ") ||
        line.starts_with("exit ")) {
      return command_line(line);
    }
    finish_expectations();
    if (line.starts_with("origin ")) return start_origin(substitute(line.substr(7), names_));
    if (line.starts_with("query ")) return define_query(line.substr(6));
    if (line.starts_with("mint ")) return mint(substitute(line.substr(5), names_));
    if (line.starts_with("let ")) return define_name(line.substr(4));
    if (line.starts_with("sql ")) return sql(line.substr(4));
    if (line.starts_with("stop ")) return stop(line.substr(5));
    if (line.starts_with("$ ")) return command(substitute(line.substr(2), names_));
    if (line == "again") {
      request_.is_sent = false;
      return;
    }
    throw std::runtime_error("no such statement: " + std::string(line));
  }

  // Checks what needs the whole of a response or of a command's output.
  void finish_expectations() {
    send_pending();
    if (has_response_) check_records();
    has_response_ = false;
    if (has_output_) check_output();
    has_output_ = false;
  }

 private:
  // --- origins ---

  static std::map<std::string, std::string> options_of(std::string_view text) {
    std::map<std::string, std::string> out;
    size_t at = 0;
    while (at < text.size()) {
      size_t equal = text.find('=', at);
      if (equal == std::string_view::npos) break;
      size_t end = equal + 1 < text.size() && text[equal + 1] == '"' ? text.find('"', equal + 2)
                                                                     : text.find(' ', equal);
      if (end == std::string_view::npos) end = text.size();
      bool quoted = text[equal + 1] == '"';
      std::string_view value = text.substr(equal + 1 + quoted, end - equal - 1 - quoted);
      out[std::string(trim(text.substr(at, equal - at)))] = value;
      at = end + 1;
    }
    return out;
  }

  std::string find_file(const std::string& name) {
    for (const std::string& base : {folder_, options_.repository}) {
      std::string path = base + "/" + name;
      if (std::filesystem::exists(path)) return path;
    }
    throw std::runtime_error("no file " + name + " beside the script or in the repository");
  }

  void start_origin(std::string text) {
    size_t space = std::min(text.find(' '), text.size());
    std::string name = text.substr(0, space);
    auto settings = options_of(std::string_view(text).substr(std::min(space + 1, text.size())));
    Origin origin;
    origin.schema_file = find_file(settings["schema"]);
    std::string store = settings["store"] == "{each}" ? backend_ : settings["store"];
    std::string url = store;
    if (store == "sqlite") {
      origin.database = temporary_.path() + "/" + name + ".db";
      if (!settings["data"].empty()) {
        auto script = read_text(find_file(settings["data"] + ".sql"));
        auto loaded = run_sql(origin.database, *script);
        if (!loaded) throw std::runtime_error(loaded.error().message);
      }
      url = "sqlite:" + origin.database;
    } else if (store == "memory") {
      url = "memory:";
      if (!settings["data"].empty()) url += find_file(settings["data"] + ".json");
    }
    std::vector<std::string> arguments = {options_.lattice, "origin",  "--schema",
                                          origin.schema_file, "--store", url,
                                          "--listen",      "127.0.0.1:0"};
    if (!settings["config"].empty()) {
      arguments.insert(arguments.end(), {"--config", find_file(settings["config"])});
    }
    std::stringstream flags(settings["flags"]);
    for (std::string flag; flags >> flag;) arguments.push_back(flag);
    auto process = ServerProcess::start(arguments, temporary_.path() + "/" + name + ".log", kWait);
    if (!process) throw std::runtime_error("origin " + name + ": " + process.error().message);
    origin.process = std::move(*process);
    names_[name] = "http://127.0.0.1:" + std::to_string(origin.process.port());
    auto url_parts = http::parse_url(names_[name]);
    auto client = http::Client::open(*url_parts);
    if (!client) throw std::runtime_error(client.error().message);
    origin.client = std::move(*client);
    if (default_schema_.empty()) default_schema_ = origin.schema_file;
    origins_[name] = std::move(origin);
  }

  void stop(std::string_view text) {
    size_t space = std::min(text.find(' '), text.size());
    std::string name(text.substr(0, space));
    auto found = origins_.find(name);
    if (found == origins_.end()) throw std::runtime_error("no origin " + name);
    int wanted = 0;
    if (size_t at = text.find("exit "); at != std::string_view::npos) {
      wanted = std::atoi(std::string(text.substr(at + 5)).c_str());
    }
    int code = found->second.process.stop(SIGTERM, kWait);
    origins_.erase(found);
    if (code != wanted) {
      throw std::runtime_error(name + " ended with " + std::to_string(code) + " in place of " +
                               std::to_string(wanted));
    }
  }

  void sql(std::string_view text) {
    size_t colon = text.find(':');
    if (colon == std::string_view::npos) throw std::runtime_error("sql NAME: STATEMENT");
    std::string name(trim(text.substr(0, colon)));
    auto found = origins_.find(name);
    if (found == origins_.end()) throw std::runtime_error("no origin " + name);
    auto done = run_sql(found->second.database, std::string(text.substr(colon + 1)));
    if (!done) throw std::runtime_error(done.error().message);
  }

  // --- names ---

  void define_name(std::string_view text) {
    size_t equal = text.find('=');
    if (equal == std::string_view::npos) throw std::runtime_error("let NAME = TEXT");
    names_[std::string(trim(text.substr(0, equal)))] =
        substitute(trim(text.substr(equal + 1)), names_);
  }

  std::string lattice_output(std::vector<std::string> arguments, std::string_view input = {}) {
    arguments.insert(arguments.begin(), options_.lattice);
    auto output = run_command(arguments, input, folder_, kWait);
    if (!output) throw std::runtime_error(output.error().message);
    if (output->exit_code != 0) {
      throw std::runtime_error("lattice " + arguments[1] + " failed: " + output->err + output->out);
    }
    return output->out;
  }

  void define_query(std::string_view text) {
    size_t equal = text.find('=');
    if (equal == std::string_view::npos) throw std::runtime_error("query NAME = TEXT");
    std::string name(trim(text.substr(0, equal)));
    std::string query(trim(text.substr(equal + 1)));
    std::string out =
        lattice_output({"plan", query, "--schema", default_schema_, "--json"});
    auto plan = parse_json(trim(std::string_view(out).substr(0, out.find('\n'))));
    std::string canonical = lattice_output({"canon", query, "--schema", default_schema_});
    if (!canonical.empty() && canonical.back() == '\n') canonical.pop_back();
    names_["hash:" + name] = plan->find("query")->as_string();
    names_["plan:" + name] = plan->find("plan")->as_string();
    names_["text:" + name] = canonical;
    names_["inline:" + name] = query::encode_inline(canonical, {});
  }

  void mint(std::string text) {
    std::string ttl = "600";
    if (size_t at = text.find(" ttl="); at != std::string::npos) {
      ttl = text.substr(at + 5);
      text.resize(at);
    }
    std::string out = lattice_output(
        {"mint", "--claims", text, "--key", names_["key"], "--ttl", ttl, "--json"});
    auto minted = parse_json(trim(std::string_view(out).substr(0, out.find('\n'))));
    names_["vc"] = minted->find("vc")->as_string();
    names_["proof"] = minted->find("proof")->as_string();
  }

  // --- requests ---

  void request_line(std::string_view rest) {
    if (request_.is_sent) {
      finish_expectations();
      std::string line = substitute(trim(rest), names_);
      size_t space = line.find(' ');
      size_t slash = line.find('/', space);
      if (space == std::string::npos || slash == std::string::npos) {
        throw std::runtime_error("> METHOD NAME/target");
      }
      request_ = {};
      request_.method = line.substr(0, space);
      request_.origin = line.substr(space + 1, slash - space - 1);
      request_.target = line.substr(slash);
      request_.is_sent = false;
      in_body_ = false;
      return;
    }
    if (!in_body_ && trim(rest).empty()) {
      in_body_ = true;
      return;
    }
    std::string line = substitute(rest.starts_with(' ') ? rest.substr(1) : rest, names_);
    if (in_body_) {
      request_.body += line;
      return;
    }
    size_t colon = line.find(':');
    if (colon == std::string::npos) throw std::runtime_error("> Header: value");
    request_.headers.add(trim(std::string_view(line).substr(0, colon)),
                         trim(std::string_view(line).substr(colon + 1)));
  }

  void send_pending() {
    if (request_.is_sent) return;
    request_.is_sent = true;
    std::string name = request_.origin;
    auto found = origins_.find(name);
    if (found == origins_.end()) throw std::runtime_error("no origin " + name);
    auto response = found->second.client->send(request_.method, request_.target, request_.headers,
                                               request_.body);
    if (!response) throw std::runtime_error(response.error().message);
    response_ = std::move(*response);
    has_response_ = true;
    wanted_records_.clear();
    allows_more_records_ = false;
    wanted_text_.reset();
  }

  void response_line(std::string_view line) {
    send_pending();
    if (!has_response_) throw std::runtime_error("no response to look at");
    if (line == "..") {
      allows_more_records_ = true;
    } else if (line.starts_with('{')) {
      wanted_records_.emplace_back(line);
    } else if (line.starts_with("| ") || line == "|") {
      if (!wanted_text_) wanted_text_.emplace();
      *wanted_text_ += std::string(line == "|" ? "" : line.substr(2)) + "\n";
    } else if (line.starts_with('!')) {
      if (auto value = response_.headers.combined(line.substr(1))) {
        throw std::runtime_error("there is a " + std::string(line.substr(1)) + ": " + *value);
      }
    } else if (line.find(':') == std::string_view::npos) {
      if (std::to_string(response_.status) != line) {
        throw std::runtime_error("status " + std::to_string(response_.status) + " in place of " +
                                 std::string(line) + "\n" + response_.body.substr(0, 2000));
      }
    } else {
      check_header(line);
    }
  }

  void check_header(std::string_view line) {
    size_t colon = line.find(':');
    std::string_view name = trim(line.substr(0, colon));
    std::string_view pattern = trim(line.substr(colon + 1));
    auto value = response_.headers.combined(name);
    if (!value) value = response_.trailers.combined(name);
    if (!value) throw std::runtime_error("there is no " + std::string(name));
    if (!match_text(pattern, *value, names_)) {
      throw std::runtime_error(std::string(name) + ": " + *value + "\n  in place of: " +
                               substitute(pattern, names_));
    }
  }

  std::vector<Json> body_records() {
    std::vector<Json> records;
    auto whole = parse_json(trim(response_.body));
    if (whole && !response_.body.empty()) return {std::move(*whole)};
    std::stringstream lines(response_.body);
    for (std::string line; std::getline(lines, line);) {
      auto record = parse_json(line);
      if (!record) throw std::runtime_error("a body line is no JSON: " + line);
      records.push_back(std::move(*record));
    }
    return records;
  }

  void check_records() {
    if (wanted_text_ && response_.body != *wanted_text_ &&
        response_.body + "\n" != *wanted_text_) {
      throw std::runtime_error("body\n" + response_.body + "\n  in place of\n" + *wanted_text_);
    }
    if (wanted_records_.empty()) return;
    std::vector<Json> records = body_records();
    std::vector<bool> used(records.size(), false);
    for (const std::string& wanted : wanted_records_) {
      auto pattern = parse_pattern(wanted);
      if (!pattern) throw std::runtime_error("not a pattern: " + wanted);
      size_t i = 0;
      while (i < records.size() && (used[i] || !match_json(*pattern, records[i], names_))) ++i;
      if (i == records.size()) {
        throw std::runtime_error("no record like " + substitute(wanted, names_) + "\n  in\n" +
                                 response_.body);
      }
      used[i] = true;
    }
    for (size_t i = 0; i < records.size() && !allows_more_records_; ++i) {
      if (!used[i]) throw std::runtime_error("one more record: " + to_json(records[i]));
    }
  }

  // --- commands ---

  // Splits like a shell does: spaces, and single or double quotes around a word.
  static std::vector<std::string> split_words(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool open = false;
    char quote = 0;
    for (char c : text) {
      if (quote) {
        if (c == quote) quote = 0;
        else word += c;
      } else if (c == '\'' || c == '"') {
        quote = c;
        open = true;
      } else if (c == ' ') {
        if (open) words.push_back(std::exchange(word, {}));
        open = false;
      } else {
        word += c;
        open = true;
      }
    }
    if (open) words.push_back(word);
    return words;
  }

  void command(const std::string& text) {
    std::vector<std::string> arguments = split_words(text);
    arguments.insert(arguments.begin(), options_.lattice);
    auto output = run_command(arguments, {}, folder_, kWait);
    if (!output) throw std::runtime_error(output.error().message);
    output_ = std::move(*output);
    has_output_ = true;
    wanted_exit_ = 0;
    wanted_out_.clear();
    wanted_err_.clear();
  }

  void command_line(std::string_view line) {
    if (!has_output_) throw std::runtime_error("no command to look at");
    if (line.starts_with("exit ")) {
      wanted_exit_ = std::atoi(std::string(line.substr(5)).c_str());
    } else {
      (line.front() == '=' ? wanted_out_ : wanted_err_)
          .emplace_back(line.size() > 2 ? line.substr(2) : "");
    }
  }

  // Each wanted line must be there, in order; others may stand between when `..` was given.
  void check_lines(const std::vector<std::string>& wanted, const std::string& text,
                   std::string_view what) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    size_t at = 0;
    bool may_skip = false;
    for (const std::string& pattern : wanted) {
      if (pattern == "..") {
        may_skip = true;
        continue;
      }
      auto fits = [&](const std::string& line) {
        auto json = pattern.starts_with('{') ? parse_pattern(pattern) : fail(Code::Io, "");
        auto value = json ? parse_json(line) : fail(Code::Io, "");
        if (json && value) return match_json(*json, *value, names_);
        return match_text(substitute(pattern, names_), line, names_);
      };
      while (may_skip && at < lines.size() && !fits(lines[at])) ++at;
      if (at >= lines.size() || !fits(lines[at])) {
        throw std::runtime_error("no " + std::string(what) + " line like\n  " +
                                 substitute(pattern, names_) + "\nin\n" + text);
      }
      may_skip = false;
      ++at;
    }
    if (!wanted.empty() && !may_skip && at < lines.size()) {
      throw std::runtime_error("one more " + std::string(what) + " line: " + lines[at]);
    }
  }

  void check_output() {
    if (output_.exit_code != wanted_exit_) {
      throw std::runtime_error("exit code " + std::to_string(output_.exit_code) + " in place of " +
                               std::to_string(wanted_exit_) + "\n" + output_.out + output_.err);
    }
    check_lines(wanted_out_, output_.out, "output");
    check_lines(wanted_err_, output_.err, "error output");
  }

  std::string folder_, backend_;
  const ScenarioOptions& options_;
  TemporaryFolder temporary_;
  Names names_;
  std::map<std::string, Origin> origins_;
  std::string default_schema_;
  PendingRequest request_;
  bool in_body_ = false;
  http::ClientResponse response_;
  bool has_response_ = false;
  std::vector<std::string> wanted_records_;
  bool allows_more_records_ = false;
  std::optional<std::string> wanted_text_;
  Output output_;
  bool has_output_ = false;
  int wanted_exit_ = 0;
  std::vector<std::string> wanted_out_, wanted_err_;
};

ScenarioResult run_on(const std::string& path, const std::string& text, const std::string& backend,
                      const ScenarioOptions& options) {
  ScenarioResult result;
  result.name = std::filesystem::path(path).stem().string();
  if (!backend.empty()) result.name += " (" + backend + ")";
  int number = 0;
  try {
    Run run(path, backend, options);
    std::stringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      ++number;
      std::string_view statement = trim(line);
      if (statement.empty() || statement.starts_with('#') || statement.starts_with("proves:")) {
        continue;
      }
      run.step(statement);
    }
    run.finish_expectations();
    result.passed = true;
  } catch (const std::exception& failure) {
    result.failure = path + ":" + std::to_string(number) + ": " + failure.what();
  }
  return result;
}

}  // namespace

std::vector<ScenarioResult> run_scenario(const std::string& path, const ScenarioOptions& options) {
  auto text = read_text(path);
  if (!text) return {{path, false, "cannot read " + path}};
  if (!text->starts_with("proves: ") || text->find(" spec: ") > text->find('\n')) {
    return {{path, false, path + ":1: the first line must be `proves: ...  spec: ...`"}};
  }
  std::vector<ScenarioResult> results;
  bool each = text->find("{each}") != std::string::npos;
  for (const char* backend : {"sqlite", "memory"}) {
    if (!each && !results.empty()) break;
    results.push_back(run_on(path, *text, each ? backend : "", options));
  }
  return results;
}

}  // namespace lattice::runner
