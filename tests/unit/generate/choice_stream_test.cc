// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/choice_stream.h"

#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <set>
#include <vector>

namespace faultline::harness {
namespace {

TEST_CASE("a seed gives the same words everywhere") {
  // Computed once; a change here changes every generated program.
  ChoiceStream choices(uint64_t{42});
  CHECK(choices.Bits() == 0xbdd732262feb6e95u);
  CHECK(MixSeed(1, 2) == MixSeed(1, 2));
  CHECK(MixSeed(1, 2) != MixSeed(2, 1));
}

TEST_CASE("seeds of neighbouring cases differ") {
  std::set<uint64_t> seeds;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (uint64_t index = 0; index < 200; ++index) seeds.insert(MixSeed(seed, index));
  }
  CHECK(seeds.size() == 4000);
}

TEST_CASE("choices stay in range and reach both ends") {
  ChoiceStream choices(uint64_t{7});
  std::array<int, 5> below = {};
  std::set<int64_t> between;
  for (int i = 0; i < 2000; ++i) {
    ++below[choices.Below(5)];
    const int64_t value = choices.Between(-3, 3);
    REQUIRE(value >= -3);
    REQUIRE(value <= 3);
    between.insert(value);
  }
  for (const int count : below) CHECK(count > 300);
  CHECK(between.size() == 7);
  CHECK(choices.Between(INT64_MIN, INT64_MAX) != choices.Between(INT64_MIN, INT64_MAX));
  CHECK(choices.Between(INT64_MAX, INT64_MAX) == INT64_MAX);
}

TEST_CASE("weights are kept in proportion and zero is never drawn") {
  ChoiceStream choices(uint64_t{9});
  const std::array<uint32_t, 4> weights = {1, 0, 3, 0};
  std::array<int, 4> drawn = {};
  for (int i = 0; i < 4000; ++i) ++drawn[choices.Weighted(weights)];
  CHECK(drawn[1] == 0);
  CHECK(drawn[3] == 0);
  CHECK(drawn[2] > 2 * drawn[0]);
  CHECK(drawn[2] < 4 * drawn[0]);
}

TEST_CASE("log-uniform draws are even over the octaves") {
  ChoiceStream choices(uint64_t{11});
  std::array<int, 8> octaves = {};
  for (int i = 0; i < 8000; ++i) {
    const int64_t value = choices.LogUniform(3, 8);
    REQUIRE(value >= 8);
    REQUIRE(value < 256);
    int octave = 0;
    while (value >> (octave + 1) != 0) ++octave;
    ++octaves[static_cast<size_t>(octave)];
  }
  for (size_t octave = 3; octave < 8; ++octave) CHECK(octaves[octave] > 1200);
}

TEST_CASE("bytes are taken in order, and nothing is the first alternative") {
  const std::vector<uint8_t> bytes = {5, 200, 1};
  ChoiceStream choices{std::span<const uint8_t>(bytes)};
  CHECK(choices.Below(10) == 5);
  CHECK_FALSE(choices.exhausted());
  CHECK(choices.Below(1000) == (200 + 256 * 1) % 1000);
  CHECK(choices.exhausted());
  CHECK(choices.Below(10) == 0);
  CHECK(choices.Between(-4, 4) == -4);
  CHECK(choices.Bits() == 0);
  // Loops of the form "once more?" end.
  CHECK_FALSE(choices.Percent(99));
  CHECK_FALSE(choices.OneIn(2));
  CHECK(choices.Percent(100));
}

}  // namespace
}  // namespace faultline::harness
