// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/campaign/worker_totals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace faultline::harness {
namespace {

constexpr int kBucketsPerOctave = 8;
constexpr int kLowestOctave = -4;

}  // namespace

int RadiusBucket(double radius_ulp) {
  if (!(radius_ulp > 0)) return 0;
  const double octave = std::log2(radius_ulp) - kLowestOctave;
  // Bounded as a double: an infinite radius is no int.
  const double bucket = std::floor(octave * kBucketsPerOctave);
  return static_cast<int>(std::clamp(bucket, 0.0, double{kRadiusBuckets - 1}));
}

double RadiusOf(int bucket) {
  return std::exp2((bucket + 0.5) / kBucketsPerOctave + kLowestOctave);
}

std::string_view StageName(Stage stage) {
  constexpr std::string_view kNames[] = {"mutate", "parse", "judge", "count", "fuzzer"};
  return kNames[static_cast<size_t>(stage)];
}

void WorkerTotals::Merge(const Counts& from, NamedCounts& into) {
  for (const auto& [name, amount] : from) {
    const auto it = std::ranges::find(into, name, &std::pair<std::string_view, uint64_t>::first);
    if (it != into.end()) {
      it->second += static_cast<uint64_t>(amount);
    } else {
      into.emplace_back(name, static_cast<uint64_t>(amount));
    }
  }
}

void WorkerTotals::Count(const Judgement& judgement) {
  ++verdicts_[static_cast<size_t>(judgement.verdict.kind)];
  const CompareStatistics& compare = judgement.statistics;
  compare_.compared += compare.compared;
  compare_.exact += compare.exact;
  compare_.vacuous += compare.vacuous;
  compare_.compared_float += compare.compared_float;
  compare_.exact_float += compare.exact_float;
  compare_.pinned_values += compare.pinned_values;
  for (float radius : compare.radii) ++radii_[static_cast<size_t>(RadiusBucket(radius))];
  const PlanTrace& trace = judgement.observation.trace;
  operations_ += static_cast<uint64_t>(trace.operations);
  blocks_ += trace.blocks.size();
  cache_hits_ += static_cast<uint64_t>(trace.cache_hits);
  cache_misses_ += static_cast<uint64_t>(trace.cache_misses);
  cache_evictions_ += static_cast<uint64_t>(trace.cache_evictions);
  in_place_ += static_cast<uint64_t>(trace.in_place);
  bytes_read_ += static_cast<uint64_t>(trace.bytes_read);
  bytes_written_ += static_cast<uint64_t>(trace.bytes_written);
  bytes_least_ += static_cast<uint64_t>(trace.bytes_least);
  Merge(trace.rules_fired, rules_);
  Merge(trace.cuts, cuts_);
  Merge(trace.launches, launches_);
  Merge(trace.in_place_refused, in_place_refused_);
}

void WorkerTotals::AddTo(Statistics& statistics) const {
  const auto add = [&](std::string_view name, auto amount) {
    if (amount != 0) statistics.Add(name, static_cast<uint64_t>(amount));
  };
  add("compare.compared", compare_.compared);
  add("compare.exact", compare_.exact);
  add("compare.vacuous", compare_.vacuous);
  add("compare.compared_float", compare_.compared_float);
  add("compare.exact_float", compare_.exact_float);
  add("compare.pinned_values", compare_.pinned_values);
  add("plan.operations", operations_);
  add("plan.blocks", blocks_);
  add("plan.cache_hits", cache_hits_);
  add("plan.cache_misses", cache_misses_);
  add("plan.cache_evictions", cache_evictions_);
  add("plan.in_place", in_place_);
  add("plan.bytes_read", bytes_read_);
  add("plan.bytes_written", bytes_written_);
  add("plan.bytes_least", bytes_least_);
  for (size_t i = 0; i < radii_.size(); ++i) add(fmt::format("radius.{}", i), radii_[i]);
  for (size_t i = 0; i < verdicts_.size(); ++i) {
    if (verdicts_[i] == 0) continue;
    add(fmt::format("verdict.{}", VerdictName(static_cast<VerdictKind>(i))), verdicts_[i]);
  }
  for (size_t i = 0; i < stage_ns_.size(); ++i) {
    add(fmt::format("time.{}_ns", StageName(static_cast<Stage>(i))), stage_ns_[i]);
  }
  for (const auto& [name, amount] : rules_) add(fmt::format("rule.{}", name), amount);
  for (const auto& [name, amount] : cuts_) add(fmt::format("cut.{}", name), amount);
  for (const auto& [name, amount] : launches_) add(fmt::format("launch.{}", name), amount);
  for (const auto& [name, amount] : in_place_refused_) {
    add(fmt::format("in_place_refused.{}", name), amount);
  }
}

}  // namespace faultline::harness
