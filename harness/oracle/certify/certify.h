// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Certification of the reference: on sampled elements of each application an evaluation that shares
// nothing with it (formula.h) must lie in its enclosure. Operands that are sets are evaluated at
// points drawn from them. Runs no backend.

#ifndef HARNESS_ORACLE_CERTIFY_CERTIFY_H_
#define HARNESS_ORACLE_CERTIFY_CERTIFY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/op.h"
#include "ir/program.h"
#include "reference/contract.h"

namespace faultline::harness {

enum class CertifyKind : uint8_t {
  kCertified,  // by a formula
  kExact,      // moves bits, or has no float operand and no float result: no real arithmetic
  kNone,       // no formula is known: to be named
};
// Dtype of operand 0, or of the result where there is no operand.
CertifyKind CertifyKindOf(ir::Opcode op, ir::Dtype dtype);

struct CertifyViolation {
  ir::Opcode op = ir::Opcode::kReshape;
  ir::Dtype dtype = ir::Dtype::kF32;
  std::string message;  // what was outside what
  std::string program;  // its text
};

struct CertifyCounts {
  int64_t elements = 0;       // evaluated
  int64_t from_sets = 0;      // of these, with an operand that is a set
  int64_t violations = 0;     // outside the enclosure
  int64_t naive_outside = 0;  // naive values of the reference outside its own enclosure
};

struct CertifyTally {
  std::map<std::pair<ir::Opcode, ir::Dtype>, CertifyCounts> ops;
  std::vector<CertifyViolation> violations;  // the first ones

  static constexpr size_t kViolationsMax = 8;

  void Merge(const CertifyTally& other);
};

// Samples the applications of `op` in a program, or of every op; `seed` says where. Requires a
// verified program, and a contract under which intermediates are stored.
void Certify(const ir::Program& program, const reference::Contract& contract, uint64_t seed,
             std::optional<ir::Opcode> op, CertifyTally& tally);

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_CERTIFY_H_
