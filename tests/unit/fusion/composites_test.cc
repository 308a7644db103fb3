// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Composites are recorded as primitives: they fuse as these do, keep their name in the trace, and
// leave nothing behind.

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "fusion/composites/expansion.h"
#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

constexpr std::string_view kInputs =
    "%x: f32[4,6] = input iota(start=-11, step=1)\n"
    "%h: f16[4,6] = input iota(start=-11, step=1)\n"
    "%g: f32[6] = input iota(start=1, step=1)\n"
    "%k: f16[6] = input iota(start=1, step=1)\n"
    "%c: f32[6] = input iota(start=3, step=2)\n"
    "%w: f32[6,2] = input iota(start=0, step=1)\n"
    "%v: f32[2] = input [0x1p+0, 0x1p+1]\n"
    "%i: i64[2,3] = input [0, 3, 1, 2, 0, 0]\n";

struct Case {
  size_t launches;
  std::string_view text;
};

// Rows and what goes with them are one launch, as softmax is. Three parts of a cross product are
// joined; groups of channels become rows of another shape.
constexpr Case kCases[] = {
    {1, "%y: f32[4,6] = log_softmax %x dim=1\n"},
    {1, "%y: f16[4,6] = log_softmax %h dim=0\n"},
    {1, "%y: f32[4,6] = softmin %x dim=1\n"},
    {1, "%y: f32[4,1] = logsumexp %x dim=1\n"},
    {1, "%y: f16[1,6] = logsumexp %h dim=0\n"},
    {1, "%y: f32[4,1] = var %x dim=1 ddof=1\n"},
    {1, "%y: f16[4,1] = std %h dim=1 ddof=0\n"},
    {1, "%y: f32[1] = norm %x p=l2\n"},
    {1, "%y: f16[4,1] = norm %h dim=1 p=inf\n"},
    {1, "%y: f32[4,6] = layer_norm %x %g %c 0x1p-10\n"},
    {1, "%y: f16[4,6] = layer_norm %h %k 0x1p-10\n"},
    {1, "%y: f32[4,6] = rms_norm %x %g 0x1p-10\n"},
    {1, "%y: f32[4,6] = batch_norm %x %g %c %g %c 0x1p-10\n"},
    {2, "%y: f32[4,6] = group_norm %x %g %c 0x1p-10 groups=2\n"},
    {1, "%y: f32[4,6] = tril %x diagonal=1\n"},
    {1, "%y: f16[4,6] = triu %h\n"},
    {1, "%y: f32[2,3,4] = one_hot %i classes=4\n"},
    {1, "%y: f32[4,2] = linear %x %w %v\n"},
    {1, "%y: f32[4,3] = narrow %x dim=1 start=2 length=3\n"},
    {1, "%y: f32[4] = diag %x\n"},
    {2, "%y: f32[2,3,6] = embedding %x %i\n"},
};

TEST_CASE("composites are as few launches as their primitives") {
  for (const Case& c : kCases) {
    INFO(c.text);
    const auto engine = MakeEngine();
    const std::string text = std::string(kInputs) + std::string(c.text) + "read %y\n";
    const ProgramRun run = RunText(*engine, text);
    CHECK(run.failures.empty());
    CHECK(run.trace.launches.size() == c.launches);
    CHECK(run.live.bytes == 0);
    // Unfused is what fusion must not change where no order is free: the numbers here are small.
    const ProgramRun unfused = RunText(*engine, text, {.fusion = false});
    CHECK(unfused.failures.empty());
    CHECK(unfused.trace.launches.size() >= run.trace.launches.size());
  }
}

TEST_CASE("a launch names a composite once, and nothing that it was recorded as") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, std::string(kInputs) +
                                              "%e: f32[4,6] = exp %x\n"
                                              "%y: f32[4,1] = logsumexp %e dim=1\n"
                                              "%z: f32[4,1] = neg %y\n"
                                              "drop %e\ndrop %y\nread %z\n");
  REQUIRE(run.trace.launches.size() == 1);
  REQUIRE(run.trace.launches[0].op_count == 3);
  CHECK(run.trace.ops[0].op == ir::Opcode::kExp);
  CHECK(run.trace.ops[1].op == ir::Opcode::kLogsumexp);
  CHECK(run.trace.ops[2].op == ir::Opcode::kNeg);
  CHECK(run.trace.NameOf(run.trace.ops[1].result) == "%y");
  CHECK(run.trace.applications == 3);
}

TEST_CASE("an error inside of a composite is that of the composite") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine,
                                 "%x: f32[2,2] = input [1, 2, 3, 4]\n"
                                 "%i: i64[1,2] = input [1, 2]\n"
                                 "%y: f32[1,2,2] = embedding %x %i\n"
                                 "%z: f32[1,2,2] = neg %y\n"
                                 "read %z\n"
                                 "read %x\n");
  REQUIRE(run.reads.size() == 2);
  REQUIRE_FALSE(run.reads[0].has_value());
  CHECK(run.reads[0].error().code() == ir::StatusCode::kIndexOutOfRange);
  CHECK(run.reads[0].error().message().starts_with("embedding %y: index 2 is out of range"));
  CHECK(run.reads[1].has_value());
  CHECK(run.live.bytes == 0);
}

TEST_CASE("a queue that fills up within a composite gives the same bytes") {
  const auto engine = MakeEngine();
  std::string text(kInputs);
  std::string reads = "read";
  for (int i = 0; i < 60; ++i) {
    const std::string y = "%y" + std::to_string(i);
    text += y + ": f32[4,6] = layer_norm %x %g %c 0x1p-10\n";
    reads += " " + y;
  }
  text += reads + "\n";
  const ProgramRun run = RunText(*engine, text);
  const ProgramRun short_queue = RunText(*engine, text, {.queue_limit = 3});
  REQUIRE(run.failures.empty());
  REQUIRE(short_queue.failures.empty());
  CHECK(BytesOf(run) == BytesOf(short_queue));
  CHECK(run.trace.segments > 1);
  CHECK(run.live.bytes == 0);
  CHECK(short_queue.live.bytes == 0);
}

TEST_CASE("a queue is full within an op on quantized operands, wherever that falls") {
  const auto engine = MakeEngine();
  for (int before = 496; before <= 511; ++before) {
    CAPTURE(before);
    std::string text(kInputs);
    text += "%q: q8s[4,6] = quantize %x\n%y0: f32[4,6] = neg %x\n";
    for (int i = 1; i < before; ++i) {
      text += "%y" + std::to_string(i) + ": f32[4,6] = neg %y" + std::to_string(i - 1) + "\n";
    }
    text += "%z: q8s[4,6] = log_softmax %q dim=1\nread %z\n";
    const ProgramRun run = RunText(*engine, text, {.queue_limit = 512});
    REQUIRE(run.failures.empty());
    REQUIRE(run.reads[0].has_value());
    CHECK(run.trace.segments > 0);
  }
}

TEST_CASE("positions are those of the tensor in every loop") {
  const auto engine = MakeEngine();
  constexpr std::string_view kText =
      "%i: i32[3,4] = iota dim=0\n"
      "%j: i32[3,4] = iota dim=1\n"
      "%n: i32[3,4] = iota\n"
      "%a: i32[3,4] = add %i %n\n"
      "%b: i32[1,4] = sum_dim %a dim=0\n"
      "%c: i32[3,1] = sum_dim %n dim=1\n"
      "%d: i32[1] = sum %j\n"
      "%e: i32[1] = sum %i\n"
      "%f: i32[3,4] = cumsum %j dim=0\n"
      "%t: i32[4,3] = permute %a axes=[1,0]\n"
      "%u: i32[4,3] = neg %t\n"
      "read %b %c %d %e %f %u\n";
  const ProgramRun fused = RunText(*engine, kText);
  const ProgramRun unfused = RunText(*engine, kText, {.fusion = false});
  REQUIRE(fused.failures.empty());
  CHECK(BytesOf(fused) == BytesOf(unfused));
  const auto& b = fused.reads[0].value()[0];
  CHECK(ir::ToInt(ir::Dtype::kI32, ir::LoadElement(ir::Dtype::kI32, b.bytes.data())) == 15);
}

TEST_CASE("a random tensor has one value, whatever launch makes it") {
  const auto engine = MakeEngine();
  constexpr std::string_view kText =
      "%a: f32[5,7] = random_uniform -1 1 seed=3 offset=9\n"
      "%s: f32[5,1] = sum_dim %a dim=1\n"
      "%t: f32[7,5] = permute %a axes=[1,0]\n"
      "%u: f32[7,5] = neg %t\n"
      "%m: f32[1,7] = max_dim %a dim=0\n"
      "%b: i64[5,7] = random_uniform -5 5 seed=3\n"
      "%c: i64[1] = sum %b\n"
      "%d: bool[9] = random_bernoulli 0x1p-1 seed=3\n"
      "%e: f32[5,7] = random_normal 1 2 seed=3 offset=9\n"
      "%f: f32[1,7] = max_dim %e dim=0\n"
      "%g: f64[7,3] = random_normal 1 2 seed=4\n"
      "%h: f64[3,7] = permute %g axes=[1,0]\n"
      "%k: f64[3,1] = min_dim %h dim=1\n"
      "read %a %u %m %c %d %e %f %k\n";
  const ProgramRun fused = RunText(*engine, kText);
  const ProgramRun unfused = RunText(*engine, kText, {.fusion = false});
  REQUIRE(fused.failures.empty());
  CHECK(BytesOf(fused) == BytesOf(unfused));
}

TEST_CASE("each result of a split is recorded by itself") {
  const auto engine = MakeEngine();
  const ProgramRun run =
      RunText(*engine,
              "%x: f32[2,5] = input iota(start=0, step=1)\n"
              "%a: f32[2,2], %b: f32[2,2], %c: f32[2,1] = split %x dim=1 length=2\n"
              "%y: f32[2,2] = add %a %b\n"
              "drop %a\ndrop %b\nread %y %c\n");
  REQUIRE(run.failures.empty());
  CHECK(run.trace.applications == 2);
  CHECK(run.trace.launches.size() == 2);
  CHECK(run.live.bytes == 0);
}

TEST_CASE("every composite is recorded as others or lowered by itself") {
  for (const ir::OpInfo& info : ir::AllOps()) {
    INFO(info.mnemonic);
    if (info.form == ir::OpForm::kPrimitive) CHECK_FALSE(IsExpanded(info.op));
    // What is lowered by itself is one element, or a row that the block has a form for.
    if (info.form == ir::OpForm::kComposite && !IsExpanded(info.op)) {
      CHECK(ir::HasTrait(info.op, ir::kElementwise | ir::kRowwise));
    }
  }
}

}  // namespace
}  // namespace faultline::fusion
