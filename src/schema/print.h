// Canonical IDL (spec §3.4, §3.9, §7.1), and the fragments of it that plan identity hashes (§7.3).
#pragma once

#include <string>

#include "schema/schema.h"

namespace lattice::schema {

// The whole document, sorted, two-space indent, one final newline.
std::string print_schema(const Schema& schema);

// One declaration as plan identity sees it: canonical, without descriptions, directives, @break,
// @deprecated, and without a final newline.
std::string print_pertinent(const Entity& entity, const Schema& schema);
std::string print_pertinent(const Interface& interface, const Schema& schema);
std::string print_pertinent(const Root& root, const Schema& schema);
std::string print_pertinent(const Fragment& fragment, const Schema& schema);
std::string print_pertinent(const TypeDeclaration& type, const Schema& schema);

// A literal of a predicate: what looks like a capitalised name stands bare, all else as JSON.
std::string spell_predicate_literal(const Value& literal);
// `no-store`, `private, max-age 5m`; empty when nothing was declared.
std::string print_cache(const CachePolicy& policy);

}  // namespace lattice::schema
