// The few cryptographic primitives that the origin needs, over OpenSSL. Functions of their
// arguments; any thread. Keys, digests and signatures are raw bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lattice::origin {

std::string hmac_sha256(std::string_view secret, std::string_view message);  // 32 bytes
std::string sha256(std::string_view bytes);                                  // 32 bytes
std::string sha512(std::string_view bytes);                                  // 64 bytes

inline constexpr size_t kEd25519KeyBytes = 32;
inline constexpr size_t kEd25519SignatureBytes = 64;

// False for a key or signature of the wrong length, too.
bool verify_ed25519(std::string_view public_key, std::string_view message,
                    std::string_view signature);
// `seed` is the 32-byte private key. nullopt when it has another length.
std::optional<std::string> sign_ed25519(std::string_view seed, std::string_view message);

// Takes the same time wherever the texts differ; texts of different lengths are unequal.
bool equal_in_constant_time(std::string_view left, std::string_view right);

}  // namespace lattice::origin
