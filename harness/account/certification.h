// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Certification op by op: programs of the op and of what makes sets, until enough of its elements
// were evaluated by MPFR (harness/oracle/certify).

#ifndef HARNESS_ACCOUNT_CERTIFICATION_H_
#define HARNESS_ACCOUNT_CERTIFICATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/oracle/certify/certify.h"
#include "ir/op.h"

namespace faultline::harness {

// Ops with something to certify; the others are exact, or have no formula.
std::vector<ir::Opcode> CertifiedOps();
// "op/dtype" of what has real arithmetic and no formula.
std::vector<std::string> NotCertified();

// Evaluates `elements` elements of the op under the contract of fusion-cpu, or what elements / 8
// programs yield (at least 2000).
void CertifyOp(ir::Opcode op, int64_t elements, uint64_t seed, CertifyTally& tally);

// One line of text, and back.
std::string PrintCertifyTally(const CertifyTally& tally);
CertifyTally ParseCertifyTally(std::string_view line);

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_CERTIFICATION_H_
