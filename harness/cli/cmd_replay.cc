// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline replay: program files again, on one or more backends.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/cli/junit.h"
#include "harness/cli/replay.h"

namespace faultline::harness {
namespace {

using nlohmann::json;

constexpr std::string_view kDetails =
    R"(Each file runs with an engine of its own (--shared-engine keeps one), in a child process, so
that a crash or a hang is a verdict. Files in a folder named `known`, and in --known, are
known divergences: they are expected to fail, and one that no longer does is reported.
Texts marked `# status: rejected CODE LINE` have to be rejected there.

Examples:
  faultline replay corpus
  faultline replay corpus/seeds/softmax_rows.fl --backend reference --backend fusion-cpu
  faultline replay found.fl --backend canary --fault nan_dropped --json -
)";

volatile std::sig_atomic_t interrupted = 0;

struct Line {
  std::string stream_mode = "baton";
  std::vector<std::string> paths;
  BackendOptions backend;
  std::string known;
  std::string json;
  std::string junit;
  int64_t jobs = DefaultJobs();
  double timeout_s = 60;
  bool shared_engine = false;
  bool quiet = false;
};

void AddOptions(Line& line, OptionSet& options) {
  line.backend.AddTo(options);
  options.Duration("timeout", &line.timeout_s, "most time of one file (default 60s)");
  options.Flag("quiet", &line.quiet, "print the last line alone");
  options.Flag("shared-engine", &line.shared_engine, "keep an engine from file to file");
  options.Positional("FILE|DIR...", &line.paths);
  options.Value("jobs", &line.jobs, "N", "processes (default: the processors)");
  options.Value("json", &line.json, "FILE|-", "write the results as JSON");
  options.Value("junit", &line.junit, "FILE|-", "write the results as JUnit XML");
  options.Value("stream-mode", &line.stream_mode, "M",
                "baton: one client thread (default); free: one a stream");
  options.Value("known", &line.known, "DIR", "known divergences beside those of `known` folders");
}

bool IsKnown(const std::string& file, const std::string& known_folder) {
  const std::filesystem::path path(file);
  if (path.parent_path().filename() == "known") return true;
  if (known_folder.empty()) return false;
  const std::string relative = path.lexically_relative(known_folder).string();
  return !relative.empty() && !relative.starts_with("..");
}

// Files to replay; what cannot be listed is reported and makes the exit code kBadInput.
ExitCode Collect(const Line& line, ReplayOptions& options) {
  ExitCode exit = ExitCode::kOk;
  std::vector<std::string> paths = line.paths;
  if (!line.known.empty()) paths.push_back(line.known);
  for (const std::string& path : paths) {
    ir::Result<std::vector<std::string>> files = ListPrograms(path);
    if (!files.has_value()) {
      exit = Worse(exit, Failed(files.error(), path));
      continue;
    }
    for (std::string& file : *files) {
      if (std::ranges::find(options.files, file) != options.files.end()) continue;
      if (IsKnown(file, line.known)) options.known.insert(file);
      options.files.push_back(std::move(file));
    }
  }
  return exit;
}

void PrintResult(const json& result, const BackendOptions& backend) {
  std::string verdict = result["verdict"];
  if (verdict == "agree" || verdict == "expected_failure") return;
  const std::string file = result["file"];
  if (verdict == "bad_input") {
    fmt::print(stderr, "{}\n", result["message"].get<std::string>());
    return;
  }
  std::ranges::replace(verdict, '_', ' ');
  fmt::print("{}: {} on {}{}{}\n", file, verdict, result["backend"].get<std::string>(),
             result.contains("message") ? ": " : "", result.value("message", ""));
  if (result.contains("statement")) {
    fmt::print("  at line {}: {}\n", result["line"].get<int>(),
               result["statement"].get<std::string>());
  }
  if (result.contains("first_wrong")) {
    fmt::print("  first wrong{}: {}\n", result["localised"] == "moved" ? " (another one)" : "",
               result["first_wrong"].get<std::string>());
  }
  for (const json& element : result.value("elements", json::array())) {
    const std::string part = element["part"];
    fmt::print("  {}{}[{}] is {}, admissible {}\n", part, part.empty() ? "" : " ",
               element["index"].get<int64_t>(), element["actual"].get<std::string>(),
               element["expected"].get<std::string>());
  }
  if (result.contains("key")) {
    fmt::print("  DEDUP_TOKEN: {}\n", result["key"].get<std::string>());
    fmt::print("  replay: faultline replay {} --backend {}{}{}\n", file,
               result["backend"].get<std::string>(), backend.fault.empty() ? "" : " --fault ",
               backend.fault);
  }
}

std::string LastLine(const json& summary) {
  const size_t files = summary["files"];
  std::string text = fmt::format("{} file{}", files, files == 1 ? "" : "s");
  std::string_view separator = ": ";
  for (const char* name : {"agree", "divergence", "crash", "hang", "leak", "unsupported", "vacuous",
                           "inconclusive", "bad_input", "expected_failure", "no_longer_fails"}) {
    const int64_t count = summary[name];
    if (count == 0) continue;
    std::string words = name;
    std::ranges::replace(words, '_', ' ');
    text += fmt::format("{}{} {}", separator, count, words);
    separator = ", ";
  }
  return text + fmt::format(" in {:.1f} s{}", summary["seconds"].get<double>(),
                            summary["interrupted"].get<bool>() ? " (interrupted)" : "");
}

ExitCode WriteReports(const Line& line, const json& summary) {
  ExitCode exit = ExitCode::kOk;
  if (!line.json.empty()) {
    const ir::Status status = WriteText(line.json, summary.dump(2) + "\n");
    if (!status.ok()) exit = Worse(exit, Failed(status));
  }
  if (!line.junit.empty()) {
    const ir::Status status = WriteText(line.junit, ReplayToJUnit(summary));
    if (!status.ok()) exit = Worse(exit, Failed(status));
  }
  return exit;
}

ExitCode RunReplay(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  AddOptions(line, set);
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (line.paths.empty() && line.known.empty()) {
    return Failed({ir::StatusCode::kUsage, "replay needs a file or a directory"});
  }
  if (line.jobs < 1) return Failed({ir::StatusCode::kUsage, "--jobs takes a positive number"});
  ReplayOptions options;
  const auto streams = FindStreamMode(line.stream_mode);
  if (!streams) return Failed(UnknownStreamMode(line.stream_mode));
  options.run = {.session = line.backend.Session(), .streams = *streams};
  options.jobs = static_cast<int>(std::min<int64_t>(line.jobs, 1024));
  options.timeout_s = line.timeout_s;
  options.shared_engine = line.shared_engine;
  for (const std::string& name : line.backend.names) {
    ir::Result<BackendSpec> spec = line.backend.Spec(name);
    if (!spec.has_value()) return Failed(spec.error());
    // A backend that does not exist is one error, not one a file.
    if (const auto made = MakeBackend(*spec); !made.has_value()) return Failed(made.error());
    options.backends.push_back(std::move(*spec));
  }
  ExitCode exit = Collect(line, options);
  std::signal(SIGINT, [](int) { interrupted = 1; });
  // With the report on stdout nothing else may be there.
  const bool silent = line.quiet || line.json == "-" || line.junit == "-";
  const json summary = Replay(
      options,
      [&](const json& result) {
        if (!silent) PrintResult(result, line.backend);
      },
      [] { return interrupted != 0; });
  if (line.json != "-" && line.junit != "-") fmt::print("{}\n", LastLine(summary));
  exit = Worse(exit, WriteReports(line, summary));
  return Worse(exit, ExitCodeOfReplay(summary));
}

}  // namespace

const Command kReplayCommand = {
    .name = "replay",
    .synopsis = "FILE|DIR... [--backend NAME]... [--shared-engine] [--json FILE] [--junit FILE]",
    .summary = "run program files again, on one or more backends",
    .details = kDetails,
    .run = RunReplay,
};

}  // namespace faultline::harness
