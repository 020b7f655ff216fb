// The contract's world in an SQLite file, written by a connection of its own.
#pragma once

#include <memory>

#include "contract/harness.h"

namespace lattice::testing {

struct SqliteWorld {
  bool wal = true;
  // Timestamps with a space and milliseconds, uuids as blobs, decimals as reals, wide integers as they are.
  bool other_forms = false;
  // Every second row in another form: timestamps as unix seconds when whole, decimals and wide integers as
  // text, uuids in upper case.
  bool mixed_forms = false;
  bool plain = false;  // no indexes; text columns collate NOCASE
};
std::unique_ptr<Harness> make_sqlite_harness(SqliteWorld world);

}  // namespace lattice::testing
