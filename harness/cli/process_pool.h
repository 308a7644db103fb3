// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Runs items in forked children, several at a time, so that an item that crashes or hangs costs
// that item alone. Knows nothing of programs or verdicts.

#ifndef HARNESS_CLI_PROCESS_POOL_H_
#define HARNESS_CLI_PROCESS_POOL_H_

#include <cstdint>
#include <functional>
#include <string>

namespace faultline::harness {

struct ItemResult {
  enum class End : uint8_t { kAnswered, kDied, kTimedOut };
  End end = End::kAnswered;
  std::string answer;  // kAnswered
  int signal = 0;      // kDied: what ended the child; 0: it ended itself,
  int exit_code = 0;   // with this
  std::string report;  // kDied, kTimedOut: the end of what the child left on stderr
};

struct PoolOptions {
  int workers = 1;
  double timeout_s = 60;  // of one item
  // Items a child takes before it is replaced: one after the other, in order.
  int items_per_child = 16;
};

// Calls `work(i)` in a child for each i in [0, items), and `done(i, result)` here, in any order.
// `work` returns one line of text without a newline. Ends early, with the children killed, once
// `stopped` returns true. Requires that the calling process has no other threads.
void RunInChildren(int items, const PoolOptions& options,
                   const std::function<std::string(int)>& work,
                   const std::function<void(int, const ItemResult&)>& done,
                   const std::function<bool()>& stopped);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_PROCESS_POOL_H_
