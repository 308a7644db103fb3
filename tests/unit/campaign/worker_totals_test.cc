// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/worker_totals.h"

#include <catch2/catch.hpp>
#include <cmath>

namespace faultline::harness {
namespace {

TEST_CASE("a radius is within nine percent of its bucket's middle") {
  for (double radius : {0.07, 0.5, 1.0, 1.5, 8.0, 1000.0, 1e12}) {
    const double middle = RadiusOf(RadiusBucket(radius));
    CHECK(std::abs(middle / radius - 1) < 0.1);
  }
  CHECK(RadiusBucket(0) == 0);
  CHECK(RadiusBucket(NAN) == 0);
  CHECK(RadiusBucket(HUGE_VAL) == kRadiusBuckets - 1);
}

TEST_CASE("totals become named statistics") {
  Judgement judgement;
  judgement.statistics.compared = 10;
  judgement.statistics.exact = 7;
  judgement.observation.trace.cache_hits = 2;
  judgement.observation.trace.rules_fired = {{"view_into_read", 3}};
  WorkerTotals totals;
  totals.Count(judgement);
  totals.Count(judgement);
  Statistics statistics;
  totals.AddTo(statistics);
  CHECK(statistics.Get("compare.compared") == 20);
  CHECK(statistics.Get("compare.exact") == 14);
  CHECK(statistics.Get("plan.cache_hits") == 4);
  CHECK(statistics.Get("rule.view_into_read") == 6);
  CHECK(statistics.Get("verdict.agree") == 2);
}

}  // namespace
}  // namespace faultline::harness
