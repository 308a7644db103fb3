// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The same programs and the same faults under our oracle and under those of other harnesses: who
// raises false alarms, who finds what.

#ifndef HARNESS_ACCOUNT_POWER_H_
#define HARNESS_ACCOUNT_POWER_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/account/rivals.h"
#include "ir/base/status.h"

namespace faultline::harness {

// Ours, then the rivals.
inline constexpr size_t kOracleCount = kRivals.size() + 1;
inline constexpr size_t kOurs = 0;
std::string_view OracleName(size_t oracle);

// A backend run on the programs of a seed, beside the same backend without its fault.
struct PowerRun {
  std::string backend;
  std::string fault;  // empty: without one; the clean run is then the only one
};

struct PowerCounts {
  int64_t programs = 0;
  int64_t changed = 0;  // a byte, a status or what is alive at the end differs from the clean run
  std::array<int64_t, kOracleCount> clean_flagged = {};    // programs flagged without a fault
  std::array<int64_t, kOracleCount> changed_flagged = {};  // of the changed ones, flagged
  // Of these, not flagged without the fault: only they say something of the fault.
  std::array<int64_t, kOracleCount> found = {};
  bool died = false;  // a crash or a hang, which any harness notices
};

// Every run that a comparison consists of: the adversary, the backends without a fault, and one for
// each fault.
std::vector<PowerRun> PowerRuns();

ir::Result<PowerCounts> CountPower(const PowerRun& run, int64_t programs, uint64_t seed);

// One line of text, and back.
std::string PrintPowerCounts(const PowerCounts& counts);
PowerCounts ParsePowerCounts(std::string_view line);

}  // namespace faultline::harness

#endif  // HARNESS_ACCOUNT_POWER_H_
