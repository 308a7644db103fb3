// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What a session tells observers: what was fused, aliased, cached, launched and moved. Plain data,
// the only way out of the engine for tests, coverage, bisection and reports. Values are numbered in
// the order in which a session made them; names are the client's, where it gave any.

#ifndef FUSION_TRACE_H_
#define FUSION_TRACE_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"

namespace faultline::fusion {

// The rewrites of fusion/rules, one file each.
enum class Rule : uint8_t {
#define FAULTLINE_RULE(enumerator, name, doc) k##enumerator,
#include "fusion/rules/rules.def"
#undef FAULTLINE_RULE
};
struct RuleInfo {
  Rule rule;
  std::string_view name;  // "elementwise_into_elementwise"
  std::string_view doc;
};
std::span<const RuleInfo> AllRules();
std::string_view RuleName(Rule rule);

// A set of rules as bits.
using RuleSet = uint32_t;
constexpr RuleSet SetOf(Rule rule) { return RuleSet{1} << static_cast<unsigned>(rule); }

enum class LaunchKind : uint8_t {
  kBlock,
  kMatmul,
  kSort,
  kScatter,
  kGatherParts,
  kCopy,
  kMoveCodes,
  kQuantize,
  kQMatmul,
};
inline constexpr int kLaunchKindCount = 9;
std::string_view LaunchKindName(LaunchKind kind);

// A question that the planner put to the chooser. Alternative 0 is always the safe one.
enum class DecisionKind : uint8_t {
  kFuse,     // fuse(%producer,%consumer): 0 cut, 1 one launch
  kAlias,    // alias(%from,%to): 0 fresh buffer, 1 in place
  kThreads,  // threads(%y): 0 one thread, 1 when the size pays, 2 always
  kTiles,    // tiles(%y): 0 as large as the caches allow, 1 as small as keeps the bits
  kTier,     // tier(%y): 0 on the host, 1 on the device, 2 by a kernel of its own when size pays
};
std::string_view DecisionKindName(DecisionKind kind);

enum class AliasOutcome : uint8_t {
  kGranted,
  kDeclined,       // legal, but the chooser took a fresh buffer
  kNotDropped,     // the operand is not dropped in this segment after the use
  kShared,         // a clone, a view or a part outside holds the buffer
  kReadLater,      // a later event uses it, or a pending read lists it
  kOtherReader,    // another launch or a second access reads it
  kOtherIndex,     // it is not read at the index that is written
  kOtherSize,      // element size or element count differ
  kNotDense,       // strided, broadcast, padded or quantized
  kNotElementwise  // the launch does not write element by element
};
inline constexpr int kAliasOutcomeCount = 10;
std::string_view AliasOutcomeName(AliasOutcome outcome);

// Why a producer and its consumer were not made one launch.
enum class CutReason : uint8_t {
  kDeclined,    // legal, but the chooser cut
  kNoRule,      // no rule joins these two kinds
  kCycle,       // another operand would come from behind the launch
  kShared,      // the producer has other uses and is read at another index
  kInfeasible,  // no single index map for every extent
  kTooLarge,    // the launch has grown to the limit
  kOtherSpace,  // the two iterate over different spaces
};
inline constexpr int kCutReasonCount = 7;
std::string_view CutReasonName(CutReason reason);

enum class CacheEvent : uint8_t { kHit, kMiss, kMissEvicting };

struct OpRecord {
  ir::Opcode op;         // the op as applied: composites keep their name
  uint32_t application;  // ordinal of the Apply call in the session
  uint32_t result;       // value it made (the first one)
};

struct LaunchRecord {
  LaunchKind kind = LaunchKind::kBlock;
  std::string_view tier;  // how and where it ran: a literal; empty where the target has one way
  RuleSet rules = 0;      // rewrites that made it what it is
  uint32_t first_op = 0;  // source ops: Trace::ops[first_op, first_op + op_count)
  uint32_t op_count = 0;
};

// The tier, or the kind's name where there is none.
inline std::string_view TierName(const LaunchRecord& launch) {
  return launch.tier.empty() ? LaunchKindName(launch.kind) : launch.tier;
}

struct DecisionRecord {
  DecisionKind kind;
  uint8_t alternatives;
  uint8_t choice;
  uint32_t a;  // values; b == a where there is one
  uint32_t b;
};

struct AliasRecord {
  AliasOutcome outcome;
  uint32_t from;
  uint32_t to;
};

struct Trace {
  std::vector<OpRecord> ops;  // in launch order
  std::vector<LaunchRecord> launches;
  std::vector<DecisionRecord> decisions;
  std::vector<AliasRecord> aliases;
  std::vector<CutReason> cuts;
  std::vector<CacheEvent> cache;   // one a segment
  std::vector<std::string> names;  // by value; empty where the client gave none

  uint64_t applications = 0;
  uint64_t segments = 0;
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t cache_evictions = 0;
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
  // Bytes that any execution must move: entering values read once, surviving values written once.
  uint64_t bytes_least = 0;
  uint64_t plan_ns = 0;
  uint64_t pool_high_water_bytes = 0;
  // What the target chose to run, once each: "gemm: openblas SkylakeX", "isa: avx512".
  std::vector<std::string> notes;

  // "%y", or "%12" for a value without a name.
  std::string NameOf(uint32_t value) const;
  // "fuse(%a,%y)", "threads(%y)"
  std::string NameOf(const DecisionRecord& decision) const;
  // Rules that fired in some launch.
  RuleSet Rules() const;
  uint64_t AliasCount(AliasOutcome outcome) const;
};

// Several lines for people: launches with their source ops and rules, aliases, decisions, counters.
std::string PrintTrace(const Trace& trace);

}  // namespace faultline::fusion

#endif  // FUSION_TRACE_H_
