// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline gen: programs of the generator, by seed. Case i of seed S is the same everywhere.

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/generate/choice_stream.h"
#include "harness/generate/for_backend.h"
#include "harness/generate/generate.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kDetails =
    R"(Prints one program, or writes --count of them to --out as SEED-INDEX.fl. Case i of a seed is
the same program on every machine; it holds only what the backend takes.

Examples:
  faultline gen --seed 7
  faultline gen --seed 7 --index 41 --focus views
  faultline gen --seed 7 --count 1000 --out programs
)";

struct Line {
  BackendOptions backend;
  std::optional<uint64_t> seed = 1;
  std::optional<uint64_t> index = 0;
  int64_t count = 1;
  std::string focus;
  std::string out;
};

ir::Result<GenerateOptions> OptionsOf(const Line& line, const Backend& backend) {
  GenerateOptions options = OptionsFor(backend);
  if (line.focus.empty()) return options;
  options.focus = FindFocus(line.focus);
  if (options.focus.has_value()) return options;
  std::string names;
  for (int i = 0; i < kFocusCount; ++i) {
    names += fmt::format("{}{}", i > 0 ? ", " : "", FocusName(static_cast<Focus>(i)));
  }
  return ir::Error(ir::StatusCode::kUsage,
                   fmt::format("unknown focus '{}'; there are: {}", line.focus, names));
}

ExitCode RunGen(const Command& command, Arguments arguments) {
  Line line;
  OptionSet set;
  line.backend.AddTo(set);
  set.Value("count", &line.count, "N", "how many, from the index on (default 1)");
  set.Value("focus", &line.focus, "F", "multiply weights toward one area");
  set.Value("index", &line.index, "I", "case of the seed (default 0)");
  set.Value("out", &line.out, "DIR", "write files there instead of printing");
  set.Value("seed", &line.seed, "S", "seed (default 1)");
  if (const auto exit = ParseArguments(command, set, arguments)) return *exit;
  if (line.count < 1 || (line.count > 1 && line.out.empty())) {
    return Failed({ir::StatusCode::kUsage, "--count takes a positive number, and --out with it"});
  }
  const auto backend = line.backend.MakeOnly();
  if (!backend.has_value()) return Failed(backend.error());
  const ir::Result<GenerateOptions> options = OptionsOf(line, **backend);
  if (!options.has_value()) return Failed(options.error());
  if (!line.out.empty()) {
    std::error_code error;
    std::filesystem::create_directories(line.out, error);
    if (error) return Failed({ir::StatusCode::kIo, error.message()}, line.out);
  }
  for (int64_t i = 0; i < line.count; ++i) {
    const uint64_t index = *line.index + static_cast<uint64_t>(i);
    ChoiceStream choices(MixSeed(*line.seed, index));
    const std::string text = ir::Print(Generate(choices, *options));
    const std::string path =
        line.out.empty() ? "-"
                         : fmt::format("{}/{}-{}{}", line.out, *line.seed, index, kProgramSuffix);
    if (const ir::Status status = WriteText(path, text); !status.ok()) return Failed(status);
  }
  return ExitCode::kOk;
}

}  // namespace

const Command kGenCommand = {
    .name = "gen",
    .synopsis = "[--seed S] [--index I] [--count N --out DIR] [--focus F]",
    .summary = "generate programs by seed",
    .details = kDetails,
    .run = RunGen,
};

}  // namespace faultline::harness
