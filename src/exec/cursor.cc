#include "exec/exec.h"

#include "base/base64url.h"
#include "base/blake3.h"

namespace lattice::exec {

namespace {

constexpr std::string_view kCursorPrefix = "cur_";
constexpr size_t kCursorBytesMax = 16 * 1024;

std::unexpected<Error> malformed(std::string_view why) {
  return fail(Code::CompileRejected, "malformed cursor: " + std::string(why));
}

}  // namespace

std::string keyset_hash(const std::vector<schema::OrderColumn>& keyset) {
  std::string rendering;
  for (const schema::OrderColumn& column : keyset) {
    if (!rendering.empty()) rendering += ',';
    rendering += column.field;
    rendering += column.descending ? " desc" : " asc";
  }
  return blake3_base64url(rendering, 4);
}

std::string encode_cursor(const std::vector<schema::OrderColumn>& keyset,
                          const Json::Array& values) {
  Json::Array payload;
  payload.reserve(values.size() + 1);
  payload.emplace_back(keyset_hash(keyset));
  payload.insert(payload.end(), values.begin(), values.end());
  std::string cursor(kCursorPrefix);
  append_base64url(cursor, canonical_json(Json(std::move(payload))));
  return cursor;
}

Result<Json::Array> decode_cursor(const std::vector<schema::OrderColumn>& keyset,
                                  uint32_t key_columns, std::string_view cursor) {
  if (!cursor.starts_with(kCursorPrefix)) return malformed("it must begin with `cur_`");
  if (cursor.size() > kCursorBytesMax) return malformed("it is longer than 16 KiB");
  auto bytes = base64url_decode(cursor.substr(kCursorPrefix.size()));
  if (!bytes) return malformed("the part after `cur_` must be base64url without padding");
  auto payload = parse_json(*bytes, JsonLimits{.depth_max = 16, .bytes_max = kCursorBytesMax});
  if (!payload) return malformed("its payload must be JSON");
  if (!payload->is_array() || payload->as_array().empty() ||
      !payload->as_array().front().is_string()) {
    return malformed("its payload must be an array that begins with the keyset's hash");
  }
  Json::Array& items = payload->as_array();
  if (items.front().as_string() != keyset_hash(keyset)) {
    return fail(
        Code::CursorRetired,
        "the cursor was made for another order of this collection; start from the first page");
  }
  size_t count = items.size() - 1;
  if (count != keyset.size() && (key_columns == 0 || count != keyset.size() + key_columns)) {
    return malformed("it must hold one value a keyset column, and the key after them or nothing");
  }
  return Json::Array(std::make_move_iterator(items.begin() + 1),
                     std::make_move_iterator(items.end()));
}

}  // namespace lattice::exec
