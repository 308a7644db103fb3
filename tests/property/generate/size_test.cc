// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The size law, measured on what is generated.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

#include "harness/generate/generate.h"
#include "ir/program.h"

namespace faultline::harness {
namespace {

TEST_CASE("work is log-uniform with median 512, a tail of one in a hundred") {
  GenerateOptions options;
  options.value_aware = false;
  constexpr size_t kPrograms = 6000;
  std::vector<int64_t> work;
  size_t applications = 0;
  for (uint64_t i = 0; i < kPrograms; ++i) {
    ChoiceStream choices(MixSeed(3, i));
    const ir::Program program = Generate(choices, options);
    work.push_back(ir::WorkOf(program));
    applications +=
        static_cast<size_t>(std::ranges::count_if(program.statements, [](const ir::Statement& s) {
          return s.kind == ir::StatementKind::kApply;
        }));
  }
  std::ranges::sort(work);
  const auto quantile = [&](size_t percent) { return work[kPrograms * percent / 100]; };
  CHECK(quantile(50) >= 384);
  CHECK(quantile(50) <= 704);
  // Log-uniform: the quartiles lie as far below as above.
  CHECK(quantile(25) >= 80);
  CHECK(quantile(25) <= 200);
  CHECK(quantile(75) >= 1300);
  CHECK(quantile(75) <= 2600);
  CHECK(quantile(95) <= 8192);
  // One in a hundred aims at 2^15 to 2^20; what is built stays below its aim, for ops that move
  // more than they leave (sort, softmax) often by half.
  const auto large = std::ranges::count_if(work, [](int64_t w) { return w > 1 << 15; });
  CHECK(static_cast<size_t>(large) >= kPrograms / 300);
  CHECK(work.back() <= 1 << 20);
  CHECK(work.back() > 1 << 18);
  // About ten ops a program.
  CHECK(applications / kPrograms >= 8);
  CHECK(applications / kPrograms <= 15);
}

}  // namespace
}  // namespace faultline::harness
