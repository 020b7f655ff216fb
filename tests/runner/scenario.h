// Scenario scripts (`.lts`): HTTP as on the wire, against a real lattice process (house style §6).
//
//   proves: a write ends the 304s of what it touched      spec: 10.2 10.5
//   origin o1 schema=blog.lattice store={each} data=blog
//   query post = query($id: PostId) { post(id: $id) { title } }
//   > GET o1/q/{hash:post}?p={plan:post}&slice=pub&id=17
//   < 200
//   < ETag: {etag}
//   < {"kind":"manifest","root":{"post":["Post:17"]},..}
//
// Statements, a line each (`#` begins a comment line):
//   proves: TEXT   spec: SECTIONS        what the file shows; both wanted, once, first
//   origin NAME schema=F store=S [data=D] [config=F] [flags="..."]
//                                        starts one. store: `sqlite`, `memory`, or `{each}`: the whole
//                                        script runs once a backend. data=D: D.sql or D.json
//   query NAME = TEXT                    defines {hash:NAME}, {plan:NAME}, {text:NAME}, {inline:NAME}
//   mint CLAIMS [ttl=SECONDS]            defines {vc} and {proof}, signed with the folder's test key
//   let NAME = TEXT                      a name
//   > METHOD NAME/target                 a request; more `>` lines: headers, then after `>` alone the
//                                        body. Sent when the first `<` line, or the next statement, comes
//   < STATUS   < Header: PATTERN   < !Header   < {json}   < | text   < ..
//                                        json lines are the records of the body (entities in any order;
//                                        all of them unless `..` follows), or the JSON of the whole body
//   again                                the last request once more
//   sql NAME: STATEMENT                  run on that origin's SQLite database, by another connection
//   $ COMMAND                            `lattice COMMAND`; then `= line` lines (its output), `! line`
//                                        (its error output), `exit N` (default 0)
//   stop NAME [exit N]                   SIGTERM, and its exit code
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace lattice::runner {

struct ScenarioOptions {
  std::string lattice;      // path of the program
  std::string repository;   // root folder, for examples/ and tests/
  bool is_verbose = false;
};
struct ScenarioResult {
  std::string name;  // file and backend
  bool passed = false;
  std::string failure;  // "line 12: ..." with what came in place of what was wanted
};

// Runs one script on every backend that it asks for.
std::vector<ScenarioResult> run_scenario(const std::string& path, const ScenarioOptions& options);

}  // namespace lattice::runner
