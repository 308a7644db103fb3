// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <new>

namespace faultline::harness {
namespace {

constexpr std::array kCommands = {
#define FAULTLINE_COMMAND(name) &k##name##Command,
#include "harness/cli/commands.def"
#undef FAULTLINE_COMMAND
};

void PrintHelp() {
  std::string text =
      "faultline: a differential fuzzing harness for tensor backends\n\n"
      "Usage: faultline COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const Command* command : kCommands) {
    if (command->hidden) continue;
    text += fmt::format("  {:<14}{}\n", command->name, command->summary);
  }
  text +=
      "\n`faultline COMMAND --help` explains one of them.\n"
      "Exit codes: 0 agree, 1 findings, 2 usage, 3 bad input, 4 internal, 5 set-up.\n";
  fmt::print("{}", text);
}

ExitCode Dispatch(Arguments arguments) {
  if (arguments.empty()) {
    PrintHelp();
    return ExitCode::kUsage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "help") {
    PrintHelp();
    return ExitCode::kOk;
  }
  const Command* command = FindCommand(name);
  if (command == nullptr) {
    return Failed({ir::StatusCode::kUsage,
                   fmt::format("unknown command '{}'; `faultline --help` lists them", name)});
  }
  return command->run(*command, arguments.subspan(1));
}

}  // namespace

std::span<const Command* const> AllCommands() { return kCommands; }

const Command* FindCommand(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : *found;
}

std::optional<ExitCode> ParseArguments(const Command& command, OptionSet& options,
                                       Arguments arguments) {
  const ir::Status status = options.Parse(arguments);
  if (options.help()) {
    fmt::print("Usage: faultline {} {}\n\n{}\n\n{}\nOptions:\n{}", command.name, command.synopsis,
               command.summary, command.details, options.Describe());
    return ExitCode::kOk;
  }
  if (status.ok()) return std::nullopt;
  PrintError("", status);
  fmt::print(stderr, "usage: faultline {} {}\n", command.name, command.synopsis);
  return ExitCodeOf(status.code());
}

void PrintError(std::string_view path, const ir::Status& status) {
  fmt::print(stderr, "{}\n", status.Format(path));
}

ExitCode Failed(const ir::Status& status, std::string_view path) {
  PrintError(path, status);
  return ExitCodeOf(status.code());
}

ExitCode RunFaultline(Arguments arguments) {
  // The one place where exceptions of the standard library end: out of memory, mostly.
  try {
    return Dispatch(arguments);
  } catch (const std::bad_alloc&) {
    return Failed({ir::StatusCode::kInternal, "out of memory"});
  } catch (const std::exception& error) {
    return Failed({ir::StatusCode::kInternal, error.what()});
  }
}

}  // namespace faultline::harness
