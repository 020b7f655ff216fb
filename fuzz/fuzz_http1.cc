// HTTP/1.1 against a stranger: the session survives any bytes, and what it answers is HTTP that our
// own strict reader accepts.
#include "fuzz/fuzz.h"
#include "fuzz/http_session.h"
#include "http/http1_parser.h"

namespace lattice {

void fuzz(std::string_view input) {
  using http::Http1Parser;
  std::string output = http::drive_session(http::make_http1_session, input);
  // The answer to HEAD has no body, which a reader must know from the request.
  if (input.find("HEAD") != std::string_view::npos) return;
  auto parser = Http1Parser::for_responses({.body_bytes_max = 1 << 30});
  std::string_view answers = output;
  while (!answers.empty()) {
    Http1Parser::Event event = parser.next(answers);
    FUZZ_REQUIRE(event != Http1Parser::Event::Failed);
    // The last answer may be cut: aborted, or ended with the session.
    if (event == Http1Parser::Event::NeedMore) return;
    if (event == Http1Parser::Event::Done) parser.restart();
  }
}

}  // namespace lattice
