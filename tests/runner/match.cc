#include "tests/runner/match.h"

namespace lattice::runner {

namespace {

constexpr std::string_view kMore = "..";

bool is_name(std::string_view text) {
  if (text.empty()) return false;
  for (char c : text) {
    bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                c == '_' || c == ':' || c == '.';
    if (!fine) return false;
  }
  return true;
}

// The `{name}` at `at`, or empty.
std::string_view name_at(std::string_view text, size_t at) {
  if (text[at] != '{') return {};
  size_t close = text.find('}', at);
  if (close == std::string_view::npos) return {};
  std::string_view name = text.substr(at + 1, close - at - 1);
  return is_name(name) ? name : std::string_view();
}

bool match_from(std::string_view pattern, std::string_view text, Names& names) {
  size_t at = 0;
  while (at < pattern.size()) {
    std::string_view name = name_at(pattern, at);
    if (name.empty()) {
      if (text.empty() || text.front() != pattern[at]) return false;
      text.remove_prefix(1);
      ++at;
      continue;
    }
    std::string_view rest = pattern.substr(at + name.size() + 2);
    // A capture takes as little as lets the rest match.
    for (size_t length = rest.empty() ? text.size() : 1; length <= text.size(); ++length) {
      Names tried = names;
      auto [known, fresh] = tried.try_emplace(std::string(name), text.substr(0, length));
      if (!fresh && known->second != text.substr(0, length)) continue;
      if (match_from(rest, text.substr(length), tried)) {
        names = std::move(tried);
        return true;
      }
    }
    return false;
  }
  return text.empty();
}

bool has_word(std::string_view text, std::string_view word, Names& names) {
  size_t at = 0;
  while (at <= text.size()) {
    size_t end = text.find_first_of(" ,", at);
    if (end == std::string_view::npos) end = text.size();
    if (end > at && match_from(word, text.substr(at, end - at), names)) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::string substitute(std::string_view text, const Names& names) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    std::string_view name = name_at(text, at);
    auto known = name.empty() ? names.end() : names.find(std::string(name));
    if (known == names.end()) {
      out += text[at];
    } else {
      out += known->second;
      at += name.size() + 1;
    }
  }
  return out;
}

bool match_text(std::string_view pattern, std::string_view text, Names& names) {
  if (pattern.starts_with("has ")) {
    std::string words(pattern.substr(4));
    size_t at = 0;
    while (at < words.size()) {
      size_t end = std::min(words.find(' ', at), words.size());
      if (end > at && !has_word(text, std::string_view(words).substr(at, end - at), names)) {
        return false;
      }
      at = end + 1;
    }
    return true;
  }
  if (pattern.starts_with("contains ")) {
    return text.find(pattern.substr(9)) != std::string_view::npos;
  }
  return match_from(pattern, text, names);
}

Result<Json> parse_pattern(std::string_view text) {
  // `..` becomes an ordinary string (array) or member (object); strings are skipped whole.
  std::string out;
  std::vector<char> open;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '"') {
      size_t end = at + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      out += text.substr(at, end - at + 1);
      at = end;
    } else if (c == '.' && text.substr(at, 2) == kMore) {
      out += !open.empty() && open.back() == '{' ? "\"..\":true" : "\"..\"";
      ++at;
    } else {
      if (c == '{' || c == '[') open.push_back(c);
      if ((c == '}' || c == ']') && !open.empty()) open.pop_back();
      out += c;
    }
  }
  return parse_json(out);
}

bool match_json(const Json& pattern, const Json& value, Names& names) {
  if (pattern.is_string()) {
    if (value.is_string()) return match_text(pattern.as_string(), value.as_string(), names);
    std::string_view text = pattern.as_string();
    // A capture may stand for a whole value: "{count}".
    return text.starts_with('{') && text.ends_with('}') &&
           match_text(text, canonical_json(value), names);
  }
  if (pattern.is_object()) {
    if (!value.is_object()) return false;
    bool more = pattern.find(kMore) != nullptr;
    size_t wanted = pattern.as_object().size() - (more ? 1 : 0);
    if (!more && value.as_object().size() != wanted) return false;
    for (const auto& [key, member] : pattern.as_object()) {
      if (key == kMore) continue;
      const Json* actual = value.find(key);
      if (!actual || !match_json(member, *actual, names)) return false;
    }
    return true;
  }
  if (pattern.is_array()) {
    if (!value.is_array()) return false;
    const Json::Array& wanted = pattern.as_array();
    bool more = !wanted.empty() && wanted.back().is_string() && wanted.back().as_string() == kMore;
    size_t count = wanted.size() - (more ? 1 : 0);
    if (more ? value.as_array().size() < count : value.as_array().size() != count) return false;
    for (size_t i = 0; i < count; ++i) {
      if (!match_json(wanted[i], value.as_array()[i], names)) return false;
    }
    return true;
  }
  return canonical_json(pattern) == canonical_json(value);
}

}  // namespace lattice::runner
