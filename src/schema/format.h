// `lattice fmt` for schema documents: indentation and spacing, comments and line breaks kept.
//
//   entity  Post by id{            entity Post by id {
//   id : PostId  -- the key   →      id:    PostId  -- the key
//     title: Text                    title: Text
//   }                              }
//
// The tokens stay what and where they are, so the meaning does; formatting again changes nothing. Lines
// end where the author ended them. Within a block the types of fields that follow one another are
// aligned, and so are the clauses of a mutation.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace lattice::schema {

// Errors: lattice:schema-invalid with every syntax error.
Result<std::string> format_schema(std::string_view text);

}  // namespace lattice::schema
