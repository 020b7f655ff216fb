#include "http/message.h"

#include <algorithm>
#include <array>

namespace lattice::http {

namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr std::array<bool, 256> make_token_table() {
  std::array<bool, 256> table{};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (int c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) table[static_cast<unsigned char>(c)] = true;
  return table;
}
constexpr std::array<bool, 256> kTokenTable = make_token_table();

// In order.
struct ReasonRow {
  int status;
  std::string_view phrase;
};
constexpr ReasonRow kReasons[] = {
    {100, "Continue"},
    {101, "Switching Protocols"},
    {102, "Processing"},
    {103, "Early Hints"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {203, "Non-Authoritative Information"},
    {204, "No Content"},
    {205, "Reset Content"},
    {206, "Partial Content"},
    {207, "Multi-Status"},
    {208, "Already Reported"},
    {226, "IM Used"},
    {300, "Multiple Choices"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {421, "Misdirected Request"},
    {422, "Unprocessable Content"},
    {423, "Locked"},
    {424, "Failed Dependency"},
    {425, "Too Early"},
    {426, "Upgrade Required"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {451, "Unavailable For Legal Reasons"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
    {507, "Insufficient Storage"},
    {508, "Loop Detected"},
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool equals_ignoring_case(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return false;
  for (size_t i = 0; i < left.size(); ++i) {
    if (lower(left[i]) != lower(right[i])) return false;
  }
  return true;
}

bool has_list_token(std::string_view value, std::string_view token) {
  while (true) {
    size_t comma = value.find(',');
    if (equals_ignoring_case(trim(value.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    value.remove_prefix(comma + 1);
  }
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return kTokenTable[static_cast<unsigned char>(c)];
  });
}

bool is_field_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7F) || byte == '\t';
  });
}

void split_target(Request& request) {
  size_t mark = request.target.find('?');
  request.path.assign(request.target, 0, mark);
  if (mark == std::string::npos) {
    request.query.clear();
  } else {
    request.query.assign(request.target, mark + 1);
  }
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
  for (const Header& field : fields_) {
    if (equals_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::optional<std::string> Headers::combined(std::string_view name) const {
  std::optional<std::string> out;
  for (const Header& field : fields_) {
    if (!equals_ignoring_case(field.name, name)) continue;
    if (out) {
      out->append(", ").append(field.value);
    } else {
      out = field.value;
    }
  }
  return out;
}

void Headers::add(std::string_view name, std::string_view value) {
  fields_.push_back({std::string(name), std::string(value)});
}

void Headers::set(std::string_view name, std::string_view value) {
  auto same = [&](const Header& field) { return equals_ignoring_case(field.name, name); };
  auto first = std::find_if(fields_.begin(), fields_.end(), same);
  if (first == fields_.end()) return add(name, value);
  first->value = value;
  fields_.erase(std::remove_if(first + 1, fields_.end(), same), fields_.end());
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_,
                [&](const Header& field) { return equals_ignoring_case(field.name, name); });
}

std::string_view reason_phrase(int status) {
  auto row =
      std::lower_bound(std::begin(kReasons), std::end(kReasons), status,
                       [](const ReasonRow& reason, int wanted) { return reason.status < wanted; });
  return row != std::end(kReasons) && row->status == status ? row->phrase : std::string_view();
}

}  // namespace lattice::http
