// The query part of a URL: the protocol's parameters, and the rest, which are variables (spec
// §6.1).
//
//   p=pl_9dK2&slice=ctx&vc=eyJv…&after=cur_8f2
//     ──parse_parameters──▶ plan "pl_9dK2", slice Ctx, vc "eyJv…", variables [("after", "cur_8f2")]
//
// Functions of their arguments; any thread.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "plan/plan.h"

namespace lattice::origin {

enum class SliceName : uint8_t { Plan, Pub, Ctx, Priv, Page };
std::string_view slice_text(SliceName slice);
std::optional<SliceName> find_slice(std::string_view text);
plan::Slice data_slice_of(SliceName slice);  // of Pub, Ctx or Priv
SliceName name_of(plan::Slice slice);

struct Parameters {
  std::optional<std::string> p, vc, project, live, d, dv, intent;
  std::optional<SliceName> slice;
  std::vector<std::pair<std::string, std::string>> variables;  // in the order written

  bool refs_only() const { return project.has_value(); }
};

inline constexpr size_t kParametersMax = 256;

// Errors: lattice:bad-request for a broken escape, a name given twice, a value of `slice` or
// `project` that does not exist, or more than kParametersMax.
Result<Parameters> parse_parameters(std::string_view query);

// Refuses the protocol's parameters that an endpoint has no use for; `known` are the ones it has.
// Errors: lattice:bad-request naming all of them.
Result<void> refuse_other_than(const Parameters& parameters,
                               std::initializer_list<std::string_view> known);

// For URLs that take no parameters: each one would be an entry of its own in a shared cache.
// Errors: lattice:bad-request naming all of them.
Result<void> refuse_parameters(std::string_view query);

// "the parameter `x` means nothing here", or the plural. `names` is not empty.
Error unknown_parameters(const std::vector<std::string>& names);

// A granted URL: /q/{hash}?p=..&slice=..&{variables}&project=..; `variables` are sorted by name and
// not yet percent-encoded. The plan slice, which names what is current, has no p.
std::string granted_url(std::string_view hash, std::string_view plan_id, SliceName slice,
                        const std::vector<std::pair<std::string, std::string>>& variables,
                        bool refs_only);

}  // namespace lattice::origin
