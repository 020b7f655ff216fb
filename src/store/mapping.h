// Which table and column holds what the schema declares (the design's "Mapping"), shared by SQL stores.
//
//   entity Post { createdAt: Timestamp }   +   posts(id, created_at, ..)   ──map_schema──▶   Mapping
//
// By convention an entity `PostTag` lies in post_tag, posttag or their plural, and a field `createdAt` in
// created_at or createdat (identifiers compare without case). Directives that the schema declares say
// otherwise, for an existing database:
//
//   directive @table(name: Text) on ENTITY            directive @column(name: Text) on FIELD
//   directive @version(column: Text) on ENTITY        directive @sql(expr: Text, reads: [Text]) on FIELD
//
// @sql computes a field with arguments from the columns of its row, the arguments being :name. A
// `refines` lies in its own table, or else in its base's: there a row is a member when every required
// column of the refinement has a value. A Mapping is immutable; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/schema.h"
#include "store/catalog.h"
#include "store/store.h"

namespace lattice::store {

// A column of one of the tables that an entity's rows are made of.
struct ColumnRef {
  uint32_t table = 0;  // index in EntityMapping::tables
  const TableColumn* column = nullptr;
};

struct FieldMapping {
  enum class Kind : uint8_t {
    Column,
    Expression,   // computed by SQL from the row and arguments
    Elsewhere,    // on-read derived: not the store's
  } kind = Kind::Elsewhere;
  ColumnRef column;
  std::string expression;
  std::optional<std::vector<std::string>> reads;  // absent: nobody said
};

struct EntityMapping {
  struct Use {
    const Table* table = nullptr;
    bool is_required = true;           // else it may have no row for a key (another refinement)
    std::vector<ColumnRef> key;        // its columns that hold the key
  };
  std::vector<Use> tables;             // [0] is the base's table
  std::vector<ColumnRef> key;          // in the key's order; columns of tables[0]
  std::vector<FieldMapping> fields;    // by FieldIndex
  std::vector<ColumnRef> present;      // a row is a member only when these are not null
  std::optional<ColumnRef> version;    // declared with @version
  // What a content hash covers: every mapped column of the family.
  std::vector<ColumnRef> whole_row;
};

// The column of a target that links it to an owner though the schema does not declare it.
struct LinkMapping {
  EntityIndex owner = kNone;
  std::string collection;
  EntityIndex target = kNone;
  ColumnRef column;
};

struct Mapping {
  std::vector<EntityMapping> entities;  // by EntityIndex
  std::vector<LinkMapping> links;
  struct Hook {
    std::string sql;
    std::optional<std::vector<std::string>> reads;
  };
  std::vector<std::optional<Hook>> hooks;  // by root

  const LinkMapping* find_link(EntityIndex owner, std::string_view collection,
                               EntityIndex target) const;
};

// `catalog` outlives the mapping.
// Errors: lattice:store-mismatch with a diagnostic a table or column that is missing (span of its
// declaration, with a suggestion), a field with arguments that nothing computes, a root that nothing
// finds, or an override that names no element of the schema.
Result<Mapping> map_schema(const schema::Schema& schema, const Catalog& catalog,
                           const StoreOptions& options);

// The names that convention looks for, in order: of an entity's table, of a field's column.
std::vector<std::string> conventional_tables(std::string_view entity);
std::vector<std::string> conventional_columns(std::string_view field);

// "createdAt" → "created_at", "PostTag" → "post_tag", "userID" → "user_id".
std::string snake_case(std::string_view name);
// The regular English plural: "post_tag" → "post_tags", "category" → "categories", "box" → "boxes".
std::string plural_of(std::string_view name);

}  // namespace lattice::store
