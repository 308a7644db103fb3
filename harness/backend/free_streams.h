// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Streams as several clients have them: each on a thread of its own, ordered among each other by
// data alone. What a program reads must not depend on how the threads take turns.

#ifndef HARNESS_BACKEND_FREE_STREAMS_H_
#define HARNESS_BACKEND_FREE_STREAMS_H_

#include <functional>
#include <vector>

#include "ir/program.h"

namespace faultline::harness {

// Which statements a client of each stream issues, in program order, and what each has to wait for:
// the statement that makes an operand, and, if it drops a value, all that use it before.
struct StreamSchedule {
  std::vector<int> stream_of;             // by statement
  std::vector<std::vector<int>> clients;  // statements, by client; streams without any are left out
  std::vector<std::vector<int>> after;    // by statement
};
StreamSchedule ScheduleStreams(const ir::Program& program);

// Calls `execute` for every statement, one at a time (a session is one thread's at a time), from a
// thread a client; the order is the threads' within what the schedule demands. Returns it.
std::vector<int> ExecuteFreely(const StreamSchedule& schedule,
                               const std::function<void(int statement)>& execute);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_FREE_STREAMS_H_
