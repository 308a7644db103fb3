// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Composites as primitives, which is how they are recorded: planner, rules and targets know
// primitives alone, and a composite fuses as they do.

#ifndef FUSION_COMPOSITES_EXPANSION_H_
#define FUSION_COMPOSITES_EXPANSION_H_

#include <cstdint>
#include <span>
#include <vector>

#include "ir/attributes.h"
#include "ir/element.h"
#include "ir/op.h"
#include "ir/type.h"

namespace faultline::fusion {

// An application as the client made it. Types are those that inference gave.
struct CompositeCall {
  ir::Opcode op;
  std::span<const ir::Type> operands;
  std::span<const ir::Scalar> scalars;
  const ir::Attributes& attributes;
  // One result; which of several it is.
  const ir::Type& result;
  size_t part = 0;
};

// Operands name values: first those of the composite, then the results of the ops, in order.
struct PrimitiveOp {
  ir::Opcode op = ir::Opcode::kReshape;
  std::vector<uint32_t> operands;
  std::vector<ir::Scalar> scalars;
  ir::Attributes attributes;
  ir::Type result;
};

// Never empty; the last op gives the composite's result.
using Expansion = std::vector<PrimitiveOp>;

// Whether the op is recorded as others. Primitives are not, nor are composites of one element,
// which are lowered by themselves (lower/elementwise.cc).
bool IsExpanded(ir::Opcode op);
// Requires IsExpanded.
Expansion Expand(const CompositeCall& call);

}  // namespace faultline::fusion

#endif  // FUSION_COMPOSITES_EXPANSION_H_
