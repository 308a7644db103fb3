// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The table of subcommands. A new one is a file cmd_<name>.cc that defines its Command, and a line
// in commands.def.

#ifndef HARNESS_CLI_COMMAND_H_
#define HARNESS_CLI_COMMAND_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/cli/exit_code.h"
#include "harness/cli/option_set.h"

namespace faultline::harness {

using Arguments = std::span<const std::string>;

struct Command {
  std::string_view name;
  std::string_view synopsis;  // what follows the name: "FILE|DIR... [--junit FILE]"
  std::string_view summary;   // one line
  std::string_view details;   // paragraphs and examples of the command's own help
  ExitCode (*run)(const Command& command, Arguments arguments);
  bool hidden = false;  // not for people: left out of --help
};

// Sorted by name.
std::span<const Command* const> AllCommands();
const Command* FindCommand(std::string_view name);

// Parses the arguments into `options`. An exit code if the command is done: help was asked for (and
// printed), or the arguments are wrong (and stderr says how).
std::optional<ExitCode> ParseArguments(const Command& command, OptionSet& options,
                                       Arguments arguments);

// Prints `path:line:col: error: message` (without the parts that are absent) to stderr.
void PrintError(std::string_view path, const ir::Status& status);
// Prints the status as an error and returns its exit code.
ExitCode Failed(const ir::Status& status, std::string_view path = {});

// The whole program: runs the named command, prints help, turns stray exceptions into kInternal.
ExitCode RunFaultline(Arguments arguments);

#define FAULTLINE_COMMAND(name) extern const Command k##name##Command;
#include "harness/cli/commands.def"
#undef FAULTLINE_COMMAND

}  // namespace faultline::harness

#endif  // HARNESS_CLI_COMMAND_H_
