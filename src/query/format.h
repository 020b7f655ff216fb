// `lattice fmt` for query documents: one layout, comments kept.
//
//   query{a(x:1){b}}#c   ──format_query──▶   query {
//                                              a(x: 1) {
//                                                b
//                                              }
//                                            }  # c
//
// The tokens stay what and where they are, so the meaning does; formatting again changes nothing. A
// selection stands on a line of its own, arguments on the line of their field unless they are too long
// for it or carry comments; single empty lines between selections stay.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "query/query.h"

namespace lattice::query {

// Errors: lattice:compile-rejected with every syntax error; imports are not read.
Result<std::string> format_query(std::string_view text, const QueryLimits& limits = {});

}  // namespace lattice::query
