// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstdlib>

#include "harness/campaign/worker.h"
#include "harness/cli/command.h"

namespace faultline::harness {
namespace {

ExitCode Run(const Command& command, Arguments arguments) {
  WorkerOptions worker;
  int64_t index = 0;
  int64_t generation = 0;
  OptionSet options;
  options.Value("out", &worker.out, "DIR", "the campaign's folder");
  options.Value("index", &index, "I", "which of the campaign's jobs");
  options.Value("generation", &generation, "G", "restarts before");
  if (const auto done = ParseArguments(command, options, arguments)) return *done;
  worker.index = static_cast<int>(index);
  worker.generation = static_cast<int>(generation);
  // A campaign has as many jobs as it is to use processors: a device on the CPU gets one.
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 0);
  return static_cast<ExitCode>(RunWorker(worker));
}

}  // namespace

const Command kWorkerCommand = {.name = "worker",
                                .synopsis = "--out DIR --index I",
                                .summary = "one job of a campaign (started by `fuzz`)",
                                .details = "",
                                .run = Run,
                                .hidden = true};

}  // namespace faultline::harness
