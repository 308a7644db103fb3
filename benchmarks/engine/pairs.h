// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Benchmarks beside yardsticks: "what/size/engine" beside "what/size/hand", or beside another name
// in its place. The reporter prints each and, at the end, every ratio (time of the yardstick /
// engine time: 1 is as quick), of the best repetition and of the median one.

#ifndef BENCHMARKS_ENGINE_PAIRS_H_
#define BENCHMARKS_ENGINE_PAIRS_H_

#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace faultline::benchmarks {

class PairReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  // Seconds of CPU an iteration, of each repetition.
  std::map<std::string, std::vector<double>> seconds_;
};

inline constexpr int64_t kQMatmulSizes[] = {64, 512};

// Registered by their own units.
void RegisterBlocks();
void RegisterMatmul();
void RegisterOneDnn();  // where it is installed
void RegisterTransactions();

}  // namespace faultline::benchmarks

#endif  // BENCHMARKS_ENGINE_PAIRS_H_
