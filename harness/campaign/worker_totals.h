// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sums over the programs of one worker: how sharp the comparisons were, what was planned, where the
// time went. Cheap to add to; turned into named statistics when they are written.

#ifndef HARNESS_CAMPAIGN_WORKER_TOTALS_H_
#define HARNESS_CAMPAIGN_WORKER_TOTALS_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/campaign/statistics.h"
#include "harness/oracle/judge.h"

namespace faultline::harness {

// Eight buckets an octave from 2^-4 to 2^60 ulp: quantiles within 9 %.
inline constexpr int kRadiusBuckets = 512;
int RadiusBucket(double radius_ulp);
// The radius in the middle of a bucket.
double RadiusOf(int bucket);

enum class Stage : uint8_t { kMutate, kParse, kJudge, kCount, kFuzzer };
inline constexpr int kStageCount = 5;
std::string_view StageName(Stage stage);

class WorkerTotals {
 public:
  void Count(const Judgement& judgement);
  void Spend(Stage stage, uint64_t ns) { stage_ns_[static_cast<size_t>(stage)] += ns; }
  // Adds "compare.*", "radius.*", "plan.*", "rule.*", "cut.*", "launch.*", "verdict.*" and
  // "time.*_ns".
  void AddTo(Statistics& statistics) const;

 private:
  using NamedCounts = std::vector<std::pair<std::string_view, uint64_t>>;
  static void Merge(const Counts& from, NamedCounts& into);

  CompareStatistics compare_;
  std::array<uint64_t, kRadiusBuckets> radii_ = {};
  std::array<uint64_t, 16> verdicts_ = {};
  std::array<uint64_t, kStageCount> stage_ns_ = {};
  uint64_t operations_ = 0;
  uint64_t blocks_ = 0;
  uint64_t cache_hits_ = 0;
  uint64_t cache_misses_ = 0;
  uint64_t cache_evictions_ = 0;
  uint64_t in_place_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t bytes_written_ = 0;
  uint64_t bytes_least_ = 0;
  NamedCounts rules_;
  NamedCounts cuts_;
  NamedCounts launches_;
  NamedCounts in_place_refused_;
};

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_WORKER_TOTALS_H_
