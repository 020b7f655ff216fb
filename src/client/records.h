// Wire records: one NDJSON line, read (spec §9).
//
//   {"kind":"entity","id":"Post:17","ver":"e41","fields":{"title":"Hello"}}
//     ──parse_record──▶ kind "entity", id "Post:17", version "e41", json = the whole object
//
// Unknown kinds and unknown error scopes are kept as they are, never an error. Values; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace lattice::client {

// "Ledger:o1,7" → ("Ledger", "o1,7"): split at the first colon, both halves nonempty.
std::optional<std::pair<std::string_view, std::string_view>> split_ref(std::string_view ref);

// What an error record is about (§9.4.1). `tag` is "Entity", "Field", "Edge", "Root", "Item", a
// name that we do not know, or empty: unscoped.
struct Scope {
  std::string tag;
  std::string entity, field, root, item;
};

struct Record {
  std::string kind;
  std::string id;              // a ref: entity, patch, tombstone, elided, unchanged
  std::string version;         // "ver"
  std::string etag;            // manifest, end
  std::optional<Scope> scope;  // error
  Json json;                   // the whole object

  const Json* fields() const { return json.find("fields"); }
  const Json* root() const { return json.find("root"); }  // manifest
  // end: whether the origin attempted everything (§9.4.4).
  bool is_complete() const;
  bool is_retryable() const;  // error
};

inline constexpr size_t kRecordBytesMax = 16 << 20;

// Errors: lattice:encoding when the line is no JSON object with a string `kind`, or when a kind
// that we know lacks what it must have (an entity without a ref).
Result<Record> parse_record(std::string_view line);

// Every record of a body; blank lines are skipped. Errors: as parse_record, naming the line.
Result<std::vector<Record>> parse_stream(std::string_view body);

// The ref that an edge value names: a bare ref string or {"$ref": ..}; nullopt for anything else.
std::optional<std::string_view> ref_of(const Json& value);
// The refs of a to-many value, in order: an array of refs, or {"$page":{"items":[..]}}; nullopt
// when it is neither.
std::optional<std::vector<std::string_view>> refs_of(const Json& value);

}  // namespace lattice::client
