// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// How the canary's faults distort host tensors. Each returns whether it changed anything.

#ifndef HARNESS_BACKEND_CANARY_CANARY_DISTORT_H_
#define HARNESS_BACKEND_CANARY_CANARY_DISTORT_H_

#include <span>
#include <vector>

#include "harness/backend/canary/canary_backend.h"
#include "ir/data.h"
#include "ir/op.h"

namespace faultline::harness {

// Distorts a result of op(operands) as the fault demands; other faults leave it alone. `operands`
// are the plain values that went in.
bool DistortResult(CanaryFault fault, ir::Opcode op, std::span<const ir::HostTensor> operands,
                   ir::HostTensor& result);

// Distorts what a transaction returns. `again`: which of them were read before.
bool DistortRead(CanaryFault fault, const std::vector<bool>& again,
                 std::span<ir::HostTensor> tensors);

}  // namespace faultline::harness

#endif  // HARNESS_BACKEND_CANARY_CANARY_DISTORT_H_
