// HTTP/2 against a stranger: the session must survive any frames. Half of the inputs get the
// preface in front, so that the fuzzer need not find it.
#include "fuzz/http_session.h"

using namespace lattice::http;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string input(reinterpret_cast<const char*>(data), size);
  if (size > 1 && (data[1] & 1) != 0) {
    std::string settings("\0\0\0\x04\0\0\0\0\0", 9);
    input.insert(1, std::string(kHttp2Preface) + settings);
  }
  drive_session(make_http2_session, input);
  return 0;
}
