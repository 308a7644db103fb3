// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The dense part of the statistics: which counters a family has, and what they are called.

#ifndef HARNESS_CAMPAIGN_STATISTIC_TABLES_H_
#define HARNESS_CAMPAIGN_STATISTIC_TABLES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/campaign/statistics.h"

namespace faultline::harness {

// What feeds an operand. One operand may be several of these.
enum class SlotFeed : uint8_t {
  kInput,
  kPending,       // a result that nothing has forced yet
  kMaterialized,  // a result that a read or a sync has forced
  kPermuted,      // a view: permute, swap_dims
  kStepped,       // a slice with a step
  kReversed,      // a slice with a negative step, or a flip
  kPrefix,        // a slice with step 1
  kExpanded,
  kReshaped,
  kOtherView,
  kClone,
  kCreated,
  kCast,
  kForeign,    // made on another stream
  kSameTwice,  // another operand is the same tensor
  kOwnView,    // another operand is a view of it, or it of another one
};
inline constexpr int kSlotFeedCount = 16;

enum class SpecialValue : uint8_t {
  kNan,
  kNanPayload,
  kInfinity,
  kNegativeInfinity,
  kNegativeZero,
  kZero,
  kSubnormal,
  kGreatest,
  kBeyondExact,  // 2^24 +- 1
  kHalf,         // a tie of rounding
  kIntMin,
  kIntMax,
  kMinusOne,
};
inline constexpr int kSpecialValueCount = 13;

enum class Lifetime : uint8_t {
  kDroppedBeforeRead,  // of values: gone before the first read that follows
  kAliveAtRead,
  kDropEarly,  // right after the last use
  kDropLate,   // after a later statement
  kDropForeign,
  kDropUnused,
  kDropAfterRead,
  kClone,
  kReadWithClone,     // another handle to the value is alive
  kReadLastHandle,    // the other handles are gone
  kReadIntermediate,  // the value has other uses
  kReadPending,
  kReadForeign,
  kSync,
  kStreamChange,
  kNeverDropped,
};
inline constexpr int kLifetimeCount = 16;

enum class PlanReuse : uint8_t {
  kAgain,  // the same ops, types, attributes and scalars
  kExtents,
  kScalars,
  kSlices,
  kDtypes,
  kAttribute,
  kPrefix,
  kExtension,
  kSmallLargeSmall,
  kAlternating,  // A B A
};
inline constexpr int kPlanReuseCount = 10;

enum class Structure : uint8_t { kOperations, kInputs, kReads, kChain, kOperands, kLive };
inline constexpr int kStructureCount = 6;
inline constexpr int kSizeClassCount = 14;

enum class IndexError : uint8_t { kNegative, kTooLarge, kHealthyAfter };
inline constexpr int kIndexErrorCount = 3;

// Transactions: mix x size class, then what else is particular.
enum class TransactionTrait : uint8_t {
  kDuplicates,
  kBothForms,      // a tensor and its dequantized form
  kQuantizedView,  // a layout op on a quantized tensor
  kMovedCodes,     // of these: codes just move
  kRequantized,    // of these: they do not
  kSeveralInARow,
  kForeign,
};
inline constexpr int kTransactionTraitCount = 7;

inline constexpr size_t kExactExtents = 66;

size_t StatisticBlockBegin(StatisticFamily family);
size_t StatisticCount();
// By index over all families.
const std::vector<std::string>& StatisticNames();
std::optional<size_t> FindStatistic(std::string_view name);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_STATISTIC_TABLES_H_
