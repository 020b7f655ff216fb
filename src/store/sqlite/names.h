// Names for `lattice init`: from how databases name things to how schemas do. Internal to sqlite/.
#pragma once

#include <string>
#include <string_view>

namespace lattice::store {

// "created_at" → "createdAt", "ArtistId" → "artistId", "URLPath" → "urlPath". A name that would begin with
// a digit gets `prefix` in front; "" when nothing of it can stand in a name.
std::string camel_case(std::string_view name, std::string_view prefix = "n");
// "invoice_lines" → "InvoiceLine", "people" → "Person".
std::string entity_name(std::string_view table);
// Of the last word: "invoiceLines" → "invoiceLine", "categories" → "category".
std::string singular_of(std::string_view name);
std::string capitalize(std::string_view name);
std::string decapitalize(std::string_view name);
// "artistId" → "artist", "author" → "" (nothing says that it is a key).
std::string without_id(std::string_view field);

}  // namespace lattice::store
