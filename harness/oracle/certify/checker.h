// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Holds what formulas give against the enclosures of an evaluation, and counts.

#ifndef HARNESS_ORACLE_CERTIFY_CHECKER_H_
#define HARNESS_ORACLE_CERTIFY_CHECKER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "harness/oracle/certify/certify.h"
#include "harness/oracle/certify/formula.h"
#include "ir/data.h"
#include "ir/program.h"
#include "reference/contract.h"
#include "reference/evaluate.h"

namespace faultline::harness {

class Checker {
 public:
  // Everything must outlive the checker.
  Checker(const ir::Program& program, const reference::Contract& contract,
          const reference::Evaluation& evaluation, CertifyTally& tally)
      : program_(program), contract_(contract), evaluation_(evaluation), tally_(tally) {}

  // What follows is of this application.
  void Begin(const ir::Statement& statement);
  // Its plain values.
  void CheckNaive();
  // One element of one result; `from_set`: an operand is one value of several.
  void Check(int64_t index, const Element& exact, std::span<const Element> operands, bool from_set,
             size_t result = 0);
  // The first result as a whole.
  void CheckWhole(const ir::HostTensor& exact, bool from_set);

 private:
  void NoteWorst(const reference::Membership& membership, std::string_view what);
  void Note(std::string message);

  const ir::Program& program_;
  const reference::Contract& contract_;
  const reference::Evaluation& evaluation_;
  CertifyTally& tally_;
  const ir::Statement* statement_ = nullptr;
  ir::Dtype dtype_ = ir::Dtype::kF32;  // by which it is counted
  CertifyCounts* counts_ = nullptr;
};

}  // namespace faultline::harness

#endif  // HARNESS_ORACLE_CERTIFY_CHECKER_H_
