// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "harness/backend/canary/canary_backend.h"
#include "harness/backend/reference/reference_backend.h"
#include "harness/oracle/forked_judge.h"
#include "ir/parse.h"

namespace faultline::harness {
namespace {

struct Caught {
  CanaryFault fault;
  std::string_view key;  // what the oracle has to say
  std::string_view body;
};

// One small program a fault, on which it shows.
constexpr auto kCaught = std::to_array<Caught>({
    {CanaryFault::k_bf16_truncated, "divergence/number/elementwise/float",
     "%a: f32[2] = input [0x1.018p+0, 0x1p+0]\n%b: bf16[2] = cast %a\nread %b\n"},
    {CanaryFault::k_broadcast_axis_wrong, "divergence/number/elementwise/float",
     "%a: f32[2,2] = input constant(0x1p+0)\n%b: f32[2] = input [0x1p+0, 0x1p+1]\n"
     "%c: f32[2,2] = add %a %b\nread %c\n"},
    {CanaryFault::k_code_off_by_one, "divergence/code/quantizing/quantized",
     "%a: f32[3] = input [0x1p+0, 0x1p+1, 0x1p+2]\n%q: q8s[3] = quantize %a\nread %q\n"},
    {CanaryFault::k_extent_one_dropped, "divergence/type/elementwise/int",
     "%a: i32[1,3] = input [1, 2, 3]\n%n: i32[1,3] = neg %a\nread %n\n"},
    {CanaryFault::k_flip_ignored, "divergence/number/view/int",
     "%a: i32[3] = input [1, 2, 3]\n%f: i32[3] = flip %a axes=[0]\nread %f\n"},
    {CanaryFault::k_handle_leaked, "leak",
     "%a: i32[3] = input [1, 2, 3]\n%c: i32[3] = clone %a\ndrop %a\nread %c\n"},
    {CanaryFault::k_index_unchecked, "divergence/status/indexing/int",
     "%a: i32[3] = input [1, 2, 3]\n%i: i64[1] = input [3]\n%s: i32[1] = select %a %i dim=0\n"
     "read %s\n"},
    {CanaryFault::k_int_division_floors, "divergence/number/elementwise/int",
     "%a: i32[1] = input [-7]\n%b: i32[1] = input [2]\n%d: i32[1] = div %a %b\nread %d\n"},
    {CanaryFault::k_nan_dropped, "divergence/non-finite/elementwise/float",
     "%a: f32[2] = input [nan, 0x1p+0]\n%r: f32[2] = relu %a\nread %r\n"},
    {CanaryFault::k_quantized_read_aborts,
     "crash/check failed: quantized tensors in a transaction are not implemented",
     "%a: f32[1] = input [0x1p+0]\n%q: q8s[3] = input codes=[1, 2, 3] scales=[0x1p+0]\n"
     "%i: i32[1] = input [1]\n%b: bool[1] = input [true]\nread %a %q %i %b\n"},
    {CanaryFault::k_reads_swapped, "divergence/order/input/int",
     "%a: i32[1] = input [1]\n%b: i32[1] = input [2]\n%c: i32[1] = input [3]\nread %a %b %c\n"},
    {CanaryFault::k_reread_differs, "divergence/number/input/float",
     "%a: f32[1] = input [0x1p+0]\nread %a\nread %a\n"},
    {CanaryFault::k_scale_off_by_one, "divergence/scale/quantizing/quantized",
     "%a: f32[3] = input [0x1p+0, 0x1p+1, 0x1p+2]\n%q: q8s[3] = quantize %a\nread %q\n"},
    {CanaryFault::k_stale_scalars, "divergence/number/elementwise/int",
     "%a: i32[1] = input [5]\n%b: i32[1] = mul_scalar %a 2\n%c: i32[1] = mul_scalar %a 3\n"
     "read %b %c\n"},
    {CanaryFault::k_sum_misses_last, "divergence/number/reduction/float",
     "%a: f32[3] = input [0x1p+0, 0x1p+1, 0x1p+2]\n%s: f32[1] = sum %a\nread %s\n"},
    {CanaryFault::k_swapped_operands, "divergence/number/elementwise/int",
     "%a: i32[1] = input [5]\n%b: i32[1] = input [3]\n%d: i32[1] = sub %a %b\nread %d\n"},
    {CanaryFault::k_sync_hangs, "hang", "stream 1\n%a: i32[1] = input [5]\nsync\nread %a\n"},
    {CanaryFault::k_tail_dropped, "divergence/number/elementwise/int",
     "%a: i32[9] = input iota(start=1, step=1)\n%n: i32[9] = neg %a\nread %n\n"},
    {CanaryFault::k_unsupported_late, "divergence/status/reduction/int",
     "%a: i32[2] = input [1, 2]\n%m: i64[1] = argmax %a\nread %m\n"},
    {CanaryFault::k_zero_sign_lost, "divergence/zero-sign/elementwise/float",
     "%a: f32[1] = input [0x0p+0]\n%n: f32[1] = neg %a\nread %n\n"},
});

ir::Program Load(std::string_view body) {
  auto program = ir::ParseAndVerify("faultline 1\n" + std::string(body));
  INFO((program ? "" : program.error().Format("text")) << "\n" << body);
  REQUIRE(program.has_value());
  return std::move(*program);
}

TEST_CASE("each fault of the canary is caught, as what it is, and the reference has none") {
  REQUIRE(kCaught.size() == AllCanaryFaults().size());
  for (const CanaryFaultInfo& info : AllCanaryFaults()) {
    const auto caught = std::ranges::find(kCaught, info.fault, &Caught::fault);
    REQUIRE(caught != kCaught.end());
    INFO(info.name << "\n" << caught->body);
    const ir::Program program = Load(caught->body);
    constexpr double kTimeoutSeconds = 2;
    const Judge canary = ForkedJudge([&] { return MakeCanaryBackend(info.name); }, kTimeoutSeconds);
    const Verdict verdict = canary(program, {}).verdict;
    CHECK(verdict.key == caught->key);
    CHECK(VerdictName(verdict.kind) == info.verdict);
    const auto reference = MakeReferenceBackend();
    const Verdict agreed = JudgeProgram(program, *reference, {}).verdict;
    INFO(agreed.message);
    CHECK(agreed.kind == VerdictKind::kAgree);
  }
}

TEST_CASE("the faults of the canary are sorted and have distinct names") {
  CHECK(std::ranges::is_sorted(AllCanaryFaults(), std::less<>(), &CanaryFaultInfo::name));
  CHECK(std::ranges::adjacent_find(AllCanaryFaults(), {}, &CanaryFaultInfo::name) ==
        AllCanaryFaults().end());
  CHECK(AllCanaryFaults().size() >= 12);
}

}  // namespace
}  // namespace faultline::harness
