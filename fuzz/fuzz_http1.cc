// HTTP/1.1 against a stranger: the session must survive any bytes, and what it answers must be
// HTTP that our own strict reader accepts.
#include "base/check.h"
#include "fuzz/fuzz.h"
#include "fuzz/http_session.h"
#include "http/http1_parser.h"

using namespace lattice;
using namespace lattice::http;

namespace {

// The last answer may be cut: aborted, or ended with the session.
void check_answers(std::string_view answers) {
  auto parser = Http1Parser::for_responses({.body_bytes_max = 1 << 30});
  while (!answers.empty()) {
    Http1Parser::Event event = parser.next(answers);
    if (event == Http1Parser::Event::Failed) std::abort();
    if (event == Http1Parser::Event::NeedMore) return;
    if (event == Http1Parser::Event::Done) parser.restart();
  }
}

}  // namespace

void lattice::fuzz(std::string_view input) {
  std::string answers = drive_session(make_http1_session, input);
  // The answer to HEAD has no body, which a reader must know from the request.
  if (input.find("HEAD") == std::string_view::npos) check_answers(answers);
}
