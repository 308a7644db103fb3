// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What holds of every mutated and crossed program, over walks as libFuzzer makes them.

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/mutate/mutate.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

constexpr size_t kPool = 100;

void Hold(const ir::Program& program, uint64_t index) {
  const ir::Status status = ir::Verify(program);
  const std::string text = ir::Print(program);
  INFO("case " << index << ": " << status.message() << "\n" << text);
  REQUIRE(status.ok());
  const auto parsed = ir::ParseAndVerify(text);
  REQUIRE(parsed.has_value());
  REQUIRE(*parsed == program);
  REQUIRE(ir::Print(*parsed) == text);
  REQUIRE(ir::WorkOf(program) <= kWorkMax);
}

TEST_CASE("walks of mutations and crosses stay among the programs that verify") {
  MutateOptions options;
  options.generate.value_aware = false;
  std::vector<ir::Program> pool;
  for (uint64_t i = 0; i < 10000; ++i) {
    ChoiceStream choices(MixSeed(4, i));
    ir::Program program;
    if (pool.size() < kPool) {
      program = Generate(choices, options.generate);
    } else {
      const ir::Program& base = pool[choices.Below(kPool)];
      program = choices.OneIn(5) ? Crossover(base, pool[choices.Below(kPool)], choices, options)
                                 : Mutate(base, choices, options);
    }
    Hold(program, i);
    if (pool.size() < kPool) {
      pool.push_back(std::move(program));
    } else {
      pool[choices.Below(kPool)] = std::move(program);
    }
  }
}

TEST_CASE("every kind of mutation holds on every kind of program") {
  MutateOptions options;
  options.generate.value_aware = false;
  for (uint64_t i = 0; i < 150; ++i) {
    ChoiceStream source(MixSeed(5, i));
    const ir::Program program = Generate(source, options.generate);
    for (int kind = 0; kind < kMutationKindCount; ++kind) {
      ChoiceStream choices(MixSeed(i, static_cast<uint64_t>(kind)));
      Hold(MutateOnce(program, static_cast<MutationKind>(kind), choices, options), i);
    }
  }
}

}  // namespace
}  // namespace faultline::harness
