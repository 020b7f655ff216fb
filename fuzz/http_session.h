// Drives a protocol session without sockets: what the two HTTP fuzzers share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "http/session.h"

namespace lattice::http {

// Answers in as many ways as there are: by the first letter of the path.
inline Task<void> fuzz_handler(const Request& request, ResponseWriter& writer) {
  char kind = request.path.size() > 1 ? request.path[1] : ' ';
  switch (kind) {
    case 's':  // a stream, with more than one buffer's worth
      writer.start(200, {{"Trailer", "X"}});
      for (int i = 0; i < 4; ++i) {
        if (!co_await writer.write(std::string(6000, 'x'))) co_return;
      }
      co_return writer.finish({{"X", "y"}});
    case 'l':
      writer.start(200, {{"Content-Length", "3"}});
      (void)co_await writer.write("abc");
      co_return writer.finish();
    case 'a':
      writer.start(200, {});
      (void)co_await writer.write("half");
      co_return writer.abort();
    case 't':
      throw std::runtime_error("thrown");
    case 'n':
      co_return;
    case 'w':  // waits for ever
      co_await std::suspend_always();
      co_return;
    case 'h':
      writer.send_interim(103, {{"Link", "<a>"}});
      break;
    default:
      break;
  }
  writer.send({200, {}, request.method + request.target + request.body, {{"X", "y"}}});
}

// Feeds `input` in pieces whose sizes its first byte decides, takes the output as a slow or quick
// peer would, and ends in one of several ways. Returns all output.
inline std::string drive_session(std::unique_ptr<Session> (*make)(SessionContext&, Link&, Peer),
                                 std::string_view input) {
  struct NoLink final : Link {
    void flush_soon() override {}
  } link;
  static const ServerOptions options = [] {
    ServerOptions out;
    out.header_bytes_max = 4096;
    out.target_bytes_max = 1024;
    out.body_bytes_max = 8192;
    out.write_buffer_bytes = 8192;
    out.streams_max = 8;
    out.stream_resets_max = 16;
    out.on_failure = [](const Request&, std::string_view) {};
    return out;
  }();
  static const Handler handler = fuzz_handler;
  SessionContext context{options, handler, {}, {}};
  auto session = make(context, link, {"127.0.0.1", false});
  std::string all;
  uint8_t choice = input.empty() ? 0 : static_cast<uint8_t>(input[0]);
  if (!input.empty()) input.remove_prefix(1);
  const size_t step = choice % 16 == 0 ? input.size() + 1 : choice % 16;
  const bool is_slow = (choice & 16) != 0;
  auto take = [&](size_t bytes_max) {
    session->fill();
    size_t bytes = std::min(bytes_max, session->output.size());
    OutputQueue taken;
    session->output.move_to(taken, bytes);
    std::string_view pieces[64];
    while (size_t count = taken.gather(pieces)) {
      size_t sum = 0;
      for (size_t i = 0; i < count; ++i) all += pieces[i], sum += pieces[i].size();
      taken.consume(sum);
    }
    session->sent();
  };
  while (!input.empty() && !session->is_finished()) {
    if (session->wants_input()) {
      session->receive(input.substr(0, step));
      input.remove_prefix(std::min(step, input.size()));
    }
    take(is_slow ? 100 : SIZE_MAX);
  }
  if ((choice & 32) != 0) session->on_deadline();
  if ((choice & 64) != 0) session->drain();
  if ((choice & 128) != 0) session->receive_end();
  for (int i = 0; i < 50; ++i) take(SIZE_MAX);
  session->drop();
  session.reset();
  while (!context.exchanges.empty()) context.exchanges.first()->destroy();
  return all;
}

}  // namespace lattice::http
