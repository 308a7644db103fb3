// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Queues: order of drops and reads across streams, what is drained and what is not, transactions,
// misuse, and errors that stay where they belong.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

std::vector<float> Floats(const ir::Result<std::vector<ir::HostTensor>>& read, size_t tensor = 0) {
  if (!read.has_value()) FAIL(read.error().message());
  REQUIRE(tensor < read->size());
  const std::vector<std::byte>& bytes = (*read)[tensor].bytes;
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

}  // namespace

TEST_CASE("nothing runs until something is needed", "[streams]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%a: f32[4] = input iota(start=0, step=1)
%b: f32[4] = neg %a
read
)");
  REQUIRE(run.reads[0].has_value());
  CHECK(run.reads[0]->empty());
  // The empty transaction runs what its own stream has pending.
  CHECK(run.trace.launches.size() == 1);
}

TEST_CASE("a foreign use drains what it needs and no more", "[streams]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%a: f32[4] = input iota(start=0, step=1)
%b: f32[4] = neg %a
%c: f32[4] = exp %a
%d: f32[4] = abs %b
stream 1
%e: f32[4] = add_scalar %b 0x1p+0
read %e
stream 0
read %d %c
)");
  CHECK(Floats(run.reads[0]) == std::vector<float>{1, 0, -1, -2});
  CHECK(Floats(run.reads[1]) == std::vector<float>{0, 1, 2, 3});
  // neg alone; the addition; exp and abs, which were left in the queue.
  REQUIRE(run.trace.segments == 3);
  CHECK(run.trace.ops[0].op == ir::Opcode::kNeg);
  CHECK(run.trace.ops[1].op == ir::Opcode::kAddScalar);
}

TEST_CASE("a read of several streams makes one pass over each", "[streams]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%a: f32[2] = input iota(start=1, step=1)
%b: f32[2] = neg %a
stream 1
%c: f32[2] = add_scalar %a 0x1p+0
stream 2
%d: f32[2] = mul_scalar %a 0x1p+2
stream 3
read %d %b %c %d
)");
  CHECK(Floats(run.reads[0], 0) == std::vector<float>{4, 8});
  CHECK(Floats(run.reads[0], 1) == std::vector<float>{-1, -2});
  CHECK(Floats(run.reads[0], 2) == std::vector<float>{2, 3});
  CHECK(Floats(run.reads[0], 3) == std::vector<float>{4, 8});
  CHECK(run.trace.segments == 3);
}

TEST_CASE("a foreign drop neither cuts the queue nor takes the buffer", "[streams]") {
  const auto engine = MakeEngine();
  const auto program = [](std::string_view drop) {
    return "%t: f32[64] = ones\n%u: f32[64] = add_scalar %t 0x0p+0\nsync\n"
           "%y: f32[64] = add_scalar %u 0x1p+0\n%z: f32[64] = mul_scalar %y 0x1p+1\n" +
           std::string(drop) +
           "%w: f32[64] = full 0x1p+6\n%v: f32[64] = add_scalar %w 0x1p+0\nread %z %v\n";
  };
  const ProgramRun without = RunText(*engine, program(""));
  const ProgramRun with = RunText(*engine, program("stream 1\ndrop %u\nstream 0\n"));
  CHECK(BytesOf(with) == BytesOf(without));
  CHECK(Floats(with.reads[0])[63] == 4);
  // The plan is the same whether the other stream came before or after.
  CHECK(with.trace.launches.size() == without.trace.launches.size());
  CHECK(with.trace.AliasCount(AliasOutcome::kGranted) ==
        without.trace.AliasCount(AliasOutcome::kGranted));
  CHECK(with.live.bytes == 0);
  CHECK(with.live.handles == 0);
}

TEST_CASE("values dropped on any stream are given back", "[streams]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%a: f32[8] = input iota(start=0, step=1)
%b: f32[8] = neg %a
stream 1
%c: f32[8] = add_scalar %b 0x1p+0
stream 2
%d: f32[8] = add_scalar %c 0x1p+0
drop %a
drop %b
drop %c
sync
drop %d
stream 0
%e: f32[8] = ones
drop %e
)");
  CHECK(run.failures.empty());
  CHECK(run.live.handles == 0);
  CHECK(run.live.bytes == 0);
}

TEST_CASE("the queue is run when it is full", "[streams]") {
  const auto engine = MakeEngine();
  SessionOptions options;
  options.queue_limit = 3;
  const ProgramRun run = RunText(*engine, R"(%a: f32[2] = input iota(start=0, step=1)
%b: f32[2] = neg %a
%c: f32[2] = neg %b
%d: f32[2] = neg %c
%e: f32[2] = neg %d
read %e
)",
                                 options);
  CHECK(run.trace.segments == 2);
  CHECK(Floats(run.reads[0]) == std::vector<float>{0, 1});
}

TEST_CASE("an index out of range spoils what is derived from it and nothing else", "[errors]") {
  const auto engine = MakeEngine();
  const std::string text = R"(%x: f32[3] = input iota(start=0, step=1)
%i: i64[2] = input [1, 3]
%k: i64[2] = input [-1, 0]
%ok: f32[3] = neg %x
%bad: f32[2] = gather %x %i dim=0
%worse: f32[2] = select %x %k dim=0
%sum: f32[2] = add %worse %bad
%far: f32[1] = sum %sum
%also: f32[3] = add %ok %x
sync
read %also %ok
read %also %far
read %worse
read %x
)";
  for (const bool fusion : {true, false}) {
    SessionOptions options;
    options.fusion = fusion;
    const ProgramRun run = RunText(*engine, text, options);
    CHECK(run.failures.empty());
    CHECK(Floats(run.reads[0]) == std::vector<float>{0, 0, 0});
    REQUIRE(!run.reads[1].has_value());
    CHECK(run.reads[1].error().code() == ir::StatusCode::kIndexOutOfRange);
    // The first offending statement in program order.
    CHECK(run.reads[1].error().message() ==
          "gather %bad: index 3 is out of range for extent 3 (element 1 of the index)");
    REQUIRE(!run.reads[2].has_value());
    CHECK(run.reads[2].error().message() ==
          "select %worse: index -1 is out of range for extent 3 (element 0 of the index)");
    CHECK(run.reads[3].has_value());
    CHECK(run.live.bytes == 0);
    CHECK(run.live.handles == 0);
  }
}

TEST_CASE("an index that is out of range where nothing looks is an error all the same",
          "[errors]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%x: f32[3] = input iota(start=0, step=1)
%i: i64[3] = input [0, 1, 9]
%g: f32[3] = select %x %i dim=0
%s: f32[2] = slice %g slices=[0:2:1]
%n: f32[2] = neg %s
drop %g
drop %s
read %n
)");
  REQUIRE(!run.reads[0].has_value());
  CHECK(run.reads[0].error().code() == ir::StatusCode::kIndexOutOfRange);
}

TEST_CASE("what comes after a failed lookup runs with all that it needs", "[errors]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%e: bool[0] = input constant(false)
%i: i32[1] = input constant(0)
%bad: bool[1] = select %e %i dim=0
%a: i32[2,2] = input [1, 2, 3, 4]
%t: i32[2,2] = permute %a axes=[1,0]
%m: i32[2,2] = matmul %t %a
%s: i32[2,2] = sort %t dim=0
%b: i32[2,2] = full 7
%n: i32[2,2] = add %b %m
drop %t
drop %b
read %m %s %n
read %bad
)");
  CHECK(run.reads[0].has_value());
  CHECK(!run.reads[1].has_value());
  CHECK(run.live.bytes == 0);
}

TEST_CASE("what only a failed write needed is not asked for again", "[errors]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%x: i32[2,0] = input constant(0)
%t: i32[0,2] = swap_dims %x dims=[0,1]
%i: i64[1,1] = input constant(0)
%v: i32[1,1] = input constant(0)
%y: i32[0,2] = scatter %t %i %v dim=0 update=assign
drop %x
drop %t
read %y
)");
  REQUIRE(!run.reads[0].has_value());
  CHECK(run.reads[0].error().code() == ir::StatusCode::kIndexOutOfRange);
  CHECK(run.live.bytes == 0);
}

TEST_CASE("a failed lookup that is dropped unread reports nothing", "[errors]") {
  const auto engine = MakeEngine();
  const ProgramRun run = RunText(*engine, R"(%x: f32[3] = input iota(start=0, step=1)
%i: i64[1] = input [7]
%g: f32[1] = select %x %i dim=0
drop %g
read %x
)");
  CHECK(run.reads[0].has_value());
  CHECK(run.failures.empty());
}

TEST_CASE("misuse is a status and the session goes on", "[errors]") {
  const auto engine = MakeEngine();
  auto session = engine->Open({});
  REQUIRE(session.has_value());
  const ir::Type type(ir::Dtype::kF32, ir::Shape{2});
  const std::vector<std::byte> bytes(8);
  const auto a = (*session)->Create(0, type, {}, bytes, "a");
  REQUIRE(a.has_value());
  CHECK(!(*session)->Create(0, type, {}, std::vector<std::byte>(7), "short").has_value());
  CHECK(!(*session)->Create(64, type, {}, bytes, "far").has_value());
  ir::Layout outside;
  outside.strides = {4};
  outside.storage = 2;
  CHECK(!(*session)->Create(0, type, outside, bytes, "outside").has_value());
  CHECK(!(*session)->Sync(-1).ok());
  CHECK(!(*session)->Drop(0, Handle{}).ok());
  CHECK(!(*session)->Read(0, std::vector<Handle>{{.slot = 9, .generation = 1}}).has_value());
  const std::vector<Handle> one = {*a};
  Application wrong;
  wrong.op = ir::Opcode::kAdd;
  wrong.operands = one;
  CHECK(!(*session)->Apply(wrong).has_value());
  CHECK((*session)->Drop(0, *a).ok());
  CHECK(!(*session)->Drop(0, *a).ok());
  CHECK(!(*session)->Clone(0, *a).has_value());
  // The slot is used again; the old handle stays dead.
  const auto b = (*session)->Create(0, type, {}, bytes, "b");
  REQUIRE(b.has_value());
  CHECK(!(*session)->Read(0, one).has_value());
  CHECK((*session)->Read(0, std::vector<Handle>{*b}).has_value());
  CHECK((*session)->Drop(0, *b).ok());
  CHECK((*session)->live().handles == 0);
  CHECK((*session)->live().bytes == 0);
}

TEST_CASE("exhausted memory spoils values and loses none", "[errors]") {
  const auto engine = MakeEngine();
  const std::string text = R"(%a: f32[64] = input iota(start=0, step=1)
%b: f32[64] = neg %a
%c: f32[64,1] = reshape %b
%d: f32[1,64] = reshape %a
%e: f32[64,64] = matmul %c %d
%f: f32[64] = exp %b
%g: f32[1] = sum %e
read %a
read %f
read %g
read %e
)";
  const std::string right = BytesOf(RunText(*engine, text));
  bool failed = false;
  bool passed = false;
  for (int64_t n = 1; n <= 16; ++n) {
    SessionOptions options;
    options.fail_allocation = n;
    const ProgramRun run = RunText(*engine, text, options);
    INFO("allocation " << n << " fails");
    CHECK(run.live.bytes == 0);
    CHECK(run.live.handles == 0);
    for (const auto& read : run.reads) {
      if (!read.has_value() && run.failures.empty()) {
        failed = true;
        CHECK(read.error().code() == ir::StatusCode::kOutOfMemory);
      }
    }
    if (BytesOf(run) == right) passed = true;
  }
  CHECK(failed);
  CHECK(passed);
  SessionOptions tight;
  tight.memory_limit = 1200;  // enough for all but the product
  const ProgramRun run = RunText(*engine, text, tight);
  CHECK(run.reads[0].has_value());
  CHECK(run.reads[1].has_value());
  CHECK(!run.reads[3].has_value());
  CHECK(run.live.bytes == 0);
}

TEST_CASE("sessions of one engine run at once", "[streams]") {
  const auto engine = MakeEngine();
  auto first = engine->Open({});
  auto second = engine->Open({});
  REQUIRE((first.has_value() && second.has_value()));
  const ir::Type type(ir::Dtype::kF32, ir::Shape{1});
  const std::vector<std::byte> bytes(4);
  const auto a = (*first)->Create(0, type, {}, bytes);
  const auto b = (*second)->Create(0, type, {}, bytes);
  REQUIRE((a.has_value() && b.has_value()));
  CHECK((*first)->Drop(0, *a).ok());
  CHECK((*first)->live().bytes == 0);
  CHECK((*second)->live().bytes == 4);
}

}  // namespace faultline::fusion
