// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/oracle_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "harness/account/accountant.h"
#include "harness/account/certification.h"
#include "harness/backend/registry.h"
#include "harness/campaign/status_line.h"
#include "harness/cli/process_pool.h"
#include "harness/generate/choice_stream.h"

namespace faultline::harness {
namespace {

using Clock = std::chrono::steady_clock;

// Of one child process, and so between two lines of progress.
constexpr int64_t kProgramsPerItem = 512;
constexpr int64_t kElementsPerItem = 50000;
// Of one item. Where nothing hangs, time decides nothing.
constexpr double kPatienceS = 3600;
// A fault may hang: beyond what the programs of an item take on a busy machine.
constexpr double kHangS = 60;
constexpr double kHangPerProgramS = 0.02;

// What a child does for one item. Its errors begin with '!'.
using Work = std::function<ir::Result<std::string>(int item)>;
// Takes what came of an item and says how far things are.
using Merge = std::function<ir::Result<std::string>(int item, const ItemResult& result)>;

// The first item that cannot be merged ends the run.
ir::Status RunItems(int64_t items, double timeout_s, const StageOptions& options, const Work& work,
                    const Merge& merge) {
  ir::Status failed;
  StatusLine line;
  const auto start = Clock::now();
  RunInChildren(
      static_cast<int>(items),
      {.workers = options.jobs, .timeout_s = timeout_s, .items_per_child = 1},
      [&](int item) {
        const ir::Result<std::string> answer = work(item);
        return answer.has_value() ? *answer : "!" + answer.error().message();
      },
      [&](int item, const ItemResult& result) {
        const ir::Result<std::string> progress = merge(item, result);
        if (!progress.has_value()) {
          failed = progress.error();
          return;
        }
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        line.Show(fmt::format("{}, {}", *progress, FormatSeconds(seconds)));
      },
      [&] { return options.stopped() || !failed.ok(); });
  line.End();
  return failed;
}

ir::Result<std::string> AnswerOf(const ItemResult& result) {
  if (result.end != ItemResult::End::kAnswered) {
    return ir::Error(ir::StatusCode::kInternal, "a child process died: " + result.report);
  }
  if (!result.answer.starts_with('!')) return result.answer;
  return ir::Error(ir::StatusCode::kInternal, result.answer.substr(1));
}

int64_t ItemsOf(int64_t whole, int64_t per_item) { return (whole + per_item - 1) / per_item; }

}  // namespace

ir::Status RunPrograms(int64_t programs, const StageOptions& options, Tally& tally) {
  const auto work = [&](int item) -> ir::Result<std::string> {
    FAULTLINE_ASSIGN_OR_RETURN(auto generated_for, MakeBackend({}));
    FAULTLINE_ASSIGN_OR_RETURN(auto adversary, MakeBackend({.name = "adversary"}));
    Accountant accountant(std::move(generated_for), std::move(adversary), options.seed);
    Tally own;
    const int64_t first = item * kProgramsPerItem;
    const int64_t last = std::min(first + kProgramsPerItem, programs);
    for (int64_t i = first; i < last; ++i) accountant.Run(static_cast<uint64_t>(i), own);
    return PrintTally(own);
  };
  const auto merge = [&](int, const ItemResult& result) -> ir::Result<std::string> {
    FAULTLINE_ASSIGN_OR_RETURN(const std::string answer, AnswerOf(result));
    tally.Merge(ParseTally(answer));
    return fmt::format("{} of {} programs, {} flagged",
                       FormatCount(static_cast<double>(tally.programs)),
                       FormatCount(static_cast<double>(programs)), tally.flagged);
  };
  return RunItems(ItemsOf(programs, kProgramsPerItem), kPatienceS, options, work, merge);
}

ir::Status RunCertification(int64_t elements, const StageOptions& options, CertifyTally& tally) {
  const std::vector<ir::Opcode> ops = CertifiedOps();
  const int64_t per_op = ItemsOf(elements, kElementsPerItem);
  const int64_t items = per_op * std::ssize(ops);
  const auto work = [&](int item) -> ir::Result<std::string> {
    CertifyTally own;
    const int64_t rest = elements - item % per_op * kElementsPerItem;
    CertifyOp(ops[static_cast<size_t>(item / per_op)], std::min(kElementsPerItem, rest),
              MixSeed(options.seed, static_cast<uint64_t>(item)), own);
    return PrintCertifyTally(own);
  };
  int64_t done = 0;
  const auto merge = [&](int, const ItemResult& result) -> ir::Result<std::string> {
    FAULTLINE_ASSIGN_OR_RETURN(const std::string answer, AnswerOf(result));
    tally.Merge(ParseCertifyTally(answer));
    return fmt::format("certified {} of {} ops", ++done / per_op, ops.size());
  };
  return RunItems(items, kPatienceS, options, work, merge);
}

ir::Status RunComparison(int64_t programs, const StageOptions& options,
                         std::vector<PowerRow>& rows) {
  const std::vector<PowerRun> runs = programs > 0 ? PowerRuns() : std::vector<PowerRun>();
  const auto work = [&](int item) -> ir::Result<std::string> {
    FAULTLINE_ASSIGN_OR_RETURN(const PowerCounts counts,
                               CountPower(runs[static_cast<size_t>(item)], programs, options.seed));
    return PrintPowerCounts(counts);
  };
  const auto merge = [&](int item, const ItemResult& result) -> ir::Result<std::string> {
    PowerRow& row = rows.emplace_back(runs[static_cast<size_t>(item)], PowerCounts{});
    if (result.end == ItemResult::End::kAnswered) {
      FAULTLINE_ASSIGN_OR_RETURN(const std::string answer, AnswerOf(result));
      row.second = ParsePowerCounts(answer);
    } else if (row.first.fault.empty()) {
      return ir::Error(ir::StatusCode::kInternal, row.first.backend + " died: " + result.report);
    } else {
      row.second.died = true;
    }
    return fmt::format("compared {} of {} faults", rows.size(), runs.size());
  };
  return RunItems(std::ssize(runs), kHangS + kHangPerProgramS * static_cast<double>(programs),
                  options, work, merge);
}

}  // namespace faultline::harness
