#include "tests/http_vectors/expect.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "client/snapshot.h"

namespace lattice::vectors {

using client::Record;

namespace {

// The tokens of a list-valued header, however it is separated.
std::set<std::string, std::less<>> tokens_of(std::string_view value) {
  std::set<std::string, std::less<>> out;
  std::string token;
  for (char c : value) {
    if (c == ' ' || c == ',') {
      if (!token.empty()) out.insert(std::exchange(token, {}));
    } else {
      token += c;
    }
  }
  if (!token.empty()) out.insert(token);
  return out;
}

class Checker {
 public:
  Checker(const Answered& answer, const VectorFolder& folder, std::vector<std::string>& complaints)
      : answer_(answer), folder_(folder), complaints_(complaints) {}

  void check(const std::string& name, const Json& wanted) {
    using Check = void (Checker::*)(const Json&);
    static const std::map<std::string, Check, std::less<>> kChecks = {
        {"status", &Checker::status},
        {"problem", &Checker::problem},
        {"headers", &Checker::headers},
        {"kinds", &Checker::kinds},
        {"manifest", &Checker::manifest},
        {"manifestSlices", &Checker::manifest_slices},
        {"root", &Checker::root},
        {"entities", &Checker::entities},
        {"exactEntities", &Checker::exact_entities},
        {"exactFields", &Checker::exact_fields},
        {"absentFields", &Checker::absent_fields},
        {"notEntities", &Checker::not_entities},
        {"unchanged", &Checker::unchanged},
        {"tombstones", &Checker::tombstones},
        {"elided", &Checker::elided},
        {"items", &Checker::items},
        {"errors", &Checker::errors},
        {"errorCount", &Checker::error_count},
        {"invalidated", &Checker::invalidated},
        {"notInvalidated", &Checker::not_invalidated},
        {"end", &Checker::end},
        {"endEtagIsHeaderEtag", &Checker::end_etag},
        {"endHasNoEtag", &Checker::end_without_etag},
        {"json", &Checker::json},
        {"jsonChange", &Checker::json_change},
        {"corpus", &Checker::corpus},
        {"plan", &Checker::plan},
        {"text", &Checker::text},
        {"textIsFixture", &Checker::text_is_fixture},
        {"bodyContains", &Checker::body_contains},
        {"emptyBody", &Checker::empty_body},
        {"same", &Checker::same},
        {"differs", &Checker::differs},
        {"tokenAtLeast", &Checker::token_at_least},
        {"floorAtLeast", &Checker::floor_at_least},
        {"floorAtMostToken", &Checker::floor_at_most_token},
        {"degraded", &Checker::degraded},
    };
    auto at = kChecks.find(name);
    if (at == kChecks.end()) return complain("this runner cannot check `" + name + "`");
    (this->*at->second)(wanted);
  }

 private:
  void complain(std::string text) { complaints_.push_back(std::move(text)); }
  void want(bool holds, const std::string& what) {
    if (!holds) complain(what);
  }
  std::optional<std::string> header(std::string_view name) const {
    return answer_.response.headers.combined(name);
  }
  std::vector<const Record*> of_kind(std::string_view kind) const {
    std::vector<const Record*> out;
    for (const Record& record : answer_.records) {
      if (record.kind == kind) out.push_back(&record);
    }
    return out;
  }
  std::set<std::string, std::less<>> ids(std::string_view kind) const {
    std::set<std::string, std::less<>> out;
    for (const Record* record : of_kind(kind)) out.insert(record->id);
    return out;
  }
  // Fields that all records of one entity carry together (a page has several sections).
  std::optional<Json> fields_of(std::string_view ref) const {
    std::optional<Json> out;
    for (const Record* record : of_kind("entity")) {
      if (record->id != ref) continue;
      if (!out) out = Json::object();
      for (const auto& [key, value] : record->fields()->as_object()) out->set(key, value);
    }
    return out;
  }

  // --- The head ---

  void status(const Json& wanted) {
    int got = answer_.response.status;
    auto complaint = "status " + std::to_string(got) + ", wanted " + to_json(wanted);
    if (wanted.is_array()) {
      for (const Json& one : wanted.as_array()) {
        if (one.as_int64() == got) return;
      }
      return complain(complaint);
    }
    if (wanted.is_object()) {
      const Json* min = wanted.find("min");
      const Json* max = wanted.find("max");
      want((!min || min->as_int64() <= got) && (!max || got <= max->as_int64()), complaint);
      return;
    }
    want(wanted.as_int64() == got, complaint);
  }

  void problem(const Json& wanted) {
    const Json* type = answer_.json ? answer_.json->find("type") : nullptr;
    want(type && *type == wanted,
         "problem " + (type ? to_json(*type) : "none") + ", wanted " + to_json(wanted));
  }

  void headers(const Json& wanted) {
    for (const auto& [name, value] : wanted.as_object()) one_header(name, value);
  }
  void one_header(const std::string& name, const Json& wanted) {
    auto got = header(name);
    // §9.4.6: a streaming origin knows the outcome at the end only.
    if (!got && name == "Lattice-Outcome") got = answer_.response.trailers.combined(name);
    std::string shown = name + ": " + got.value_or("(absent)") + ", wanted " + to_json(wanted);
    if (wanted.is_null()) return want(!got, shown);
    if (wanted.is_string()) return want(got == wanted.as_string(), shown);
    const Json* optional = wanted.find("optional");
    if (!got && optional && *optional == Json(true)) return;
    if (!got) return complain(shown);
    for (const auto& [how, what] : wanted.as_object()) {
      if (how == "re") {
        want(RE2::PartialMatch(*got, what.as_string()), shown);
      } else if (how == "has") {
        want(got->find(what.as_string()) != std::string::npos, shown);
      } else if (how == "tokens") {
        auto tokens = tokens_of(*got);
        for (const Json& token : what.as_array()) {
          want(tokens.contains(token.as_string()), shown + " (lacks " + token.as_string() + ")");
        }
      } else if (how != "optional") {
        complain("this runner cannot check a header by `" + how + "`");
      }
    }
  }

  // --- The records ---

  void kinds(const Json& wanted) {
    std::map<std::string, int64_t> counts;
    for (const Record& record : answer_.records) ++counts[record.kind];
    for (const auto& [kind, count] : wanted.as_object()) {
      int64_t got = counts.contains(kind) ? counts[kind] : 0;
      counts.erase(kind);
      if (count.is_string() && count.as_string() == "any") continue;
      want(count == Json(got),
           std::to_string(got) + " records of kind " + kind + ", wanted " + to_json(count));
    }
    for (const auto& [kind, count] : counts) complain("unexpected records of kind " + kind);
  }

  void manifest(const Json& wanted) {
    auto all = of_kind("manifest");
    if (all.empty()) return complain("no manifest");
    want(contains(all.front()->json, wanted),
         "manifest " + to_json(all.front()->json) + ", wanted " + to_json(wanted));
  }
  void manifest_slices(const Json& wanted) {
    Json got = Json::array();
    for (const Record* record : of_kind("manifest")) got.push_back(*record->json.find("slice"));
    want(got == wanted, "manifest slices " + to_json(got) + ", wanted " + to_json(wanted));
  }
  void root(const Json& wanted) {
    auto all = of_kind("manifest");
    if (all.empty()) return complain("no manifest");
    const Json& got = *all.front()->root();
    want(contains(got, wanted) && contains(wanted, got),
         "root " + to_json(got) + ", wanted " + to_json(wanted));
  }

  void entities(const Json& wanted) {
    for (const auto& [ref, fields] : wanted.as_object()) {
      auto got = fields_of(ref);
      if (!got) {
        complain("no entity record of " + ref);
        continue;
      }
      want(contains(*got, fields), ref + " " + to_json(*got) + ", wanted " + to_json(fields));
    }
  }
  void exact_fields(const Json& wanted) {
    for (const auto& [ref, fields] : wanted.as_object()) {
      auto got = fields_of(ref);
      want(got && contains(*got, fields) && got->as_object().size() == fields.as_object().size(),
           ref + " " + (got ? to_json(*got) : "(absent)") + ", wanted exactly " + to_json(fields));
    }
  }
  void absent_fields(const Json& wanted) {
    for (const auto& [ref, names] : wanted.as_object()) {
      auto got = fields_of(ref);
      for (const Json& name : names.as_array()) {
        want(!got || !got->find(name.as_string()), ref + " shows `" + name.as_string() + "`");
      }
    }
  }
  void exact_entities(const Json& wanted) {
    auto got = ids("entity");
    std::set<std::string, std::less<>> expected;
    for (const Json& ref : wanted.as_array()) expected.insert(ref.as_string());
    if (got == expected) return;
    std::string shown;
    for (const std::string& ref : got) shown += " " + ref;
    complain("entities are" + shown + ", wanted exactly " + to_json(wanted));
  }
  void not_entities(const Json& wanted) {
    auto got = ids("entity");
    for (const Json& ref : wanted.as_array()) {
      want(!got.contains(ref.as_string()), ref.as_string() + " is in the answer");
    }
  }
  // The refs must be there; an empty list means none at all.
  void refs_of_kind(std::string_view kind, const Json& wanted) {
    auto got = ids(kind);
    if (wanted.as_array().empty()) {
      return want(got.empty(), "there are records of kind " + std::string(kind));
    }
    for (const Json& ref : wanted.as_array()) {
      want(got.contains(ref.as_string()),
           "no record of kind " + std::string(kind) + " for " + ref.as_string());
    }
  }
  void unchanged(const Json& wanted) { refs_of_kind("unchanged", wanted); }
  void tombstones(const Json& wanted) { refs_of_kind("tombstone", wanted); }
  void elided(const Json& wanted) { refs_of_kind("elided", wanted); }

  void items(const Json& wanted) {
    for (const auto& [ref, item] : wanted.as_object()) {
      bool is_found =
          std::any_of(answer_.records.begin(), answer_.records.end(), [&](const Record& record) {
            const Json* got = record.json.find("item");
            return record.id == ref && got && *got == item;
          });
      want(is_found, "no record of " + ref + " for the item " + to_json(item));
    }
  }
  void errors(const Json& wanted) {
    for (const Json& error : wanted.as_array()) {
      auto all = of_kind("error");
      bool is_found = std::any_of(all.begin(), all.end(), [&](const Record* record) {
        return contains(record->json, error);
      });
      want(is_found, "no error record " + to_json(error));
    }
  }
  void error_count(const Json& wanted) {
    auto count = static_cast<int64_t>(of_kind("error").size());
    want(wanted == Json(count),
         std::to_string(count) + " error records, wanted " + to_json(wanted));
  }

  std::set<std::string, std::less<>> invalidated_keys() const {
    std::set<std::string, std::less<>> out;
    for (const Record* record : of_kind("invalidated")) {
      for (const Json& key : record->json.find("keys")->as_array()) out.insert(key.as_string());
    }
    return out;
  }
  void invalidated(const Json& wanted) {
    auto got = invalidated_keys();
    for (const Json& key : wanted.as_array()) {
      want(got.contains(key.as_string()), key.as_string() + " is not invalidated");
    }
  }
  void not_invalidated(const Json& wanted) {
    auto got = invalidated_keys();
    for (const Json& key : wanted.as_array()) {
      want(!got.contains(key.as_string()), key.as_string() + " is invalidated");
    }
  }

  void end(const Json& wanted) {
    auto all = of_kind("end");
    want(!all.empty() && contains(all.back()->json, wanted),
         "end record is not " + to_json(wanted));
  }
  void end_etag(const Json&) {
    auto all = of_kind("end");
    auto got = header("ETag");
    want(!all.empty() && got == "W/\"" + all.back()->etag + "\"",
         "ETag " + got.value_or("(absent)") + " is not that of the end record");
    auto manifests = of_kind("manifest");
    bool agrees = manifests.empty() || manifests.front()->etag.empty() ||
                  (!all.empty() && manifests.front()->etag == all.back()->etag);
    want(agrees, "manifest and end record differ in etag");
  }
  void end_without_etag(const Json&) {
    auto all = of_kind("end");
    want(!all.empty() && !all.back()->json.find("etag"), "the end record has an etag");
  }

  // --- Documents ---

  void json(const Json& wanted) {
    want(answer_.json && contains(*answer_.json, wanted), "the document lacks " + to_json(wanted));
  }
  void json_change(const Json& wanted) {
    const Json* changes = answer_.json ? answer_.json->find("changes") : nullptr;
    bool is_found = changes && std::any_of(changes->as_array().begin(), changes->as_array().end(),
                                           [&](const Json& one) { return contains(one, wanted); });
    want(is_found, "no change " + to_json(wanted));
  }
  void corpus(const Json& wanted) {
    const Json* entries = answer_.json ? answer_.json->find("corpus") : nullptr;
    if (!entries) return complain("no corpus");
    for (const Json& entry : entries->as_array()) {
      if (*entry.find("text") != *wanted.find("text")) continue;
      want(entry.find("hits")->as_int64() >= wanted.find("hitsAtLeast")->as_int64(),
           "too few hits");
      const Json::Array& clients = entry.find("clients")->as_array();
      for (const Json& name : wanted.find("clients")->as_array()) {
        want(std::find(clients.begin(), clients.end(), name) != clients.end(),
             "the corpus lacks the client " + to_json(name));
      }
      return;
    }
    complain("the corpus lacks " + to_json(*wanted.find("text")));
  }
  void plan(const Json& wanted) {
    auto all = of_kind("plan");
    want(!all.empty() && contains(all.front()->json, wanted),
         "plan record " + (all.empty() ? "(absent)" : to_json(all.front()->json)) + ", wanted " +
             to_json(wanted));
  }
  void text(const Json& wanted) {
    want(answer_.response.body == wanted.as_string(), "body `" + answer_.response.body + "`");
  }
  void text_is_fixture(const Json& wanted) {
    auto fixture = read_text(folder_.fixtures / wanted.as_string());
    want(fixture && answer_.response.body == *fixture, "the body is not " + wanted.as_string());
  }
  void body_contains(const Json& wanted) {
    want(answer_.response.body.find(wanted.as_string()) != std::string::npos,
         "the body lacks `" + wanted.as_string() + "`");
  }
  void empty_body(const Json&) { want(answer_.response.body.empty(), "the body is not empty"); }

  // --- Comparison with what was saved ---

  std::string saved_form(std::string_view what) const {
    if (what.starts_with("header:")) return header(what.substr(7)).value_or("(absent)");
    return answer_.response.body;
  }
  void same(const Json& wanted) {
    for (const auto& [what, value] : wanted.as_object()) {
      want(saved_form(what) == value.as_string(), what + " is not the same: " + saved_form(what));
    }
  }
  void differs(const Json& wanted) {
    for (const auto& [what, value] : wanted.as_object()) {
      want(saved_form(what) != value.as_string(), what + " has not changed");
    }
  }
  // Every domain of `least` stands at or above it in `header`.
  bool is_at_least(std::string_view name, std::string_view least) const {
    auto got = client::parse_snapshot(header(name).value_or(""));
    auto bound = client::parse_snapshot(least);
    if (!got || !bound) return false;
    return std::all_of(bound->begin(), bound->end(), [&](const auto& member) {
      auto at = got->find(member.first);
      return at != got->end() && client::compare_tokens(at->second, member.second) >= 0;
    });
  }
  void token_at_least(const Json& wanted) {
    want(is_at_least("Lattice-Snapshot", wanted.as_string()), "the token is too low");
  }
  void floor_at_least(const Json& wanted) {
    want(is_at_least("Lattice-Snapshot-Floor", wanted.as_string()), "the floor is too low");
  }
  void floor_at_most_token(const Json&) {
    want(is_at_least("Lattice-Snapshot", header("Lattice-Snapshot-Floor").value_or("(absent)")),
         "the floor is above the token");
  }

  // Known before the headers: 207 that nobody stores. (Discovered later, it would be a trailer;
  // this origin has the whole answer before its headers.)
  void degraded(const Json&) {
    want(answer_.response.status == 207,
         "status " + std::to_string(answer_.response.status) + " of a degraded answer");
    want(header("Cache-Control") == "no-store", "a degraded answer may be stored");
    want(header("Lattice-Outcome") == "degraded", "Lattice-Outcome does not say degraded");
  }

  const Answered& answer_;
  const VectorFolder& folder_;
  std::vector<std::string>& complaints_;
};

}  // namespace

Answered read_answer(http::ClientResponse response) {
  Answered out;
  out.response = std::move(response);
  std::string_view type = out.response.headers.find("Content-Type").value_or("");
  if (type.starts_with("application/x-ndjson")) {
    if (auto records = client::parse_stream(out.response.body)) out.records = std::move(*records);
  } else if (type.find("json") != std::string_view::npos) {
    if (auto json = parse_json(out.response.body)) out.json = std::move(*json);
  }
  return out;
}

bool contains(const Json& value, const Json& wanted) {
  if (wanted.is_object() && value.is_object()) {
    return std::all_of(wanted.as_object().begin(), wanted.as_object().end(),
                       [&](const Json::Member& member) {
                         const Json* got = value.find(member.first);
                         return got && contains(*got, member.second);
                       });
  }
  if (wanted.is_array() && value.is_array()) {
    const Json::Array &left = value.as_array(), &right = wanted.as_array();
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), contains);
  }
  if (wanted.is_number() && value.is_number()) return wanted.as_double() == value.as_double();
  return value == wanted;
}

void check_expectations(const Json& expect, const Answered& answer, const VectorFolder& folder,
                        std::vector<std::string>& complaints) {
  Checker checker(answer, folder, complaints);
  for (const auto& [name, wanted] : expect.as_object()) checker.check(name, wanted);
}

}  // namespace lattice::vectors
