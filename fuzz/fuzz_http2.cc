// HTTP/2 against a stranger: the session survives any frames. Inputs with an odd second byte are
// not taken as they are: they describe frames, so that the fuzzer need not find the preface and
// lengths.
#include "fuzz/fuzz.h"
#include "fuzz/http_session.h"

namespace lattice {

namespace {

// A description is: type, flags, stream, length, payload; again and again. A type of 0x81 is
// HEADERS that begin with what every request needs, and the path's first letter from the payload.
std::string make_frames(std::string_view description) {
  std::string out(http::kHttp2Preface);
  out.append("\0\0\0\x04\0\0\0\0\0", 9);
  while (description.size() >= 4) {
    const bool is_request = static_cast<uint8_t>(description[0]) == 0x81;
    const char type = is_request ? 1 : static_cast<char>(description[0] % 12);
    const char flags = description[1];
    const char stream = static_cast<char>(description[2] & 0x0F);
    std::string payload(description.substr(4, static_cast<uint8_t>(description[3])));
    description.remove_prefix(4 + payload.size());
    if (is_request) {
      const char letter = payload.empty() ? 'x' : payload[0];
      payload = std::string("\x83\x86\x41\x01x\x04\x02/", 8) + letter +
                (payload.empty() ? "" : payload.substr(1));
    }
    out.append(1, '\0').append(1, static_cast<char>(payload.size() >> 8));
    out.append(1, static_cast<char>(payload.size())).append(1, type).append(1, flags);
    out.append(3, '\0').append(1, stream).append(payload);
  }
  return out;
}

}  // namespace

void fuzz(std::string_view input) {
  if (input.size() < 2 || (input[1] & 1) == 0) {
    http::drive_session(http::make_http2_session, input);
  } else {
    std::string bytes = input[0] + make_frames(input.substr(2));
    http::drive_session(http::make_http2_session, bytes);
  }
}

}  // namespace lattice
