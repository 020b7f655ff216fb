#include "store/catalog.h"

#include <algorithm>

namespace lattice::store {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool same_identifier(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::string quote_identifier(std::string_view name) {
  std::string quoted = "\"";
  for (char c : name) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  quoted += '"';
  return quoted;
}

const TableColumn* Table::find_column(std::string_view column) const {
  for (const TableColumn& candidate : columns) {
    if (same_identifier(candidate.name, column)) return &candidate;
  }
  return nullptr;
}

std::vector<std::string> Table::primary_key() const {
  std::vector<const TableColumn*> members;
  for (const TableColumn& column : columns) {
    if (column.key_position > 0) members.push_back(&column);
  }
  std::sort(members.begin(), members.end(), [](const TableColumn* a, const TableColumn* b) {
    return a->key_position < b->key_position;
  });
  std::vector<std::string> names;
  for (const TableColumn* column : members) names.push_back(column->name);
  return names;
}

const Table* Catalog::find_table(std::string_view name) const {
  for (const Table& table : tables) {
    if (same_identifier(table.name, name)) return &table;
  }
  return nullptr;
}

}  // namespace lattice::store
