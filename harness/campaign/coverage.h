// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What programs have reached and what they never have, by group: ops and dtypes, rules and their
// outcomes, scheme uses, the generator's promises, features. From statistics alone.

#ifndef HARNESS_CAMPAIGN_COVERAGE_H_
#define HARNESS_CAMPAIGN_COVERAGE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/backend/backend.h"
#include "harness/backend/observation.h"
#include "harness/campaign/features.h"
#include "harness/campaign/statistics.h"

namespace faultline::harness {

struct CoverageGroup {
  std::string name;
  size_t reached = 0;
  size_t of = 0;
  bool all_can_be = true;          // false: `of` is what there are counters for
  std::vector<std::string> never;  // names, in the order of their table
};

// Requires statistics of programs made for the backend.
std::vector<CoverageGroup> CoverageOf(const Statistics& statistics, const Backend& backend);

// Adds "feature.NAME" for every counter that is not zero.
void AddFeatures(std::span<const uint8_t> counters, Statistics& statistics);

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_COVERAGE_H_
