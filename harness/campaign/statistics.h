// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Named counters of what programs contain, shown to people and held by tests, never fed back to
// libFuzzer. Mergeable over processes; counting one program takes a few microseconds.

#ifndef HARNESS_CAMPAIGN_STATISTICS_H_
#define HARNESS_CAMPAIGN_STATISTICS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/op.h"
#include "ir/program.h"

namespace faultline::harness {

enum class StatisticFamily : uint8_t {
  kOpDtype,        // op x dtype of the first operand (result if there is none)
  kOpDtypeLayout,  // op x dtype class x layout class of the first operand
  kSchemeOp,       // scheme class x op
  kSlotFeed,       // op x operand slot (0, 1, 2+) x what feeds it
  kRank,
  kExtent,  // exact up to 65, then by octave
  kOnesAt,  // rank x position of an extent of 1
  kValues,  // data forms and special values
  kLane,    // special value at flat index modulo 64
  kLifetime,
  kPlanReuse,
  kTransaction,  // mix, size, duplicates
  kStructure,    // chains, operands, blocks
  kWork,         // octaves of work a program
  kError,
};
inline constexpr int kStatisticFamilyCount = 15;

class Statistics {
 public:
  Statistics();

  // Adds what the program contains. Requires a verified program.
  void CountProgram(const ir::Program& program);
  // A counter outside the program: "campaign.restarts", "verdict.agree". Created when first named.
  void Add(std::string_view name, uint64_t amount = 1);

  uint64_t Get(std::string_view name) const;
  // The sum of the counters whose name begins with `prefix`.
  uint64_t SumOf(std::string_view prefix) const;
  uint64_t OpDtype(ir::Opcode op, ir::Dtype dtype) const;
  // Every counter that is not zero, by family, then in the order of its tables.
  std::vector<std::pair<std::string, uint64_t>> NonZero() const;

  void Merge(const Statistics& other);
  // Lines of "name value", one a non-zero counter.
  std::string Serialize() const;
  static ir::Result<Statistics> Parse(std::string_view text);

 private:
  void Count(StatisticFamily family, size_t index);

  std::vector<uint64_t> counters_;  // dense, by family
  std::vector<std::pair<std::string, uint64_t>> named_;
};

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_STATISTICS_H_
