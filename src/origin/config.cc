#include "origin/config.h"

#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cstdio>
#include <toml++/toml.h>

#include "base/base64url.h"
#include "base/diagnostic.h"

namespace lattice::origin {

namespace {

// Byte offsets of a region in the text; toml++ counts lines and columns from 1.
Span span_of(std::string_view text, const toml::source_region& region) {
  uint32_t line = 1;
  uint32_t at = 0;
  while (line < region.begin.line && at < text.size()) {
    if (text[at++] == '\n') ++line;
  }
  uint32_t begin = std::min<uint32_t>(at + (region.begin.column > 0 ? region.begin.column - 1 : 0),
                                      static_cast<uint32_t>(text.size()));
  return {begin, std::min<uint32_t>(begin + 1, static_cast<uint32_t>(text.size()))};
}

Result<std::string> read_file(std::string_view folder, std::string_view name) {
  std::string path = name.starts_with('/') || folder.empty()
                         ? std::string(name)
                         : std::string(folder) + "/" + std::string(name);
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return fail(Code::Io, "cannot open " + path + ", which the configuration names");
  std::string text;
  char buffer[4096];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, count);
  std::fclose(file);
  return text;
}

// Walks the tables of the file; the first thing that does not fit is the error.
class Reader {
 public:
  Reader(std::string_view text, std::string_view folder) : text_(text), folder_(folder) {}

  Result<DeploymentConfig> read(const toml::table& top) {
    for (const auto& [key, node] : top) {
      if (auto done = section(key.str(), key.source(), node); !done) {
        return fail(std::move(done.error()));
      }
    }
    return std::move(config_);
  }

 private:
  static constexpr std::string_view kSections[] = {
      "proofs", "principals", "admission", "owners",  "computed", "roots",
      "budgets", "tenure",    "memo",      "cors",    "service",  "server", "tls"};

  std::unexpected<Error> wrong(const toml::source_region& where, std::string message) const {
    return fail(Code::Usage, std::move(message), span_of(text_, where));
  }
  std::unexpected<Error> unknown(std::string_view key, const toml::source_region& where,
                                 std::span<const std::string_view> known) const {
    return wrong(where, "the configuration has no key `" + std::string(key) + "`" +
                            did_you_mean(key, known));
  }

  Result<void> section(std::string_view name, const toml::source_region& where,
                       const toml::node& node) {
    if (std::find(std::begin(kSections), std::end(kSections), name) == std::end(kSections)) {
      return unknown(name, where, kSections);
    }
    const toml::table* table = node.as_table();
    if (!table) return wrong(where, "`" + std::string(name) + "` must be a table");
    for (const auto& [key, value] : *table) {
      if (auto done = member(name, key.str(), key.source(), value); !done) return done;
    }
    return {};
  }

  Result<void> member(std::string_view section, std::string_view key,
                      const toml::source_region& where, const toml::node& value) {
    if (section == "proofs") return proofs(key, where, value);
    if (section == "principals") return principal(key, where, value);
    if (section == "admission") return admission(key, where, value);
    if (section == "owners") return owner(key, where, value);
    if (section == "computed") return computed(key, where, value);
    if (section == "roots") return hook(key, where, value);
    if (section == "budgets") return budget(key, where, value);
    if (section == "tenure") {
      return number(section, key, where, value, "threshold", config_.origin.tenure_threshold);
    }
    if (section == "memo") {
      return number(section, key, where, value, "queries", config_.origin.memo_entries_max);
    }
    if (section == "cors") return cors(key, where, value);
    if (section == "service") return service(key, where, value);
    if (section == "tls") return tls(key, where, value);
    return server(key, where, value);
  }

  Result<std::string> text_of(std::string_view what, const toml::node& value) const {
    if (auto text = value.value<std::string>()) return *text;
    return wrong(value.source(), "`" + std::string(what) + "` must be a string");
  }
  Result<std::vector<std::string>> texts_of(std::string_view what, const toml::node& value) const {
    std::vector<std::string> out;
    const toml::array* array = value.as_array();
    if (!array) return wrong(value.source(), "`" + std::string(what) + "` must be a list of strings");
    for (const toml::node& item : *array) {
      LATTICE_TRY(std::string text, text_of(what, item));
      out.push_back(std::move(text));
    }
    return out;
  }

  Result<void> number(std::string_view section, std::string_view key,
                      const toml::source_region& where, const toml::node& value,
                      std::string_view wanted, uint32_t& target) const {
    if (key != wanted) {
      const std::string_view known[] = {wanted};
      return unknown(std::string(section) + "." + std::string(key), where, known);
    }
    auto held = value.value<int64_t>();
    if (!held || *held < 0 || *held > UINT32_MAX) {
      return wrong(where, "`" + std::string(key) + "` must be a whole number, 0 or more");
    }
    target = static_cast<uint32_t>(*held);
    return {};
  }

  Result<void> proofs(std::string_view key, const toml::source_region& where,
                      const toml::node& value) {
    constexpr std::string_view kKnown[] = {"key_files", "ed25519_public"};
    LATTICE_TRY(auto texts, texts_of(key, value));
    for (const std::string& text : texts) {
      if (key == "key_files") {
        LATTICE_TRY(std::string bytes, read_file(folder_, text));
        LATTICE_TRY(SigningKey signing, parse_key_file(bytes));
        config_.origin.proof_keys.push_back(std::move(signing.verifier));
      } else if (key == "ed25519_public") {
        auto bytes = base64url_decode(text);
        if (!bytes || bytes->size() != 32) {
          return wrong(where, "an Ed25519 public key is 32 bytes in base64url");
        }
        config_.origin.proof_keys.push_back({ProofKey::Kind::Ed25519, std::move(*bytes)});
      } else {
        return unknown(key, where, kKnown);
      }
    }
    return {};
  }

  Result<void> principal(std::string_view key, const toml::source_region&,
                         const toml::node& value) {
    LATTICE_TRY(std::string subject, text_of(key, value));
    config_.origin.principals.emplace_back("Bearer " + std::string(key), std::move(subject));
    return {};
  }

  Result<void> admission(std::string_view key, const toml::source_region& where,
                         const toml::node& value) {
    constexpr std::string_view kKnown[] = {"ed25519_public", "cold_compiles_per_minute"};
    if (key == kKnown[1]) {
      return number("admission", key, where, value, key, config_.origin.cold_compiles_per_minute);
    }
    if (key != kKnown[0]) return unknown(key, where, kKnown);
    LATTICE_TRY(auto texts, texts_of(key, value));
    for (const std::string& text : texts) {
      auto bytes = base64url_decode(text);
      if (!bytes || bytes->size() != 32) {
        return wrong(where, "an Ed25519 public key is 32 bytes in base64url");
      }
      config_.origin.admission_keys.push_back(std::move(*bytes));
    }
    return {};
  }

  // Post = "authorId" names a field of the schema; Doc = { column = "owner_id" } a storage column.
  Result<void> owner(std::string_view key, const toml::source_region& where,
                     const toml::node& value) {
    plan::OwnerColumn owner;
    owner.entity = key;
    if (auto field = value.value<std::string>()) {
      owner.field = *field;
    } else if (const toml::table* table = value.as_table();
               table && table->size() == 1 && table->get("column")) {
      LATTICE_TRY(owner.hidden_column, text_of("column", *table->get("column")));
    } else {
      return wrong(where, "owners." + std::string(key) +
                              " must be a field name or { column = \"...\" }");
    }
    config_.origin.plan.owners.push_back(owner);
    config_.store.owners.push_back(std::move(owner));
    return {};
  }

  // "User.avatarUrl" = { sql = "...", reads = [...] }
  template <class Entry>
  Result<Entry> sql_entry(std::string_view key, const toml::source_region& where,
                          const toml::node& value) const {
    constexpr std::string_view kKnown[] = {"sql", "reads"};
    const toml::table* table = value.as_table();
    if (!table) return wrong(where, "`" + std::string(key) + "` must be { sql = \"...\" }");
    Entry entry;
    for (const auto& [name, item] : *table) {
      if (name.str() == "sql") {
        LATTICE_TRY(entry.sql, text_of("sql", item));
      } else if (name.str() == "reads") {
        LATTICE_TRY(entry.reads, texts_of("reads", item));
      } else {
        return unknown(name.str(), name.source(), kKnown);
      }
    }
    if (entry.sql.empty()) return wrong(where, "`" + std::string(key) + "` needs sql");
    return entry;
  }
  Result<void> computed(std::string_view key, const toml::source_region& where,
                        const toml::node& value) {
    LATTICE_TRY(auto entry, sql_entry<store::StoreOptions::Computed>(key, where, value));
    entry.field = key;
    config_.store.computed.push_back(std::move(entry));
    return {};
  }
  Result<void> hook(std::string_view key, const toml::source_region& where,
                    const toml::node& value) {
    LATTICE_TRY(auto entry, sql_entry<store::StoreOptions::Hook>(key, where, value));
    entry.root = key;
    config_.store.hooks.push_back(std::move(entry));
    return {};
  }

  Result<void> budget(std::string_view key, const toml::source_region& where,
                      const toml::node& value) {
    plan::Budgets& budgets = config_.origin.plan.budgets;
    const std::pair<std::string_view, uint32_t*> kBudgets[] = {
        {"maxCanonicalBytes", &budgets.canonical_bytes_max},
        {"maxDepth", &budgets.depth_max},
        {"maxRoots", &budgets.roots_max},
        {"maxRounds", &budgets.rounds_max},
        {"maxRoundFanout", &budgets.round_fanout_max},
        {"maxSurrogateKeys", &budgets.surrogate_keys_max},
        {"maxBatchItems", &budgets.batch_items_max},
        {"maxPageDefault", &budgets.page_default_max},
        {"coalesceWindowMs", &budgets.coalesce_window_ms},
        {"maxValueBytes", &budgets.value_bytes_max},
    };
    std::vector<std::string_view> names;
    for (const auto& [name, target] : kBudgets) {
      if (name == key) return number("budgets", key, where, value, name, *target);
      names.push_back(name);
    }
    return unknown(key, where, names);
  }

  Result<void> cors(std::string_view key, const toml::source_region& where,
                    const toml::node& value) {
    constexpr std::string_view kKnown[] = {"origins"};
    if (key != kKnown[0]) return unknown(key, where, kKnown);
    LATTICE_TRY(config_.origin.cors_origins, texts_of(key, value));
    return {};
  }

  Result<void> service(std::string_view key, const toml::source_region& where,
                       const toml::node& value) {
    constexpr std::string_view kKnown[] = {"token_file"};
    if (key != kKnown[0]) return unknown(key, where, kKnown);
    LATTICE_TRY(std::string name, text_of(key, value));
    LATTICE_TRY(std::string token, read_file(folder_, name));
    while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
    if (token.empty()) return wrong(where, "the service token file " + name + " is empty");
    config_.origin.service_token = std::move(token);
    return {};
  }

  Result<void> server(std::string_view key, const toml::source_region& where,
                      const toml::node& value) {
    constexpr std::string_view kKnown[] = {"threads", "body_bytes_max", "connections_max"};
    uint32_t held = 0;
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown)) {
      return unknown(key, where, kKnown);
    }
    LATTICE_TRY_VOID(number("server", key, where, value, key, held));
    if (held == 0) return wrong(where, "`" + std::string(key) + "` must be at least 1");
    if (key == "threads") config_.server.thread_count = held;
    if (key == "body_bytes_max") config_.server.body_bytes_max = held;
    if (key == "connections_max") config_.server.connections_max = held;
    return {};
  }

  Result<void> tls(std::string_view key, const toml::source_region& where,
                   const toml::node& value) {
    constexpr std::string_view kKnown[] = {"certificate", "key"};
    LATTICE_TRY(std::string name, text_of(key, value));
    std::string path = name.starts_with('/') || folder_.empty()
                           ? name
                           : std::string(folder_) + "/" + name;
    if (key == "certificate") {
      config_.server.tls.certificate_file = path;
    } else if (key == "key") {
      config_.server.tls.key_file = path;
    } else {
      return unknown(key, where, kKnown);
    }
    return {};
  }

  std::string_view text_;
  std::string_view folder_;
  DeploymentConfig config_;
};

}  // namespace

Result<DeploymentConfig> load_config(std::string_view text, std::string_view folder) {
  try {
    toml::table top = toml::parse(text);
    return Reader(text, folder).read(top);
  } catch (const toml::parse_error& error) {
    return fail(Code::Usage, "the configuration is no TOML: " + std::string(error.description()),
                span_of(text, error.source()));
  }
}

Result<SigningKey> parse_key_file(std::string_view text) {
  if (text.find("-----BEGIN") == std::string_view::npos) {
    std::string_view secret = text.ends_with('\n') ? text.substr(0, text.size() - 1) : text;
    if (secret.empty()) return fail(Code::Usage, "the key file is empty");
    return SigningKey{{ProofKey::Kind::Hmac, std::string(secret)}, {}};
  }
  std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  bool is_private = text.find("PRIVATE KEY") != std::string_view::npos;
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key(
      is_private ? PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr)
                 : PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr),
      EVP_PKEY_free);
  if (!key || EVP_PKEY_id(key.get()) != EVP_PKEY_ED25519) {
    return fail(Code::Usage, "the key file is a PEM file but holds no Ed25519 key");
  }
  SigningKey out;
  out.verifier.kind = ProofKey::Kind::Ed25519;
  unsigned char bytes[32];
  size_t length = sizeof bytes;
  EVP_PKEY_get_raw_public_key(key.get(), bytes, &length);
  out.verifier.bytes.assign(reinterpret_cast<char*>(bytes), length);
  if (is_private) {
    length = sizeof bytes;
    EVP_PKEY_get_raw_private_key(key.get(), bytes, &length);
    out.private_bytes.assign(reinterpret_cast<char*>(bytes), length);
  }
  return out;
}

}  // namespace lattice::origin
