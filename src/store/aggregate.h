// One number out of the values of a group (spec §3.7): count, sum, min, max; exact for integers and
// decimals. Values that are null do not take part; one that is no value of its type spoils the
// result. A sum of nothing is 0, a minimum or maximum of nothing is Null.
#pragma once

#include "base/arena.h"
#include "store/scalar.h"

namespace lattice::store {

class Aggregator {
 public:
  using Function = schema::Dependency::Function;
  // `type` is the aggregated field's (unused by Count) and outlives the aggregator.
  Aggregator(Function function, const ScalarType* type) : function_(function), type_(type) {}

  // `value` stays valid until finish.
  void add(const Value& value);
  // The result, its text in `arena`. Invalid when a value was, or when a sum leaves 128 bits.
  Value finish(Arena& arena) const;

 private:
  void add_digits(std::string_view digits);

  Function function_;
  const ScalarType* type_;
  uint64_t count_ = 0;
  bool is_spoilt_ = false;
  double sum_ = 0;
  __extension__ typedef __int128 Wide;
  Wide digits_ = 0;  // the sum, times 10^scale_
  uint32_t scale_ = 0;
  Value best_;
};

}  // namespace lattice::store
