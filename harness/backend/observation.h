// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What one run of a program gave: bytes read, statuses, what was alive at the end, and what the
// backend says it fused. Neutral words only: no type of any engine.

#ifndef HARNESS_BACKEND_OBSERVATION_H_
#define HARNESS_BACKEND_OBSERVATION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/status.h"
#include "ir/data.h"
#include "ir/op.h"

namespace faultline::harness {

struct LiveCounts {
  int64_t handles = 0;
  int64_t bytes = 0;
  bool operator==(const LiveCounts&) const = default;
};

// A launch and what went into it. Rule names and tiers live as long as the backend.
struct TracedBlock {
  std::vector<std::string_view> rules = {};  // in the order they fired
  std::vector<ir::Opcode> source_ops = {};   // ops of the program it computes, in order
  std::vector<std::string> values = {};  // names of the values they make, empty where there is none
  std::string_view tier = {};            // "block", "matmul", "copy", ...
};

struct TracedDecision {
  std::string name;  // "fuse(%a,%y)"
  int alternatives = 0;
  int choice = 0;
};

// (reason or name, how often); names live as long as the backend.
using Counts = std::vector<std::pair<std::string_view, int64_t>>;

struct PlanTrace {
  int64_t operations = 0;  // recorded
  std::vector<TracedBlock> blocks;
  std::vector<TracedDecision> decisions;
  Counts rules_fired;
  Counts cuts;  // why a producer and its consumer were not fused
  int64_t cache_hits = 0;
  int64_t cache_misses = 0;
  int64_t cache_evictions = 0;
  int64_t in_place = 0;     // results that took over an input's buffer
  Counts in_place_refused;  // by reason
  Counts launches;          // by tier
  int64_t bytes_read = 0;
  int64_t bytes_written = 0;
  int64_t bytes_least = 0;  // what any execution must move
  int64_t pool_high_water = 0;
  std::string environment;  // isa, matmul core, threads: one line
};

struct ReadObservation {
  int statement = -1;
  ir::Status status;
  std::vector<ir::HostTensor> tensors;  // in the order asked; empty if the read failed
};

struct StatementStatus {
  int statement = -1;
  ir::Status status;
};

struct Observation {
  // Opening the session failed: nothing below was run.
  ir::Status opened;
  std::vector<ReadObservation> reads;  // in program order
  // Every other call that failed: creates, applications, clones, drops, syncs.
  std::vector<StatementStatus> failures;
  // After everything was dropped.
  LiveCounts live;
  PlanTrace trace;
};

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_OBSERVATION_H_
