// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Every kind of launch once, through the whole engine, against values worked out by hand; and the
// same bits with fusion off and with random decisions.

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "tests/unit/fusion/engine_fixture.h"

namespace faultline::fusion {
namespace {

template <typename T>
std::vector<T> Elements(const ir::HostTensor& tensor) {
  std::vector<T> elements(tensor.bytes.size() / sizeof(T));
  std::memcpy(elements.data(), tensor.bytes.data(), elements.size() * sizeof(T));
  return elements;
}

// The run with fusion, after comparing it with runs that decide otherwise.
ProgramRun Run(std::string_view text) {
  INFO(text);
  const auto engine = MakeEngine();
  const ProgramRun fused = RunText(*engine, text);
  CHECK(fused.failures.empty());
  CHECK(fused.live.handles == 0);
  CHECK(fused.live.bytes == 0);
  const std::string bytes = BytesOf(fused);
  CHECK(bytes == BytesOf(RunText(*engine, text)));
  SessionOptions off;
  off.fusion = false;
  const ProgramRun unfused = RunText(*engine, text, off);
  CHECK(bytes == BytesOf(unfused));
  CHECK(unfused.live.bytes == 0);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    SessionOptions chaos;
    chaos.decisions.chaos_seed = seed;
    INFO("chaos " << seed);
    CHECK(bytes == BytesOf(RunText(*engine, text, chaos)));
  }
  SessionOptions none;
  none.decisions.max_decisions = 0;
  CHECK(bytes == BytesOf(RunText(*engine, text, none)));
  return fused;
}

template <typename T>
std::vector<T> First(const ProgramRun& run, size_t tensor = 0) {
  REQUIRE(!run.reads.empty());
  if (!run.reads[0].has_value()) FAIL(run.reads[0].error().message());
  REQUIRE(run.reads[0]->size() > tensor);
  return Elements<T>((*run.reads[0])[tensor]);
}

}  // namespace

TEST_CASE("elementwise chains and broadcasts", "[slice]") {
  const ProgramRun run = Run(R"(%a: f32[2,3] = input iota(start=0, step=1)
%b: f32[3] = input [0x1p+0, 0x1p+1, 0x1p+2]
%c: f32[2,3] = add %a %b
%d: f32[2,3] = mul_scalar %c 0x1p+1
%e: bool[2,3] = greater_equal_scalar %d 0x1p+3
drop %a
read %d %e %c
)");
  CHECK(First<float>(run) == std::vector<float>{2, 6, 12, 8, 12, 18});
  CHECK(First<uint8_t>(run, 1) == std::vector<uint8_t>{0, 0, 1, 1, 1, 1});
}

TEST_CASE("views and joins", "[slice]") {
  const ProgramRun run = Run(R"(%a: i32[2,3] = input iota(start=0, step=1)
%p: i32[3,2] = permute %a axes=[1,0]
%r: i32[6] = reshape %p
%s: i32[3] = slice %r slices=[0:6:-2]
%f: i32[2,3] = flip %a axes=[0,1]
%j: i32[4,3] = cat %a %f dim=0
%k: i32[2,6] = repeat_dim %a dim=1 times=2
%e: i32[2,2,3] = expand %a
%n: i32[4,3] = neg %j
read %r %s %f %j %k %e %n
)");
  CHECK(First<int32_t>(run) == std::vector<int32_t>{0, 3, 1, 4, 2, 5});
  CHECK(First<int32_t>(run, 1) == std::vector<int32_t>{5, 4, 3});
  CHECK(First<int32_t>(run, 2) == std::vector<int32_t>{5, 4, 3, 2, 1, 0});
  CHECK(First<int32_t>(run, 3) == std::vector<int32_t>{0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0});
  CHECK(First<int32_t>(run, 4) == std::vector<int32_t>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
  CHECK(First<int32_t>(run, 5) == std::vector<int32_t>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  CHECK(First<int32_t>(run, 6) ==
        std::vector<int32_t>{0, -1, -2, -3, -4, -5, -5, -4, -3, -2, -1, 0});
}

TEST_CASE("reductions with prologue and epilogue", "[slice]") {
  const ProgramRun run = Run(R"(%a: f32[2,3] = input iota(start=1, step=1)
%t: f32[2,3] = mul_scalar %a 0x1p+1
%s: f32[2,1] = sum_dim %t dim=1
%h: f32[2,1] = add_scalar %s 0x1p+0
%c: f32[1,3] = sum_dim %t dim=0
%w: f32[1] = mean %a
%m: i64[1] = argmax %a
%x: f32[2,1] = max_dim %a dim=1
%y: f32[2,3] = sub %a %x
%q: bool[1] = any %y
read %h %c %w %m %y %q
)");
  CHECK(First<float>(run) == std::vector<float>{13, 31});
  CHECK(First<float>(run, 1) == std::vector<float>{10, 14, 18});
  CHECK(First<float>(run, 2) == std::vector<float>{3.5});
  CHECK(First<int64_t>(run, 3) == std::vector<int64_t>{5});
  CHECK(First<float>(run, 4) == std::vector<float>{-2, -1, 0, -2, -1, 0});
  CHECK(First<uint8_t>(run, 5) == std::vector<uint8_t>{1});
}

TEST_CASE("softmax, scans and sorts", "[slice]") {
  const ProgramRun run =
      Run(R"(%a: f32[2,4] = input [0x1p+0, 0x1p+0, 0x1p+0, 0x1p+0, 0x0p+0, 0x1p+1, -0x1p+0, nan]
%n: f32[2,4] = neg %a
%s: f32[2,4] = softmax %n dim=1
%h: f32[2,4] = mul_scalar %s 0x1p+2
%c: f32[2,4] = cumsum %a dim=1
%d: f32[2,4] = add_scalar %c 0x1p+0
%o: f32[2,4] = sort %a dim=1 descending=true
read %h %d %o
)");
  const auto h = First<float>(run);
  CHECK(std::vector<float>(h.begin(), h.begin() + 4) == std::vector<float>{1, 1, 1, 1});
  CHECK(h[4] != h[4]);
  const auto d = First<float>(run, 1);
  CHECK(std::vector<float>(d.begin(), d.begin() + 7) == std::vector<float>{2, 3, 4, 5, 1, 3, 2});
  const auto o = First<float>(run, 2);
  CHECK(o[4] != o[4]);
  CHECK(o[5] == 2);
}

TEST_CASE("products with a tail", "[slice]") {
  const ProgramRun run = Run(R"(%a: f32[2,3] = input iota(start=0, step=1)
%b: f32[3,2] = input iota(start=0, step=1)
%t: f32[3,2] = permute %a axes=[1,0]
%c: f32[2,2] = matmul %a %b
%i: f32[2] = input [0x1p+0, -0x1p+6]
%d: f32[2,2] = add %c %i
%e: f32[2,2] = relu %d
%f: f32[3,3] = matmul %t %a
read %e %c %f
)");
  CHECK(First<float>(run) == std::vector<float>{11, 0, 29, 0});
  CHECK(First<float>(run, 1) == std::vector<float>{10, 13, 28, 40});
  CHECK(First<float>(run, 2) == std::vector<float>{9, 12, 15, 12, 17, 22, 15, 22, 29});
}

TEST_CASE("lookups and writes", "[slice]") {
  const ProgramRun run = Run(R"(%x: f32[3,2] = input iota(start=0, step=1)
%i: i64[4] = input [2, 0, 1, 2]
%s: f32[4,2] = select %x %i dim=0
%e: f32[4,2] = add_scalar %s 0x1p+0
%j: i32[3,1] = input [1, 0, 1]
%g: f32[3,1] = gather %x %j dim=1
%v: f32[4,2] = full 0x1p+3
%k: i64[4,2] = input [2, 0, 1, 2, 2, 2, 0, 1]
%w: f32[3,2] = scatter %x %k %v dim=0 update=add
%z: f32[1,2] = zeros
%a: f32[3,2] = slice_assign %x %z slices=[1:2:1, 0:2:1]
read %e %g %w %a
)");
  CHECK(First<float>(run) == std::vector<float>{5, 6, 1, 2, 3, 4, 5, 6});
  CHECK(First<float>(run, 1) == std::vector<float>{1, 2, 5});
  CHECK(First<float>(run, 2) == std::vector<float>{8, 9, 10, 11, 20, 21});
  CHECK(First<float>(run, 3) == std::vector<float>{0, 1, 0, 0, 4, 5});
}

TEST_CASE("quantized values", "[slice]") {
  const ProgramRun run = Run(
      R"(%x: f32[2,4] = input [0x1p+0, -0x1p+0, 0x1p-1, 0x0p+0, 0x1.fcp+6, 0x1p+6, 0x1p+5, 0x1p+4]
%q: q8s<block=[4],store=native>[2,4] = quantize %x
%p: q8s<block=[4,1],store=native>[4,2] = permute %q axes=[1,0]
%d: f32[4,2] = dequantize %p
%h: f32[4,2] = mul_scalar %d 0x1p+1
read %q %h %p %x
)");
  const auto h = First<float>(run, 1);
  CHECK(h[1] == 254);
  CHECK(h[0] == 2);
}

}  // namespace faultline::fusion
