// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a launch may write its result over one of its operands.

#ifndef FUSION_PLAN_IN_PLACE_H_
#define FUSION_PLAN_IN_PLACE_H_

#include "fusion/plan/chooser.h"
#include "fusion/plan/graph.h"
#include "fusion/plan/plan.h"

namespace faultline::fusion {

// Fills the steps' aliases, and why others were refused. The steps are in the order in which they
// run.
//
// Operand x's buffer may become result y's iff
// - x is dropped in this segment and nothing outside it holds x or part of its buffer,
// - no later launch reads x,
// - the launch reads x only at the index at which it writes y, and every instruction that takes x
//   comes before the store of y (or it copies x whole, to write into the copy),
// - x has y's shape and element size and lies dense.
void GrantInPlace(const Graph& graph, Chooser& chooser, Plan& plan);

// Fills the steps' releases: values that are not needed after a step and do not survive.
void ScheduleReleases(Plan& plan);

}  // namespace faultline::fusion

#endif  // FUSION_PLAN_IN_PLACE_H_
