// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "harness/mutate/mutate.h"
#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

ir::Program Parsed(std::string_view text) {
  auto program = ir::ParseAndVerify(text);
  REQUIRE(program.has_value());
  return *program;
}

const ir::Program& A() {
  static const ir::Program program = Parsed(R"(faultline 1
%a: f32[3,4] = input iota(start=0x0p+0, step=0x1p+0)
%b: f32[3,4] = tanh %a
read %b
)");
  return program;
}

const ir::Program& B() {
  static const ir::Program program = Parsed(R"(faultline 1
%a: f32[3,4] = input normal(seed=3, mean=0x0p+0, std=0x1p+0)
%b: i32[5] = input [1, 2, 3, 4, 5]
%c: i32[5] = cumsum %b dim=0
%d: f32[3,4] = sort %a dim=1
read %c %d
sync
read %d
)");
  return program;
}

bool HasOp(const ir::Program& program, ir::Opcode op) {
  return std::ranges::any_of(program.statements, [op](const ir::Statement& s) {
    return s.kind == ir::StatementKind::kApply && s.op == op;
  });
}

TEST_CASE("a cross has something of both and verifies") {
  int both = 0;
  int swapped = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    ChoiceStream choices(seed);
    const ir::Program cross = Crossover(A(), B(), choices, MutateOptions());
    INFO(ir::Print(cross));
    REQUIRE(ir::Verify(cross).ok());
    const bool of_b = HasOp(cross, ir::Opcode::kCumsum) || HasOp(cross, ir::Opcode::kSort);
    if (HasOp(cross, ir::Opcode::kTanh) && of_b) ++both;
    if (std::ranges::any_of(cross.statements, [](const ir::Statement& s) {
          return s.kind == ir::StatementKind::kInput && s.data->form == ir::DataForm::kNormal;
        })) {
      ++swapped;
    }
  }
  CHECK(both > 60);
  CHECK(swapped > 20);
}

TEST_CASE("a program may be crossed with itself and with nothing") {
  ChoiceStream choices(uint64_t{1});
  CHECK(ir::Verify(Crossover(A(), A(), choices, MutateOptions())).ok());
  CHECK(ir::Verify(Crossover(A(), ir::Program(), choices, MutateOptions())).ok());
  CHECK(ir::Verify(Crossover(ir::Program(), ir::Program(), choices, MutateOptions())).ok());
}

TEST_CASE("crosses fit the limit of their text") {
  MutateOptions options;
  options.text_bytes_max = 150;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ChoiceStream choices(seed);
    CHECK(ir::Print(Crossover(A(), B(), choices, options)).size() <= 150);
  }
}

}  // namespace
}  // namespace faultline::harness
