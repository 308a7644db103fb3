// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/size_law.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <vector>

namespace faultline::harness {
namespace {

Swarm PlainSwarm() {
  Swarm swarm;
  swarm.ranks.fill(1);
  return swarm;
}

TEST_CASE("targets of work follow the law") {
  ChoiceStream choices(uint64_t{1});
  std::vector<int64_t> aims;
  for (int i = 0; i < 20000; ++i) {
    const WorkTarget target = DrawWork(choices);
    REQUIRE(target.aim >= 1);
    REQUIRE(target.max <= int64_t{1} << 20);
    aims.push_back(std::min(target.aim, target.max));
  }
  std::ranges::sort(aims);
  // What is built stays below its aim, so the median of aims is above 512.
  CHECK(aims[10000] >= 512);
  CHECK(aims[10000] <= 1024);
  CHECK(aims[19000] <= 8192);
  CHECK(std::ranges::count_if(aims, [](int64_t aim) { return aim > 1 << 15; }) >= 100);
  CHECK(std::ranges::count_if(aims, [](int64_t aim) { return aim > 1 << 15; }) <= 300);
}

TEST_CASE("shapes stay within twice their elements") {
  ChoiceStream choices(uint64_t{2});
  const Swarm swarm = PlainSwarm();
  std::set<int> ranks;
  for (int i = 0; i < 5000; ++i) {
    const int64_t elements = choices.LogUniform(0, 14);
    const ir::Shape shape = DrawShape(choices, swarm, -1, elements);
    ranks.insert(shape.rank());
    INFO(ir::PrintShape(shape) << " for " << elements);
    CHECK(shape.NumElements() <= 2 * elements + 1);
  }
  CHECK(ranks.size() == 7);
}

TEST_CASE("every interesting extent is drawn") {
  ChoiceStream choices(uint64_t{3});
  Swarm swarm = PlainSwarm();
  swarm.zero_percent = 5;
  std::set<int64_t> drawn;
  for (int i = 0; i < 5000; ++i) drawn.insert(DrawExtent(choices, swarm, 65));
  for (const int64_t extent : InterestingExtents()) {
    INFO(extent);
    CHECK(drawn.contains(extent));
  }
}

TEST_CASE("zeros come only where the swarm asks for them") {
  ChoiceStream choices(uint64_t{4});
  const Swarm swarm = PlainSwarm();
  for (int i = 0; i < 2000; ++i) {
    CHECK(DrawShape(choices, swarm, 4, 100).NumElements() > 0);
  }
}

TEST_CASE("extents pass tile and thread thresholds where there is room") {
  ChoiceStream choices(uint64_t{5});
  const Swarm swarm = PlainSwarm();
  int64_t longest = 0;
  for (int i = 0; i < 500; ++i) longest = std::max(longest, DrawExtent(choices, swarm, 1 << 18));
  CHECK(longest > 4096);
}

}  // namespace
}  // namespace faultline::harness
