// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Each rule fires where its precondition holds ("this program is one launch") and not where it does
// not.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

struct Case {
  Rule rule;
  size_t launches;
  std::string_view text;
};

constexpr std::string_view kInputs =
    "%a: f32[3,4] = input iota(start=0, step=1)\n"
    "%b: f32[3,4] = input iota(start=5, step=-1)\n"
    "%v: f32[4] = input [0x1p+0, 0x1p+1, 0x1p+2, 0x1p+3]\n"
    "%i: i64[2] = input [2, 0]\n";

constexpr Case kCases[] = {
    {Rule::kElementwiseIntoElementwise, 1, R"(%x: f32[3,4] = add %a %b
%y: f32[3,4] = mul %x %v
%z: f32[3,4] = abs %y
drop %x
drop %y
read %z
)"},
    // Every value of the chain is read: still one launch, with three stores.
    {Rule::kElementwiseIntoElementwise, 1, R"(%x: f32[3,4] = add %a %b
%y: f32[3,4] = mul %x %v
%z: f32[3,4] = abs %y
read %z %x %y
)"},
    {Rule::kCastIntoWrite, 1, R"(%x: f32[3,4] = add %a %b
%y: bf16[3,4] = cast %x
drop %x
read %y
)"},
    {Rule::kViewIntoRead, 1, R"(%x: f32[4,3] = permute %a axes=[1,0]
%y: f32[2,3] = slice %x slices=[0:4:2, 0:3:1]
%z: f32[2,3] = neg %y
drop %x
drop %y
read %z
)"},
    {Rule::kResultsTogether, 1, R"(%y: f32[3,1], %j: i64[3,1] = max_dim_with_indices %a dim=1
read %y %j
)"},
    {Rule::kResultsTogether, 1, R"(%y: f32[3,4], %j: i64[3,4] = sort_with_indices %a dim=1
read %j %y
)"},
    {Rule::kViewIntoRead, 1, R"(%w: f32[3,3,2] = unfold %a dim=1 step=1
%s: f32[3,3,1] = sum_dim %w dim=2
drop %w
read %s
)"},
    // A view of something computed: computed at the index at which it is needed.
    {Rule::kViewIntoRead, 1, R"(%x: f32[3,4] = exp %a
%y: f32[4,3] = permute %x axes=[1,0]
%z: f32[4,3] = neg %y
drop %x
drop %y
read %z
)"},
    {Rule::kGatherIntoRead, 1, R"(%x: f32[2,4] = select %a %i dim=0
%y: f32[2,4] = add_scalar %x 0x1p+0
drop %x
read %y
)"},
    {Rule::kCatIntoRead, 1, R"(%x: f32[6,4] = cat %a %b dim=0
%y: f32[6,4] = add_scalar %x 0x1p+0
drop %x
read %y
)"},
    {Rule::kElementwiseIntoReduction, 1, R"(%x: f32[3,4] = mul %a %b
%y: f32[3,1] = sum_dim %x dim=1
drop %x
read %y
)"},
    {Rule::kReductionIntoElementwise, 1, R"(%x: f32[1,4] = max_dim %a dim=0
%y: f32[1,4] = add %x %v
drop %x
read %y
)"},
    {Rule::kRowReductions, 1, R"(%m: f32[3,1] = max_dim %a dim=1
%x: f32[3,4] = sub %a %m
%e: f32[3,4] = exp %x
%s: f32[3,1] = sum_dim %e dim=1
%y: f32[3,4] = div %e %s
drop %m
drop %x
drop %e
drop %s
read %y
)"},
    {Rule::kElementwiseIntoScan, 1, R"(%x: f32[3,4] = mul %a %b
%y: f32[3,4] = cumsum %x dim=0
drop %x
read %y
)"},
    {Rule::kScanIntoElementwise, 1, R"(%x: f32[3,4] = cumsum %a dim=1
%y: f32[3,4] = add %x %b
drop %x
read %y
)"},
    {Rule::kMatmulIntoElementwise, 1, R"(%t: f32[4,3] = permute %b axes=[1,0]
%x: f32[3,3] = matmul %a %t
%y: f32[3,3] = add_scalar %x 0x1p+0
%z: f32[3,3] = gelu %y
drop %t
drop %x
drop %y
read %z
)"},
    {Rule::kElementwiseIntoMatmul, 1, R"(%w: f32[4,2] = full 0x1p+1
%x: f32[3,4] = relu %a
%y: f32[4,2] = exp %w
%z: f32[3,2] = matmul %x %y
drop %x
drop %y
drop %w
read %z
)"},
    {Rule::kDequantizeIntoRead, 2, R"(%q: q8s[3,4] = quantize %a
%x: f32[3,4] = dequantize %q
%y: f32[3,4] = add %x %b
drop %x
read %y %q
)"},
    // The copy of the base is the other launch.
    {Rule::kElementwiseIntoQuantize, 1, R"(%x: f32[3,4] = neg %a
%q: q4s<block=[2]>[3,4] = quantize %x
drop %x
read %q
)"},
    {Rule::kSliceAssignIntoWrite, 2, R"(%x: f32[4] = neg %v
%r: f32[1,4] = reshape %x
%y: f32[1,4] = add_scalar %r 0x1p+0
%z: f32[3,4] = slice_assign %a %y slices=[1:2:1, 0:4:1]
drop %x
drop %r
drop %y
read %z %a
)"},
};

}  // namespace

TEST_CASE("every rule fires where it can", "[rules]") {
  const auto engine = MakeEngine();
  RuleSet seen = 0;
  for (const Case& test : kCases) {
    const std::string text = std::string(kInputs) + std::string(test.text);
    const ProgramRun run = RunText(*engine, text);
    INFO(text << PrintTrace(run.trace));
    CHECK(run.failures.empty());
    REQUIRE(run.reads[0].has_value());
    CHECK((run.trace.Rules() & SetOf(test.rule)) != 0);
    CHECK(run.trace.launches.size() == test.launches);
    seen |= run.trace.Rules();
    // Without the rule the program takes more launches and gives the same bits.
    SessionOptions without;
    without.decisions.deny = {std::string(RuleName(test.rule))};
    const ProgramRun cut = RunText(*engine, text, without);
    CHECK((cut.trace.Rules() & SetOf(test.rule)) == 0);
    CHECK(cut.trace.launches.size() > test.launches);
    CHECK(BytesOf(cut) == BytesOf(run));
  }
  for (const RuleInfo& rule : AllRules()) {
    INFO(rule.name);
    CHECK((seen & SetOf(rule.rule)) != 0);
  }
}

TEST_CASE("whole patterns are one launch", "[rules]") {
  const auto engine = MakeEngine();
  constexpr std::string_view kPatterns[] = {
      // Layer norm.
      R"(%m: f32[3,1] = mean_dim %a dim=1
%d: f32[3,4] = sub %a %m
%s: f32[3,4] = mul %d %d
%r: f32[3,1] = mean_dim %s dim=1
%e: f32[3,1] = add_scalar %r 0x1p-16
%q: f32[3,1] = sqrt %e
%n: f32[3,4] = div %d %q
%g: f32[3,4] = mul %n %v
%y: f32[3,4] = add %g %b
drop %m
drop %d
drop %s
drop %r
drop %e
drop %q
drop %n
drop %g
read %y
)",
      // A softmax written out, of a transposed view.
      R"(%t: f32[4,3] = swap_dims %a dims=[0,1]
%m: f32[4,1] = max_dim %t dim=1
%d: f32[4,3] = sub %t %m
%e: f32[4,3] = exp %d
%s: f32[4,1] = sum_dim %e dim=1
%y: f32[4,3] = div %e %s
drop %t
drop %m
drop %d
drop %e
drop %s
read %y
)",
      // Softmax between a prologue and an epilogue, along an outer axis.
      R"(%d: f32[3,4] = mul %a %b
%s: f32[3,4] = softmax %d dim=0
%y: f32[3,4] = add %s %v
drop %d
drop %s
read %y
)",
      // A linear layer with its activation and residual.
      R"(%t: f32[4,4] = matmul %w %a
%h: f32[4,4] = add %t %v
%g: f32[4,4] = gelu %h
%y: f32[4,4] = add %g %h
drop %t
drop %h
drop %g
read %y
)",
  };
  for (const std::string_view pattern : kPatterns) {
    const std::string text = std::string(kInputs) + "%w: f32[4,3] = input iota(start=0, step=1)\n" +
                             std::string(pattern);
    const ProgramRun run = RunText(*engine, text);
    INFO(text << PrintTrace(run.trace));
    CHECK(run.trace.launches.size() == 1);
    SessionOptions off;
    off.fusion = false;
    CHECK(BytesOf(run) == BytesOf(RunText(*engine, text, off)));
  }
}

TEST_CASE("producers with other uses are not computed twice", "[rules]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, std::string(kInputs) + R"(%x: f32[3,4] = exp %a
%y: f32[4,3] = permute %x axes=[1,0]
%z: f32[4,3] = neg %y
drop %y
read %z %x
)");
  INFO(PrintTrace(run.trace));
  CHECK(run.trace.launches.size() == 2);
  CHECK(std::ranges::find(run.trace.cuts, CutReason::kShared) != run.trace.cuts.end());
}

TEST_CASE("a consumer that also needs its producer through a reduction waits for it", "[rules]") {
  const auto engine = MakeEngine();
  // x is needed at each element and, summed along the other axis, behind another launch.
  const std::string text = std::string(kInputs) + R"(%x: f32[3,4] = exp %a
%s: f32[1,4] = sum_dim %x dim=0
%t: f32[3,1] = sum_dim %x dim=1
%y: f32[3,4] = add %x %s
%z: f32[3,4] = add %y %t
read %z
)";
  const ProgramRun run = RunText(*engine, text);
  INFO(PrintTrace(run.trace));
  SessionOptions off;
  off.fusion = false;
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, text, off)));
}

TEST_CASE("a reduced value is seen through the view that broadcasts it, and no other", "[rules]") {
  const auto engine = MakeEngine();
  const auto program = [](std::string_view view) {
    return "%a: f32[4,4] = input iota(start=0, step=1)\n%m: f32[4,1] = max_dim %a dim=1\n" +
           std::string(view) + "%y: f32[4,4] = sub %a %e\ndrop %m\ndrop %e\nread %y\n";
  };
  const std::string direct = program("%e: f32[4,4] = expand %m\n");
  const ProgramRun run = RunText(*engine, direct);
  INFO(PrintTrace(run.trace));
  CHECK(run.trace.launches.size() == 1);
  const std::string turned = program("%e: f32[1,4] = permute %m axes=[1,0]\n");
  const ProgramRun other = RunText(*engine, turned);
  CHECK(other.trace.launches.size() == 2);
  SessionOptions off;
  off.fusion = false;
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, direct, off)));
  CHECK(BytesOf(other) == BytesOf(RunText(*engine, turned, off)));
}

TEST_CASE("products and sorts take reshaped operands by their axes", "[rules]") {
  const auto engine = MakeEngine();
  const std::string text = R"(%a: f32[12] = input iota(start=0, step=1)
%b: f32[3,4] = reshape %a
%c: f32[4,3] = reshape %a
%d: f32[3,3] = matmul %b %c
%e: f32[4,3] = sort %c dim=0 descending=true
drop %b
drop %c
read %d %e
)";
  const ProgramRun run = RunText(*engine, text);
  CHECK(run.trace.launches.size() == 2);
  SessionOptions off;
  off.fusion = false;
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, text, off)));
}

TEST_CASE("what was computed at another index is not asked for again", "[rules]") {
  // x lives only within the launch that makes e; y must load e and not look through it.
  const auto engine = MakeEngine();
  const std::string text = R"(%a: f32[3] = input iota(start=1, step=1)
%x: f32[3] = sqrt %a
%f: f32[3] = flip %x axes=[0]
%e: f32[3] = expand %f
%y: bool[3] = not_equal %e %e
drop %f
drop %x
read %y %e
)";
  const ProgramRun run = RunText(*engine, text);
  REQUIRE(run.reads[0].has_value());
  SessionOptions off;
  off.fusion = false;
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, text, off)));
}

TEST_CASE("long chains are split and stay right", "[rules]") {
  const auto engine = MakeEngine();
  std::string text = "%x0: f32[5] = input iota(start=0, step=1)\n";
  for (int i = 1; i <= 700; ++i) {
    text += "%x" + std::to_string(i) + ": f32[5] = add_scalar %x" + std::to_string(i - 1) +
            " 0x1p+0\ndrop %x" + std::to_string(i - 1) + "\n";
  }
  text += "read %x700\n";
  const ProgramRun run = RunText(*engine, text);
  REQUIRE(run.reads[0].has_value());
  CHECK(run.trace.segments > 1);
  CHECK(run.trace.launches.size() < 20);
  SessionOptions off;
  off.fusion = false;
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, text, off)));
}

TEST_CASE("operations that nothing needs do not run", "[rules]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, std::string(kInputs) + R"(%x: f32[3,4] = exp %a
%y: f32[3,4] = neg %x
drop %x
drop %y
read %a
)");
  CHECK(run.trace.launches.empty());
  CHECK(run.trace.applications == 2);
}

}  // namespace faultline::fusion
