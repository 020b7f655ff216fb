// The HTTP/1.1 server over real sockets.
#include "tests/support/http_server.h"

using namespace lattice;
using namespace lattice::http;

namespace {

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
constexpr std::string_view kLastGet = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

std::string exchange_raw(const Server& server, std::string_view bytes) {
  RawSocket socket(server.port());
  socket.write(bytes);
  return socket.read_all();
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

TEST_CASE("requests of any method reach the handler and keep the connection") {
  auto server = start_server(echo);
  auto client = open_client(*server);
  for (std::string_view method : {"GET", "QUERY", "POST", "DELETE", "X-Custom"}) {
    std::string body = method == "GET" ? "" : "{x}";
    auto answer = must(client->send(method, "/a?b=1", {}, body));
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.body == std::string(method) + " /a?b=1|" + body);
    CHECK(answer.headers.find("content-type") == "text/plain");
    CHECK(answer.headers.find("date")->ends_with(" GMT"));
  }
}

TEST_CASE("a handler sees the parts of a request") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    CHECK(request.path == "/p");
    CHECK(request.query == "q=1?2");
    CHECK(request.headers.combined("a") == "1, 2");
    CHECK(request.headers.find("host") == "h.example");
    CHECK(request.version == Version::Http1_1);
    CHECK(request.peer_address == "127.0.0.1");
    CHECK_FALSE(request.secure);
    writer.send({204, {}, {}, {}});
    co_return;
  });
  auto answer =
      exchange_raw(*server,
                   "GET http://h.example/p?q=1?2 HTTP/1.1\r\nHost: other\r\na: 1\r\nA:2 \r\n"
                   "Connection: close\r\n\r\n");
  CHECK(answer.starts_with("HTTP/1.1 204 No Content\r\n"));
  CHECK_FALSE(contains(answer, "Content-Length"));
}

TEST_CASE("a body that others hold too is sent as it is") {
  auto text = std::make_shared<const std::string>(std::string(100'000, 'x') + "end");
  auto server = start_server([&](const Request& request, ResponseWriter& writer) -> Task<void> {
    Response response;
    response.shared_body = text;
    if (request.path == "/trailers") response.trailers.add("X", "y");
    writer.send(std::move(response));
    co_return;
  });
  for (bool http2 : {false, true}) {
    auto client = open_client(*server, {.http2 = http2});
    for (std::string_view path : {"/", "/trailers"})
      CHECK(must(client->send("GET", path)).body == *text);
    CHECK(must(client->send("HEAD", "/")).headers.find("content-length") == "100003");
  }
}

TEST_CASE("a connection that was idle goes on, without the buffer that it gave back") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    writer.start(200, {});
    CHECK(co_await writer.write("a"));
    if (request.path == "/slow") co_await sleep_for(1300ms);
    CHECK(co_await writer.write("b"));
    writer.finish();
  });
  auto http1 = open_client(*server);
  auto http2 = open_client(*server, {.http2 = true});
  auto streaming = open_client(*server);
  for (int i = 0; i < 2; ++i) {
    CHECK(must(http1->send("GET", "/")).body == "ab");
    CHECK(must(http2->send("GET", "/")).body == "ab");
    CHECK(must(streaming->send("GET", "/slow")).body == "ab");  // meanwhile the others idle
  }
}

TEST_CASE("a peer that reads nothing for too long is cut") {
  Event cut;
  auto server = start_server(
      [&](const Request&, ResponseWriter& writer) -> Task<void> {
        writer.start(200, {});
        while (co_await writer.write(std::string(100'000, 'x'))) {
        }
        cut.set();
      },
      {.write_timeout = 100ms});
  RawSocket socket(server->port());
  socket.write(kGet);
  CHECK(cut.wait());
}

TEST_CASE("HEAD keeps the headers and drops the body") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    if (request.path == "/stream") {
      writer.start(200, {{"Content-Length", "3"}});
      CHECK(co_await writer.write("abc"));
      writer.finish();
    } else if (request.path == "/own") {
      writer.send({200, {{"Content-Length", "77"}}, {}, {}});
    } else {
      writer.send({200, {{"ETag", "\"e\""}}, "0123456789", {}});
    }
  });
  RawSocket socket(server->port());
  for (std::string_view path : {"/", "/stream", "/own"}) {
    socket.write("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n");
    std::string head = socket.read_until("\r\n\r\n");
    CHECK(head.starts_with("HTTP/1.1 200 OK\r\n"));
    if (path == "/") CHECK(contains(head, "ETag: \"e\"\r\n"));
    CHECK(contains(head, path == "/"      ? "Content-Length: 10\r\n"
                         : path == "/own" ? "Content-Length: 77\r\n"
                                          : "Content-Length: 3\r\n"));
  }
  socket.write(kLastGet);
  CHECK(socket.read_all().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("pipelined requests are answered in order, also when a handler waits") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    if (request.path == "/slow") co_await sleep_for(10ms);
    writer.send({200, {}, request.path, {}});
  });
  RawSocket socket(server->port());
  std::string requests;
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    std::string path = i % 50 == 0 ? "/slow" : "/" + std::to_string(i);
    requests += "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n";
    expected += path;
  }
  socket.write(requests);
  std::string bodies;
  for (int i = 0; i < 200; ++i) {
    std::string answer = socket.read_response();
    bodies += answer.substr(answer.find("\r\n\r\n") + 4);
  }
  CHECK(bodies == expected);
}

TEST_CASE("a chunked request and one that comes byte by byte are whole to the handler") {
  auto server = start_server(echo);
  RawSocket socket(server->port());
  socket.write(
      "QUERY /c HTTP/1.1\r\nHost: x\r\ntransfer-encoding: CHUNKED\r\n\r\n"
      "3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nTrailer-Field: 1\r\n\r\n");
  CHECK(socket.read_response().ends_with("\r\n\r\nQUERY /c|abcd"));
  for (char c : std::string_view("POST /s HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")) {
    socket.write({&c, 1});
  }
  CHECK(socket.read_response().ends_with("\r\n\r\nPOST /s|hi"));
}

TEST_CASE("what could be understood in two ways is refused with 400 and the end") {
  auto server = start_server([](const Request&, ResponseWriter&) -> Task<void> {
    FAIL("the handler was called");
    co_return;
  });
  using std::string_view_literals::operator""sv;
  // One for each kind of strictness; http1_parser_test.cc has them all.
  for (std::string_view bad : {
           "GET / HTTP/1.1\r\n\r\n"sv,
           "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"sv,
           "GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n c: d\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n"
           "Content-Length: 5\r\n\r\n0\r\n\r\n"sv,
           "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na"sv,
           "GET / HTTP/1.1\nHost: a\n\n"sv,
           "GET / HTTP/1.1\r\nHost : a\r\n\r\n"sv,
           "GET / HTTP/1.1\r\nHost: a\r\nA: b\0\r\n\r\n"sv,
           "GET http://u@h/ HTTP/1.1\r\nHost: a\r\n\r\n"sv,
           "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n"sv,
       }) {
    CAPTURE(bad);
    // A smuggled request behind it is never read.
    std::string answer = exchange_raw(*server, std::string(bad) + std::string(kGet));
    CHECK(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"));
    CHECK(contains(answer, "Connection: close\r\n"));
    CHECK(answer.find("HTTP/1.1", 1) == std::string::npos);
  }
}

TEST_CASE("limits: 431, 414, 413") {
  auto server = start_server(
      echo, {.header_bytes_max = 500, .target_bytes_max = 100, .body_bytes_max = 1000});
  CHECK(
      exchange_raw(*server, "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(500, 'a') + "\r\n\r\n")
          .starts_with("HTTP/1.1 431 "));
  CHECK(exchange_raw(*server, "GET /" + std::string(100, 'a') + " HTTP/1.1\r\nHost: x\r\n\r\n")
            .starts_with("HTTP/1.1 414 "));
  CHECK(exchange_raw(*server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")
            .starts_with("HTTP/1.1 413 "));
  // The whole body is sent all the same: the answer must not be lost to a reset.
  std::string chunk = "400\r\n" + std::string(1024, 'a') + "\r\n";
  CHECK(exchange_raw(*server, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                  chunk + chunk + "0\r\n\r\n")
            .starts_with("HTTP/1.1 413 "));
  std::string large = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n";
  CHECK(exchange_raw(*server, large + std::string(1'000'000, 'a')).starts_with("HTTP/1.1 413 "));
}

TEST_CASE("timeouts: 408 for slow headers and bodies, a quiet end when idle") {
  auto server =
      start_server(echo, {.header_timeout = 100ms, .body_timeout = 100ms, .idle_timeout = 100ms});
  CHECK(exchange_raw(*server, "GET / HTTP/1.1\r\nHo").starts_with("HTTP/1.1 408 "));
  CHECK(exchange_raw(*server, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc")
            .starts_with("HTTP/1.1 408 "));
  CHECK(exchange_raw(*server, "").empty());
  RawSocket socket(server->port());
  socket.write(kGet);
  CHECK(socket.read_response().starts_with("HTTP/1.1 200 "));
  CHECK(socket.read_all().empty());
  // A drop now and then does not extend the time.
  RawSocket slow(server->port());
  std::atomic<bool> stop{false};
  std::thread dripping([&] {
    slow.write("GET / HTTP/1.1\r\nHost: x\r\nA: ");
    for (int i = 0; i < 2000 && !stop; ++i) {
      slow.write("a");
      std::this_thread::sleep_for(5ms);
    }
  });
  CHECK(slow.read_until("\r\n").starts_with("HTTP/1.1 408 "));
  stop = true;
  dripping.join();
}

TEST_CASE("Expect: 100-continue is answered before the body, unless it comes anyway") {
  auto server = start_server(echo, {.body_bytes_max = 10});
  RawSocket socket(server->port());
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  CHECK(socket.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  socket.write("ab");
  CHECK(socket.read_response().ends_with("|ab"));
  socket.write("POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nab");
  CHECK(socket.read_response().starts_with("HTTP/1.1 200 "));
  CHECK(exchange_raw(
            *server,
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
            .starts_with("HTTP/1.1 413 "));
}

TEST_CASE("Connection: close of either side ends the connection") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    Headers headers;
    if (request.path == "/close") headers.add("Connection", "close");
    writer.send({200, headers, "x", {}});
    co_return;
  });
  std::string by_client = exchange_raw(*server, kLastGet);
  CHECK(contains(by_client, "Connection: close\r\n"));
  CHECK(by_client.ends_with("\r\n\r\nx"));
  std::string by_handler =
      exchange_raw(*server, "GET /close HTTP/1.1\r\nHost: x\r\n\r\n" + std::string(kGet));
  CHECK(contains(by_handler, "Connection: close\r\n"));
  CHECK(by_handler.find("HTTP/1.1", 1) == std::string::npos);
}

TEST_CASE("HTTP/1.0: no Host needed, closed unless asked, streams end with the connection") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    if (request.path == "/plain") {
      writer.send({200, {}, "plain", {}});
      co_return;
    }
    writer.send_interim(103, {});
    writer.start(200, {});
    CHECK(co_await writer.write("stream"));
    if (request.path == "/abort") co_return writer.abort();
    writer.finish({{"X", "dropped"}});
  });
  std::string plain = exchange_raw(*server, "GET /plain HTTP/1.0\r\n\r\n");
  CHECK(contains(plain, "Connection: close\r\n"));
  CHECK(plain.ends_with("\r\n\r\nplain"));
  std::string stream = exchange_raw(*server, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  CHECK(stream.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK_FALSE(contains(stream, "Transfer-Encoding"));
  CHECK(stream.ends_with("\r\n\r\nstream"));
  RawSocket kept(server->port());
  for (int i = 0; i < 2; ++i) {
    kept.write("GET /plain HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    CHECK(contains(kept.read_response(), "Connection: keep-alive\r\n"));
  }
  RawSocket aborted(server->port());
  aborted.write("GET /abort HTTP/1.0\r\n\r\n");
  aborted.read_all();
  CHECK(aborted.was_reset());
}

TEST_CASE("a stream arrives in pieces, with trailers and interim responses") {
  auto server = start_server([](const Request&, ResponseWriter& writer) -> Task<void> {
    writer.send_interim(103, {{"Link", "</a>; rel=preload"}});
    writer.start(200, {{"Trailer", "Lattice-Sum"}});
    for (int i = 0; i < 3; ++i) {
      co_await sleep_for(1ms);
      CHECK(co_await writer.write("piece" + std::to_string(i) + "\n"));
    }
    CHECK(co_await writer.write(""));  // not the end
    writer.finish({{"Lattice-Sum", "3"}});
  });
  auto client = open_client(*server);
  std::string streamed;
  auto sink = [&](std::string_view piece) {
    streamed += piece;
    return true;
  };
  for (int i = 0; i < 2; ++i) {
    auto answer =
        i == 0 ? must(client->send("GET", "/")) : must(client->stream("GET", "/", {}, "", sink));
    CHECK((i == 0 ? answer.body : streamed) == "piece0\npiece1\npiece2\n");
    CHECK(answer.complete);
    CHECK(answer.trailers.find("lattice-sum") == "3");
    REQUIRE(answer.interim.size() == 1);
    CHECK(answer.interim[0].status == 103);
    CHECK(answer.interim[0].headers.find("link") == "</a>; rel=preload");
  }
}

TEST_CASE("trailers of a whole answer are announced and sent in chunks") {
  auto server = start_server([](const Request&, ResponseWriter& writer) -> Task<void> {
    writer.send({200, {}, "body", {{"X-Sum", "9"}}});
    co_return;
  });
  CHECK(exchange_raw(*server, kLastGet)
            .ends_with("Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\nConnection: close\r\n\r\n"
                       "4\r\nbody\r\n0\r\nX-Sum: 9\r\n\r\n"));
  auto client = open_client(*server);
  auto answer = must(client->send("GET", "/"));
  CHECK(answer.body == "body");
  CHECK(answer.trailers.find("x-sum") == "9");
  CHECK(exchange_raw(*server, "GET / HTTP/1.0\r\n\r\n").ends_with("\r\n\r\nbody"));
}

TEST_CASE("a stream with a declared length is not chunked") {
  auto server = start_server([](const Request&, ResponseWriter& writer) -> Task<void> {
    writer.start(200, {{"Content-Length", "6"}});
    CHECK(co_await writer.write("abc"));
    CHECK(co_await writer.write("def"));
    writer.finish();
  });
  std::string answer = exchange_raw(*server, kLastGet);
  CHECK(contains(answer, "Content-Length: 6\r\n"));
  CHECK_FALSE(contains(answer, "chunked"));
  CHECK(answer.ends_with("\r\n\r\nabcdef"));
}

TEST_CASE("abort and a forgotten end leave the answer incomplete") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    writer.start(200, {});
    CHECK(co_await writer.write("half"));
    if (request.path == "/abort") writer.abort();
  });
  for (std::string_view path : {"/abort", "/forgotten"}) {
    auto client = open_client(*server);
    auto answer = must(client->send("GET", path));
    CHECK(answer.body == "half");
    CHECK_FALSE(answer.complete);
  }
}

TEST_CASE("a slow reader stalls the handler's writes and no memory grows") {
  std::atomic<size_t> written{0};
  Event done;
  constexpr size_t kPiece = 64 * 1024;
  constexpr size_t kTotal = 64 * 1024 * 1024;
  auto server = start_server(
      [&](const Request&, ResponseWriter& writer) -> Task<void> {
        writer.start(200, {});
        while (written < kTotal) {
          if (!co_await writer.write(std::string(kPiece, 'x'))) co_return;
          written += kPiece;
        }
        writer.finish();
        done.set();
      },
      {.write_buffer_bytes = 128 * 1024});
  RawSocket socket(server->port(), 64 * 1024);
  socket.write(kLastGet);
  socket.read_bytes(1);
  // Stalled: what is written stops moving, bounded by our buffer and the kernel's two.
  size_t before = 0;
  CHECK(eventually([&] {
    size_t now = written;
    bool same = now == before && now > 0;
    before = now;
    std::this_thread::sleep_for(50ms);
    return same;
  }));
  CHECK(written < kTotal / 2);
  CHECK(socket.read_all().size() > kTotal - 1);
  CHECK(done.wait());
}

TEST_CASE("a peer that goes away ends the handler's writes") {
  Event ended;
  std::atomic<bool> was_open{true};
  std::atomic<bool> was_told{false};
  auto server = start_server([&](const Request& request, ResponseWriter& writer) -> Task<void> {
    writer.start(200, {});
    if (request.path == "/quiet") {
      writer.on_peer_gone([&] { was_told = true; });
      while (!was_told) co_await sleep_for(1ms);
      was_open = writer.is_open();
      CHECK_FALSE(co_await writer.write("x"));
    } else {
      while (co_await writer.write("x\n")) co_await sleep_for(1ms);
      was_open = writer.is_open();
      writer.finish();  // harmless
    }
    ended.set();
  });
  SUBCASE("closing, while the handler writes") {
    RawSocket socket(server->port());
    socket.write(kGet);
    socket.read_until("x\n");
    socket.close();
  }
  SUBCASE("a reset") {
    RawSocket socket(server->port());
    socket.write(kGet);
    socket.read_until("x\n");
    socket.reset();
  }
  SUBCASE("closing, while the handler waits for something else") {
    RawSocket socket(server->port());
    socket.write("GET /quiet HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.read_until("\r\n\r\n");
    socket.close();
  }
  CHECK(ended.wait());
  CHECK_FALSE(was_open);
}

TEST_CASE("a peer that half-closes still gets whole answers, and unfinished requests are refused") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    co_await sleep_for(20ms);
    writer.send({200, {}, request.path, {}});
  });
  RawSocket socket(server->port());
  socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  socket.end_writing();
  std::string all = socket.read_all();
  CHECK(contains(all, "\r\n\r\n/aHTTP/1.1 200"));
  CHECK(all.ends_with("\r\n\r\n/b"));
  RawSocket unfinished(server->port());
  unfinished.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc");
  unfinished.end_writing();
  CHECK(unfinished.read_all().starts_with("HTTP/1.1 400 "));
}

TEST_CASE("a peer that sends requests and reads no answers is held back") {
  std::atomic<int> handled{0};
  auto server = start_server(
      [&](const Request&, ResponseWriter& writer) -> Task<void> {
        ++handled;
        writer.send({200, {}, std::string(100'000, 'x'), {}});
        co_return;
      },
      {.write_buffer_bytes = 64 * 1024});
  RawSocket socket(server->port(), 64 * 1024);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += kGet;
  many += kLastGet;
  std::thread sending([&] { socket.write(many); });
  int before = 0;
  CHECK(eventually([&] {
    int now = handled;
    bool same = now == before && now > 0;
    before = now;
    std::this_thread::sleep_for(50ms);
    return same;
  }));
  CHECK(handled < 1000);
  CHECK(socket.read_all().size() > 200'000'000);
  sending.join();
  CHECK(handled == 2001);
}

TEST_CASE("a handler's exception is a 500, or an incomplete answer") {
  std::mutex mutex;
  std::vector<std::string> failures;
  ServerOptions options;
  options.on_failure = [&](const Request& request, std::string_view what) {
    std::lock_guard lock(mutex);
    failures.push_back(request.path + ": " + std::string(what));
  };
  auto server = start_server(
      [](const Request& request, ResponseWriter& writer) -> Task<void> {
        if (request.path == "/nothing") co_return;
        if (request.path == "/splitting") writer.send({200, {{"A", "b\r\nC: d"}}, {}, {}});
        if (request.path == "/short") {
          writer.start(200, {{"Content-Length", "5"}});
          CHECK(co_await writer.write("abc"));
          writer.finish();
        }
        if (request.path == "/late") {
          writer.start(200, {});
          CHECK(co_await writer.write("half"));
          co_await sleep_for(1ms);
        }
        if (request.path == "/twice") writer.send({200, {}, "first", {}});
        if (request.path == "/twice") writer.send({200, {}, "second", {}});
        throw std::runtime_error("broken");
      },
      options);
  auto client = open_client(*server);
  for (std::string_view path : {"/", "/nothing", "/splitting"}) {
    auto answer = must(client->send("GET", path));
    CHECK(answer.status == 500);
    CHECK(answer.complete);
    CHECK_FALSE(contains(answer.body, "broken"));
  }
  CHECK(must(client->send("GET", "/twice")).body == "first");
  for (std::string_view path : {"/late", "/short"}) {
    auto answer = must(client->send("GET", path));
    CHECK(answer.status == 200);
    CHECK_FALSE(answer.complete);
  }
  server.reset();
  REQUIRE(failures.size() == 5);
  CHECK(failures[0] == "/: broken");
  CHECK(contains(failures[1], "C: d"));
  CHECK(failures[3] == "/late: broken");
}

TEST_CASE("a handler may go on after its answer, and the connection serves the next request") {
  std::atomic<int> finished{0};
  auto server = start_server([&](const Request& request, ResponseWriter& writer) -> Task<void> {
    writer.send({200, {}, request.path, {}});
    co_await sleep_for(30ms);
    CHECK(request.path.size() == 2);  // still there
    ++finished;
  });
  auto client = open_client(*server);
  for (std::string_view path : {"/a", "/b", "/c"})
    CHECK(must(client->send("GET", path)).body == path);
  client.reset();
  CHECK(eventually([&] { return finished == 3; }));
}

TEST_CASE("one connection too many is told so") {
  auto server = start_server(echo, {.connections_max = 2});
  RawSocket first(server->port());
  first.write(kGet);
  first.read_response();
  {
    RawSocket second(server->port());
    second.write(kGet);
    second.read_response();
    RawSocket third(server->port());
    std::string refused = third.read_response();
    CHECK(refused.starts_with("HTTP/1.1 503 Service Unavailable\r\n"));
    CHECK(refused.ends_with("\"detail\":\"too many open connections\"}"));
    CHECK(third.read_all().empty());
  }
  CHECK(eventually([&] {
    RawSocket again(server->port());
    again.write(kLastGet);
    return again.read_all().starts_with("HTTP/1.1 200 ");
  }));
}

TEST_CASE("drain lets open requests finish and takes no new ones") {
  Event started;
  Event go_on;
  auto server = start_server(
      [&](const Request& request, ResponseWriter& writer) -> Task<void> {
        if (request.path == "/slow") {
          started.set();
          co_await sleep_for(100ms);
        }
        writer.send({200, {}, "done", {}});
      },
      {.thread_count = 2});
  RawSocket idle(server->port());
  idle.write(kGet);
  idle.read_response();
  RawSocket slow(server->port());
  slow.write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  REQUIRE(started.wait());
  bool none_cut = false;
  std::thread draining([&] { none_cut = server->drain(10s); });
  CHECK(idle.read_all().empty());
  std::string answer = slow.read_all();
  CHECK(contains(answer, "Connection: close\r\n"));
  CHECK(answer.ends_with("done"));
  slow.close();
  draining.join();
  CHECK(none_cut);
  CHECK_THROWS(RawSocket(server->port()));
}

TEST_CASE("drain cuts what takes too long, and says so") {
  Event started;
  std::atomic<bool> saw_end{false};
  auto server = start_server([&](const Request&, ResponseWriter& writer) -> Task<void> {
    writer.start(200, {});
    started.set();
    while (co_await writer.write("x")) co_await sleep_for(5ms);
    saw_end = true;
  });
  RawSocket socket(server->port());
  socket.write(kGet);
  REQUIRE(started.wait());
  CHECK_FALSE(server->drain(50ms));
  CHECK(saw_end);
}

TEST_CASE("a stopping server ends tasks that wait for ever") {
  auto flag = std::make_shared<int>(1);
  std::weak_ptr<int> alive = flag;
  Event started;
  auto server = start_server([&started, flag](const Request&, ResponseWriter&) -> Task<void> {
    auto held = flag;
    started.set();
    while (true) co_await sleep_for(std::chrono::hours(1));
  });
  flag.reset();
  RawSocket socket(server->port());
  socket.write(kGet);
  REQUIRE(started.wait());
  CHECK_FALSE(alive.expired());
  server.reset();
  CHECK(alive.expired());  // the frame was destroyed, not leaked
}

TEST_CASE("a port in use and a wrong address are one clear sentence") {
  auto server = start_server(echo);
  auto second = Server::start({.port = server->port()}, echo);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == Code::Io);
  CHECK(second.error().message ==
        "cannot listen on 127.0.0.1:" + std::to_string(server->port()) + ": the port is in use");
  auto elsewhere = Server::start({.address = "192.0.2.1"}, echo);
  REQUIRE_FALSE(elsewhere);
  CHECK(elsewhere.error().message ==
        "cannot listen on 192.0.2.1:0: this machine has no such address");
  auto nonsense = Server::start({.address = "nowhere"}, echo);
  REQUIRE_FALSE(nonsense);
  CHECK(contains(nonsense.error().message, "`nowhere`"));
}

TEST_CASE("work posted from another thread runs on the loop of the handler") {
  auto server = start_server(
      [](const Request&, ResponseWriter& writer) -> Task<void> {
        Loop* loop = Loop::current();
        struct Elsewhere {
          Loop* loop;
          std::thread thread;
          bool await_ready() { return false; }
          void await_suspend(std::coroutine_handle<> handle) {
            thread =
                std::thread([handle, loop = loop] { loop->post([handle] { handle.resume(); }); });
          }
          void await_resume() { thread.join(); }
        };
        Elsewhere elsewhere{loop, {}};
        co_await elsewhere;
        CHECK(Loop::current() == loop);
        writer.send({200, {}, "back", {}});
      },
      {.thread_count = 3});
  CHECK(Loop::current() == nullptr);
  for (int i = 0; i < 6; ++i) CHECK(must(open_client(*server)->send("GET", "/")).body == "back");
}

TEST_CASE("a handler can wait for a descriptor") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  auto server = start_server([&](const Request& request, ResponseWriter& writer) -> Task<void> {
    auto timeout = request.path == "/short" ? 20ms : 10'000ms;
    bool ready = co_await wait_ready(ends[0], Readiness::Read, timeout);
    writer.send({200, {}, ready ? "ready" : "not ready", {}});
  });
  auto client = open_client(*server);
  CHECK(must(client->send("GET", "/short")).body == "not ready");
  std::thread later([&] {
    std::this_thread::sleep_for(20ms);
    CHECK(::write(ends[1], "x", 1) == 1);
  });
  CHECK(must(client->send("GET", "/long")).body == "ready");
  CHECK(must(client->send("GET", "/long")).body == "ready");
  later.join();
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("many clients on several loops") {
  auto server = start_server(
      [](const Request& request, ResponseWriter& writer) -> Task<void> {
        if (request.body.size() % 3 == 0) co_await sleep_for(1ms);
        writer.start(200, {});
        CHECK(co_await writer.write(request.body));
        writer.finish();
      },
      {.thread_count = 3});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      auto client = open_client(*server);
      for (int i = 0; i < 40; ++i) {
        std::string body(static_cast<size_t>(t * 40 + i), static_cast<char>('a' + t));
        auto answer = client->send("QUERY", "/", {}, body);
        if (answer && answer->body == body) ++right;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(right == 320);
  CHECK(server->drain(5s));
}
