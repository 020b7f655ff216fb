#include "base/percent.h"

#include "base/utf8.h"

namespace lattice {
namespace {

constexpr char kHexDigits[] = "0123456789ABCDEF";

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

// Whether `c` stands for itself in a surrogate key: caches split keys at spaces and commas, `%`
// starts an escape, and `*` is the collection-wide key.
bool is_key_byte(char c) {
  return c > 0x20 && c < 0x7f && c != ',' && c != '%' && c != '*';
}

void append_escape(std::string& out, char c) {
  auto byte = static_cast<uint8_t>(c);
  out += '%';
  out += kHexDigits[byte >> 4];
  out += kHexDigits[byte & 15];
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

void append_percent_encoded(std::string& out, std::string_view text) {
  for (char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      append_escape(out, c);
    }
  }
}

std::string percent_encode(std::string_view text) {
  std::string out;
  append_percent_encoded(out, text);
  return out;
}

Result<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    int high = i + 1 < text.size() ? hex_value(text[i + 1]) : -1;
    int low = i + 2 < text.size() ? hex_value(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return fail(Code::Encoding, "`%` at offset " + std::to_string(i) +
                                      " is not followed by two hexadecimal digits");
    }
    out += static_cast<char>(high << 4 | low);
    i += 2;
  }
  if (!is_valid_utf8(out)) {
    return fail(Code::Encoding, "the percent-decoded text is not valid UTF-8");
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> parse_url_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> members;
  size_t begin = 0;
  while (begin < query.size()) {
    size_t end = std::min(query.find('&', begin), query.size());
    std::string_view part = query.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty()) continue;
    size_t equals = std::min(part.find('='), part.size());
    LATTICE_TRY(auto name, percent_decode(part.substr(0, equals)));
    LATTICE_TRY(auto value, percent_decode(part.substr(std::min(equals + 1, part.size()))));
    members.emplace_back(std::move(name), std::move(value));
  }
  return members;
}

void append_key_bytes(std::string& out, std::string_view value) {
  for (char c : value) {
    if (is_key_byte(c)) {
      out += c;
    } else {
      append_escape(out, c);
    }
  }
}

}  // namespace lattice
