// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What holds of every generated program.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/generate/generate.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/program.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

constexpr uint64_t kSeed = 20261201;

ir::Program Case(uint64_t index, const GenerateOptions& options = {}) {
  ChoiceStream choices(MixSeed(kSeed, index));
  return Generate(choices, options);
}

TEST_CASE("every generated program verifies, reads, and survives its text") {
  GenerateOptions options;
  // Evaluating is most of the time, and has no part in what is held here.
  options.value_aware = false;
  for (uint64_t i = 0; i < 10000; ++i) {
    const ir::Program program = Case(i, options);
    const ir::Status status = ir::Verify(program);
    INFO("case " << i << ": " << status.message());
    REQUIRE(status.ok());
    REQUIRE(ir::WorkOf(program) <= kWorkMax);
    REQUIRE(std::ranges::any_of(program.statements, [&](const ir::Statement& s) {
      return s.kind == ir::StatementKind::kRead &&
             std::ranges::any_of(s.operands, [&](ir::ValueId value) {
               return program.TypeOf(value).NumElements() > 0;
             });
    }));
    const std::string text = ir::Print(program);
    const auto parsed = ir::ParseAndVerify(text);
    INFO(text);
    REQUIRE(parsed.has_value());
    REQUIRE(*parsed == program);
    REQUIRE(ir::Print(*parsed) == text);
    REQUIRE(program.header == ir::Header());
  }
}

TEST_CASE("the same seed gives the same program on every machine") {
  std::string texts;
  for (uint64_t i = 0; i < 200; ++i) {
    const ir::Program program = Case(i);
    texts += ir::Print(program);
    CHECK(program == Case(i));
  }
  // A change of the generator changes this number; a machine does not.
  CHECK(ir::HashText(texts) == 0xec16cb0c48b74141u);
}

TEST_CASE("any bytes give a program") {
  ChoiceStream noise(uint64_t{5});
  GenerateOptions options;
  options.value_aware = false;
  for (int i = 0; i < 1500; ++i) {
    std::vector<uint8_t> bytes(noise.Below(i < 20 ? 2 : 600));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(noise.Bits());
    ChoiceStream choices{std::span<const uint8_t>(bytes)};
    const ir::Program program = Generate(choices, options);
    REQUIRE(ir::Verify(program).ok());
  }
}

TEST_CASE("only what the backend takes is generated") {
  GenerateOptions options;
  options.value_aware = false;
  const auto takes = [](ir::Opcode op, const ir::Attributes&, std::span<const ir::Type> operands,
                        std::span<const ir::Type> results) {
    const auto plain = [](const ir::Type& type) {
      return type.dtype() == ir::Dtype::kF32 || type.dtype() == ir::Dtype::kBool ||
             type.dtype() == ir::Dtype::kI64;
    };
    return !ir::HasTrait(op, ir::kContraction) && std::ranges::all_of(operands, plain) &&
           std::ranges::all_of(results, plain);
  };
  options.supports = takes;
  size_t applications = 0;
  for (uint64_t i = 0; i < 1000; ++i) {
    const ir::Program program = Case(i, options);
    for (const ir::Statement& s : program.statements) {
      if (s.kind != ir::StatementKind::kApply) continue;
      ++applications;
      std::vector<ir::Type> operands;
      for (const ir::ValueId value : s.operands) operands.push_back(program.TypeOf(value));
      const ir::Type result = program.TypeOf(s.results[0]);
      REQUIRE(takes(s.op, s.attributes, operands, {&result, 1}));
    }
  }
  // A narrow backend is still given work.
  CHECK(applications > 3000);
}

TEST_CASE("steering changes what is generated, not whether it verifies") {
  GenerateOptions plain;
  plain.value_aware = false;
  int different = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    const ir::Program steered = Case(i);
    REQUIRE(ir::Verify(steered).ok());
    if (!(Case(i, plain) == steered)) ++different;
  }
  CHECK(different > 50);
}

}  // namespace
}  // namespace faultline::harness
