// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// An operation with several results is recorded as that many operations with one result each, side
// by side. The planner sees no other kind, and knows which of them stand together.

#ifndef FUSION_STREAM_PARTS_H_
#define FUSION_STREAM_PARTS_H_

#include <cstddef>

#include "ir/op.h"

namespace faultline::fusion {

// The op that gives result `result` of `op` alone, from the same operands and attributes.
ir::Opcode PartOf(ir::Opcode op, size_t result);

}  // namespace faultline::fusion

#endif  // FUSION_STREAM_PARTS_H_
