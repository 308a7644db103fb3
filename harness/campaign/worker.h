// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A campaign's worker process: libFuzzer's driver as a library around parse, mutate, judge, count.
// Divergences, leaks and refusals are recorded and the worker goes on; only a crash, a hang or
// exhausted memory ends it, and the supervisor takes the text from the shared state.

#ifndef HARNESS_CAMPAIGN_WORKER_H_
#define HARNESS_CAMPAIGN_WORKER_H_

#include <string>

namespace faultline::harness {

struct WorkerOptions {
  std::string out;     // the campaign's folder; options are read from it
  int index = 0;       // below the campaign's jobs
  int generation = 0;  // restarts of this worker before
};

// Runs until the shared state says stop or no ticket is left. Returns the exit code; most ends do
// not return at all. Requires a folder that the supervisor has prepared.
int RunWorker(const WorkerOptions& options);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_WORKER_H_
