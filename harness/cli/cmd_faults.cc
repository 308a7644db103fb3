// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline faults: the ordinary campaign against each seeded fault, with no hint which one is on.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/backend/registry.h"
#include "harness/campaign/status_line.h"
#include "harness/campaign/supervisor.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/fault_score.h"
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

exit code: 0 all found, 1 some not found, 5 no faults compiled in
)";

struct FaultArguments {
  BackendOptions backend;
  std::vector<std::string> corpus;
  std::vector<std::string> only;
  std::string out = "out/faults";
  std::string json;
  std::string markdown;
  double seconds = 60;
  int64_t seeds = 1;
  int64_t jobs = 1;
};

ir::Status RunOne(const FaultArguments& arguments, uint64_t seed, FaultScore& score) {
  CampaignOptions campaign;
  campaign.backend.name = arguments.backend.names[0];
  campaign.backend.fault = score.fault.id;
  campaign.seeds = arguments.corpus;
  campaign.seconds = arguments.seconds;
  campaign.seed = seed;
  campaign.jobs = static_cast<int>(arguments.jobs);
  campaign.judged_per_key = 1;
  campaign.stop_at_first = true;
  campaign.quiet = true;
  campaign.out = fmt::format("{}/{}-{}", arguments.out, score.fault.id, seed);
  // Fresh each time: what an earlier campaign kept would be a hint.
  std::error_code error;
  std::filesystem::remove_all(campaign.out, error);
  const auto result = RunCampaign(campaign);
  if (!result) return result.error();
  if (result->interrupted) return {ir::StatusCode::kInternal, "interrupted"};
  ++score.campaigns;
  if (result->findings.empty()) return {};
  score.Count(result->findings[0]);
  return {};
}

ExitCode Bench(const FaultArguments& arguments) {
  std::vector<FaultScore> scores;
  for (const SeededFault& fault : SeededFaults(arguments.backend.names[0])) {
    if (arguments.only.empty() || std::ranges::count(arguments.only, fault.id) > 0) {
      scores.emplace_back().fault = fault;
    }
  }
  if (scores.empty()) {
    return Failed({ir::StatusCode::kUnsupported,
                   fmt::format("{} has no such seeded faults in this build (presets fuzz and asan "
                               "have them)",
                               arguments.backend.names[0])});
  }
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
  options.Value("jobs", &faults.jobs, "N", "worker processes; default 1");
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  if (faults.backend.names.size() != 1 || faults.seeds < 1 || faults.jobs < 1) {
    return Failed(
        {ir::StatusCode::kUsage, "faults takes one --backend, --seeds and --jobs of 1 or more"});
  }
  return Bench(faults);
}

}  // namespace

const Command kFaultsCommand = {.name = "faults",
                                .synopsis = "[--backend NAME] [--time 60s] [--seeds N] ...",
                                .summary = "run campaigns against each seeded fault",
                                .details = kDetails,
                                .run = RunFaults};

}  // namespace faultline::harness
