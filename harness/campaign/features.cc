// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/features.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ir/base/check.h"

namespace faultline::harness {
namespace {

// The third level is the last: libFuzzer sees 1, 2 and 3 as different.
constexpr uint8_t kLevels = 3;
constexpr size_t kRulesMax = 128;
constexpr size_t kHashBuckets = 15;
constexpr size_t kSizeClasses = 8;
constexpr size_t kRadiusOctaves = 24;

constexpr std::array<size_t, kFeatureFamilyCount> kBlockSizes = {
    size_t{ir::kOpcodeCount} * kDtypeClassCount,
    size_t{kOpKindCount} * kOpKindCount * 2,
    kRulesMax,
    kHashBuckets,
    1 + kHashBuckets,
    4,
    kHashBuckets,
    size_t{kSchemeClassCount} * kOpKindCount,
    size_t{kTransactionMixCount} * kSizeClasses * 2,
    kRadiusOctaves,
    size_t{kLayoutClassCount} * kOpKindCount,
    8};

constexpr std::array<size_t, kFeatureFamilyCount + 1> kBegins = [] {
  std::array<size_t, kFeatureFamilyCount + 1> begins = {};
  for (size_t i = 0; i < kBlockSizes.size(); ++i) begins[i + 1] = begins[i] + kBlockSizes[i];
  return begins;
}();
static_assert(kBegins.back() <= kFeaturesMax);

size_t HashOf(std::string_view name) { return ir::HashText(name) % kHashBuckets; }

size_t Index(OpKind producer, OpKind consumer, bool fused) {
  return (static_cast<size_t>(producer) * kOpKindCount + static_cast<size_t>(consumer)) * 2 +
         (fused ? 1 : 0);
}

bool HasDuplicates(std::vector<ir::ValueId> values) {
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) != values.end();
}

}  // namespace

size_t FeatureBlockBegin(FeatureFamily family) { return kBegins[static_cast<size_t>(family)]; }
size_t FeatureCount() { return kBegins.back(); }
size_t FeatureBlockSize(FeatureFamily family) { return kBlockSizes[static_cast<size_t>(family)]; }

void Features::Hit(FeatureFamily family, size_t index) {
  const auto f = static_cast<size_t>(family);
  uint8_t& counter = counters_[kBegins[f] + std::min(index, kBlockSizes[f] - 1)];
  if (counter < kLevels) ++counter;
}

void Features::CountProgram(const ir::Program& program) {
  const std::vector<LayoutClass> layouts = LayoutsOf(program);
  for (const ir::Statement& s : program.statements) {
    if (s.kind == ir::StatementKind::kRead) {
      const auto mix = static_cast<size_t>(MixOf(program, s));
      const auto size =
          std::min(kSizeClasses - 1, static_cast<size_t>(SizeClass(s.operands.size())));
      Hit(FeatureFamily::kTransaction,
          (mix * kSizeClasses + size) * 2 + (HasDuplicates(s.operands) ? 1 : 0));
    }
    if (s.kind != ir::StatementKind::kApply) continue;
    const ir::ValueId first = s.operands.empty() ? s.results[0] : s.operands[0];
    const auto kind = static_cast<size_t>(KindOf(s.op));
    Hit(FeatureFamily::kOpDtype, static_cast<size_t>(s.op) * kDtypeClassCount +
                                     static_cast<size_t>(ClassOf(program.TypeOf(first).dtype())));
    for (const ir::ValueId operand : s.operands) {
      Hit(FeatureFamily::kLayout, static_cast<size_t>(layouts[operand]) * kOpKindCount + kind);
      if (!program.TypeOf(operand).quantized()) continue;
      Hit(FeatureFamily::kScheme,
          static_cast<size_t>(SchemeClassOf(program.TypeOf(operand))) * kOpKindCount + kind);
    }
    if (KindOf(s.op) == OpKind::kQuantize) {
      Hit(FeatureFamily::kScheme,
          static_cast<size_t>(SchemeClassOf(program.TypeOf(s.results[0]))) * kOpKindCount + kind);
    }
  }
}

void Features::CountTrace(const PlanTrace& trace, std::span<const std::string_view> rule_names) {
  const TracedBlock* previous = nullptr;
  for (const TracedBlock& block : trace.blocks) {
    const auto& ops = block.source_ops;
    if (previous != nullptr && !previous->source_ops.empty() && !ops.empty()) {
      Hit(FeatureFamily::kEdge,
          Index(KindOf(previous->source_ops.back()), KindOf(ops.front()), false));
    }
    for (size_t i = 1; i < ops.size(); ++i) {
      Hit(FeatureFamily::kEdge, Index(KindOf(ops[i - 1]), KindOf(ops[i]), true));
    }
    if (!block.tier.empty()) Hit(FeatureFamily::kTier, HashOf(block.tier));
    previous = &block;
  }
  for (const auto& [name, count] : trace.rules_fired) {
    const auto at = std::ranges::find(rule_names, name);
    if (at == rule_names.end()) continue;
    const auto index = static_cast<size_t>(at - rule_names.begin());
    Hit(FeatureFamily::kRule, std::min(index, kRulesMax - 1));
  }
  for (const auto& [reason, count] : trace.cuts) Hit(FeatureFamily::kCut, HashOf(reason));
  if (trace.in_place > 0) Hit(FeatureFamily::kAlias, 0);
  for (const auto& [reason, count] : trace.in_place_refused) {
    Hit(FeatureFamily::kAlias, 1 + HashOf(reason));
  }
  if (trace.cache_hits > 0) Hit(FeatureFamily::kCacheEvent, 0);
  if (trace.cache_misses > 0) Hit(FeatureFamily::kCacheEvent, 1);
  if (trace.cache_evictions > 0) Hit(FeatureFamily::kCacheEvent, 2);
}

void Features::CountComparison(const Verdict& verdict, const CompareStatistics& statistics) {
  Hit(FeatureFamily::kVerdict, static_cast<size_t>(verdict.kind));
  if (statistics.radii.empty()) return;
  // The widest one says what kind of set the program led to.
  const float widest = std::ranges::max(statistics.radii);
  size_t octave = 0;
  for (float bound = 0.5f; octave + 1 < kRadiusOctaves && widest > bound; bound *= 4) ++octave;
  Hit(FeatureFamily::kRadius, octave);
}

std::string FeatureName(size_t counter) {
  if (counter >= kBegins.back()) return "none";
  size_t f = 0;
  while (counter >= kBegins[f + 1]) ++f;
  const size_t index = counter - kBegins[f];
  const auto kind = [](size_t i) { return std::string(OpKindName(static_cast<OpKind>(i))); };
  switch (static_cast<FeatureFamily>(f)) {
    case FeatureFamily::kOpDtype:
      return "op " + std::string(ir::Mnemonic(static_cast<ir::Opcode>(index / kDtypeClassCount))) +
             "/" + std::string(DtypeClassName(static_cast<DtypeClass>(index % kDtypeClassCount)));
    case FeatureFamily::kEdge:
      return "edge " + kind(index / 2 / kOpKindCount) + ">" + kind(index / 2 % kOpKindCount) +
             (index % 2 == 1 ? " fused" : " cut");
    case FeatureFamily::kRule:
      return "rule " + std::to_string(index);
    case FeatureFamily::kCut:
      return "cut " + std::to_string(index);
    case FeatureFamily::kAlias:
      return index == 0 ? "alias granted" : "alias refused " + std::to_string(index);
    case FeatureFamily::kCacheEvent: {
      constexpr std::string_view kEvents[] = {"hit", "miss", "eviction", "other"};
      return "cache " + std::string(kEvents[index]);
    }
    case FeatureFamily::kTier:
      return "tier " + std::to_string(index);
    case FeatureFamily::kScheme:
      return "scheme " + SchemeClassName(static_cast<int>(index / kOpKindCount)) + " " +
             kind(index % kOpKindCount);
    case FeatureFamily::kTransaction:
      return "transaction " +
             std::string(
                 TransactionMixName(static_cast<TransactionMix>(index / 2 / kSizeClasses))) +
             " of " +
             std::to_string(LargestOfSizeClass(static_cast<int>(index / 2 % kSizeClasses))) +
             (index % 2 == 1 ? " with duplicates" : "");
    case FeatureFamily::kRadius:
      return "radius " + std::to_string(index);
    case FeatureFamily::kLayout:
      return "layout " +
             std::string(LayoutClassName(static_cast<LayoutClass>(index / kOpKindCount))) + " " +
             kind(index % kOpKindCount);
    case FeatureFamily::kVerdict:
      return "verdict " + std::string(VerdictName(static_cast<VerdictKind>(index)));
  }
  return "none";
}

}  // namespace faultline::harness
