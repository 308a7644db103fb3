// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline conformance: the laws of a backend, checked one by one.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/process_pool.h"
#include "harness/conformance/conformance.h"
#include "harness/oracle/verdict.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kDetails =
    R"(Six laws (harness/backend/backend.h), several checks each: transactions of any mix, misuse,
history, arrangement, lifetimes, one value. Each check runs in a child process, so that a crash
fails that check alone. No reference is asked: what is compared is the backend with itself.

Examples:
  faultline conformance --backend fusion-cpu
  faultline conformance --backend ./libmine.so --filter read_ --json -
)";

struct Line {
  BackendOptions backend;
  std::string filter;
  std::string json;
  int64_t jobs = DefaultJobs();
  double timeout_s = 60;
};

// What a check gave: holds, broken, crash, hang or unsupported, and why.
json RunCheck(const ConformanceCheck& check, const BackendSpec& spec,
              const SessionOptions& session) {
  const auto backend = MakeBackend(spec);
  if (!backend.has_value()) return {{"result", "broken"}, {"message", backend.error().message()}};
  const Held held = check.run(**backend, session);
  if (held.has_value()) return {{"result", "holds"}};
  const bool unsupported = held.error().code() == ir::StatusCode::kUnsupported;
  return {{"result", unsupported ? "unsupported" : "broken"}, {"message", held.error().message()}};
}

json ResultOf(const ItemResult& item, double timeout_s) {
  switch (item.end) {
    case ItemResult::End::kAnswered:
      return json::parse(item.answer);
    case ItemResult::End::kDied:
      return {{"result", "crash"},
              {"message", CrashVerdict(item.signal, item.exit_code, item.report).message}};
    case ItemResult::End::kTimedOut:
      return {{"result", "hang"}, {"message", HangVerdict(timeout_s).message}};
  }
  return {};
}

json RunChecks(const std::vector<const ConformanceCheck*>& checks, const Line& line,
               const BackendSpec& spec) {
  std::vector<json> results(checks.size());
  const PoolOptions pool = {.workers = static_cast<int>(std::clamp<int64_t>(line.jobs, 1, 1024)),
                            .timeout_s = line.timeout_s,
                            .items_per_child = 1};
  const SessionOptions session = line.backend.Session();
  RunInChildren(
      static_cast<int>(checks.size()), pool,
      [&](int i) {
        return RunCheck(*checks[static_cast<size_t>(i)], spec, session)
            .dump(-1, ' ', false, json::error_handler_t::replace);
      },
      [&](int i, const ItemResult& item) {
        json& result = results[static_cast<size_t>(i)] = ResultOf(item, line.timeout_s);
        result["law"] = checks[static_cast<size_t>(i)]->law;
        result["check"] = checks[static_cast<size_t>(i)]->name;
        result["doc"] = checks[static_cast<size_t>(i)]->doc;
      },
      [] { return false; });
  return results;
}

std::string ToText(const json& results) {
  std::string text;
  for (const json& result : results) {
    text += fmt::format("law {}  {:<12}{}: {}\n", result["law"].get<int>(),
                        result["result"].get<std::string>(), result["check"].get<std::string>(),
                        result["doc"].get<std::string>());
    if (result.contains("message")) {
      text += fmt::format("       {}\n", result["message"].get<std::string>());
    }
  }
  return text;
}

ExitCode RunConformanceCommand(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  line.backend.AddTo(set);
  set.Duration("timeout", &line.timeout_s, "most time of one check (default 60s)");
  set.Value("filter", &line.filter, "TEXT", "only checks with TEXT in their name");
  set.Value("jobs", &line.jobs, "N", "processes (default: the processors)");
  set.Value("json", &line.json, "FILE|-", "write the results as JSON");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (line.backend.names.size() != 1) {
    return Failed({ir::StatusCode::kUsage, "the command takes one --backend"});
  }
  const ir::Result<BackendSpec> spec = line.backend.Spec(line.backend.names.front());
  if (!spec.has_value()) return Failed(spec.error());
  if (const auto made = MakeBackend(*spec); !made.has_value()) return Failed(made.error());
  std::vector<const ConformanceCheck*> checks;
  for (const ConformanceCheck& check : AllConformanceChecks()) {
    if (check.name.find(line.filter) != std::string_view::npos) checks.push_back(&check);
  }
  if (checks.empty()) {
    return Failed({ir::StatusCode::kUsage, fmt::format("no check is called '{}'", line.filter)});
  }
  const json results = RunChecks(checks, line, *spec);
  const auto count = [&](std::string_view name) {
    return std::ranges::count_if(results, [&](const json& one) { return one["result"] == name; });
  };
  const int64_t held = count("holds");
  const int64_t unsupported = count("unsupported");
  const int64_t broken = static_cast<int64_t>(checks.size()) - held - unsupported;
  if (line.json != "-") {
    fmt::print("{}{} checks: {} hold, {} broken, {} unsupported\n", ToText(results), checks.size(),
               held, broken, unsupported);
  }
  ExitCode exit = broken > 0 ? ExitCode::kFindings : ExitCode::kOk;
  if (!line.json.empty()) {
    const json summary = {
        {"backend", spec->name}, {"checks", checks.size()},    {"holds", held},
        {"broken", broken},      {"unsupported", unsupported}, {"results", results}};
    const ir::Status status = WriteText(line.json, summary.dump(2) + "\n");
    if (!status.ok()) exit = Worse(exit, Failed(status));
  }
  return exit;
}

}  // namespace

const Command kConformanceCommand = {
    .name = "conformance",
    .synopsis = "[--backend NAME|FILE.so] [--filter TEXT] [--json FILE]",
    .summary = "check the six laws of a backend",
    .details = kDetails,
    .run = RunConformanceCommand,
};

}  // namespace faultline::harness
