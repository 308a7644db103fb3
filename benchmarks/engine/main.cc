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
    const double seconds = run.cpu_accumulated_time / static_cast<double>(run.iterations);
    // The name without what repetitions and options add to it.
    const auto [it, fresh] = best_.emplace(run.run_name.function_name, seconds);
    if (!fresh) it->second = std::min(it->second, seconds);
  }
}

void PairReporter::Finalize() {
  const std::string suffix = "/hand";
  GetOutputStream() << fmt::format("\n{:<40} {:>12} {:>12} {:>7}\n", "ratio", "hand", "engine",
                                   "ratio");
  for (const auto& [name, hand] : best_) {
    if (!name.ends_with(suffix)) continue;
    const std::string what = name.substr(0, name.size() - suffix.size());
    const auto engine = best_.find(what + "/engine");
    if (engine == best_.end()) continue;
    GetOutputStream() << fmt::format("{:<40} {:>9.2f} us {:>9.2f} us {:>7.2f}\n", what, hand * 1e6,
                                     engine->second * 1e6, hand / engine->second);
  }
}

}  // namespace faultline::benchmarks

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  faultline::benchmarks::RegisterBlocks();
  faultline::benchmarks::RegisterMatmul();
  faultline::benchmarks::RegisterTransactions();
  faultline::benchmarks::PairReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  return 0;
}
