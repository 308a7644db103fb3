// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/swarm.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <set>

namespace faultline::harness {
namespace {

uint64_t WeightOf(const Swarm& swarm, ir::Traits traits) {
  uint64_t weight = 0;
  for (const ir::OpInfo& info : ir::AllOps()) {
    if ((info.traits & traits) != 0) weight += swarm.ops[static_cast<size_t>(info.op)];
  }
  return weight;
}

TEST_CASE("every swarm can draw something of everything it needs") {
  const GenerateOptions options;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    ChoiceStream choices(seed);
    const Swarm swarm = DrawSwarm(choices, options);
    REQUIRE(std::accumulate(swarm.ops.begin(), swarm.ops.end(), 0u) > 0);
    REQUIRE(std::accumulate(swarm.dtypes.begin(), swarm.dtypes.end(), 0u) > 0);
    REQUIRE(std::accumulate(swarm.ranks.begin(), swarm.ranks.end(), 0u) > 0);
    REQUIRE(std::accumulate(swarm.regimes.begin(), swarm.regimes.end(), 0u) > 0);
    // Inputs are what everything else falls back to.
    REQUIRE(swarm.feeds[static_cast<size_t>(Feed::kInput)] > 0);
    REQUIRE(swarm.operations >= 1);
    REQUIRE(swarm.streams >= 1);
  }
}

TEST_CASE("swarms differ: every op is out of some and heavy in others") {
  const GenerateOptions options;
  std::array<int, ir::kOpcodeCount> absent = {};
  std::array<int, ir::kOpcodeCount> heavy = {};
  std::set<int> scripts;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    ChoiceStream choices(seed);
    const Swarm swarm = DrawSwarm(choices, options);
    scripts.insert(static_cast<int>(swarm.script));
    for (size_t op = 0; op < swarm.ops.size(); ++op) {
      if (swarm.ops[op] == 0) ++absent[op];
      if (swarm.ops[op] >= 12) ++heavy[op];
    }
  }
  CHECK(scripts.size() == kScriptCount);
  for (const ir::OpInfo& info : ir::AllOps()) {
    INFO(info.mnemonic);
    CHECK(absent[static_cast<size_t>(info.op)] > 200);
    CHECK(heavy[static_cast<size_t>(info.op)] > 20);
  }
}

TEST_CASE("a focus multiplies weights and switches nothing off") {
  GenerateOptions plain;
  GenerateOptions focused;
  focused.focus = Focus::kReductions;
  uint64_t plain_weight = 0;
  uint64_t focused_weight = 0;
  uint64_t other_weight = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    ChoiceStream a(seed);
    ChoiceStream b(seed);
    const Swarm one = DrawSwarm(a, plain);
    const Swarm two = DrawSwarm(b, focused);
    plain_weight += WeightOf(one, ir::kReducing);
    focused_weight += WeightOf(two, ir::kReducing);
    other_weight += WeightOf(two, ir::kView);
  }
  CHECK(focused_weight > 3 * plain_weight);
  CHECK(other_weight > 0);
}

TEST_CASE("focus names are spelled one way") {
  for (int i = 0; i < kFocusCount; ++i) {
    const auto focus = static_cast<Focus>(i);
    CHECK(FindFocus(FocusName(focus)) == focus);
  }
  CHECK_FALSE(FindFocus("everything").has_value());
}

TEST_CASE("errors on purpose can be switched off") {
  GenerateOptions options;
  options.error_one_in = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    ChoiceStream choices(seed);
    CHECK_FALSE(DrawSwarm(choices, options).index_errors);
  }
}

}  // namespace
}  // namespace faultline::harness
