#include "client/records.h"

namespace lattice::client {

namespace {

std::string text_member(const Json& object, std::string_view name) {
  const Json* value = object.find(name);
  return value && value->is_string() ? value->as_string() : std::string();
}

Scope read_scope(const Json& value) {
  Scope scope;
  if (value.is_string()) {
    scope.tag = "Entity";
    scope.entity = value.as_string();
    return scope;
  }
  scope.tag = text_member(value, "$tag");
  scope.entity = text_member(value, "entity");
  scope.field = text_member(value, "field");
  scope.root = text_member(value, "root");
  scope.item = text_member(value, "item");
  return scope;
}

bool names_a_row(std::string_view kind) {
  for (std::string_view one : {"entity", "patch", "tombstone", "elided", "unchanged"}) {
    if (kind == one) return true;
  }
  return false;
}

Result<void> check_shape(const Record& record) {
  auto wants = [&](std::string_view what) {
    return fail(Code::Encoding,
                "the record of kind `" + record.kind + "` lacks " + std::string(what));
  };
  if (names_a_row(record.kind) && !split_ref(record.id)) return wants("a ref in `id`");
  bool has_fields = record.kind == "entity" || record.kind == "patch";
  if (has_fields && !(record.fields() && record.fields()->is_object())) return wants("`fields`");
  if (record.kind == "manifest" && !(record.root() && record.root()->is_object())) {
    return wants("`root`");
  }
  return {};
}

}  // namespace

std::optional<std::pair<std::string_view, std::string_view>> split_ref(std::string_view ref) {
  size_t colon = ref.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == ref.size()) {
    return std::nullopt;
  }
  return std::pair{ref.substr(0, colon), ref.substr(colon + 1)};
}

bool Record::is_complete() const {
  const Json* complete = json.find("complete");
  return complete && complete->is_bool() && complete->as_bool();
}

bool Record::is_retryable() const {
  const Json* retryable = json.find("retryable");
  return retryable && retryable->is_bool() && retryable->as_bool();
}

Result<Record> parse_record(std::string_view line) {
  LATTICE_TRY(Json json, parse_json(line, {.depth_max = 128, .bytes_max = kRecordBytesMax}));
  const Json* kind = json.find("kind");
  if (!kind || !kind->is_string()) {
    return fail(Code::Encoding, "a record is an object with a string `kind`");
  }
  Record record;
  record.kind = kind->as_string();
  record.id = text_member(json, "id");
  record.version = text_member(json, "ver");
  record.etag = text_member(json, "etag");
  if (const Json* scope = json.find("scope")) record.scope = read_scope(*scope);
  record.json = std::move(json);
  LATTICE_TRY_VOID(check_shape(record));
  return record;
}

Result<std::vector<Record>> parse_stream(std::string_view body) {
  std::vector<Record> out;
  size_t number = 0;
  while (!body.empty()) {
    size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto record = parse_record(line);
    if (!record) {
      return fail(Code::Encoding, "line " + std::to_string(number) + ": " + record.error().message);
    }
    out.push_back(std::move(*record));
  }
  return out;
}

std::optional<std::string_view> ref_of(const Json& value) {
  const Json* ref = value.is_object() ? value.find("$ref") : &value;
  if (!ref || !ref->is_string() || !split_ref(ref->as_string())) return std::nullopt;
  return ref->as_string();
}

std::optional<std::vector<std::string_view>> refs_of(const Json& value) {
  const Json* page = value.find("$page");
  const Json* items = page ? page->find("items") : &value;
  if (!items || !items->is_array()) return std::nullopt;
  std::vector<std::string_view> out;
  for (const Json& item : items->as_array()) {
    auto ref = ref_of(item);
    if (!ref) return std::nullopt;
    out.push_back(*ref);
  }
  return out;
}

}  // namespace lattice::client
