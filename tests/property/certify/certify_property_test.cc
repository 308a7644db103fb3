// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Op by op an evaluation by MPFR lies in the enclosures of the reference. `faultline oracle-stats
// --certify 1000000` does the same for longer.

#include <catch2/catch.hpp>
#include <string>

#include "harness/account/certification.h"

namespace faultline::harness {
namespace {

constexpr int64_t kElements = 2000;

TEST_CASE("the reference holds what MPFR gives, op by op") {
  for (const ir::Opcode op : CertifiedOps()) {
    CertifyTally tally;
    CertifyOp(op, kElements, 1, tally);
    int64_t elements = 0;
    for (const auto& [key, counts] : tally.ops) elements += counts.elements;
    INFO(ir::Mnemonic(op));
    CHECK(elements >= 40);
    INFO((tally.violations.empty()
              ? std::string()
              : tally.violations[0].message + "\n" + tally.violations[0].program));
    CHECK(tally.violations.empty());
  }
}

TEST_CASE("every op that rounds has a formula") { CHECK(NotCertified().empty()); }

}  // namespace
}  // namespace faultline::harness
