#include "base/deflate.h"

#include <zlib.h>

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace lattice {
namespace {

constexpr int kRawWindowBits = -15;  // negative: no zlib header or checksum
constexpr size_t kOutputStepBytes = 16 * 1024;

// zlib counts in 32 bits, and takes its input as a pointer to mutable bytes that it does not
// change.
void give_input(z_stream& stream, std::string_view bytes) {
  LATTICE_CHECK(bytes.size() <= std::numeric_limits<uInt>::max(), bytes.size());
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
}

const Bytef* as_bytef(std::string_view bytes) {
  return reinterpret_cast<const Bytef*>(bytes.data());
}

struct Inflater {
  z_stream stream{};
  Inflater() { LATTICE_CHECK(inflateInit2(&stream, kRawWindowBits) == Z_OK); }
  ~Inflater() { inflateEnd(&stream); }
};

}  // namespace

std::string deflate_raw(std::string_view bytes, std::string_view dictionary) {
  z_stream stream{};
  LATTICE_CHECK(deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kRawWindowBits,
                             /*memLevel=*/9, Z_DEFAULT_STRATEGY) == Z_OK);
  int status = Z_OK;
  if (!dictionary.empty()) {
    status =
        deflateSetDictionary(&stream, as_bytef(dictionary), static_cast<uInt>(dictionary.size()));
  }
  std::string out;
  if (status == Z_OK) {
    give_input(stream, bytes);
    out.resize(deflateBound(&stream, bytes.size()));
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    status = deflate(&stream, Z_FINISH);
  }
  size_t written = stream.total_out;
  deflateEnd(&stream);
  LATTICE_CHECK(status == Z_STREAM_END, status);
  out.resize(written);
  return out;
}

Result<std::string> inflate_raw(std::string_view stream, size_t bytes_max,
                                std::string_view dictionary) {
  Inflater inflater;
  z_stream& z = inflater.stream;
  if (!dictionary.empty()) {
    LATTICE_CHECK(inflateSetDictionary(&z, as_bytef(dictionary),
                                       static_cast<uInt>(dictionary.size())) == Z_OK);
  }
  give_input(z, stream);
  std::string out;
  while (true) {
    // One byte beyond the limit shows that the stream would grow past it.
    size_t have = out.size();
    size_t room = std::max(have, kOutputStepBytes);
    if (bytes_max - have < room) room = bytes_max - have + 1;
    out.resize(have + room);
    z.next_out = reinterpret_cast<Bytef*>(out.data() + have);
    z.avail_out = static_cast<uInt>(room);
    int status = inflate(&z, Z_NO_FLUSH);
    out.resize(have + room - z.avail_out);
    if (out.size() > bytes_max) {
      return fail(Code::Encoding, "the compressed text grows past the limit of " +
                                      std::to_string(bytes_max) + " bytes");
    }
    if (status == Z_STREAM_END) break;
    if (status == Z_OK && z.avail_out == 0) continue;
    bool is_short = status == Z_OK || status == Z_BUF_ERROR;
    return fail(Code::Encoding, is_short ? "the compressed text ends before its stream does"
                                         : std::string("the compressed text is broken: ") +
                                               (z.msg != nullptr ? z.msg : "not a raw stream"));
  }
  if (z.avail_in != 0) {
    return fail(Code::Encoding,
                std::to_string(z.avail_in) + " bytes follow the end of the compressed text");
  }
  return out;
}

}  // namespace lattice
