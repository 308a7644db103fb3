// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/mutate/edits.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kText = R"(faultline 1
# name: something with a name
# needs: threads=2
# decisions: fuse(%b,%c)=0
%a: f32[4,8] = input iota(start=0x0p+0, step=0x1p+0)
%b: f32[4,8] = mul_scalar %a 0x1p+1
%c: f32[8,4] = permute %b axes=[1,0]
drop %b
%d: f32[8,1] = sum_dim %c dim=1
sync
read %d %c
stream 1
%e: f32[8,4] = abs %c
read %e
)";

ir::Program Original() {
  auto program = ir::ParseAndVerify(kText);
  REQUIRE(program.has_value());
  return *program;
}

TEST_CASE("every kind of mutation verifies, reads something, and changes most programs") {
  const ir::Program original = Original();
  const MutateOptions options;
  for (int k = 0; k < kMutationKindCount; ++k) {
    const auto kind = static_cast<MutationKind>(k);
    int changed = 0;
    for (uint64_t seed = 0; seed < 50; ++seed) {
      ChoiceStream choices(seed);
      const ir::Program mutant = MutateOnce(original, kind, choices, options);
      INFO(MutationName(kind) << "\n" << ir::Print(mutant));
      REQUIRE(ir::Verify(mutant).ok());
      CHECK(std::ranges::any_of(mutant.statements, [](const ir::Statement& s) {
        return s.kind == ir::StatementKind::kRead && !s.operands.empty();
      }));
      if (mutant.statements != original.statements || mutant.values != original.values ||
          mutant.header.decisions != original.header.decisions) {
        ++changed;
      }
    }
    INFO(MutationName(kind));
    CHECK(changed > 20);
  }
}

TEST_CASE("conditions and descriptions of the original are not the mutant's") {
  ChoiceStream choices(uint64_t{1});
  const ir::Program mutant = Mutate(Original(), choices, MutateOptions());
  CHECK(mutant.header.name.empty());
  CHECK(mutant.header.needs.empty());
}

TEST_CASE("mutation is a function of program and choices") {
  const ir::Program original = Original();
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ChoiceStream a(seed);
    ChoiceStream b(seed);
    CHECK(Mutate(original, a, MutateOptions()) == Mutate(original, b, MutateOptions()));
  }
}

TEST_CASE("names of what stays are kept") {
  int kept = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    ChoiceStream choices(seed);
    const ir::Program mutant =
        MutateOnce(Original(), MutationKind::kInsertOp, choices, MutateOptions());
    for (const std::string_view name : {"a", "b", "c", "d", "e"}) {
      if (mutant.Find(name).has_value()) ++kept;
    }
  }
  CHECK(kept == 250);
}

TEST_CASE("nothing the backend does not take is put in") {
  MutateOptions options;
  options.generate.supports = [](ir::Opcode op, const ir::Attributes&, std::span<const ir::Type>,
                                 std::span<const ir::Type>) {
    return !ir::HasTrait(op, ir::kSorting);
  };
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ChoiceStream choices(seed);
    const ir::Program mutant = Mutate(Original(), choices, options);
    for (const ir::Statement& s : mutant.statements) {
      if (s.kind == ir::StatementKind::kApply) CHECK_FALSE(ir::HasTrait(s.op, ir::kSorting));
    }
  }
}

TEST_CASE("a duplicated segment comes again under new names") {
  bool again = false;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    ChoiceStream choices(seed);
    const ir::Program mutant =
        MutateOnce(Original(), MutationKind::kDuplicateSegment, choices, MutateOptions());
    const auto products = std::ranges::count_if(mutant.statements, [](const ir::Statement& s) {
      return s.kind == ir::StatementKind::kApply && s.op == ir::Opcode::kMulScalar;
    });
    again = again || products > 1;
  }
  CHECK(again);
}

TEST_CASE("a walk of mutations stays of a size that runs fast") {
  const MutateOptions options;
  ChoiceStream choices(uint64_t{77});
  ir::Program program = Original();
  size_t statements = 0;
  for (int i = 0; i < 2000; ++i) {
    program = Mutate(program, choices, options);
    statements += program.statements.size();
  }
  CHECK(statements / 2000 < 120);
  CHECK(ir::Verify(program).ok());
}

}  // namespace
}  // namespace faultline::harness
