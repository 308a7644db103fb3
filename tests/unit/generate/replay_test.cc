// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/replay.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "ir/parse.h"
#include "ir/print.h"
#include "ir/verify.h"

namespace faultline::harness {
namespace {

ir::Program Parsed(std::string_view text) {
  auto program = ir::ParseAndVerify(text);
  INFO((program.has_value() ? std::string() : program.error().message()));
  REQUIRE(program.has_value());
  return *program;
}

// Replays the program after `edit` has been careless with it.
ir::Program Replayed(ir::Program draft, const std::function<void(ir::Program&)>& edit,
                     uint64_t seed = 5) {
  edit(draft);
  static const GenerateOptions options;
  ChoiceStream choices(seed);
  Swarm swarm;
  swarm.ranks.fill(1);
  swarm.regimes.fill(1);
  swarm.dtypes.fill(1);
  swarm.feeds.fill(1);
  swarm.ops.fill(1);
  Builder builder(options, 1 << 20);
  builder.NumberNamesFrom(100);
  Composer composer(choices, swarm, builder);
  Replay replay(composer, draft, /*keep_names=*/true);
  for (const ir::Statement& statement : draft.statements) replay.Emit(statement);
  ir::Program program = builder.Take();
  const ir::Status status = ir::Verify(program);
  INFO(ir::Print(program) << status.message());
  REQUIRE(status.ok());
  return program;
}

// The statement that makes `name`, or nothing.
const ir::Statement* Maker(const ir::Program& program, std::string_view name) {
  const auto value = program.Find(name);
  if (!value.has_value()) return nullptr;
  return &program.statements[static_cast<size_t>(ir::DefiningStatements(program)[*value])];
}

constexpr std::string_view kChain = R"(faultline 1
%a: f32[2,3] = input iota(start=0x0p+0, step=0x1p+0)
%b: f32[2,3] = exp %a
%c: f32[2,3] = add %b %a
%d: f32[2,1] = sum_dim %c dim=1
drop %b
read %d
)";

TEST_CASE("a draft that verifies comes back as it is") {
  const ir::Program program = Parsed(kChain);
  CHECK(Replayed(program, [](ir::Program&) {}) == program);
}

TEST_CASE("shapes flow from a changed input") {
  const ir::Program result = Replayed(Parsed(kChain), [](ir::Program& p) {
    p.values[0].type.shape = ir::Shape{5, 7};
  });
  const auto d = result.Find("d");
  REQUIRE(d.has_value());
  CHECK(result.TypeOf(*d).shape == ir::Shape{5, 1});
}

TEST_CASE("a lower rank moves the axes of what follows") {
  const ir::Program result =
      Replayed(Parsed(kChain), [](ir::Program& p) { p.values[0].type.shape = ir::Shape{6}; });
  const auto d = result.Find("d");
  REQUIRE(d.has_value());
  CHECK(result.TypeOf(*d).shape == ir::Shape{1});
}

TEST_CASE("an op that does not take the new dtype is given a cast") {
  const ir::Program result = Replayed(Parsed(kChain), [](ir::Program& p) {
    p.values[0].type = ir::Type(ir::Dtype::kI32, ir::Shape{2, 3});
  });
  const ir::Statement* exp = Maker(result, "b");
  REQUIRE(exp != nullptr);
  CHECK(exp->op == ir::Opcode::kExp);
  CHECK(ir::IsFloat(result.TypeOf(exp->operands[0]).dtype()));
  const ir::Statement* sum = Maker(result, "c");
  REQUIRE(sum != nullptr);
  CHECK(sum->operands.size() == 2);
}

constexpr std::string_view kSorted = R"(faultline 1
%a: f32[2,3] = input iota(start=0x0p+0, step=-0x1p+0)
%v: f32[2,3], %i: i32[2,3] = sort_with_indices %a dim=1
%g: f32[2,3] = gather %a %i dim=1
read %v %g
)";

TEST_CASE(
    "an op with several results comes back with all of them, in other shapes and dtypes too") {
  CHECK(Replayed(Parsed(kSorted), [](ir::Program&) {}) == Parsed(kSorted));
  const ir::Program result = Replayed(Parsed(kSorted), [](ir::Program& p) {
    p.values[0].type = ir::Type(ir::Dtype::kI16, ir::Shape{5});
  });
  REQUIRE(result.Find("v").has_value());
  REQUIRE(result.Find("i").has_value());
  CHECK(result.TypeOf(*result.Find("v")) == ir::Type(ir::Dtype::kI16, ir::Shape{5}));
  CHECK(result.TypeOf(*result.Find("i")) == ir::Type(ir::Dtype::kI32, ir::Shape{5}));
}

TEST_CASE("another op in the place of one may have more results, or fewer") {
  const ir::Program fewer =
      Replayed(Parsed(kSorted), [](ir::Program& p) { p.statements[1].op = ir::Opcode::kSort; });
  REQUIRE(Maker(fewer, "v") != nullptr);
  CHECK(Maker(fewer, "v")->op == ir::Opcode::kSort);
  CHECK(Maker(fewer, "g") != nullptr);  // with another index
  const ir::Program more =
      Replayed(Parsed(R"(faultline 1
%a: f32[2,3] = input iota(start=0x0p+0, step=-0x1p+0)
%v: f32[2,3] = sort %a dim=1
read %v
)"),
               [](ir::Program& p) { p.statements[1].op = ir::Opcode::kSortWithIndices; });
  REQUIRE(Maker(more, "v") != nullptr);
  CHECK(Maker(more, "v")->results.size() == 2);
}

TEST_CASE("operands that no longer broadcast are exchanged") {
  const ir::Program result =
      Replayed(Parsed(R"(faultline 1
%a: f32[2,3] = input constant(0x1p+0)
%b: f32[3] = input constant(0x1p+1)
%c: f32[2,3] = mul %a %b
read %c
)"),
               [](ir::Program& p) { p.values[1].type.shape = ir::Shape{4}; });
  const ir::Statement* product = Maker(result, "c");
  REQUIRE(product != nullptr);
  CHECK(result.TypeOf(product->results[0]).shape == ir::Shape{2, 3});
}

TEST_CASE("declared types follow their operands") {
  const ir::Program result = Replayed(Parsed(R"(faultline 1
%a: f32[4,6] = input constant(0x1p+0)
%r: f32[2,12] = reshape %a
%e: f32[3,2,12] = expand %r
%c: i32[3,2,12] = cast %e
%q: q8s<block=[1,4]>[4,6] = quantize %a
%d: f16[4,6] = dequantize %q
read %c %d
)"),
                                      [](ir::Program& p) {
                                        p.values[0].type.shape = ir::Shape{4, 9};
                                      });
  const auto c = result.Find("c");
  REQUIRE(c.has_value());
  CHECK(result.TypeOf(*c).dtype() == ir::Dtype::kI32);
  CHECK(result.TypeOf(*c).NumElements() == 3 * 36);
  const auto d = result.Find("d");
  REQUIRE(d.has_value());
  CHECK(result.TypeOf(*d) == ir::Type(ir::Dtype::kF16, ir::Shape{4, 9}));
}

TEST_CASE("indices that would be out of range are mostly drawn anew") {
  const ir::Program original = Parsed(R"(faultline 1
%a: f32[6,2] = input constant(0x1p+0)
%i: i64[3] = input [5, 0, 4]
%g: f32[3,2] = select %a %i dim=0
read %g
)");
  int inside = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const ir::Program result = Replayed(
        original,
        [](ir::Program& p) {
          p.values[0].type.shape = ir::Shape{3, 2};
        },
        seed);
    const ir::Statement* select = Maker(result, "g");
    REQUIRE(select != nullptr);
    const int maker = ir::DefiningStatements(result)[select->operands[1]];
    const ir::DataSpec& data = *result.statements[static_cast<size_t>(maker)].data;
    if (std::ranges::all_of(data.elements, [](uint64_t bits) { return bits < 3; })) ++inside;
  }
  CHECK(inside > 20);
  CHECK(inside < 40);
}

TEST_CASE("what is gone is replaced by another value of its type, or an input") {
  const ir::Program result = Replayed(Parsed(kChain), [](ir::Program& p) {
    p.statements.erase(p.statements.begin() + 1);  // exp
  });
  const ir::Statement* sum = Maker(result, "c");
  REQUIRE(sum != nullptr);
  CHECK(sum->operands.size() == 2);
  CHECK_FALSE(result.Find("b").has_value());
}

TEST_CASE("a scheme that no longer fits its shape is drawn anew") {
  const ir::Program original = Parsed(R"(faultline 1
%q: q8s<block=[4,2]>[4,2] = input codes=[1, 2, 3, 4, 5, 6, 7, 8] scales=[0x1p+0]
%d: f32[4,2] = dequantize %q
read %q %d
)");
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const ir::Program result = Replayed(
        original, [](ir::Program& p) { p.values[0].type.shape = ir::Shape{4}; }, seed);
    const auto d = result.Find("d");
    REQUIRE(d.has_value());
    CHECK(result.TypeOf(*d).shape == ir::Shape{4});
  }
}

TEST_CASE("expectations and dead reads are left out") {
  const ir::Program result =
      Replayed(Parsed(R"(faultline 1
%a: i32[2] = input [1, 2]
%b: i32[2] = neg %a
read %b
expect %b = [-1, -2]
)"),
               [](ir::Program& p) { p.statements.erase(p.statements.begin() + 1); });
  for (const ir::Statement& statement : result.statements) {
    CHECK(statement.kind == ir::StatementKind::kInput);
  }
}

}  // namespace
}  // namespace faultline::harness
