// HTTP/2 against a stranger: the session must survive any frames. Half of the inputs get the
// preface in front, so that the fuzzer need not find it.
#include "fuzz/fuzz.h"
#include "fuzz/http_session.h"

using namespace lattice::http;

void lattice::fuzz(std::string_view input) {
  std::string bytes(input);
  if (bytes.size() > 1 && (bytes[1] & 1) != 0) {
    std::string settings("\0\0\0\x04\0\0\0\0\0", 9);
    bytes.insert(1, std::string(kHttp2Preface) + settings);
  }
  drive_session(make_http2_session, bytes);
}
