// The deployment's configuration file (TOML), turned into the options of the parts. docs/configuration.md
// describes every key.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/server.h"
#include "origin/origin.h"
#include "store/store.h"

namespace lattice::origin {

struct DeploymentConfig {
  OriginOptions origin;
  store::StoreOptions store;
  http::ServerOptions server;
};

// Parses `text`; files that it names are read relative to `folder`.
// Errors: lattice:usage with the span of the key: unknown keys (with a suggestion), wrong types;
// lattice:io for a file that cannot be read.
Result<DeploymentConfig> load_config(std::string_view text, std::string_view folder);

// A key file for proofs: a PEM Ed25519 private or public key, or else the bytes of an HMAC secret (one
// trailing newline is dropped).
struct SigningKey {
  ProofKey verifier;          // what an origin needs
  std::string private_bytes;  // Ed25519 seed when the file held a private key; else empty
};
Result<SigningKey> parse_key_file(std::string_view text);

}  // namespace lattice::origin
