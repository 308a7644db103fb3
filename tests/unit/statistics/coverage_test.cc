// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/coverage.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>

#include "harness/backend/reference/reference_backend.h"
#include "harness/campaign/promises.h"
#include "harness/campaign/statistic_tables.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

const CoverageGroup& Find(const std::vector<CoverageGroup>& groups, std::string_view name) {
  const auto found = std::ranges::find(groups, name, &CoverageGroup::name);
  REQUIRE(found != groups.end());
  return *found;
}

TEST_CASE("every promise is a statistic that there is") {
  for (const Promises& promises : GeneratorPromises()) {
    CHECK_FALSE(promises.names.empty());
    for (const std::string& name : promises.names) {
      CAPTURE(name);
      CHECK(FindStatistic(name).has_value());
    }
  }
}

TEST_CASE("coverage says what was met, and names what never was") {
  const auto program = ir::ParseAndVerify(
      "faultline 1\n%a: f32[2] = input [0x1p+0, 0x1p+1]\n%b: f32[2] = exp %a\nread %b\n");
  REQUIRE(program.has_value());
  Statistics statistics;
  statistics.CountProgram(*program);
  std::array<uint8_t, kFeaturesMax> counters = {};
  Features features{counters};
  features.CountProgram(*program);
  AddFeatures(counters, statistics);
  const auto groups = CoverageOf(statistics, *MakeReferenceBackend());
  const CoverageGroup& ops = Find(groups, "op x dtype");
  CHECK(ops.reached == 1);
  CHECK(ops.of > 1000);
  CHECK(ops.never.size() == ops.of - 1);
  CHECK(std::ranges::count(ops.never, "exp/f32") == 0);
  CHECK(std::ranges::count(ops.never, "exp/f64") == 1);
  const CoverageGroup& layouts = Find(groups, "features: layout x kind of op");
  CHECK(layouts.reached == 1);
  CHECK(std::ranges::count(layouts.never, "layout contiguous elementwise") == 0);
  CHECK(Find(groups, "fusion rules").of == 0);
  CHECK(Find(groups, "shapes").reached == 2);  // rank 1, extent 2
}

}  // namespace
}  // namespace faultline::harness
