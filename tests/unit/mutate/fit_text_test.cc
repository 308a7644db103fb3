// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/mutate/fit_text.h"

#include <catch2/catch.hpp>

#include "harness/generate/generate.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

TEST_CASE("the smallest program verifies and reads") {
  const ir::Program program = SmallestProgram();
  CHECK(ir::Verify(program).ok());
  CHECK(ir::Print(program).size() < 64);
}

TEST_CASE("mutants fit every limit, down to the smallest program") {
  const auto smallest = static_cast<int64_t>(ir::Print(SmallestProgram()).size());
  int shrunk = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    ChoiceStream choices(seed);
    const ir::Program program = Generate(choices, GenerateOptions());
    const auto size = static_cast<int64_t>(ir::Print(program).size());
    for (const int64_t limit : {size - 1, size / 2, int64_t{200}, smallest}) {
      if (limit < smallest) continue;
      MutateOptions options;
      options.text_bytes_max = limit;
      const ir::Program mutant = Mutate(program, choices, options);
      INFO(limit << "\n" << ir::Print(mutant));
      REQUIRE(ir::Verify(mutant).ok());
      REQUIRE(static_cast<int64_t>(ir::Print(mutant).size()) <= limit);
      if (mutant.statements.size() > 2) ++shrunk;
    }
  }
  // Not by giving up: most of them are still programs about something.
  CHECK(shrunk > 60);
}

TEST_CASE("a program that fits is left alone") {
  ChoiceStream choices(uint64_t{4});
  const ir::Program program = Generate(choices, GenerateOptions());
  CHECK(FitText(program, choices, MutateOptions()) == program);
}

}  // namespace
}  // namespace faultline::harness
