// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/certify.h"

#include <catch2/catch.hpp>
#include <string>

#include "harness/oracle/certify/formula.h"
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

TEST_CASE("every op and dtype is certified, exact, or has a name to be listed under") {
  for (const ir::OpInfo& info : ir::AllOps()) {
    for (const Dtype dtype : ir::DtypesOf(info.op)) {
      INFO(info.mnemonic << " " << ir::DtypeName(dtype));
      const CertifyKind kind = CertifyKindOf(info.op, dtype);
      CHECK((kind == CertifyKind::kCertified) ==
            (FindFormula(info.op) != nullptr && kind != CertifyKind::kExact));
    }
  }
  CHECK(CertifyKindOf(Opcode::kExp, Dtype::kF32) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kCast, Dtype::kI64) == CertifyKind::kCertified);
  CHECK(CertifyKindOf(Opcode::kAdd, Dtype::kI64) == CertifyKind::kExact);
  CHECK(CertifyKindOf(Opcode::kReshape, Dtype::kF32) == CertifyKind::kExact);
}

}  // namespace
}  // namespace faultline::harness
