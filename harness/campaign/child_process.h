// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Copies of this executable as children: workers and judges. Spawn, poll, end, with output in
// files.

#ifndef HARNESS_CAMPAIGN_CHILD_PROCESS_H_
#define HARNESS_CAMPAIGN_CHILD_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "ir/base/status.h"

namespace faultline::harness {

struct ChildOptions {
  std::vector<std::string> arguments;  // after argv[0]
  std::string stdout_path;             // empty: /dev/null
  std::string stderr_path;             // empty: /dev/null; appended to
  // Its own process group, so that a Ctrl-C in the terminal reaches the supervisor alone. The child
  // dies with its parent in any case.
  bool own_group = true;
};

// How a child ended.
struct ChildExit {
  int code = 0;  // exit status; meaningful if signal == 0
  int signal = 0;
  bool ok() const { return signal == 0 && code == 0; }
  // "exit 77", "signal 11 (SIGSEGV)".
  std::string Describe() const;
};

// Path of the running executable.
std::string SelfPath();

ir::Result<pid_t> SpawnSelf(const ChildOptions& options);
// Nothing while it runs.
std::optional<ChildExit> PollChild(pid_t pid);
// Waits up to `timeout_s`, then kills it (SIGKILL) and says so with signal 9.
ChildExit WaitChild(pid_t pid, double timeout_s);
void KillChild(pid_t pid);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_CHILD_PROCESS_H_
