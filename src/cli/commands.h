// The commands, one file each. Each takes the arguments after its name and returns an exit code
// (flags.h). They parse flags, call one function and print.
#pragma once

#include <string>
#include <vector>

namespace lattice::cli {

using Arguments = std::vector<std::string>;

int run_origin(const Arguments& arguments);   // serve a database
int run_init(const Arguments& arguments);     // a schema from a database
int run_fmt(const Arguments& arguments);      // format a schema or a query
int run_canon(const Arguments& arguments);    // canonical text of a query
int run_hash(const Arguments& arguments);     // its hash
int run_plan(const Arguments& arguments);     // its compiled plan, as data
int run_explain(const Arguments& arguments);  // its compiled plan, for a person
int run_query(const Arguments& arguments);    // ask an origin, or a store directly
int run_mint(const Arguments& arguments);     // a visibility proof

}  // namespace lattice::cli
