// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One fault shows itself in many programs, with many ops and dtypes, and so under many signatures.
// What all of them have in common says what they are one of.

#ifndef HARNESS_CAMPAIGN_CAUSES_H_
#define HARNESS_CAMPAIGN_CAUSES_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "reports/finding.h"

namespace faultline::harness {

// Traits of a reduced finding, sorted: verdict and aspect, ops with their kinds, dtypes and their
// classes, schemes, attributes, layouts of inputs, odd shapes and operands, conditions of the
// run, rules and kinds of guilty decisions. Empty for one that was not reduced.
std::vector<std::string> TraitsOf(const reports::Finding& finding);

// By finding: the signature of the group that it belongs to; its own where it is alone or was not
// reduced. Greedy: the trait that most findings share beyond what programs have anyway makes a
// group, named by the traits that all of the group have; then the rest. A group needs five
// findings and a trait that tells something: what half of all programs have does not. A record that
// stands for a group already joins one whose traits it has, so that the groups of several campaigns
// become one.
std::vector<std::string> CauseSignatures(std::span<const reports::Finding> findings);

// One finding a cause, with the number folded into it: the best example of it (confirmed, reduced,
// small) first. What was not reduced goes with its key. `uncounted` adds findings of which there is
// no record, by key.
std::vector<reports::Finding> FoldFindings(std::vector<reports::Finding> findings,
                                           const std::map<std::string, uint64_t>& uncounted = {});

}  // namespace faultline::harness

#endif  // HARNESS_CAMPAIGN_CAUSES_H_
