#include "store/store.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

#include <atomic>
#include <charconv>

#include "store/memory/memory.h"
#include "store/sqlite/sqlite.h"

namespace lattice::store {

namespace {

constexpr size_t kEpochDigits = 10;
constexpr size_t kCountDigits = 20;

template <class T>
bool parse_digits(std::string_view text, T& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

// The scheme and the rest of "sqlite:blog.db".
std::pair<std::string_view, std::string_view> split_url(std::string_view url) {
  size_t colon = url.find(':');
  if (colon == std::string_view::npos) return {{}, url};
  return {url.substr(0, colon), url.substr(colon + 1)};
}

std::unexpected<Error> unknown_store(std::string_view url) {
  return fail(Code::Usage,
              fmt::format("`{}` names no store; expected memory: or sqlite:PATH", url));
}

}  // namespace

std::string print_token(Token token) {
  return fmt::format("{:010}.{:020}", token.epoch, token.count);
}

std::optional<Token> parse_token(std::string_view text) {
  Token token;
  bool fits = text.size() == kEpochDigits + 1 + kCountDigits && text[kEpochDigits] == '.' &&
              parse_digits(text.substr(0, kEpochDigits), token.epoch) &&
              parse_digits(text.substr(kEpochDigits + 1), token.count);
  if (!fits) return std::nullopt;
  return token;
}

uint64_t next_shape_id() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

namespace {

constexpr size_t kDatasetBytesMax = 256 << 20;

// `memory:` is empty; `memory:FILE` holds the rows of a data set (MemoryStore::load_dataset).
Result<std::unique_ptr<Store>> open_memory(std::string_view path, schema::SchemaPtr schema) {
  auto store = std::make_unique<MemoryStore>(std::move(schema));
  if (path.empty()) return std::unique_ptr<Store>(std::move(store));
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(std::string(path).c_str(), "rb"),
                                             std::fclose);
  if (!file) return fail(Code::Io, fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  std::string text;
  char buffer[64 * 1024];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (text.size() > kDatasetBytesMax) {
      return fail(Code::Io, fmt::format("{} is larger than 256 MiB", path));
    }
  }
  auto dataset = parse_json(text, {.depth_max = 64, .bytes_max = kDatasetBytesMax});
  if (!dataset) {
    return fail(Code::Usage, fmt::format("{} is no data set: {}", path, dataset.error().message));
  }
  LATTICE_TRY_VOID(store->load_dataset(*dataset));
  return std::unique_ptr<Store>(std::move(store));
}

}  // namespace

Result<std::unique_ptr<Store>> open_store(std::string_view url, schema::SchemaPtr schema,
                                          const StoreOptions& options) {
  auto [scheme, path] = split_url(url);
  if (scheme == "memory") {
    if (!options.computed.empty() || !options.hooks.empty()) {
      return fail(Code::Usage,
                  "a memory: store runs no SQL; [computed] and [roots] need sqlite:PATH");
    }
    return open_memory(path, std::move(schema));
  }
  if (scheme == "sqlite" && !path.empty()) return open_sqlite(path, std::move(schema), options);
  return unknown_store(url);
}

Result<std::string> introspect_store(std::string_view url, const InitOptions& options) {
  auto [scheme, path] = split_url(url);
  if (scheme == "sqlite" && !path.empty()) return introspect_sqlite(path, options);
  return fail(Code::Usage,
              fmt::format("`{}` names no database to read; expected sqlite:PATH", url));
}

}  // namespace lattice::store
