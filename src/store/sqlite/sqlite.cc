#include "store/sqlite/sqlite.h"

namespace lattice::store {

Result<std::unique_ptr<Store>> open_sqlite(std::string_view, schema::SchemaPtr,
                                           const StoreOptions&) {
  return fail(Code::NotSupported, "this build serves no SQLite databases yet");
}

Result<std::string> introspect_sqlite(std::string_view, const InitOptions&) {
  return fail(Code::NotSupported, "this build reads no SQLite databases yet");
}

}  // namespace lattice::store
