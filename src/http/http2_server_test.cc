// The HTTP/2 server over real sockets: with the client, and with frames written by hand.
#include "tests/support/http_server.h"

using namespace lattice;
using namespace lattice::http;

namespace {

constexpr ClientOptions kHttp2{.http2 = true};

// Frames by hand (RFC 9113 §4.1); fields are literals without indexing (RFC 7541 §6.2.2).
std::string frame(uint8_t type, uint8_t flags, uint32_t stream, std::string_view payload) {
  std::string out;
  for (int shift : {16, 8, 0}) out += static_cast<char>(payload.size() >> shift);
  out += static_cast<char>(type);
  out += static_cast<char>(flags);
  for (int shift : {24, 16, 8, 0}) out += static_cast<char>(stream >> shift);
  return out.append(payload);
}

std::string fields(std::initializer_list<Header> list) {
  std::string out;
  auto add = [&out](std::string_view text) {
    constexpr size_t kPrefix = 127;
    if (text.size() < kPrefix) {
      out += static_cast<char>(text.size());
    } else {
      out += static_cast<char>(kPrefix);
      size_t left = text.size() - kPrefix;
      for (; left >= 128; left /= 128) out += static_cast<char>(left % 128 + 128);
      out += static_cast<char>(left);
    }
    out += text;
  };
  for (const Header& field : list) {
    out += '\0';
    add(field.name);
    add(field.value);
  }
  return out;
}

constexpr uint8_t kData = 0, kHeaders = 1, kReset = 3, kGoaway = 7, kContinuation = 9;
constexpr uint8_t kEndStream = 1, kEndHeaders = 4;
const std::string kHello = std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n") + frame(4, 0, 0, "");

std::string request(uint32_t stream, std::string method = "GET", uint8_t flags = kEndStream) {
  return frame(kHeaders, flags | kEndHeaders, stream,
               fields({{":method", std::move(method)},
                       {":scheme", "http"},
                       {":path", "/"},
                       {":authority", "x"}}));
}

struct Frame {
  uint8_t type = 0xFF;
  uint8_t flags = 0;
  uint32_t stream = 0;
  std::string payload;
  uint32_t error() const {  // of RST_STREAM, or of GOAWAY
    size_t at = type == kGoaway ? 4 : 0;
    uint32_t out = 0;
    for (size_t i = at; i < at + 4 && i < payload.size(); ++i) {
      out = out << 8 | static_cast<uint8_t>(payload[i]);
    }
    return out;
  }
};

// Type 0xFF at the end of the connection.
Frame read_frame(RawSocket& socket) {
  std::string head = socket.read_bytes(9);
  if (head.size() < 9) return {};
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(head[i])); };
  Frame out;
  out.type = static_cast<uint8_t>(head[3]);
  out.flags = static_cast<uint8_t>(head[4]);
  out.stream = byte(5) << 24 | byte(6) << 16 | byte(7) << 8 | byte(8);
  out.payload = socket.read_bytes(byte(0) << 16 | byte(1) << 8 | byte(2));
  return out;
}

// The next frame of one of `types`; type 0xFF when the connection ends before.
Frame read_frame(RawSocket& socket, std::initializer_list<uint8_t> types) {
  while (true) {
    Frame next = read_frame(socket);
    if (next.type == 0xFF || std::find(types.begin(), types.end(), next.type) != types.end()) {
      return next;
    }
  }
}

}  // namespace

TEST_CASE("h2: requests of any method, on one connection") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    CHECK(request.version == Version::Http2);
    CHECK(request.headers.find("host")->starts_with("127.0.0.1:"));
    CHECK(request.headers.combined("cookie") == "a=1; b=2");
    for (const Header& field : request.headers.fields()) CHECK(field.name[0] != ':');
    co_await echo(request, writer);
  });
  auto client = open_client(*server, kHttp2);
  Headers headers{{"Cookie", "a=1"}, {"cookie", "b=2"}};
  for (std::string_view method : {"GET", "QUERY", "POST", "DELETE", "X-Custom"}) {
    std::string body = method == "GET" ? "" : "{x}";
    auto answer = must(client->send(method, "/a?b=1", headers, body));
    CHECK(answer.status == 200);
    CHECK(answer.complete);
    CHECK(answer.body == std::string(method) + " /a?b=1|" + body);
    CHECK(answer.headers.find("content-type") == "text/plain");
    CHECK(answer.headers.find("content-length") == std::to_string(answer.body.size()));
    CHECK(answer.headers.find("date")->ends_with(" GMT"));
  }
  auto head = must(client->send("HEAD", "/abc", headers));
  CHECK(head.body.empty());
  CHECK(head.headers.find("content-length") == "10");
}

TEST_CASE("h2: streams with trailers and interim responses") {
  auto server = start_server([](const Request& request, ResponseWriter& writer) -> Task<void> {
    if (request.path == "/whole") {
      co_return writer.send({200, {}, request.query, {{"X-Sum", "9"}}});
    }
    writer.send_interim(103, {{"Link", "</a>"}});
    writer.start(200, {{"Connection", "dropped"}});
    for (int i = 0; i < 3; ++i) {
      co_await sleep_for(1ms);
      CHECK(co_await writer.write("piece" + std::to_string(i)));
    }
    writer.finish({{"X-Sum", "3"}});
  });
  auto client = open_client(*server, kHttp2);
  auto answer = must(client->send("GET", "/"));
  CHECK(answer.body == "piece0piece1piece2");
  CHECK(answer.complete);
  CHECK(answer.trailers.find("x-sum") == "3");
  CHECK_FALSE(answer.headers.contains("connection"));
  REQUIRE(answer.interim.size() == 1);
  CHECK(answer.interim[0].headers.find("link") == "</a>");
  for (std::string_view body : {"body", ""}) {
    answer = must(client->send("GET", "/whole?" + std::string(body)));
    CHECK(answer.body == body);
    CHECK(answer.headers.find("trailer") == (body.empty() ? "X-Sum" : "X-Sum"));
    CHECK(answer.trailers.find("x-sum") == "9");
  }
}

TEST_CASE("h2: large bodies flow both ways") {
  auto server = start_server(
      [](const Request& request, ResponseWriter& writer) -> Task<void> {
        writer.send({200, {}, request.body, {}});
        co_return;
      },
      {.body_bytes_max = 16 << 20});
  auto client = open_client(*server, kHttp2);
  std::string body;
  for (int i = 0; body.size() < 10'000'000; ++i) body += std::to_string(i);
  for (int i = 0; i < 2; ++i) CHECK(must(client->send("POST", "/", {}, body)).body == body);
}

TEST_CASE("h2: a body over the limit is refused, and the connection goes on") {
  auto server = start_server(
      echo, {.header_bytes_max = 1000, .target_bytes_max = 100, .body_bytes_max = 1000});
  auto client = open_client(*server, kHttp2);
  CHECK(must(client->send("POST", "/", {}, std::string(1'000'000, 'a'))).status == 413);
  CHECK(must(client->send("GET", "/" + std::string(100, 'a'))).status == 414);
  CHECK(must(client->send("GET", "/", {{"A", std::string(1000, 'a')}})).status == 431);
  CHECK(must(client->send("GET", "/", {{"Expect", "magic"}})).status == 417);
  CHECK(must(client->send("GET", "/")).status == 200);
}

TEST_CASE("h2: abort resets the stream, an exception is a 500") {
  ServerOptions options;
  options.on_failure = [](const Request&, std::string_view) {};
  auto server = start_server(
      [](const Request& request, ResponseWriter& writer) -> Task<void> {
        if (request.path == "/throw") throw std::runtime_error("broken");
        if (request.path == "/before") co_return writer.abort();
        writer.start(200, {});
        CHECK(co_await writer.write("half"));
        co_await sleep_for(20ms);
        writer.abort();
      },
      options);
  auto client = open_client(*server, kHttp2);
  CHECK(must(client->send("GET", "/throw")).status == 500);
  auto answer = must(client->send("GET", "/"));
  CHECK(answer.body == "half");
  CHECK_FALSE(answer.complete);
  auto before = client->send("POST", "/before");
  REQUIRE_FALSE(before);
  CHECK(before.error().code == Code::Io);
}

TEST_CASE("h2: a reader that grants no window stalls the handler's writes") {
  std::atomic<size_t> written{0};
  std::atomic<bool> was_told{false};
  Event ended;
  auto server = start_server(
      [&](const Request&, ResponseWriter& writer) -> Task<void> {
        writer.on_peer_gone([&] { was_told = true; });
        writer.start(200, {});
        while (co_await writer.write(std::string(16 * 1024, 'x'))) written += 16 * 1024;
        ended.set();
      },
      {.write_buffer_bytes = 128 * 1024});
  RawSocket socket(server->port());
  socket.write(kHello + request(1));
  size_t received = 0;
  while (received < 65535) received += read_frame(socket, {kData}).payload.size();
  // Window (64 KB) and buffer (128 KB) are full.
  CHECK(eventually([&] { return written >= 65535; }));
  std::this_thread::sleep_for(100ms);
  CHECK(written <= 65536 + 128 * 1024);
  SUBCASE("and a reset ends them") {
    socket.write(frame(kReset, 0, 1, std::string("\0\0\0\x08", 4)));
    CHECK(ended.wait());
    socket.write(request(3));  // the connection lives
    CHECK(read_frame(socket, {kHeaders}).stream == 3);
  }
  SUBCASE("and the end of the connection ends them") {
    socket.close();
    CHECK(ended.wait());
  }
  CHECK_FALSE(was_told);  // write told it
}

TEST_CASE("h2: a peer that never opens its window is reset after a while") {
  Event ended;
  auto server = start_server(
      [&](const Request&, ResponseWriter& writer) -> Task<void> {
        writer.start(200, {});
        while (co_await writer.write(std::string(100'000, 'x'))) {
        }
        ended.set();
      },
      {.write_timeout = 100ms});
  RawSocket socket(server->port());
  socket.write(kHello + request(1));
  CHECK(read_frame(socket, {kReset}).error() == 8);  // CANCEL
  CHECK(ended.wait());
}

TEST_CASE("h2: request trailers are read over") {
  auto server = start_server(echo);
  RawSocket socket(server->port());
  socket.write(kHello + request(1, "POST", 0) + frame(kData, 0, 1, "abc") +
               frame(kHeaders, kEndStream | kEndHeaders, 1, fields({{"x-sum", "1"}})));
  CHECK(read_frame(socket, {kData}).payload == "POST /|abc");
}

TEST_CASE("h2: a reset while the handler waits for something else") {
  Event started;
  Event told;
  std::atomic<bool> was_open{true};
  auto server = start_server([&](const Request&, ResponseWriter& writer) -> Task<void> {
    bool is_gone = false;
    writer.on_peer_gone([&] { is_gone = true; });
    started.set();
    while (!is_gone) co_await sleep_for(1ms);
    was_open = writer.is_open();
    writer.send({200, {}, "late", {}});  // harmless
    told.set();
  });
  RawSocket socket(server->port());
  socket.write(kHello + request(1));
  REQUIRE(started.wait());
  socket.write(frame(kReset, 0, 1, std::string("\0\0\0\x08", 4)));
  CHECK(told.wait());
  CHECK_FALSE(was_open);
}

TEST_CASE("h2: many streams at once, answered as they are ready") {
  auto server = start_server(
      [](const Request& request, ResponseWriter& writer) -> Task<void> {
        if (request.method == "SLOW") co_await sleep_for(50ms);
        writer.send({200, {}, {}, {}});
      },
      {.streams_max = 10});
  RawSocket socket(server->port());
  socket.write(kHello + request(1, "SLOW") + request(3) + request(5));
  CHECK(read_frame(socket, {kHeaders}).stream == 3);
  CHECK(read_frame(socket, {kHeaders}).stream == 5);
  CHECK(read_frame(socket, {kHeaders}).stream == 1);
  // More than streams_max at once: refused, not run.
  std::string many;
  for (uint32_t id = 7; id < 7 + 2 * 15; id += 2) many += request(id, "SLOW");
  socket.write(many);
  int refused = 0;
  int answered = 0;
  while (refused + answered < 15) {
    Frame next = read_frame(socket, {kHeaders, kReset});
    REQUIRE(next.type != 0xFF);
    if (next.type == kReset) {
      CHECK(next.error() == 7);  // REFUSED_STREAM
      ++refused;
    } else {
      ++answered;
    }
  }
  CHECK(refused == 5);
}

TEST_CASE("h2: malformed requests are reset, not served") {
  auto server = start_server([](const Request&, ResponseWriter&) -> Task<void> {
    FAIL("the handler was called");
    co_return;
  });
  struct Case {
    std::string what;
    std::string block;
    int status;  // 0: a stream reset
  };
  const Case cases[] = {
      {"no path", fields({{":method", "GET"}, {":scheme", "http"}, {":authority", "x"}}), 0},
      {"no method", fields({{":path", "/"}, {":scheme", "http"}, {":authority", "x"}}), 0},
      {"no authority", fields({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}}), 0},
      {"two paths",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":path", "/"},
               {":authority", "x"}}),
       0},
      {"unknown pseudo-header",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {":magic", "x"}}),
       0},
      {"pseudo-header after a field",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {"a", "b"},
               {":path", "/"},
               {":authority", "x"}}),
       0},
      {"upper case name",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {"Aa", "b"}}),
       0},
      {"connection field",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {"connection", "close"}}),
       0},
      {"transfer-encoding",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {"transfer-encoding", "chunked"}}),
       0},
      {"line end in a value",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {"a", "b\r\nc: d"}}),
       0},
      {"content length without body",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {"content-length", "5"}}),
       0},
      {"fragment in the path",
       fields({{":method", "GET"}, {":scheme", "http"}, {":path", "/a#b"}, {":authority", "x"}}),
       400},
      {"two hosts",
       fields({{":method", "GET"},
               {":scheme", "http"},
               {":path", "/"},
               {":authority", "x"},
               {"host", "y"}}),
       400},
      {"bad authority",
       fields({{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "u@x"}}),
       400},
      {"CONNECT", fields({{":method", "CONNECT"}, {":authority", "x:1"}}), 501},
  };
  for (const Case& malformed : cases) {
    CAPTURE(malformed.what);
    RawSocket socket(server->port());
    socket.write(kHello + frame(kHeaders, kEndStream | kEndHeaders, 1, malformed.block));
    Frame answer = read_frame(socket, {kHeaders, kReset, kGoaway});
    if (malformed.status == 0) {
      CHECK(answer.type == kReset);
      CHECK(answer.error() == 1);  // PROTOCOL_ERROR
    } else {
      CHECK(answer.type == kHeaders);
      std::string body = read_frame(socket, {kData}).payload;
      CHECK(body.find("\"status\":" + std::to_string(malformed.status)) != std::string::npos);
    }
  }
}

TEST_CASE("h2: a peer that resets its streams again and again is sent away") {
  std::atomic<int> running{0};
  auto server = start_server(
      [&](const Request&, ResponseWriter& writer) -> Task<void> {
        ++running;
        co_await sleep_for(50ms);
        writer.send({200, {}, {}, {}});
      },
      {.streams_max = 10, .stream_resets_max = 50});
  RawSocket socket(server->port());
  std::string bytes = kHello;
  for (uint32_t id = 1; id < 400; id += 2) {
    bytes += request(id) + frame(kReset, 0, id, std::string("\0\0\0\x08", 4));
  }
  socket.write(bytes);
  Frame goaway = read_frame(socket, {kGoaway});
  CHECK(goaway.type == kGoaway);
  CHECK(goaway.error() == 11);  // ENHANCE_YOUR_CALM
  CHECK(running <= 20);         // what was reset still counts while its handler runs
}

TEST_CASE("h2: slow bodies, header blocks that do not end, idle connections") {
  auto server =
      start_server(echo, {.header_timeout = 100ms, .body_timeout = 100ms, .idle_timeout = 100ms});
  {
    RawSocket socket(server->port());
    socket.write(kHello + request(1, "POST", 0));
    CHECK(read_frame(socket, {kData}).payload.find("\"status\":408") != std::string::npos);
    CHECK(read_frame(socket, {kReset}).error() == 0);
  }
  {
    RawSocket socket(server->port());
    socket.write(kHello + frame(kHeaders, kEndStream, 1, fields({{":method", "GET"}})));
    CHECK(read_frame(socket, {kGoaway}).type == kGoaway);
    socket.write(frame(kContinuation, 0, 1, ""));
    CHECK(read_frame(socket, {kHeaders}).type == 0xFF);
  }
  {
    RawSocket socket(server->port());
    socket.write(kHello);
    CHECK(read_frame(socket, {kGoaway}).error() == 0);
    CHECK(read_frame(socket, {kHeaders}).type == 0xFF);
  }
}

TEST_CASE("h2: a preface that comes in pieces, and one that goes wrong") {
  auto server = start_server(echo);
  RawSocket socket(server->port());
  for (char c : kHello + request(1)) socket.write({&c, 1});
  CHECK(read_frame(socket, {kHeaders}).stream == 1);
  RawSocket wrong(server->port());
  wrong.write("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n");
  CHECK(wrong.read_all().starts_with("HTTP/1.1 505 "));
}

TEST_CASE("h2: drain says GOAWAY and lets streams finish") {
  Event started;
  auto server = start_server([&](const Request&, ResponseWriter& writer) -> Task<void> {
    started.set();
    co_await sleep_for(200ms);
    writer.send({200, {}, "done", {}});
  });
  RawSocket socket(server->port());
  socket.write(kHello + request(1));
  REQUIRE(started.wait());
  bool none_cut = false;
  std::thread draining([&] { none_cut = server->drain(10s); });
  CHECK(read_frame(socket, {kGoaway}).error() == 0);
  CHECK(read_frame(socket, {kData}).payload == "done");
  CHECK(read_frame(socket, {kHeaders}).type == 0xFF);
  socket.close();
  draining.join();
  CHECK(none_cut);
}

TEST_CASE("h2: many clients on several loops") {
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
      auto client = open_client(*server, kHttp2);
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
