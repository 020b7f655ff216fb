#include "http/http1_parser.h"

#include <doctest/doctest.h>

using namespace lattice::http;
using Event = Http1Parser::Event;

namespace {

struct Parsed {
  Event end = Event::NeedMore;
  std::string target;
  std::string host;
  std::string body;
  int status = 0;  // of the failure
  std::string message;
};

// Feeds `text` in pieces of `step` bytes, as a connection would: the unconsumed rest stays in
// front.
Parsed parse(Http1Parser parser, std::string_view text, size_t step) {
  Parsed out;
  std::string input;
  while (true) {
    std::string_view rest = input;
    Event event = parser.next(rest);
    if (event == Event::Head) {
      out.target = parser.head().target;
      out.host = parser.head().headers.find("Host").value_or("");
    }
    if (event == Event::Body) out.body += parser.body();
    input.erase(0, input.size() - rest.size());
    if (event == Event::Done || event == Event::Failed) {
      out.end = event;
      out.status = parser.failure().status;
      out.message = parser.failure().message;
      return out;
    }
    if (event != Event::NeedMore) continue;
    if (text.empty()) return out;
    input += text.substr(0, step);
    text.remove_prefix(std::min(step, text.size()));
  }
}

Parsed parse_request(std::string_view text, size_t step = 1) {
  return parse(Http1Parser::for_requests(
                   {.header_bytes_max = 1000, .target_bytes_max = 100, .body_bytes_max = 50}),
               text, step);
}

}  // namespace

TEST_CASE("a request is read alike in one piece and byte by byte") {
  for (size_t step : {1, 2, 3, 7, 1000}) {
    CAPTURE(step);
    auto sized =
        parse_request("POST /a?b HTTP/1.1\r\nHost: h:1\r\nContent-Length: 5\r\n\r\nhello", step);
    CHECK(sized.end == Event::Done);
    CHECK(sized.target == "/a?b");
    CHECK(sized.host == "h:1");
    CHECK(sized.body == "hello");
    auto chunked = parse_request(
        "QUERY / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
        "5;ext=\"a\"\r\nhello\r\nA\r\n, world :)\r\n0\r\nX-Sum: 1\r\n\r\n",
        step);
    CHECK(chunked.end == Event::Done);
    CHECK(chunked.body == "hello, world :)");
  }
}

TEST_CASE("one empty line before a request is passed over") {
  CHECK(parse_request("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").end == Event::Done);
  CHECK(parse_request("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n").status == 400);
}

TEST_CASE("an absolute target becomes origin form and Host") {
  auto plain = parse_request("GET http://a.example:80/x?y HTTP/1.1\r\nHost: other\r\n\r\n");
  CHECK(plain.target == "/x?y");
  CHECK(plain.host == "a.example:80");
  CHECK(parse_request("GET HTTPS://a.example HTTP/1.1\r\nHost: h\r\n\r\n").target == "/");
  CHECK(parse_request("GET http://a.example?q HTTP/1.1\r\nHost: h\r\n\r\n").target == "/?q");
  CHECK(parse_request("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").target == "*");
}

TEST_CASE("requests that are refused") {
  struct Case {
    std::string_view text;
    int status;
    std::string_view why;
  };
  using std::string_view_literals::operator""sv;
  const Case cases[] = {
      // Request line
      {"GET /\r\n\r\n", 400, "no version"},
      {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "version"},
      {" GET / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "method"},
      {"G(T / HTTP/1.1\r\nHost: h\r\n\r\n", 400, "method"},
      {"\x16\x03\x01\x02", 400, "method"},
      {"GET / HTTP/1.1 \r\nHost: h\r\n\r\n", 400, "version"},
      {"GET / http/1.1\r\nHost: h\r\n\r\n", 400, "version"},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505, "HTTP/1.1"},
      {"GET / HTTP/11\r\nHost: h\r\n\r\n", 400, "version"},
      {"CONNECT a:1 HTTP/1.1\r\nHost: h\r\n\r\n", 501, "CONNECT"},
      // Target
      {"GET abc HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET /a#b HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET /a\x01 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET /a\0b HTTP/1.1\r\nHost: h\r\n\r\n"sv, 400, "target"},
      {"GET /a\x7f HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET /\xc3\xa4 HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET /a\tb HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET * HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET http:// HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET http://h:x/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET http://:80/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      {"GET http://[::1/ HTTP/1.1\r\nHost: h\r\n\r\n", 400, "target"},
      // Host
      {"GET / HTTP/1.1\r\n\r\n", 400, "Host is missing"},
      {"GET / HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n", 400, "Host is given twice"},
      {"GET / HTTP/1.0\r\nHost: h\r\nHost: i\r\n\r\n", 400, "Host is given twice"},
      {"GET http://a/ HTTP/1.1\r\n\r\n", 400, "Host is missing"},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "Host"},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "Host"},
      {"GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", 400, "Host"},
      {"GET / HTTP/1.1\r\nHost: a,b:1\r\n\r\n", 400, "Host"},
      // Header lines
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n c\r\n\r\n", 400, "folded"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tc\r\n\r\n", 400, "folded"},
      {"GET / HTTP/1.1\r\n Host: h\r\n\r\n", 400, "folded"},
      {"GET / HTTP/1.1\r\nHost : h\r\n\r\n", 400, "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA\r\n\r\n", 400, "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\n: a\r\n\r\n", 400, "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA b: c\r\n\r\n", 400, "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA(: c\r\n\r\n", 400, "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA\0: c\r\n\r\n"sv, 400, "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\0c\r\n\r\n"sv, 400, "control"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\rc\r\n\r\n", 400, "control"},
      {"GET / HTTP/1.1\r\nHost: h\r\nA: b\x7f\r\n\r\n", 400, "control"},
      {"GET / HTTP/1.1\nHost: h\n\n", 400, "LF alone"},
      {"GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n", 400, "LF alone"},
      {"GET / HTTP/1.1\r\nHost: h\r\n\n", 400, "LF alone"},
      {"GET / HTTP/1.1\r\nHost: h\r\nExpect: x\r\n\r\n", 417, "Expect"},
      // Framing
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked\r\n\r\n", 400,
       "exactly `chunked`"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 400, "exactly"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked, identity\r\n\r\n", 400, "exactly"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked;q=1\r\n\r\n", 400, "exactly"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\r\n\r\n", 400, "exactly"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: "
       "chunked\r\n\r\n",
       400, "exactly"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n", 400,
       "both"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
       "both"},
      {"GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, "HTTP/1.0"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", 400, "twice"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 3, 3\r\n\r\n", 400, "not a number"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: +3\r\n\r\n", 400, "not a number"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n", 400, "not a number"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x3\r\n\r\n", 400, "not a number"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length:\r\n\r\n", 400, "not a number"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999999999999\r\n\r\n", 400,
       "not a number"},
      {"GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 51\r\n\r\n", 413, "50 bytes"},
      // Chunks
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400, "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0x5\r\n", 400, "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n 5\r\n", 400, "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5 \r\n", 400, "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400, "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n;a\r\n", 400, "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;a\rb\r\n", 400,
       "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n", 400,
       "chunk size"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc", 400, "LF alone"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n", 400,
       "followed by CRLF"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\n", 400,
       "followed by CRLF"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n33\r\n", 413, "50 bytes"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA b\r\n\r\n", 400,
       "header line"},
      {"GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n A: b\r\n\r\n", 400,
       "folded"},
  };
  for (const Case& refused : cases) {
    for (size_t step : {1, 1000}) {
      auto out = parse_request(refused.text, step);
      CAPTURE(refused.text);
      CAPTURE(step);
      CAPTURE(out.message);
      CHECK(out.end == Event::Failed);
      CHECK(out.status == refused.status);
      CHECK(out.message.find(refused.why) != std::string::npos);
    }
  }
}

TEST_CASE("limits have their own statuses, with and without the end of the line") {
  std::string target = "/" + std::string(99, 'a');
  CHECK(parse_request("GET " + target + " HTTP/1.1\r\nHost: h\r\n\r\n").end == Event::Done);
  CHECK(parse_request("GET " + target + "a HTTP/1.1\r\nHost: h\r\n\r\n").status == 414);
  CHECK(parse_request("GET /" + std::string(1000, 'a'), 1000).status == 414);
  CHECK(parse_request(std::string(65, 'A') + " / HTTP/1.1\r\nHost: h\r\n\r\n").status == 501);
  std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";  // 9 bytes of header lines
  auto line = [](size_t bytes) { return "A: " + std::string(bytes - 5, 'b') + "\r\n"; };
  CHECK(parse_request(head + line(500) + line(491) + "\r\n", 50).end == Event::Done);
  CHECK(parse_request(head + line(500) + line(492) + "\r\n", 50).status == 431);
  CHECK(parse_request(head + "A: " + std::string(2000, 'b'), 50).status == 431);
  std::string many = head;
  for (int i = 0; i < 300; ++i) many += "a:\r\n";
  auto parser = Http1Parser::for_requests({});
  CHECK(parse(parser, many + "\r\n", 1000).status == 431);
  std::string chunked = "GET / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  CHECK(parse_request(chunked + "1;" + std::string(2000, 'x'), 100).status == 400);
  CHECK(parse_request(chunked + "0\r\nA: " + std::string(2000, 'x'), 100).status == 431);
}

TEST_CASE("responses end by length, by chunks, or with the connection") {
  auto limits = Http1Parser::Limits{};
  auto sized = parse(Http1Parser::for_responses(limits),
                     "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", 1);
  CHECK(sized.end == Event::Done);
  CHECK(sized.body == "ab");
  auto open = parse(Http1Parser::for_responses(limits), "HTTP/1.0 200\r\n\r\nabc", 1);
  CHECK(open.end == Event::NeedMore);
  CHECK(open.body == "abc");
  CHECK(parse(Http1Parser::for_responses(limits),
              "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 1)
            .end == Event::Done);
  CHECK(parse(Http1Parser::for_responses(limits), "HTTP/1.1 20 OK\r\n\r\n", 1).end ==
        Event::Failed);
  CHECK(parse(Http1Parser::for_responses(limits), "HTTP/1.1 2000\r\n\r\n", 1).end == Event::Failed);
  auto head = Http1Parser::for_responses(limits);
  head.restart(true);
  CHECK(parse(head, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", 1).end == Event::Done);

  auto cut = Http1Parser::for_responses(limits);
  std::string_view input = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab";
  CHECK(cut.next(input) == Event::Head);
  CHECK(cut.next(input) == Event::Body);
  CHECK(cut.end_of_input() == Event::Failed);
}
