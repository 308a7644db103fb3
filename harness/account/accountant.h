// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Holds the oracle to account on generated programs: each is executed legally but as nastily as the
// contract allows (the adversary), which must never be flagged; the widths of the sets and the time
// they cost are counted beside.

#ifndef HARNESS_ACCOUNT_ACCOUNTANT_H_
#define HARNESS_ACCOUNT_ACCOUNTANT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "harness/account/tally.h"
#include "harness/backend/backend.h"
#include "harness/generate/generate.h"
#include "ir/program.h"

namespace faultline::harness {

class Accountant {
 public:
  // Programs hold what `generated_for` takes, and are those of `faultline gen --seed`.
  Accountant(std::unique_ptr<Backend> generated_for, std::unique_ptr<Backend> adversary,
             uint64_t seed);

  // Case `index` of the seed. One in kTimedOneIn is also timed.
  void Run(uint64_t index, Tally& tally);

  static constexpr uint64_t kTimedOneIn = 8;

 private:
  void Time(const ir::Program& program, Tally& tally) const;
  std::vector<int64_t> StatementTimes(const ir::Program& program, bool enclosures) const;

  std::unique_ptr<Backend> generated_for_;
  std::unique_ptr<Backend> adversary_;
  GenerateOptions generate_;
  uint64_t seed_;
};

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_ACCOUNTANT_H_
