// A load shape as SQL, on one connection: the select list, and the statements that its windows need, each
// prepared at first use. Internal to sqlite/.
//
//   scan Comment where postId order createdAt desc, id   ──▶
//     SELECT t0."id", t0."body", t0."created_at", .. FROM "comments" AS t0
//     WHERE t0."post_id" = ?1 ORDER BY t0."created_at" DESC, t0."id" ASC LIMIT ?2
//
// Belongs to its connection and to one generation of the model's forms.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "store/sqlite/model.h"

namespace lattice::store {

// How an order column appears in SQL, decided by its form when the shape was made.
struct OrderTerm {
  const SqlColumn* column = nullptr;
  Form form;
  enum class By : uint8_t { Cell, Position, Key } by = By::Cell;  // Position: of an enum's constructor
  std::string sql;  // the expression that sorts
  bool descending = false;
  bool is_nullable = false;
};

// One column that equals something.
struct EqualTerm {
  const SqlColumn* column = nullptr;  // null: a hidden column, compared as text
  Form form;
  bool by_key = false;   // sort keys on both sides
  std::string sql;       // the column
};

// Which rows of a group a scan wants.
struct ScanVariant {
  bool is_reversed = false;      // backwards through the order
  enum class Bound : uint8_t { None, Keyset, KeysetAndKey } bound = Bound::None;
  bool is_inclusive = false;     // rows that equal the bound too
  uint16_t nulls = 0;            // bit i: the bound's value i is null
  uint32_t id() const {
    return (is_reversed ? 1u : 0u) | static_cast<uint32_t>(bound) << 1 | (is_inclusive ? 8u : 0u) |
           static_cast<uint32_t>(nulls) << 4;
  }
};

class ShapeCode {
 public:
  static constexpr size_t kOrderColumnsMax = 16;

  // Errors: lattice:not-supported for an order that is too long or a link that no column holds.
  static Result<std::unique_ptr<ShapeCode>> make(const SqlModel& model, const LoadShape& shape);

  const LoadShape& shape() const { return shape_; }
  uint64_t generation() const { return generation_; }

  // --- The columns of a row, by index in the select list ---
  struct Column {
    int index = 0;
    const SqlColumn* column = nullptr;
    const ScalarType* computed = nullptr;  // a computed field's type; column is null
    bool is_hidden_owner = false;          // read as text
  };
  const std::vector<Column>& key() const { return key_; }
  const std::vector<Column>& values() const { return values_; }
  const std::vector<Column>& keyset() const { return keyset_; }
  const std::vector<Column>& order() const { return order_columns_; }
  int version() const { return version_; }  // -1: hash of whole_row
  const std::vector<int>& whole_row() const { return whole_row_; }

  // --- Terms ---
  const std::vector<EqualTerm>& match() const { return match_; }  // Keys: the key
  const std::vector<EqualTerm>& gate() const { return gate_; }    // on row conditions, in order
  const std::vector<OrderTerm>& terms() const { return terms_; }

  // --- Statements. Parameters: match, gate, computed arguments, bound, limit; see the accessors. ---
  Result<sqlite3_stmt*> by_key(const Database& database);
  Result<sqlite3_stmt*> scan(const Database& database, ScanVariant variant);
  Result<sqlite3_stmt*> count(const Database& database);
  // Every value of the aggregated field, in no order.
  Result<sqlite3_stmt*> values_of(const Database& database);

  int match_parameter(size_t i) const { return static_cast<int>(i) + 1; }
  int gate_parameter(size_t i) const { return static_cast<int>(match_.size() + i) + 1; }
  int argument_parameter(size_t i) const {
    return static_cast<int>(match_.size() + gate_.size() + i) + 1;
  }
  int limit_parameter() const {
    return static_cast<int>(match_.size() + gate_.size() + arguments_.size()) + 1;
  }
  int bound_parameter(size_t i) const { return limit_parameter() + 1 + static_cast<int>(i); }
  // Frame slots of the computed fields' arguments, by argument_parameter; kNone: absent.
  const std::vector<plan::SlotIndex>& arguments() const { return arguments_; }

 private:
  ShapeCode(const SqlModel& model, const LoadShape& shape);
  Result<void> build();
  int select(const std::string& sql);
  Column select_column(const SqlColumn* column);
  void add_computed(const Computed& computed);
  void add_hidden_owner();
  Result<void> add_matches();
  void add_gates();
  Result<void> add_order();
  EqualTerm equal_term(const SqlColumn* column) const;
  std::string where() const;
  std::string bound_condition(const ScanVariant& variant) const;
  std::string order_by(bool is_reversed) const;
  Result<sqlite3_stmt*> prepare(const Database& database, uint64_t id, const std::string& sql);

  const SqlModel& model_;
  const SqlEntity& entity_;
  LoadShape shape_;  // its own copy: the plan may go before the connection does
  uint64_t generation_;
  std::vector<std::string> select_;
  std::vector<Column> key_, values_, keyset_, order_columns_;
  int version_ = -1;
  std::vector<int> whole_row_;
  std::vector<EqualTerm> match_, gate_;
  std::vector<OrderTerm> terms_;
  std::vector<plan::SlotIndex> arguments_;
  std::unordered_map<uint64_t, Statement> statements_;
};

}  // namespace lattice::store
