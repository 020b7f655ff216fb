#include "origin/tenure.h"

#include <doctest/doctest.h>

namespace lattice::origin {
namespace {

using plan::CacheMeet;
using plan::Slice;
using Storability = schema::CachePolicy::Storability;

TEST_CASE("the defaults of the slices, before and after promotion (10.1, 10.7)") {
  CHECK(slice_lifetime(Slice::Pub, {}, false, true) ==
        "public, s-maxage=15, stale-while-revalidate=60, stale-if-error=600");
  CHECK(slice_lifetime(Slice::Pub, {}, true, true) ==
        "public, s-maxage=300, stale-while-revalidate=60, stale-if-error=600");
  CHECK(slice_lifetime(Slice::Ctx, {}, false, true) ==
        "public, s-maxage=15, stale-while-revalidate=30, stale-if-error=600");
  CHECK(slice_lifetime(Slice::Ctx, {}, true, true) ==
        "public, s-maxage=120, stale-while-revalidate=30, stale-if-error=600");
  CHECK(slice_lifetime(Slice::Priv, {}, false, true) == "private, max-age=30");
}

TEST_CASE("declared policies: the tightest wins, the slice is the ceiling (10.9)") {
  CacheMeet no_store, personal, longer, brief, checked;
  no_store.store = Storability::NoStore;
  CHECK(slice_lifetime(Slice::Pub, no_store, true, true) == "no-store");
  personal.store = Storability::Private;
  personal.cap_seconds = 10;
  CHECK(slice_lifetime(Slice::Pub, personal, true, true) == "private, max-age=10");
  longer.baseline_seconds = 3600;
  longer.cap_seconds = 900;
  CHECK(slice_lifetime(Slice::Pub, longer, true, true) ==
        "public, s-maxage=900, stale-while-revalidate=60, stale-if-error=600");
  CHECK(slice_lifetime(Slice::Pub, longer, false, true).starts_with("public, s-maxage=15,"));
  brief.cap_seconds = 5;
  CHECK(slice_lifetime(Slice::Ctx, brief, false, true) ==
        "public, s-maxage=5, stale-while-revalidate=5, stale-if-error=600");
  checked.revalidate = true;
  CHECK(slice_lifetime(Slice::Ctx, checked, true, true) == "public, no-cache");
  CHECK(slice_lifetime(Slice::Priv, checked, true, true) == "private, no-cache");
}

TEST_CASE("immutable needs tenure and a URL that names its plan (10.9, 13.3)") {
  CacheMeet immutable;
  immutable.immutable = true;
  CHECK(slice_lifetime(Slice::Pub, immutable, true, true) == kImmutable);
  CHECK(slice_lifetime(Slice::Pub, immutable, false, true).starts_with("public, s-maxage=15,"));
  CHECK(slice_lifetime(Slice::Pub, immutable, true, false).starts_with("public, s-maxage=300,"));
}

TEST_CASE("a query is promoted on the serving that reaches the threshold (10.7)") {
  Tenure tenure;
  CHECK_FALSE(tenure.serve(3));
  CHECK_FALSE(tenure.serve(3));
  CHECK(tenure.serve(3));
  CHECK(tenure.serve(3));
  Tenure at_once;
  CHECK(at_once.serve(1));
}

TEST_CASE("errors name their directive (10.8)") {
  CHECK(error_lifetime(CacheDirective::NoStore) == "no-store");
  CHECK(error_lifetime(CacheDirective::Negative) == "public, s-maxage=300");
  CHECK(error_lifetime(CacheDirective::ShortNegative) == "public, s-maxage=60");
}

}  // namespace
}  // namespace lattice::origin
