// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// One op at a time to block instructions, with the pinned semantics. Composites expand here; what
// they compute is rounded once, at their output.

#ifndef FUSION_LOWER_ELEMENTWISE_H_
#define FUSION_LOWER_ELEMENTWISE_H_

#include <functional>
#include <span>

#include "fusion/block/builder.h"
#include "ir/dtype.h"
#include "ir/op.h"

namespace faultline::fusion {

struct OpLowering {
  BlockBuilder& block;
  ir::Opcode op;
  std::span<const Val> operands;
  ir::Dtype from;  // of the first operand; of the result if there is none
  ir::Dtype to;    // of the result
  // The i-th scalar of the op as a parameter in the register.
  const std::function<Val(int, Reg)>& scalar;
};

// The result in the register of its dtype, rounded or wrapped. Requires an elementwise op; the
// operand of dequantize is the decoded f32 value.
Val LowerElementwise(const OpLowering& in);

// A reduction: the instruction that folds an element, with what precedes it, and what turns the
// folded value into the result. `count`: the number of elements folded, as a parameter.
Val LowerFold(const OpLowering& in);
Val LowerFolded(const OpLowering& in, Val folded, const std::function<Val(Reg)>& count);

// A scan over the operand.
Val LowerScan(const OpLowering& in);

}  // namespace faultline::fusion

#endif  // FUSION_LOWER_ELEMENTWISE_H_
