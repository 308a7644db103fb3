// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// A program as a graph in DOT, with the launches of a plan as boxes around what they compute.

#ifndef HARNESS_CLI_GRAPH_H_
#define HARNESS_CLI_GRAPH_H_

#include <string>

#include "harness/backend/observation.h"
#include "ir/program.h"

namespace faultline::harness {

std::string PrintGraph(const ir::Program& program, const PlanTrace& trace);

}  // namespace faultline::harness

#endif  // HARNESS_CLI_GRAPH_H_
