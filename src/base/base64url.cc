#include "base/base64url.h"

#include <array>
#include <cstdint>

namespace lattice {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr uint8_t kNoDigit = 0xff;

constexpr std::array<uint8_t, 256> make_digits() {
  std::array<uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return digits;
}
constexpr std::array<uint8_t, 256> kDigits = make_digits();

std::unexpected<Error> broken(std::string what, size_t offset) {
  return fail(Code::Encoding,
              "base64url: " + std::move(what) + " at offset " + std::to_string(offset));
}

}  // namespace

void append_base64url(std::string& out, std::string_view bytes) {
  size_t start = out.size();
  out.resize(start + bytes.size() / 3 * 4 + (bytes.size() % 3 == 0 ? 0 : bytes.size() % 3 + 1));
  char* to = out.data() + start;
  auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[i])); };
  size_t i = 0;
  for (; i + 3 <= bytes.size(); i += 3) {
    uint32_t group = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    *to++ = kAlphabet[group >> 18];
    *to++ = kAlphabet[group >> 12 & 63];
    *to++ = kAlphabet[group >> 6 & 63];
    *to++ = kAlphabet[group & 63];
  }
  if (i == bytes.size()) return;
  uint32_t group = byte(i) << 16;
  if (i + 1 < bytes.size()) group |= byte(i + 1) << 8;
  *to++ = kAlphabet[group >> 18];
  *to++ = kAlphabet[group >> 12 & 63];
  if (i + 1 < bytes.size()) *to++ = kAlphabet[group >> 6 & 63];
}

std::string base64url_encode(std::string_view bytes) {
  std::string out;
  append_base64url(out, bytes);
  return out;
}

Result<std::string> base64url_decode(std::string_view text) {
  if (text.size() % 4 == 1) {
    return broken("a single digit is left over", text.size() - 1);
  }
  std::string out;
  out.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int bit_count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t digit = kDigits[static_cast<uint8_t>(text[i])];
    if (digit == kNoDigit) {
      return broken(text[i] == '=' ? "padding is not allowed" : "character outside the alphabet",
                    i);
    }
    bits = bits << 6 | digit;
    bit_count += 6;
    if (bit_count >= 8) {
      bit_count -= 8;
      out.push_back(static_cast<char>(bits >> bit_count & 0xff));
    }
  }
  // The bits that fill up the last digit carry nothing; two spellings of one value are refused.
  if ((bits & ((1u << bit_count) - 1)) != 0) {
    return broken("the spare bits of the last digit are not zero", text.size() - 1);
  }
  return out;
}

Result<std::string> base64url_decode_padded(std::string_view text) {
  std::string_view digits = text;
  while (text.size() - digits.size() < 2 && digits.ends_with('=')) digits.remove_suffix(1);
  if (digits.size() < text.size() && text.size() % 4 != 0) {
    return broken("the padding does not fill up a group of four", digits.size());
  }
  return base64url_decode(digits);
}

}  // namespace lattice
