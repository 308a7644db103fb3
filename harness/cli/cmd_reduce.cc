// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// faultline reduce: a smaller program with the same fault.

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "harness/campaign/make_finding.h"
#include "harness/campaign/status_line.h"
#include "harness/cli/backend_options.h"
#include "harness/cli/command.h"
#include "harness/cli/files.h"
#include "harness/oracle/forked_judge.h"
#include "harness/reduce/reduce.h"
#include "ir/print.h"

namespace faultline::harness {
namespace {

constexpr std::string_view kDetails =
    R"(Judges the program; if it shows a fault, takes away statements, operands, extents and data as
long as the key of the fault (the DEDUP_TOKEN that `replay` prints) stays the same. Each try runs in
a process of its own, so that crashes and hangs can be reduced too. The result is printed, or
written to -o.

Examples:
  faultline reduce finding.fl --output small.fl
  faultline reduce finding.fl --backend ./libmine.so --time 60s

exit code: 0 reduced, 3 the file is no program or shows no fault, 2 usage
)";

struct ReduceArguments {
  BackendOptions backend;
  std::vector<std::string> files;
  std::string key;
  std::string output = "-";
  double seconds = 30;
  double timeout_s = 10;
};

ExitCode ReduceFile(const ReduceArguments& arguments) {
  auto program = LoadProgram(arguments.files[0]);
  if (!program) return Failed(program.error(), arguments.files[0]);
  const auto spec = arguments.backend.Spec(arguments.backend.names[0]);
  if (!spec) return Failed(spec.error());
  const Judge judge = ForkedJudge([&] { return MakeBackend(*spec); }, arguments.timeout_s);
  ReduceOptions options;
  options.run.session = arguments.backend.Session();
  options.run.fresh = true;
  options.seconds_max = arguments.seconds;
  StatusLine status;
  options.progress = [&](std::string_view pass, const ir::Program& now) {
    status.Show(fmt::format("{}: {} ops, {} statements", pass, CountApplications(now),
                            now.statements.size()));
  };
  std::string key = arguments.key;
  if (key.empty()) {
    const Verdict verdict = judge(*program, options.run).verdict;
    if (!IsFinding(verdict.kind)) {
      return Failed({ir::StatusCode::kSyntax, fmt::format("nothing to reduce: the verdict is {}",
                                                          VerdictName(verdict.kind))},
                    arguments.files[0]);
    }
    key = verdict.key;
  }
  const ReduceResult result = Reduce(*program, key, judge, options);
  status.End();
  if (!result.reproduced) {
    return Failed(
        {ir::StatusCode::kSyntax, fmt::format("the program does not show the key '{}'", key)},
        arguments.files[0]);
  }
  std::fprintf(stderr, "%d ops of %d, %d programs tried%s\nDEDUP_TOKEN: %s\n",
               CountApplications(result.program), CountApplications(*program), result.judged,
               result.minimal ? "" : " (stopped by the budget, may not be minimal)", key.c_str());
  const ir::Status written = WriteText(arguments.output, ir::Print(result.program));
  return written.ok() ? ExitCode::kOk : Failed(written);
}

ExitCode RunReduce(const Command& command, Arguments arguments) {
  ReduceArguments reduce;
  OptionSet options;
  reduce.backend.AddTo(options);
  options.Value("key", &reduce.key, "TOKEN", "keep this key; default: that of the program");
  options.Value("output", &reduce.output, "FILE", "where the result goes; - for stdout");
  options.Duration("time", &reduce.seconds, "how long to try, e.g. 30s");
  options.Duration("timeout", &reduce.timeout_s, "of one try, after which it hangs");
  options.Positional("FILE", &reduce.files);
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  if (reduce.files.size() != 1 || reduce.backend.names.size() != 1) {
    return Failed({ir::StatusCode::kUsage, "reduce takes one FILE and one --backend"});
  }
  return ReduceFile(reduce);
}

}  // namespace

const Command kReduceCommand = {.name = "reduce",
                                .synopsis = "FILE [--backend NAME|FILE.so] [--output FILE] ...",
                                .summary = "shrink a program that shows a fault",
                                .details = kDetails,
                                .run = RunReduce};

}  // namespace faultline::harness
