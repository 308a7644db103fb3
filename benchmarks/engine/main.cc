// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "benchmarks/engine/pairs.h"

namespace faultline::benchmarks {

void PairReporter::ReportRuns(const std::vector<Run>& runs) {
  ConsoleReporter::ReportRuns(runs);
  for (const Run& run : runs) {
    if (run.run_type != Run::RT_Iteration) continue;
    // The name without what repetitions and options add to it.
    seconds_[run.run_name.function_name].push_back(run.cpu_accumulated_time /
                                                   static_cast<double>(run.iterations));
  }
}

void PairReporter::Finalize() {
  const auto best = [](const std::vector<double>& all) { return *std::ranges::min_element(all); };
  const auto median = [](std::vector<double> all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    return *middle;
  };
  GetOutputStream() << fmt::format("\n{:<40} {:>12} {:>12} {:>7} {:>7}\n", "ratio", "best",
                                   "engine", "best", "median");
  for (const auto& [name, yardstick] : seconds_) {
    const size_t last = name.rfind('/');
    const auto engine = seconds_.find(name.substr(0, last) + "/engine");
    if (engine == seconds_.end() || engine->first == name) continue;
    GetOutputStream() << fmt::format("{:<40} {:>9.2f} us {:>9.2f} us {:>7.2f} {:>7.2f}\n", name,
                                     best(yardstick) * 1e6, best(engine->second) * 1e6,
                                     best(yardstick) / best(engine->second),
                                     median(yardstick) / median(engine->second));
  }
}

}  // namespace faultline::benchmarks

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  faultline::benchmarks::RegisterBlocks();
  faultline::benchmarks::RegisterMatmul();
#ifdef FAULTLINE_ONEDNN
  faultline::benchmarks::RegisterOneDnn();
#endif
  faultline::benchmarks::RegisterTransactions();
  faultline::benchmarks::PairReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
