// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/campaign/coverage.h"
#include "harness/campaign/findings_log.h"
#include "harness/campaign/worker_totals.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/oracle/forked_judge.h"

namespace faultline::harness {
namespace {

constexpr size_t kNamesShown = 8;
constexpr double kTimeoutS = 10;  // of one program of a corpus

constexpr std::string_view kDetails =
    R"(Of a campaign's folder, what its programs have reached, as its result.json tells; of a folder
of programs, what these reach when each is run. By group: ops and dtypes, fusion rules, scheme
uses, what the generator promises, and the features that lead libFuzzer. --json has every name that
was never met.

Examples:
  faultline coverage out/20261201-101530-fusion-cpu
  faultline coverage --json coverage.json corpus/seeds
)";

// Adds the counts of a finished campaign.
ir::Status AddCampaign(const std::string& path, Statistics& statistics) {
  const ir::Result<std::string> text = ReadWholeFile(path);
  if (!text.has_value()) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  if (!json.is_object() || !json.contains("statistics") || !json["statistics"].is_object()) {
    return {ir::StatusCode::kSyntax, "no results of a campaign here"};
  }
  // In the form that statistics are read from: one that is no number is told by its line.
  std::string lines;
  for (const auto& [name, count] : json["statistics"].items()) {
    lines += fmt::format("{} {}\n", name, count.dump());
  }
  const ir::Result<Statistics> counts = Statistics::Parse(lines);
  if (!counts.has_value()) return counts.error();
  statistics.Merge(*counts);
  return {};
}

// Runs programs and counts them as a campaign does.
class Corpus {
 public:
  Corpus(const Backend& backend, Judge judge)
      : rules_(backend.RuleNames()), judge_(std::move(judge)) {}

  ir::Status Add(const std::string& path) {
    const ir::Result<ir::Program> program = LoadProgram(path);
    if (!program.has_value()) return program.error();
    const Judgement judgement = judge_(*program, {});
    if (judgement.verdict.kind == VerdictKind::kUnsupported) return {};
    statistics_.CountProgram(*program);
    totals_.Count(judgement);
    Features features{counters_};
    features.CountProgram(*program);
    features.CountTrace(judgement.observation.trace, rules_);
    features.CountComparison(judgement.verdict, judgement.statistics);
    return {};
  }
  void AddTo(Statistics& statistics) const {
    statistics.Merge(statistics_);
    totals_.AddTo(statistics);
    AddFeatures(counters_, statistics);
  }

 private:
  std::vector<std::string_view> rules_;
  Judge judge_;
  Statistics statistics_;
  WorkerTotals totals_;
  std::array<uint8_t, kFeaturesMax> counters_ = {};
};

std::string Text(const std::vector<CoverageGroup>& groups) {
  std::string text;
  for (const CoverageGroup& group : groups) {
    text += fmt::format("{:<44}{:>6} of {}{:<6}", group.name, group.reached,
                        group.all_can_be ? "" : "at most ", group.of);
    // Where not all can be, names of what never was say little.
    if (group.all_can_be && !group.never.empty()) {
      const size_t shown = std::min(group.never.size(), kNamesShown);
      text += fmt::format(
          "  never: {}",
          fmt::join(group.never.begin(), group.never.begin() + static_cast<ptrdiff_t>(shown), " "));
      if (shown < group.never.size())
        text += fmt::format(" and {} more", group.never.size() - shown);
    }
    text += "\n";
  }
  return text;
}

nlohmann::json ToJson(const std::vector<CoverageGroup>& groups, const Statistics& statistics,
                      const Backend& backend) {
  nlohmann::json list = nlohmann::json::array();
  for (const CoverageGroup& group : groups) {
    list.push_back({{"group", group.name},
                    {"reached", group.reached},
                    {"of", group.of},
                    {"all_can_be", group.all_can_be},
                    {"never", group.never}});
  }
  nlohmann::json counts = nlohmann::json::object();
  for (const auto& [name, count] : statistics.NonZero()) {
    for (const std::string_view family : {"op.", "rule.", "cut.", "scheme_use."}) {
      if (name.starts_with(family)) counts[name] = count;
    }
  }
  return {{"backend", backend.name()}, {"groups", list}, {"counts", counts}};
}

ExitCode RunCoverage(const Command& command, Arguments arguments) {
  BackendOptions backend_options;
  std::vector<std::string> paths;
  std::string json;
  OptionSet options;
  backend_options.AddTo(options);
  options.Positional("OUT|DIR...", &paths);
  options.Value("json", &json, "FILE", "everything, as JSON; - for stdout");
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  if (paths.empty()) {
    return Failed({ir::StatusCode::kUsage, "coverage needs a campaign's folder or programs"});
  }
  const auto backend = backend_options.MakeOnly();
  if (!backend) return Failed(backend.error());
  const auto spec = backend_options.Spec(backend_options.names[0]);
  if (!spec) return Failed(spec.error());
  Statistics statistics;
  Corpus corpus(**backend, ForkedJudge([&] { return MakeBackend(*spec); }, kTimeoutS));
  ExitCode exit = ExitCode::kOk;
  const auto note = [&exit](const ir::Status& status, const std::string& path) {
    if (!status.ok()) exit = Worse(exit, Failed(status, path));
  };
  for (const std::string& path : paths) {
    std::error_code error;
    const std::string result = path + "/result.json";
    if (std::filesystem::exists(result, error)) {
      note(AddCampaign(result, statistics), result);
      continue;
    }
    const auto files = ListPrograms(path);
    if (!files) {
      note(files.error(), path);
      continue;
    }
    for (const std::string& file : *files) note(corpus.Add(file), file);
  }
  corpus.AddTo(statistics);
  const std::vector<CoverageGroup> groups = CoverageOf(statistics, **backend);
  if (json != "-") note(WriteText("-", Text(groups)), "-");
  if (!json.empty())
    note(WriteText(json, ToJson(groups, statistics, **backend).dump(2) + "\n"), json);
  return exit;
}

}  // namespace

const Command kCoverageCommand = {
    .name = "coverage",
    .synopsis = "OUT|DIR... [--json FILE] [--backend NAME]",
    .summary = "say what was reached and what never was",
    .details = kDetails,
    .run = RunCoverage,
};

}  // namespace faultline::harness
