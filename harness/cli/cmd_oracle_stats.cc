// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline oracle-stats: the oracle held to account.

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/oracle_stages.h"
#include "harness/cli/oracle_stats_output.h"
#include "ir/dtype.h"
#include "ir/op.h"

namespace faultline::harness {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kDetails =
    R"(Generates programs and executes each legally, but as nastily as the contract of fusion-cpu
allows: the oracle must flag none. Counts beside how many elements have one admissible value only,
how wide the sets of the others are, and what enclosures cost over plain values. Then evaluates
elements of every op once more by MPFR, which shares nothing with the reference: they must lie in
its sets. --compare runs the canary's and fusion-cpu's seeded faults, and runs without one, under
the oracles of other harnesses too: who raises false alarms, who finds what.

Examples:
  faultline oracle-stats --runs 20000
  faultline oracle-stats --runs 1000000 --certify 0 --seed 2 --jobs 2 --json stats.json
  faultline oracle-stats --runs 0 --certify 1000000
  faultline oracle-stats --runs 0 --certify 0 --compare 2000

exit code: 0 nothing correct flagged and nothing outside, else 1; `faultline gen --seed S --index I` prints
a flagged program
)";

constexpr int64_t kMost = 1 << 30;  // programs or elements

volatile std::sig_atomic_t interrupted = 0;

struct Line {
  int64_t runs = 20000;
  int64_t certify = 2000;
  int64_t compare = 0;
  std::optional<uint64_t> seed = 1;
  int64_t jobs = 1;
  std::string json;
};

ir::Status RunStages(const Line& line, OracleFigures& figures) {
  const StageOptions options = {.seed = *line.seed,
                                .jobs = static_cast<int>(line.jobs),
                                .stopped = [] { return interrupted != 0; }};
  FAULTLINE_RETURN_IF_ERROR(RunPrograms(line.runs, options, figures.tally));
  if (interrupted == 0) {
    FAULTLINE_RETURN_IF_ERROR(RunCertification(line.certify, options, figures.certified));
  }
  if (interrupted != 0) return {};
  return RunComparison(line.compare, options, figures.compared);
}

// What is wrong with the oracle, each with what shows it.
void PrintFaults(const OracleFigures& figures, uint64_t seed) {
  for (const FalseAlarm& alarm : figures.tally.alarms) {
    fmt::print(stderr, "flagged: {}\n  faultline gen --seed {} --index {}\n", alarm.message, seed,
               alarm.index);
  }
  for (const auto& [run, counts] : figures.compared) {
    if (counts.clean_flagged[kOurs] == 0) continue;
    fmt::print(stderr, "flagged: {} of {} programs of {} without a fault\n",
               counts.clean_flagged[kOurs], counts.programs, run.backend);
  }
  for (const CertifyViolation& one : figures.certified.violations) {
    fmt::print(stderr, "outside: {} {}: {}\n{}", ir::Mnemonic(one.op), ir::DtypeName(one.dtype),
               one.message, one.program);
  }
}

ExitCode RunOracleStats(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  set.Value("certify", &line.certify, "N", "elements of each op by MPFR (default 2000)");
  set.Value("compare", &line.compare, "N", "programs a fault, under other oracles too (default 0)");
  set.Value("jobs", &line.jobs, "N", "processes (default 1)");
  set.Value("json", &line.json, "FILE|-", "write the figures as JSON");
  set.Value("runs", &line.runs, "N", "programs (default 20000)");
  set.Value("seed", &line.seed, "S", "seed (default 1)");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  for (const int64_t number : {line.runs, line.certify, line.compare}) {
    if (number < 0 || number > kMost) {
      return Failed({ir::StatusCode::kUsage, fmt::format("{} is not in [0, {}]", number, kMost)});
    }
  }
  if (line.jobs < 1 || line.jobs > 1024) {
    return Failed({ir::StatusCode::kUsage, "--jobs takes a number from 1 to 1024"});
  }
  std::signal(SIGINT, [](int) { interrupted = 1; });
  const auto start = Clock::now();
  OracleFigures figures;
  ir::Status status = RunStages(line, figures);
  if (!status.ok()) return Failed(status);
  nlohmann::json fields = FiguresToJson(figures);
  fields["seed"] = *line.seed;
  fields["seconds"] = std::chrono::duration<double>(Clock::now() - start).count();
  fields["interrupted"] = interrupted != 0;
  if (line.json != "-") fmt::print("{}", FiguresToText(figures));
  PrintFaults(figures, *line.seed);
  const ExitCode exit = IsFaulty(figures) ? ExitCode::kFindings : ExitCode::kOk;
  if (line.json.empty()) return exit;
  status = WriteText(line.json, fields.dump(2) + "\n");
  return status.ok() ? exit : Worse(exit, Failed(status));
}

}  // namespace

const Command kOracleStatsCommand = {
    .name = "oracle-stats",
    .synopsis = "[--runs N] [--certify N] [--compare N] [--seed S] [--jobs N] [--json FILE]",
    .summary = "hold the oracle to account",
    .details = kDetails,
    .run = RunOracleStats,
};

}  // namespace faultline::harness
