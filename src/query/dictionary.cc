// The compression dictionary (spec §5.2): the words of canonical texts over one schema.
#include "base/blake3.h"
#include "query/query.h"

namespace lattice::query {

namespace {

// The words that the language itself brings. DEFLATE finds what stands last cheapest.
constexpr std::string_view kLanguageWords =
    "query fragment on true false first after last before around @depth($:){}";
constexpr size_t kHashBytes = 16;

template <class Owner>
void add_members(const Owner& owner, std::set<std::string_view>& words) {
  words.insert(owner.name);
  for (const schema::Field& field : owner.fields) words.insert(field.name);
  for (const schema::Relationship& edge : owner.relationships) words.insert(edge.name);
}

}  // namespace

std::string build_dictionary(const schema::Schema& schema) {
  std::set<std::string_view> words;
  for (const auto& type : schema.types) words.insert(type.name);
  for (const auto& interface : schema.interfaces) add_members(interface, words);
  for (const auto& entity : schema.entities) add_members(entity, words);
  for (const auto& root : schema.roots) words.insert(root.name);
  for (const auto& fragment : schema.fragments) words.insert(fragment.name);
  for (const auto& mutation : schema.mutations) words.insert(mutation.name);
  for (const auto& claim : schema.claims) words.insert(claim.name);
  std::string out;
  for (const std::string_view word : words) {
    out += word;
    out += ' ';
  }
  out += kLanguageWords;
  return out;
}

std::string dictionary_hash(std::string_view dictionary) {
  return blake3_base64url(dictionary, kHashBytes);
}

}  // namespace lattice::query
