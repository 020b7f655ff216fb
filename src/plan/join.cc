#include <algorithm>

#include "plan/plan.h"

namespace lattice::plan {

Level join_levels(const Level& left, const Level& right) {
  Level joined;
  joined.kind = std::max(left.kind, right.kind);
  std::set_union(left.claims.begin(), left.claims.end(), right.claims.begin(), right.claims.end(),
                 std::back_inserter(joined.claims));
  return joined;
}

Level level_of(const schema::Policy& policy) {
  switch (policy.level) {
    case schema::Policy::Level::Public:
      return {};
    case schema::Policy::Level::Claims:
      return {Level::Kind::Claims, schema::claims_of(policy)};
    case schema::Policy::Level::Private:
      return {Level::Kind::Private, {}};
  }
  return {Level::Kind::Private, {}};
}

std::string print_level(const Level& level) {
  if (level.kind == Level::Kind::Public) return "Public";
  if (level.kind == Level::Kind::Private) return "Private";
  std::string out = "Claims{";
  for (size_t i = 0; i < level.claims.size(); ++i) {
    if (i > 0) out += ',';
    out += level.claims[i];
  }
  out += '}';
  return out;
}

std::string_view slice_name(Slice slice) {
  switch (slice) {
    case Slice::Pub:
      return "pub";
    case Slice::Ctx:
      return "ctx";
    case Slice::Priv:
      return "priv";
  }
  return "priv";
}

Slice slice_of(const Level& level) {
  switch (level.kind) {
    case Level::Kind::Public:
      return Slice::Pub;
    case Level::Kind::Claims:
      return Slice::Ctx;
    case Level::Kind::Private:
      return Slice::Priv;
  }
  return Slice::Priv;
}

}  // namespace lattice::plan
