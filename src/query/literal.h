// Literals against types (spec §4.8, §3.5): what a written value means in a slot.
//
//   Jedi in a slot of Episode → "Jedi"      5 in a slot of I64 → "5"      [] in a slot of [Text]+ → error
//
// Any thread.
#pragma once

#include "schema/schema.h"
#include "schema/selection.h"

namespace lattice::query {

// The canonical wire value of a literal without variables, checked against the full type, refinements
// included. A number may stand for a wide integer, an enum value stands bare. The message begins with
// `path` and names the offender below it: "tags[2]: ...".
// Errors: lattice:compile-rejected with the span of the part that does not fit.
Result<Json> literal_value(const schema::Value& literal, const schema::Type& type,
                           const schema::Schema& schema, std::string_view path);

// A wire value as the literal that means it in a slot of `type`: enums bare, strings quoted. For defaults
// and for bound variables in wire keys (§9.1). nullopt: nulls and objects have no literal.
std::optional<schema::Value> literal_of(const Json& value, const schema::Type& type,
                                        const schema::Schema& schema);

}  // namespace lattice::query
