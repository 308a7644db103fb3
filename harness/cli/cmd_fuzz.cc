// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/campaign/findings_log.h"
#include "harness/campaign/shared_state.h"
#include "harness/campaign/summary.h"
#include "harness/campaign/supervisor.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/campaign_output.h"
#include "harness/cli/command.h"
#include "harness/generate/generate.h"

namespace faultline::harness {
namespace {

struct FuzzArguments {
  CampaignOptions campaign;
  BackendOptions backend;
  int64_t runs = 0;
  int64_t jobs = DefaultJobs();
  int64_t timeout_s = 10;
  std::optional<uint64_t> seed;
  std::string resume;
  std::string json;
  std::string stream_mode = "baton";
};

// out/20261201-101530-fusion-cpu, made unique by a number where it exists.
std::string FreshFolder(std::string_view backend) {
  const std::time_t now = std::time(nullptr);
  std::tm local = {};
  localtime_r(&now, &local);
  const std::string stem = std::filesystem::path(backend).stem().string();
  const std::string base =
      fmt::format("out/{:04}{:02}{:02}-{:02}{:02}{:02}-{}", local.tm_year + 1900, local.tm_mon + 1,
                  local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, stem);
  std::string folder = base;
  std::error_code error;
  for (int i = 2; std::filesystem::exists(folder, error); ++i)
    folder = fmt::format("{}-{}", base, i);
  return folder;
}

ir::Status CheckArguments(FuzzArguments& arguments) {
  CampaignOptions& campaign = arguments.campaign;
  if (arguments.jobs < 1 || arguments.jobs > kJobsMax) {
    return {ir::StatusCode::kUsage,
            fmt::format("--jobs takes 1 to {}, got {}", kJobsMax, arguments.jobs)};
  }
  if (arguments.runs < 0 || arguments.timeout_s < 1) {
    return {ir::StatusCode::kUsage, "--runs and --timeout take positive numbers"};
  }
  if (!campaign.focus.empty() && !FindFocus(campaign.focus)) {
    std::string names;
    for (int i = 0; i < kFocusCount; ++i) {
      names += fmt::format("{}{}", i > 0 ? ", " : "", FocusName(static_cast<Focus>(i)));
    }
    return {ir::StatusCode::kUsage,
            fmt::format("unknown focus '{}'; there are: {}", campaign.focus, names)};
  }
  const auto streams = FindStreamMode(arguments.stream_mode);
  if (!streams) return UnknownStreamMode(arguments.stream_mode);
  campaign.free_streams = *streams == StreamMode::kFree;
  std::error_code error;
  for (const std::string& seeds : campaign.seeds) {
    if (!std::filesystem::is_directory(seeds, error)) {
      return {ir::StatusCode::kIo, fmt::format("--corpus: no folder '{}'", seeds)};
    }
  }
  if (arguments.backend.names.size() != 1) {
    return {ir::StatusCode::kUsage, "fuzz takes one --backend"};
  }
  auto spec = arguments.backend.Spec(arguments.backend.names[0]);
  if (!spec) return spec.error();
  campaign.backend = std::move(*spec);
  campaign.device = arguments.backend.device;
  campaign.deny = arguments.backend.deny;
  campaign.max_decisions = static_cast<int>(arguments.backend.max_decisions);
  if (!arguments.resume.empty()) {
    const auto text = ReadWholeFile(CampaignPaths(arguments.resume).options());
    if (!text) return text.error();
    auto before = ParseOptions(*text);
    if (!before) return before.error();
    before->seconds = campaign.seconds;
    campaign = std::move(*before);
    campaign.out = arguments.resume;
    campaign.resume = true;
  }
  campaign.runs = static_cast<uint64_t>(arguments.runs);
  campaign.jobs = static_cast<int>(arguments.jobs);
  campaign.timeout_s = static_cast<int>(arguments.timeout_s);
  if (arguments.seed) campaign.seed = *arguments.seed;
  if (campaign.out.empty()) campaign.out = FreshFolder(campaign.backend.name);
  if (!campaign.resume && std::filesystem::exists(CampaignPaths(campaign.out).options(), error)) {
    return {
        ir::StatusCode::kUsage,
        fmt::format("{} holds a campaign: go on with it by --resume {}, or choose another folder",
                    campaign.out, campaign.out)};
  }
  return {};
}

ExitCode Run(const Command& command, Arguments arguments) {
  FuzzArguments fuzz;
  CampaignOptions& campaign = fuzz.campaign;
  OptionSet options;
  fuzz.backend.AddTo(options);
  options.Duration("time", &campaign.seconds, "how long to run, e.g. 60s, 10m, 2h");
  options.Value("runs", &fuzz.runs, "N", "programs to judge, over all jobs");
  options.Value("jobs", &fuzz.jobs, "N", "worker processes; default: cores");
  options.Value("seed", &fuzz.seed, "S", "seed of the campaign's choices; default 1");
  options.Value("timeout", &fuzz.timeout_s, "SECONDS", "of one program, after which it hangs");
  options.List("corpus", &campaign.seeds, "DIR", "programs to begin with; read only");
  options.Value("out", &campaign.out, "DIR", "folder for corpus, findings and report");
  options.Value("resume", &fuzz.resume, "DIR", "go on in the folder of an earlier campaign");
  options.Value("focus", &campaign.focus, "F", "multiply weights toward one area");
  options.Flag("chaos", &campaign.chaos, "random planner decisions in every program");
  options.Value("stream-mode", &fuzz.stream_mode, "M",
                "baton: one client thread (default); free: one a stream");
  options.Flag("stop-at-first", &campaign.stop_at_first, "end with the first finding");
  options.Value("json", &fuzz.json, "FILE", "results as JSON; - for stdout");
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  if (const ir::Status status = CheckArguments(fuzz); !status.ok()) return Failed(status);
  return RunAndReport(campaign, fuzz.json);
}

}  // namespace

const Command kFuzzCommand = {
    .name = "fuzz",
    .synopsis = "[--backend NAME|FILE.so] [--time 60s] [--runs N] [--corpus DIR] ...",
    .summary = "run a campaign against a backend",
    .details =
        "Generates and mutates programs, runs them on the backend and holds what it reads against\n"
        "what the reference says a correct execution may give. Findings are confirmed, reduced "
        "and\n"
        "stored as they come; the campaign ends with a summary and a report. Ctrl-C ends it\n"
        "cleanly. Without --time and --runs it runs until then.\n"
        "\n"
        "  faultline fuzz --time 60s --corpus corpus/seeds\n"
        "  faultline fuzz --backend canary --time 10s\n"
        "  faultline fuzz --backend ./libmine.so --runs 100000 --json result.json\n"
        "  faultline fuzz --focus quantized-transactions --time 10m\n"
        "\n"
        "exit code: 0 no findings, 1 findings, 2 usage, 3 bad input, 4 internal, 5 set-up",
    .run = Run};

}  // namespace faultline::harness
