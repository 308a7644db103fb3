// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Replays program files on backends, in child processes, and sums up. Printing is cmd_replay.cc's.

#ifndef HARNESS_CLI_REPLAY_H_
#define HARNESS_CLI_REPLAY_H_

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/registry.h"
#include "harness/backend/run.h"
#include "harness/cli/exit_code.h"

namespace faultline::harness {

struct ReplayOptions {
  std::vector<std::string> files;
  std::vector<BackendSpec> backends;
  RunOptions run;
  std::set<std::string> known;  // files (of the above) that are known divergences
  int jobs = 1;
  double timeout_s = 60;  // of one file on one backend
  // One engine a backend and child process instead of a new one a file.
  bool shared_engine = false;
};

// Runs every file on every backend. `result` is told each as it comes; the return value is the
// summary of docs/cli.md with all of them, in the order of files, under "results". Ends early, with
// "interrupted": true, once `stopped`.
nlohmann::json Replay(const ReplayOptions& options,
                      const std::function<void(const nlohmann::json&)>& result,
                      const std::function<bool()>& stopped);

// What the summary means for the process.
ExitCode ExitCodeOfReplay(const nlohmann::json& summary);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_REPLAY_H_
