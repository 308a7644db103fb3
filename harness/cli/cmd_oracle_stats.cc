// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline oracle-stats: the oracle held to account.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/account/accountant.h"
#include "harness/account/tally.h"
#include "harness/backend/registry.h"
#include "harness/campaign/status_line.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/oracle_stats_output.h"
#include "harness/cli/process_pool.h"

namespace faultline::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kDetails =
    R"(Generates programs and executes each legally, but as nastily as the contract of fusion-cpu
allows: the oracle must flag none. Counts beside how many elements have one admissible value only,
how wide the sets of the others are, and what enclosures cost over plain values.

Examples:
  faultline oracle-stats --runs 20000
  faultline oracle-stats --runs 1000000 --seed 2 --jobs 2 --json stats.json

exit code: 0 none flagged, 1 some were; `faultline gen --seed S --index I` prints the program
)";

// Programs of one child process, and so between two lines of progress.
constexpr int64_t kProgramsPerItem = 512;
constexpr double kTimeoutS = 3600;  // of one item: no judgement is made of time

volatile std::sig_atomic_t interrupted = 0;

struct Line {
  int64_t runs = 20000;
  std::optional<uint64_t> seed = 1;
  int64_t jobs = 1;
  std::string json;
};

int64_t Items(int64_t runs) { return (runs + kProgramsPerItem - 1) / kProgramsPerItem; }

ir::Result<Tally> RunItem(const Line& line, int item) {
  FAULTLINE_ASSIGN_OR_RETURN(auto generated_for, MakeBackend({}));
  FAULTLINE_ASSIGN_OR_RETURN(auto adversary, MakeBackend({.name = "adversary"}));
  Accountant accountant(std::move(generated_for), std::move(adversary), *line.seed);
  Tally tally;
  const int64_t first = item * kProgramsPerItem;
  const int64_t last = std::min(first + kProgramsPerItem, line.runs);
  for (int64_t i = first; i < last; ++i) accountant.Run(static_cast<uint64_t>(i), tally);
  return tally;
}

// Every item in a child: the first one that fails ends the run.
ir::Result<Tally> RunAll(const Line& line) {
  Tally all;
  ir::Status failed;
  StatusLine status;
  const auto start = Clock::now();
  RunInChildren(
      static_cast<int>(Items(line.runs)),
      {.workers = static_cast<int>(line.jobs), .timeout_s = kTimeoutS},
      [&](int item) {
        const ir::Result<Tally> tally = RunItem(line, item);
        return tally.has_value() ? PrintTally(*tally) : "!" + tally.error().message();
      },
      [&](int item, const ItemResult& result) {
        if (result.end != ItemResult::End::kAnswered || result.answer.starts_with('!')) {
          failed = {ir::StatusCode::kInternal,
                    fmt::format("programs from {} on: {}", item * kProgramsPerItem,
                                result.answer.empty() ? result.report : result.answer.substr(1))};
          return;
        }
        all.Merge(ParseTally(result.answer));
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        status.Show(fmt::format(
            "{} of {} programs, {} flagged, {}", FormatCount(static_cast<double>(all.programs)),
            FormatCount(static_cast<double>(line.runs)), all.flagged, FormatSeconds(seconds)));
      },
      [&] { return interrupted != 0 || !failed.ok(); });
  status.End();
  if (!failed.ok()) return std::unexpected(failed);
  return all;
}

ExitCode RunOracleStats(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  set.Value("jobs", &line.jobs, "N", "processes (default 1)");
  set.Value("json", &line.json, "FILE|-", "write the figures as JSON");
  set.Value("runs", &line.runs, "N", "programs (default 20000)");
  set.Value("seed", &line.seed, "S", "seed (default 1)");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (line.runs < 1 || line.runs > kProgramsPerItem * (int64_t{1} << 30) || line.jobs < 1) {
    return Failed({ir::StatusCode::kUsage, "--runs and --jobs take positive numbers"});
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto start = Clock::now();
  const ir::Result<Tally> tally = RunAll(line);
  if (!tally.has_value()) return Failed(tally.error());
  nlohmann::json fields = TallyToJson(*tally);
  fields["seed"] = *line.seed;
  fields["seconds"] = std::chrono::duration<double>(Clock::now() - start).count();
  fields["interrupted"] = interrupted != 0;
  if (line.json != "-") fmt::print("{}", TallyToText(*tally));
  for (const FalseAlarm& alarm : tally->alarms) {
    fmt::print(stderr, "flagged: {}\n  faultline gen --seed {} --index {}\n", alarm.message,
               *line.seed, alarm.index);
  }
  const ExitCode exit = tally->flagged > 0 ? ExitCode::kFindings : ExitCode::kOk;
  if (line.json.empty()) return exit;
  const ir::Status status = WriteText(line.json, fields.dump(2) + "\n");
  return status.ok() ? exit : Worse(exit, Failed(status));
}

}  // namespace

const Command kOracleStatsCommand = {
    .name = "oracle-stats",
    .synopsis = "[--runs N] [--seed S] [--jobs N] [--json FILE]",
    .summary = "hold the oracle to account",
    .details = kDetails,
    .run = RunOracleStats,
};

}  // namespace faultline::harness
