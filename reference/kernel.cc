// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/kernel.h"

#include "ir/shape.h"

namespace faultline::reference {
namespace {

constexpr KernelEntry kKernels[] = {
#define FAULTLINE_OP(enumerator, ...) {&Run##enumerator, &Run##enumerator},
#include "ir/op_table.def"
#undef FAULTLINE_OP
};

bool Divides(ir::Opcode op) {
  return op == ir::Opcode::kDiv || op == ir::Opcode::kDivScalar || op == ir::Opcode::kRecip;
}

}  // namespace

const KernelEntry& KernelOf(ir::Opcode op) { return kKernels[static_cast<size_t>(op)]; }

BroadcastMap::BroadcastMap(const ir::Shape& operand, const ir::Shape& result) {
  if (operand == result) {
    mode_ = Mode::kSame;
    return;
  }
  if (operand.NumElements() == 1) {
    mode_ = Mode::kOne;
    return;
  }
  mode_ = Mode::kTable;
  const int64_t n = result.NumElements();
  table_.reserve(static_cast<size_t>(n));
  if (n == 0) return;
  const auto strides = operand.RowMajorStrides();
  const int lead = result.rank() - operand.rank();
  // Row by row of the last axis, along which the operand lies dense or repeats one element.
  const int last = operand.rank() - 1;
  const int64_t step = last >= 0 && operand[last] != 1 ? 1 : 0;
  const int64_t row = last >= 0 ? result[last + lead] : 1;
  ir::Shape rows = result;
  if (last >= 0) rows[last + lead] = 1;
  int64_t index[ir::kRankMax] = {};
  do {
    int64_t at = 0;
    for (int axis = 0; axis < last; ++axis) {
      if (operand[axis] != 1) at += index[axis + lead] * strides[static_cast<size_t>(axis)];
    }
    for (int64_t i = 0; i < row; ++i, at += step) table_.push_back(at);
  } while (ir::NextIndex(rows, index));
}

bool ExactOnPoints(ir::Opcode op, const ir::Attributes& attributes, const Contract& contract,
                   ir::Dtype operand, ir::Dtype result) {
  const bool floats = ir::IsFloat(operand) || ir::IsFloat(result);
  if (ir::HasTrait(op, ir::kQuantizing)) {
    return attributes.Int(ir::AttributeKey::kRange) == static_cast<int64_t>(ir::Range::kMinMax) &&
           contract.quantize == QuantizeRounding::kHalfEven && contract.division_ulp == 0 &&
           !contract.reciprocal_scale && !contract.may_flush;
  }
  if (!floats) return true;
  switch (ir::InfoOf(op).accuracy) {
    case ir::AccuracyClass::kExact:
      return !FreesZero(op, result) || contract.nan_rule == NanRule::kPropagate;
    case ir::AccuracyClass::kRounded:
      if (contract.may_flush) return false;
      if (Divides(op)) return contract.division_ulp == 0;
      if (op == ir::Opcode::kSqrt) return contract.sqrt_ulp == 0;
      return ir::IsFloat(result) || contract.cast_rule == CastRule::kSaturate;
    case ir::AccuracyClass::kFunction:
    case ir::AccuracyClass::kFormula:
      return false;
    case ir::AccuracyClass::kAccumulate:
      return ir::HasTrait(op, ir::kScattering) &&
             attributes.Int(ir::AttributeKey::kUpdate) == static_cast<int64_t>(ir::Update::kAssign);
  }
  return false;
}

bool FreesZero(ir::Opcode op, ir::Dtype result) {
  if (!ir::IsFloat(result)) return false;
  switch (op) {
    case ir::Opcode::kClamp:
    case ir::Opcode::kClampMax:
    case ir::Opcode::kClampMin:
    case ir::Opcode::kCummax:
    case ir::Opcode::kCummin:
    case ir::Opcode::kMinimum:
    case ir::Opcode::kMaximum:
    case ir::Opcode::kMax:
    case ir::Opcode::kMaxAbs:
    case ir::Opcode::kMaxAbsDim:
    case ir::Opcode::kMaxDim:
    case ir::Opcode::kMaxDimWithIndices:
    case ir::Opcode::kMin:
    case ir::Opcode::kMinDim:
    case ir::Opcode::kMinDimWithIndices:
    case ir::Opcode::kRelu:
      return true;
    default:
      return false;
  }
}

}  // namespace faultline::reference
