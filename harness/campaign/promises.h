// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// What the generator promises to reach, as names of statistics: a test holds the generator to every
// one of them, and `faultline coverage` says which of them a campaign has met.

#ifndef HARNESS_CAMPAIGN_PROMISES_H_
#define HARNESS_CAMPAIGN_PROMISES_H_

#include <string>
#include <string_view>
#include <vector>

namespace faultline::harness {

struct Promises {
  std::string_view group;          // "lifetimes"
  std::vector<std::string> names;  // each to be greater than zero
};

// Op x dtype is not among them: which there are depends on the backend (SupportedOpDtypes).
const std::vector<Promises>& GeneratorPromises();

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_PROMISES_H_
