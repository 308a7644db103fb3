// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Named counters of what programs contain, shown to people and held by tests, never fed back to
// libFuzzer. Mergeable over processes; counting one program takes a few microseconds.

#ifndef HARNESS_CAMPAIGN_STATISTICS_H_
#define HARNESS_CAMPAIGN_STATISTICS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/op.h"
#include "ir/program.h"

namespace faultline::harness {

// Names are "family.what", families as follows.
enum class StatisticFamily : uint8_t {
  kOp,           // op.MNEMONIC/DTYPE: dtype of the first operand (of the result if there is none)
  kOpLayout,     // op_layout.MNEMONIC/DTYPE CLASS/LAYOUT CLASS, of every operand
  kSchemeOp,     // scheme.CLASS/MNEMONIC, of every quantized operand or result
  kSchemeUse,    // scheme_use.VALUE/STORE/LEVEL/SCALE/USE
  kSlotFeed,     // feed.MNEMONIC/SLOT/FEED; slots from 2 on count as 2
  kRank,         // rank.N
  kExtent,       // extent.N up to 65, then by size class
  kOnesAt,       // ones.RANK/AXIS
  kForm,         // form.NAME: data forms of inputs
  kSpecial,      // special.NAME: special values in data
  kLane,         // lane.N: overrides at flat index modulo 64
  kLifetime,     // lifetime.NAME
  kPlanReuse,    // reuse.NAME
  kTransaction,  // transaction.MIX/SIZE, transaction.duplicates, ...
  kStructure,    // structure.NAME/SIZE: operations, inputs, chain, reads, operands
  kWork,         // work.SIZE
  kError,        // error.NAME: indices out of range
};
inline constexpr int kStatisticFamilyCount = 17;

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

  // For the counting functions: one more in a family's block.
  void Count(StatisticFamily family, size_t index, uint64_t amount = 1);

 private:
  std::vector<uint64_t> counters_;  // dense, by family
  std::vector<std::pair<std::string, uint64_t>> named_;
};

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_STATISTICS_H_
