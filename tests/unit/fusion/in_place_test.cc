// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// When a result takes over an operand's buffer, and every reason for which it must not.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

AliasOutcome OutcomeOf(const Trace& trace, std::string_view from, std::string_view to) {
  for (const AliasRecord& alias : trace.aliases) {
    if (trace.names[alias.from] == from && trace.names[alias.to] == to) return alias.outcome;
  }
  FAIL("no alias of " << from << " to " << to << " was considered\n" << PrintTrace(trace));
  return AliasOutcome::kDeclined;
}

// The outcome for %x -> %y, after checking that the bits are those without aliases.
AliasOutcome Judge(std::string_view text, std::string_view from = "x", std::string_view to = "y") {
  INFO(text);
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, text);
  CHECK(run.failures.empty());
  CHECK(run.live.bytes == 0);
  SessionOptions fresh;
  fresh.decisions.deny = {"alias"};
  const ProgramRun without = RunText(*engine, text, fresh);
  CHECK(without.trace.AliasCount(AliasOutcome::kGranted) == 0);
  CHECK(BytesOf(run) == BytesOf(without));
  return OutcomeOf(run.trace, from, to);
}

}  // namespace

TEST_CASE("a dropped operand gives its buffer", "[alias]") {
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%y: f32[4] = add_scalar %x 0x1p+0
drop %x
read %y
)") == AliasOutcome::kGranted);
  // Another dtype of the same size will do.
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%y: i32[4] = cast %x
drop %x
read %y
)") == AliasOutcome::kGranted);
  // Both operands are the same tensor.
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%y: f32[4] = add %x %x
drop %x
read %y
)") == AliasOutcome::kGranted);
  // Row by row, where the row was read before.
  CHECK(Judge(R"(%x: f32[2,4] = input iota(start=0, step=1)
%y: f32[2,4] = softmax %x dim=1
drop %x
read %y
)") == AliasOutcome::kGranted);
  // A base that is written into.
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%v: f32[2] = input [0x1p+5, 0x1p+6]
%y: f32[4] = slice_assign %x %v slices=[1:3:1]
drop %x
read %y
)") == AliasOutcome::kGranted);
}

TEST_CASE("a live operand is left alone", "[alias]") {
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%y: f32[4] = add_scalar %x 0x1p+0
read %y %x
)") == AliasOutcome::kNotDropped);
}

TEST_CASE("a clone holds the buffer", "[alias]") {
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%c: f32[4] = clone %x
%y: f32[4] = add_scalar %x 0x1p+0
drop %x
read %y %c
)") == AliasOutcome::kShared);
  // The last of two handles is dropped: nothing holds it any more.
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%c: f32[4] = clone %x
%y: f32[4] = add_scalar %x 0x1p+0
drop %x
drop %c
read %y
)") == AliasOutcome::kGranted);
}

TEST_CASE("a use that is pending on another stream holds the buffer", "[alias]") {
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
stream 1
%z: f32[4] = mul_scalar %x 0x1p+1
stream 0
%y: f32[4] = add_scalar %x 0x1p+0
drop %x
read %y
stream 1
read %z
)") == AliasOutcome::kNotDropped);
}

TEST_CASE("a later launch that reads the operand comes first", "[alias]") {
  CHECK(Judge(R"(%x: f32[4,4] = input iota(start=0, step=1)
%y: f32[4,4] = add_scalar %x 0x1p+0
%s: f32[1,4] = sum_dim %x dim=0
%t: f32[4,4] = sort %x dim=1
drop %x
read %y %s %t
)") == AliasOutcome::kReadLater);
}

TEST_CASE("an operand read at another index is left alone", "[alias]") {
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%f: f32[4] = flip %x axes=[0]
%y: f32[4] = add %x %f
drop %x
drop %f
read %y
)") == AliasOutcome::kOtherIndex);
  CHECK(Judge(R"(%x: f32[3,3] = input iota(start=0, step=1)
%t: f32[3,3] = permute %x axes=[1,0]
%y: f32[3,3] = add %t %x
drop %x
drop %t
read %y
)") == AliasOutcome::kOtherIndex);
  // Looked up in itself.
  CHECK(Judge(R"(%x: i64[4] = input [3, 2, 1, 0]
%g: i64[4] = gather %x %x dim=0
%y: i64[4] = add_scalar %g 1
drop %x
drop %g
read %y
)") == AliasOutcome::kOtherIndex);
}

TEST_CASE("other sizes and layouts do not fit", "[alias]") {
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%y: f16[4] = cast %x
drop %x
read %y
)") == AliasOutcome::kOtherSize);
  CHECK(Judge(R"(%x: f32[4] = input iota(start=0, step=1)
%w: f32[3,4] = input iota(start=0, step=1)
%y: f32[3,4] = add %x %w
drop %x
read %y %w
)") == AliasOutcome::kOtherSize);
  CHECK(Judge(R"(%x: i32[2,3] = input [1, 2, 3, 1, 2, 3] strides=[0,1] offset=0 storage=3
%y: i32[2,3] = add_scalar %x 1
drop %x
read %y
)") == AliasOutcome::kNotDense);
  CHECK(Judge(R"(%x: f32[2,2] = input [0x1p+0, 0x1p+1, 0x1p+2, 0x1p+3] strides=[1,2]
%y: f32[2,2] = add_scalar %x 0x1p+0
drop %x
read %y
)") == AliasOutcome::kNotDense);
}

TEST_CASE("a value still needed after the store is not overwritten", "[alias]") {
  // y is stored before x is used for z: x must not be y's buffer.
  const std::string_view text = R"(%x: f32[4] = input iota(start=1, step=1)
%y: f32[4] = mul_scalar %x 0x1p+1
%z: f32[4] = add %y %x
drop %x
read %y %z
)";
  CHECK(Judge(text) == AliasOutcome::kOtherReader);
  CHECK(Judge(text, "x", "z") == AliasOutcome::kGranted);
}

TEST_CASE("state that is updated again and again keeps its bits", "[alias]") {
  std::string text = "%s0: f32[4,3] = zeros\n";
  for (int k = 1; k <= 6; ++k) {
    const std::string now = std::to_string(k);
    const std::string before = std::to_string(k - 1);
    text += "%t" + now + ": f32[3,3] = slice %s" + before + " slices=[1:4:1, 0:3:1]\n";
    text += "%f" + now + ": f32[1,3] = full 0x1p+" + now + "\n";
    text += "%s" + now + ": f32[4,3] = cat %t" + now + " %f" + now + " dim=0\n";
    text += "drop %s" + before + "\ndrop %t" + now + "\ndrop %f" + now + "\n";
    if (k % 2 == 0) text += "read %s" + now + "\n";
  }
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, text);
  SessionOptions off;
  off.fusion = false;
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, text, off)));
  CHECK(BytesOf(run) == BytesOf(RunText(*engine, text)));
}

}  // namespace faultline::fusion
