// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Segments of a program: runs of applications between reads and syncs, which is what a planner
// sees. Whether one comes again, and with what difference, is what plan reuse is about.

#ifndef HARNESS_CAMPAIGN_COUNT_SEGMENTS_H_
#define HARNESS_CAMPAIGN_COUNT_SEGMENTS_H_

#include <cstdint>

#include "harness/campaign/statistics.h"
#include "ir/program.h"

namespace faultline::harness {

void CountPlanReuse(const ir::Program& program, Statistics& statistics);

// The most elementwise applications in a row, each of the result of the one before.
uint64_t LongestChain(const ir::Program& program);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_COUNT_SEGMENTS_H_
