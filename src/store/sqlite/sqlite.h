// The SQLite store: an existing database file served as it is (see store/store.h for the contract).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/store.h"

namespace lattice::store {

// Errors: as open_store.
Result<std::unique_ptr<Store>> open_sqlite(std::string_view path, schema::SchemaPtr schema,
                                           const StoreOptions& options);

// Errors: lattice:io; lattice:usage when the database has no table that could be served.
Result<std::string> introspect_sqlite(std::string_view path, const InitOptions& options);

}  // namespace lattice::store
