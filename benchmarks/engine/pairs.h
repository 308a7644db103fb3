// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Benchmarks in pairs: "what/size/hand" is the yardstick of "what/size/engine". The reporter prints
// each and, at the end, every ratio (hand time / engine time: 1 is as quick as by hand).

#ifndef BENCHMARKS_ENGINE_PAIRS_H_
#define BENCHMARKS_ENGINE_PAIRS_H_

#include <benchmark/benchmark.h>

#include <map>
#include <string>

namespace faultline::benchmarks {

class PairReporter : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override;
  void Finalize() override;

 private:
  std::map<std::string, double> best_;  // seconds of CPU an iteration, by full name
};

// Registered by their own units.
void RegisterBlocks();
void RegisterMatmul();
void RegisterTransactions();

}  // namespace faultline::benchmarks

#endif  // BENCHMARKS_ENGINE_PAIRS_H_
