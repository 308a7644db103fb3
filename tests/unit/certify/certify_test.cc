// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/certify.h"

#include <catch2/catch.hpp>
#include <string>

#include "ir/parse.h"

namespace faultline::harness {
namespace {

using ir::Dtype;
using ir::Opcode;

CertifyTally Of(const std::string& body, const reference::Contract& contract) {
  CertifyTally tally;
  Certify(ir::Parse("faultline 1\n" + body).value(), contract, 1, {}, tally);
  return tally;
}

// Left to right both small terms of a row are lost; the other orders add them to each other first.
constexpr const char* kSums =
    "%a: f32[32,3] = input cycle([0x1p+0, 0x1p-24, 0x1p-24])\n"
    "%s: f32[32,1] = sum_dim %a dim=1\n"
    "read %s\n";

TEST_CASE("sums in any order are what a contract with free order admits") {
  const CertifyTally tally = Of(kSums, reference::FusionCpuContract());
  const CertifyCounts& counts = tally.ops.at({Opcode::kSumDim, Dtype::kF32});
  CHECK(counts.elements == 32);
  CHECK(counts.violations == 0);
}

TEST_CASE("a set without a legal result is noticed") {
  const CertifyTally tally = Of(kSums, reference::ExactContract());
  CHECK(tally.ops.at({Opcode::kSumDim, Dtype::kF32}).violations > 0);
  REQUIRE(tally.violations.size() > 0);
  CHECK(tally.violations[0].message.find("is 0x1.000002p+0") != std::string::npos);
}

TEST_CASE("operands that are sets are drawn from, and one value is one value") {
  const CertifyTally tally =
      Of("%a: f32[64] = input uniform(seed=1, lo=-4.0, hi=4.0)\n"
         "%e: f32[64] = exp %a\n"
         "%y: f32[64] = div %e %e\n"
         "read %y\n",
         reference::FusionCpuContract());
  const CertifyCounts& counts = tally.ops.at({Opcode::kDiv, Dtype::kF32});
  CHECK(counts.elements == 64);
  CHECK(counts.from_sets == 64);
  CHECK(counts.violations == 0);
}

TEST_CASE("quantized operands are what their bytes stand for") {
  const CertifyTally tally =
      Of("%a: e4m3<block=[2],scale=ue4m3,tensor=f32,store=packed_u32(0)>[6] = input "
         "codes=[56, 184, 1, 126, 127, 0] scales=[1, 0x1p-6, 2] tensor=0x1p-3\n"
         "%b: q4s<block=[3]>[2,5] = input codes=[1, -1, 7, -7, 0, 2, -2, 3, -3, 4] "
         "scales=[1, 2, 0x1p-1, 0x1.8p-3]\n"
         "%c: u8<store=native>[5] = input codes=[0, 255, 128, 127, 1] scales=[0x1p-2] zeros=[128]\n"
         "%d: f32[6] = dequantize %a\n"
         "%e: f16[2,5] = dequantize %b\n"
         "%f: f64[5] = dequantize %c\n"
         "%g: f32[2,5] = add %b %c\n"
         "read %d %e %f %g\n",
         reference::FusionCpuContract());
  const CertifyCounts& counts = tally.ops.at({Opcode::kDequantize, Dtype::kQuantized});
  CHECK(counts.elements == 21);
  CHECK(counts.violations == 0);
  CHECK(tally.ops.at({Opcode::kAdd, Dtype::kQuantized}).elements == 10);
  CHECK(tally.violations.empty());
}

TEST_CASE("an op is certified where it has a formula, and exact where nothing is rounded") {
  CHECK(CertifyKindOf(Opcode::kExp, Dtype::kF32) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kCast, Dtype::kI64) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kRandomUniform, Dtype::kF16) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kRandomUniform, Dtype::kI32) == CertifyKind::kExact);
  CHECK(CertifyKindOf(Opcode::kFull, Dtype::kF32) == CertifyKind::kExact);
  CHECK(CertifyKindOf(Opcode::kAdd, Dtype::kI64) == CertifyKind::kExact);
  CHECK(CertifyKindOf(Opcode::kOneHot, Dtype::kI64) == CertifyKind::kExact);
  CHECK(CertifyKindOf(Opcode::kReshape, Dtype::kF32) == CertifyKind::kExact);
  // Moving codes rounds nothing; decoding them does, and making them anew.
  CHECK(CertifyKindOf(Opcode::kReshape, Dtype::kQuantized) == CertifyKind::kExact);
  CHECK(CertifyKindOf(Opcode::kAdd, Dtype::kQuantized) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kDequantize, Dtype::kQuantized) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kQuantize, Dtype::kF32) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kQuantizeWith, Dtype::kF32) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kQMatmul, Dtype::kQuantized) == CertifyKind::kCertified);
}

}  // namespace
}  // namespace faultline::harness
