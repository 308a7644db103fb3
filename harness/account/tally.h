// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What is counted when the oracle is held to account, by op and dtype, and its text between
// processes. Sums only: tallies merge in any order.

#ifndef HARNESS_ACCOUNT_TALLY_H_
#define HARNESS_ACCOUNT_TALLY_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/account/quantiles.h"
#include "ir/base/status.h"
#include "ir/op.h"

namespace faultline::harness {

struct OpTally {
  int64_t applications = 0;
  // Of results that were read: elements held against a set, those with one admissible value, those
  // that could not fail.
  int64_t compared = 0;
  int64_t exact = 0;
  int64_t vacuous = 0;
  int64_t compared_float = 0;
  int64_t exact_float = 0;
  // Float sets with members of both signs: cancellation has left no digit to check.
  int64_t straddling = 0;
  // Half widths of the bounded float sets that are no points, in ulp of their larger end.
  Quantiles radius;
  // The same in the unit of the op's own error bound (see UnitOf in sharpness.h).
  Quantiles radius_own;
  // The greatest distance of a legal execution from the middle of a set, over its half width.
  double reach = 0;
  // ... of the sets at least 8 ulp to each side, where the ends are not a matter of one rounding.
  double reach_wide = 0;
  // Time of the same statements with enclosures, and of plain values.
  int64_t enclosed_ns = 0;
  int64_t plain_ns = 0;

  void Merge(const OpTally& other);
};

// By op and the dtype it works on (ir::DtypesOf).
using OpKey = std::pair<ir::Opcode, ir::Dtype>;

// A legal execution that was flagged: a fault of the oracle.
struct FalseAlarm {
  uint64_t index = 0;  // case of the seed: `faultline gen --index`
  std::string message;
};

struct Tally {
  int64_t programs = 0;
  int64_t flagged = 0;
  int64_t vacuous_programs = 0;
  // Of whole programs, inputs and clones included.
  int64_t enclosed_ns = 0;
  int64_t plain_ns = 0;
  std::map<OpKey, OpTally> ops;
  std::vector<FalseAlarm> alarms;  // the first ones

  static constexpr size_t kAlarmsMax = 16;

  void Merge(const Tally& other);
  OpTally Total() const;
};

// One line of text, and back.
std::string PrintTally(const Tally& tally);
Tally ParseTally(std::string_view line);

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_TALLY_H_
