#include "store/sqlite/version.h"

#include <cstring>

#include "base/base64url.h"
#include "base/blake3.h"

namespace lattice::store {

namespace {

constexpr size_t kVersionBytes = 12;

void append_raw(std::string& bytes, const void* data, size_t size) {
  bytes.append(static_cast<const char*>(data), size);
}

}  // namespace

void append_version_cell(std::string& bytes, const Cell& cell) {
  bytes += static_cast<char>(cell.type);
  switch (cell.type) {
    case Cell::Type::Null:
      return;
    case Cell::Type::Integer:
      return append_raw(bytes, &cell.integer, sizeof cell.integer);
    case Cell::Type::Real:
      return append_raw(bytes, &cell.real, sizeof cell.real);
    case Cell::Type::Text:
    case Cell::Type::Blob: {
      auto size = static_cast<uint32_t>(cell.bytes.size());
      append_raw(bytes, &size, sizeof size);
      bytes += cell.bytes;
      return;
    }
  }
}

std::string_view version_of(std::string_view bytes, Arena& arena) {
  return arena.copy(blake3_base64url(bytes, kVersionBytes));
}

}  // namespace lattice::store
