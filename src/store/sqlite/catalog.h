// Reads what an SQLite database has. Internal to sqlite/.
#pragma once

#include "store/catalog.h"
#include "store/sqlite/database.h"

namespace lattice::store {

// Tables and views of the main schema; SQLite's own and virtual tables' shadows left out.
// Errors: as Database.
Result<Catalog> read_catalog(const Database& database);

}  // namespace lattice::store
