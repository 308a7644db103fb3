// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/fault_feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/fault_score.h"
#include "harness/cli/files.h"

namespace faultline::harness {
namespace {

// Programs to the first finding, a campaign each; the whole budget where there was none.
struct Arm {
  int found = 0;
  std::vector<double> programs;
};

struct Row {
  SeededFault fault;
  std::array<Arm, kFeedbackCount> arms;
};

ir::Status RunOne(const FaultArguments& arguments, const SeededFault& fault, Feedback feedback,
                  uint64_t seed, Arm& arm) {
  CampaignOptions campaign =
      CampaignAgainst(arguments, fault, fmt::format("{}-{}", FeedbackName(feedback), seed));
  campaign.seeds.clear();
  campaign.seconds = 0;
  campaign.seed = seed;
  campaign.runs = static_cast<uint64_t>(arguments.feedback);
  campaign.feedback = FeedbackName(feedback);
  campaign.judged_per_key = 0;
  campaign.stop_at_first = true;
  const auto result = RunFresh(campaign);
  if (!result) return result.error();
  const bool found = !result->findings.empty();
  arm.found += found ? 1 : 0;
  arm.programs.push_back(found ? static_cast<double>(result->findings[0].programs_to_find)
                               : static_cast<double>(arguments.feedback));
  return {};
}

std::string RowText(const Row& row, int64_t seeds) {
  std::string text = fmt::format("| `{}` |", row.fault.id);
  for (const Arm& arm : row.arms) {
    text += fmt::format(" {} of {}, {:.0f} |", arm.found, seeds, Median(arm.programs));
  }
  return text + "\n";
}

std::string HeadText() {
  std::string names = "| fault |";
  std::string rule = "|---|";
  for (int i = 0; i < kFeedbackCount; ++i) {
    names += fmt::format(" {} |", FeedbackName(static_cast<Feedback>(i)));
    rule += "---|";
  }
  return names + "\n" + rule + "\n";
}

// Campaigns that found their fault, and the sum of the medians.
std::string TotalText(std::span<const Row> rows, int64_t seeds) {
  std::string text = "| all |";
  for (size_t i = 0; i < kFeedbackCount; ++i) {
    int found = 0;
    double programs = 0;
    for (const Row& row : rows) {
      found += row.arms[i].found;
      programs += Median(row.arms[i].programs);
    }
    text += fmt::format(" {} of {}, {:.0f} |", found, static_cast<int64_t>(rows.size()) * seeds,
                        programs);
  }
  return text + "\n";
}

nlohmann::json ToJson(std::span<const Row> rows, const FaultArguments& arguments) {
  nlohmann::json list = nlohmann::json::array();
  for (const Row& row : rows) {
    nlohmann::json entry = {{"id", row.fault.id}, {"class", row.fault.fault_class}};
    for (size_t i = 0; i < kFeedbackCount; ++i) {
      const Arm& arm = row.arms[i];
      entry[FeedbackName(static_cast<Feedback>(i))] = {{"found", arm.found},
                                                       {"programs", Median(arm.programs)}};
    }
    list.push_back(std::move(entry));
  }
  return {{"programs", arguments.feedback}, {"seeds", arguments.seeds}, {"faults", list}};
}

}  // namespace

ExitCode CompareFeedback(const FaultArguments& arguments, std::span<const SeededFault> faults) {
  std::vector<Row> rows;
  std::string table = HeadText();
  std::fputs(table.c_str(), stderr);
  for (const SeededFault& fault : faults) {
    Row& row = rows.emplace_back();
    row.fault = fault;
    for (int64_t seed = 1; seed <= arguments.seeds; ++seed) {
      for (size_t i = 0; i < kFeedbackCount; ++i) {
        const ir::Status status = RunOne(arguments, fault, static_cast<Feedback>(i),
                                         static_cast<uint64_t>(seed), row.arms[i]);
        if (!status.ok()) return Failed(status);
      }
    }
    table += RowText(row, arguments.seeds);
    std::fputs(RowText(row, arguments.seeds).c_str(), stderr);
  }
  const std::string total = TotalText(rows, arguments.seeds);
  std::fputs(total.c_str(), stdout);
  ir::Status written;
  if (!arguments.markdown.empty()) written = WriteText(arguments.markdown, table + total);
  if (written.ok() && !arguments.json.empty()) {
    written = WriteText(arguments.json, ToJson(rows, arguments).dump(2) + "\n");
  }
  return written.ok() ? ExitCode::kOk : Failed(written);
}

}  // namespace faultline::harness
