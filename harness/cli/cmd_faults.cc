// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline faults: the ordinary campaign against each seeded fault, with no hint which one is on.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/fault_campaigns.h"
#include "harness/cli/fault_feedback.h"
#include "harness/cli/fault_score.h"
#include "harness/cli/fault_signatures.h"
#include "harness/cli/files.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kDetails =
    R"(Runs a campaign from the seed corpus against the backend with one of its seeded faults on,
for each fault and each PRNG seed, until the first finding or the end of the time. Prints a line a
fault: found or not, seconds and programs to find (median over the seeds), ops of the reduced
program, whether bisection named the rule (where the fault is a rule's), and the key.

Examples:
  faultline faults --time 60s --corpus corpus/seeds
  faultline faults --backend canary --time 10s --json faults.json
  faultline faults --only reduce_tail_dropped,bf16_truncates --seeds 3

With --signatures N each campaign goes on to N findings, and what counts is how many signatures
they are folded into, and how many faults the signatures tell apart. With --compare-feedback N
campaigns of N programs begin with nothing, without feedback to libFuzzer and with it.

  faultline faults --signatures 1000 --corpus corpus/seeds --json signatures.json
  faultline faults --compare-feedback 20000 --seeds 3 --markdown feedback.md

exit code: 0 all found, 1 some not found, 5 no faults compiled in
)";

ir::Status RunOne(const FaultArguments& arguments, uint64_t seed, FaultScore& score) {
  CampaignOptions campaign = CampaignAgainst(arguments, score.fault, std::to_string(seed));
  campaign.seed = seed;
  campaign.judged_per_key = 1;
  campaign.stop_at_first = true;
  const auto result = RunFresh(campaign);
  if (!result) return result.error();
  ++score.campaigns;
  if (!result->findings.empty()) score.Count(result->findings[0]);
  return {};
}

ExitCode Bench(const FaultArguments& arguments, const std::vector<SeededFault>& faults) {
  std::vector<FaultScore> scores;
  for (const SeededFault& fault : faults) scores.emplace_back().fault = fault;
  for (FaultScore& score : scores) {
    for (int64_t seed = 1; seed <= arguments.seeds; ++seed) {
      const ir::Status status = RunOne(arguments, static_cast<uint64_t>(seed), score);
      if (!status.ok()) return Failed(status);
    }
    std::fputs(ScoreLine(score).c_str(), stderr);
  }
  std::fputs(ScoreSummary(scores).c_str(), stdout);
  if (!arguments.json.empty()) {
    const ir::Status written = WriteText(arguments.json, ScoresToJson(scores).dump(2) + "\n");
    if (!written.ok()) return Failed(written);
  }
  if (!arguments.markdown.empty()) {
    const ir::Status written = WriteText(arguments.markdown, ScoresToMarkdown(scores));
    if (!written.ok()) return Failed(written);
  }
  const bool all = std::ranges::all_of(
      scores, [](const FaultScore& score) { return score.found() > 0 || score.equivalent(); });
  return all ? ExitCode::kOk : ExitCode::kFindings;
}

ExitCode RunFaults(const Command& command, Arguments arguments) {
  FaultArguments faults;
  OptionSet options;
  faults.backend.AddTo(options);
  options.List("corpus", &faults.corpus, "DIR", "programs to begin with; read only");
  options.List("only", &faults.only, "ID", "these faults alone");
  options.Value("out", &faults.out, "DIR", "folder of the campaigns");
  options.Value("json", &faults.json, "FILE", "results as JSON; - for stdout");
  options.Value("markdown", &faults.markdown, "FILE", "results as a table; - for stdout");
  options.Duration("time", &faults.seconds, "of one campaign");
  options.Value("seeds", &faults.seeds, "N", "campaigns a fault, with seeds 1 to N");
  options.Value("signatures", &faults.signatures, "N",
                "count the signatures of N findings a fault");
  options.Value("compare-feedback", &faults.feedback, "N",
                "compare campaigns of N programs from nothing: blind, led by code, led by all");
  options.Value("jobs", &faults.jobs, "N", "worker processes; default 1");
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  if (faults.backend.names.size() != 1 || faults.seeds < 1 || faults.jobs < 1 ||
      faults.signatures < 0 || faults.feedback < 0) {
    return Failed({ir::StatusCode::kUsage,
                   "faults takes one --backend, --seeds and --jobs of 1 or more, and counts"});
  }
  const std::vector<SeededFault> seeded = FaultsOf(faults);
  if (seeded.empty()) {
    return Failed({ir::StatusCode::kUnsupported,
                   fmt::format("{} has no such seeded faults in this build (presets fuzz and asan "
                               "have them)",
                               faults.backend.names[0])});
  }
  if (faults.signatures > 0) return MeasureSignatures(faults, seeded);
  if (faults.feedback > 0) return CompareFeedback(faults, seeded);
  return Bench(faults, seeded);
}

}  // namespace

const Command kFaultsCommand = {.name = "faults",
                                .synopsis = "[--backend NAME] [--time 60s] [--seeds N] ...",
                                .summary = "run campaigns against each seeded fault",
                                .details = kDetails,
                                .run = RunFaults};

}  // namespace faultline::harness
