#include "origin/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace lattice::origin {

namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string digest(const EVP_MD* algorithm, std::string_view bytes) {
  std::string out(EVP_MAX_MD_SIZE, '\0');
  unsigned length = 0;
  int done = EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(out.data()),
                        &length, algorithm, nullptr);
  LATTICE_CHECK(done == 1, done);
  out.resize(length);
  return out;
}

}  // namespace

std::string hmac_sha256(std::string_view secret, std::string_view message) {
  std::string out(32, '\0');
  unsigned length = 0;
  // A null key with length 0 would mean "reuse the last key"; an empty secret has an address here.
  const unsigned char* done = HMAC(
      EVP_sha256(), secret.empty() ? "" : secret.data(), static_cast<int>(secret.size()),
      bytes_of(message), message.size(), reinterpret_cast<unsigned char*>(out.data()), &length);
  LATTICE_CHECK(done != nullptr && length == out.size(), length);
  return out;
}

std::string sha256(std::string_view bytes) {
  return digest(EVP_sha256(), bytes);
}
std::string sha512(std::string_view bytes) {
  return digest(EVP_sha512(), bytes);
}

bool verify_ed25519(std::string_view public_key, std::string_view message,
                    std::string_view signature) {
  if (public_key.size() != kEd25519KeyBytes || signature.size() != kEd25519SignatureBytes) {
    return false;
  }
  Key key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(public_key),
                                      public_key.size()),
          EVP_PKEY_free);
  Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (!key || !context) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) return false;
  return EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(message),
                          message.size()) == 1;
}

std::optional<std::string> sign_ed25519(std::string_view seed, std::string_view message) {
  if (seed.size() != kEd25519KeyBytes) return std::nullopt;
  Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(seed), seed.size()),
          EVP_PKEY_free);
  Context context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string out(kEd25519SignatureBytes, '\0');
  size_t length = out.size();
  bool done = key && context &&
              EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
              EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &length,
                             bytes_of(message), message.size()) == 1;
  LATTICE_CHECK(done && length == out.size(), length);
  return out;
}

bool equal_in_constant_time(std::string_view left, std::string_view right) {
  return left.size() == right.size() && CRYPTO_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace lattice::origin
