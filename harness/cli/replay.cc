// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/replay.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "harness/cli/process_pool.h"
#include "harness/cli/replay_case.h"
#include "harness/oracle/verdict.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

// The work of a child process: item i is file i / backends on backend i % backends.
class CaseRunner {
 public:
  explicit CaseRunner(const ReplayOptions& options)
      : options_(options), shared_(options.backends.size()) {}

  const std::string& File(int item) const {
    return options_.files[static_cast<size_t>(item) / options_.backends.size()];
  }
  const BackendSpec& Spec(int item) const { return options_.backends[BackendOf(item)]; }

  std::string Run(int item) {
    const size_t which = BackendOf(item);
    std::unique_ptr<Backend> fresh;
    std::unique_ptr<Backend>& backend = options_.shared_engine ? shared_[which] : fresh;
    if (backend == nullptr) {
      ir::Result<std::unique_ptr<Backend>> made = MakeBackend(Spec(item));
      if (!made.has_value()) {
        Verdict verdict;
        verdict.kind = VerdictKind::kUnsupported;
        verdict.message = made.error().message();
        verdict.key = KeyOf(verdict);
        return UnjudgedCase(File(item), Spec(item).name, verdict).dump();
      }
      backend = std::move(*made);
    }
    json result = ReplayCase(File(item), *backend, options_.run);
    result["backend"] = Spec(item).name;
    return result.dump(-1, ' ', false, json::error_handler_t::replace);
  }

  std::string Localise(int item) const {
    const auto make = [&] { return MakeBackend(Spec(item)); };
    return LocaliseCase(File(item), make, options_.run).dump();
  }

 private:
  size_t BackendOf(int item) const { return static_cast<size_t>(item) % options_.backends.size(); }

  const ReplayOptions& options_;
  std::vector<std::unique_ptr<Backend>> shared_;  // by backend
};

json ResultOf(const CaseRunner& runner, int item, double timeout_s, const ItemResult& result) {
  switch (result.end) {
    case ItemResult::End::kAnswered:
      return json::parse(result.answer);
    case ItemResult::End::kDied:
      return UnjudgedCase(runner.File(item), runner.Spec(item).name,
                          CrashVerdict(result.signal, result.exit_code, result.report));
    case ItemResult::End::kTimedOut:
      return UnjudgedCase(runner.File(item), runner.Spec(item).name, HangVerdict(timeout_s));
  }
  return {};
}

// A known divergence that still fails is expected; one that agrees is to be reported.
void MarkKnown(const ReplayOptions& options, json& result) {
  if (!options.known.contains(result["file"].get<std::string>())) return;
  result["known"] = true;
  const std::string verdict = result["verdict"];
  if (const auto kind = FindVerdict(verdict); kind.has_value() && IsFinding(*kind)) {
    result["was"] = verdict;
    result["verdict"] = "expected_failure";
  } else if (kind == VerdictKind::kAgree) {
    result["verdict"] = "no_longer_fails";
  }
}

constexpr std::array kCounted = {"agree",     "divergence",       "crash",          "hang",
                                 "leak",      "unsupported",      "vacuous",        "inconclusive",
                                 "bad_input", "expected_failure", "no_longer_fails"};

}  // namespace

json Replay(const ReplayOptions& options, const std::function<void(const json&)>& result,
            const std::function<bool()>& stopped) {
  const auto start = std::chrono::steady_clock::now();
  const int items = static_cast<int>(options.files.size() * options.backends.size());
  std::vector<json> results(static_cast<size_t>(items));
  CaseRunner runner(options);
  const PoolOptions pool = {
      .workers = options.jobs,
      .timeout_s = options.timeout_s,
      .items_per_child = options.shared_engine ? (items + options.jobs - 1) / options.jobs : 16};
  std::vector<int> divergent;  // items to localise
  RunInChildren(
      items, pool, [&](int item) { return runner.Run(item); },
      [&](int item, const ItemResult& end) {
        json& one = results[static_cast<size_t>(item)];
        one = ResultOf(runner, item, options.timeout_s, end);
        MarkKnown(options, one);
        if (one["verdict"] == VerdictName(VerdictKind::kDivergence) && one.contains("mismatches")) {
          divergent.push_back(item);
        } else {
          result(one);
        }
      },
      stopped);
  RunInChildren(
      static_cast<int>(divergent.size()),
      {.workers = options.jobs, .timeout_s = options.timeout_s, .items_per_child = 16},
      [&](int i) { return runner.Localise(divergent[static_cast<size_t>(i)]); },
      [&](int i, const ItemResult& end) {
        json& one = results[static_cast<size_t>(divergent[static_cast<size_t>(i)])];
        if (end.end == ItemResult::End::kAnswered) one.update(json::parse(end.answer));
        result(one);
      },
      stopped);
  std::erase_if(results, [](const json& one) { return one.is_null(); });
  json summary = {{"files", options.files.size()}};
  for (const char* name : kCounted) {
    summary[name] =
        std::ranges::count_if(results, [&](const json& one) { return one["verdict"] == name; });
  }
  summary["interrupted"] = static_cast<int>(results.size()) < items;
  summary["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  summary["results"] = std::move(results);
  return summary;
}

ExitCode ExitCodeOfReplay(const json& summary) {
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* name) { return summary[name] > 0; });
  };
  if (any({"bad_input"})) return ExitCode::kBadInput;
  if (any({"divergence", "crash", "hang", "leak", "no_longer_fails"})) return ExitCode::kFindings;
  return ExitCode::kOk;
}

}  // namespace faultline::harness
