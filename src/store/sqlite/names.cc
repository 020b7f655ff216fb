#include "store/sqlite/names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "store/mapping.h"

namespace lattice::store {

namespace {

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return lower(c) >= 'a' && lower(c) <= 'z'; }

// Plurals that no rule below gets right.
constexpr std::pair<std::string_view, std::string_view> kIrregular[] = {
    {"people", "person"},   {"children", "child"}, {"men", "man"},        {"women", "woman"},
    {"mice", "mouse"},      {"feet", "foot"},      {"teeth", "tooth"},    {"geese", "goose"},
    {"indices", "index"},   {"vertices", "vertex"}, {"matrices", "matrix"}, {"movies", "movie"},
    {"cookies", "cookie"},  {"caches", "cache"},   {"selfies", "selfie"}, {"leaves", "leaf"},
    {"lives", "life"},      {"knives", "knife"},   {"wolves", "wolf"},    {"shelves", "shelf"},
};
constexpr std::string_view kUncountable[] = {"series", "species", "news", "data", "media", "lens", "gas"};

std::string singular_word(std::string_view word) {
  for (auto [many, one] : kIrregular) {
    if (word == many) return std::string(one);
  }
  if (std::find(std::begin(kUncountable), std::end(kUncountable), word) != std::end(kUncountable)) {
    return std::string(word);
  }
  auto ends = [&](std::string_view suffix) { return word.ends_with(suffix); };
  auto without = [&](size_t count) { return std::string(word.substr(0, word.size() - count)); };
  if (ends("ies") && word.size() > 4) return without(3) + "y";
  for (std::string_view suffix : {"sses", "shes", "ches", "xes", "zes", "tuses", "ruses", "buses", "iases"}) {
    if (ends(suffix)) return without(2);
  }
  if (ends("ss") || ends("us") || ends("is") || !ends("s") || word.size() < 3) return std::string(word);
  return without(1);
}

}  // namespace

std::string camel_case(std::string_view name, std::string_view prefix) {
  std::string words;  // snake case, with every other character a separator
  for (char c : snake_case(name)) words += is_letter(c) || is_digit(c) ? c : '_';
  std::string out;
  bool starts_word = false;
  for (char c : words) {
    if (c == '_') {
      starts_word = !out.empty();
      continue;
    }
    out += std::exchange(starts_word, false) ? upper(c) : c;
  }
  if (!out.empty() && is_digit(out.front())) out = std::string(prefix) + out;
  return out;
}

std::string capitalize(std::string_view name) {
  std::string out(name);
  if (!out.empty()) out.front() = upper(out.front());
  return out;
}

std::string decapitalize(std::string_view name) {
  std::string out(name);
  if (!out.empty()) out.front() = lower(out.front());
  return out;
}

std::string singular_of(std::string_view name) {
  std::string snake = snake_case(name);
  size_t last = snake.rfind('_');
  size_t size = last == std::string::npos ? snake.size() : snake.size() - last - 1;
  if (size == 0 || size > name.size()) return std::string(name);
  std::string_view word = name.substr(name.size() - size);
  std::string one = singular_word(snake.substr(snake.size() - size));
  if (!word.empty() && word.front() != lower(word.front())) one = capitalize(one);
  return std::string(name.substr(0, name.size() - size)) + one;
}

std::string entity_name(std::string_view table) {
  return capitalize(singular_of(camel_case(table, "t")));
}

std::string without_id(std::string_view field) {
  if (field.size() > 2 && field.ends_with("Id")) return std::string(field.substr(0, field.size() - 2));
  return {};
}

}  // namespace lattice::store
