// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Reductions, scans, sorts, row-wise ops and matrix products; and the choice among all ops.

#include <algorithm>
#include <array>

#include "harness/generate/composer.h"
#include "harness/generate/input_data.h"
#include "harness/generate/size_law.h"
#include "harness/generate/steering.h"

namespace faultline::harness {

using ir::Dtype;
using ir::kNoValue;
using ir::Opcode;
using ir::Shape;
using ir::Type;
using ir::ValueId;

ValueId Composer::Reduction(const ir::OpInfo& info, ValueId first) {
  const bool along = info.Takes(ir::AttributeKey::kDim);
  const ValueId operand = First(info, first, along ? 1 : 0);
  if (operand == kNoValue) return kNoValue;
  const Shape shape = builder_.TypeOf(operand).shape;
  ir::Attributes attributes;
  if (!DrawViewAttributes(choices_, info, shape, attributes)) return kNoValue;
  const auto last = static_cast<size_t>(info.result_count()) - 1;
  if (ir::IsIndexResult(info.op, last)) {
    return ApplyWithIndex(info.op, operand, attributes,
                          choices_.Percent(60) ? Dtype::kI64 : Dtype::kI32);
  }
  return Apply(info.op, {&operand, 1}, attributes);
}

ValueId Composer::Matmul(const ir::OpInfo& info, ValueId first) {
  const ValueId left = First(info, first, 2);
  if (left == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(left);
  const int rank = type.shape.rank();
  const int64_t k = type.shape[rank - 1];
  // n so that m*n*k stays near what an operation should cost.
  const int64_t budget = std::max<int64_t>(4, 4 * Aim());
  const int64_t n_max = std::max<int64_t>(1, budget / std::max<int64_t>(1, type.NumElements()));
  Shape right;
  for (int axis = 0; axis < rank - 2; ++axis) {
    // Batch axes agree, are broadcast, or are left out.
    right.PushBack(choices_.Percent(25) ? 1 : type.shape[axis]);
  }
  while (right.rank() > 0 && choices_.Percent(20)) right.Erase(0);
  right.PushBack(k);
  right.PushBack(choices_.OneIn(8) ? 1 : DrawExtent(choices_, swarm_, n_max));
  ValueId other = kNoValue;
  if (choices_.Percent(swarm_.same_percent)) {
    // The same tensor twice, transposed where it has to be.
    other = left;
    if (type.shape[rank - 2] != k || choices_.Percent(50)) {
      ir::Attributes attributes;
      attributes.Set(ir::AttributeKey::kDims, std::vector<int64_t>{rank - 2, rank - 1});
      other = Apply(Opcode::kSwapDims, {&left, 1}, attributes);
    }
  } else {
    other = Exactly(Type(type.element, right));
    if (choices_.Percent(25) && other != kNoValue &&
        k == builder_.TypeOf(other).shape[right.rank() - 1]) {
      // A transposed right operand, stored as [n, k].
      ir::Attributes attributes;
      attributes.Set(ir::AttributeKey::kDims,
                     std::vector<int64_t>{right.rank() - 2, right.rank() - 1});
      const ValueId transposed = Apply(Opcode::kSwapDims, {&other, 1}, attributes);
      if (transposed != kNoValue) other = transposed;
    }
  }
  if (other == kNoValue) return kNoValue;
  const std::array<ValueId, 2> operands = {left, other};
  return Apply(info.op, operands);
}

// Mostly of scales that belong to whole dots, so that codes are multiplied; else decoded.
ValueId Composer::QMatmul(ValueId first) {
  const ValueId left = First(ir::InfoOf(Opcode::kQMatmul), first, 2);
  if (left == kNoValue) return kNoValue;
  const Type type = builder_.TypeOf(left);
  const int rank = type.shape.rank();
  const int64_t budget = std::max<int64_t>(4, 4 * Aim());
  const int64_t n_max = std::max<int64_t>(1, budget / std::max<int64_t>(1, type.NumElements()));
  Shape right;
  for (int axis = 0; axis < rank - 2; ++axis) {
    right.PushBack(choices_.Percent(25) ? 1 : type.shape[axis]);
  }
  while (right.rank() > 0 && choices_.Percent(20)) right.Erase(0);
  right.PushBack(type.shape[rank - 1]);
  right.PushBack(choices_.OneIn(8) ? 1 : DrawExtent(choices_, swarm_, n_max));
  ir::ElementType element(DrawScheme(choices_, right));
  if (type.quantized() && choices_.OneIn(4)) {
    element = choices_.Pick({Dtype::kF32, Dtype::kF16, Dtype::kBf16});
  } else if (choices_.Percent(50)) {
    // One scale for the tensor, or one a column.
    ir::Scheme& scheme = element.scheme;
    scheme.block_rank = 0;
    scheme.block = {};
    scheme.two_level = false;
    if (choices_.Percent(50) && right[right.rank() - 2] > 1) {
      scheme.block_rank = 2;
      scheme.block = {static_cast<int32_t>(right[right.rank() - 2]), 1};
    }
  }
  const ValueId other = Exactly(Type(element, right));
  if (other == kNoValue) return kNoValue;
  const std::array<ValueId, 2> operands = {left, other};
  return Apply(Opcode::kQMatmul, operands);
}

ValueId Composer::AddOperation(Opcode op, ValueId first) {
  const ir::OpInfo& info = ir::InfoOf(op);
  const size_t mark = builder_.statements();
  ValueId result = kNoValue;
  switch (info.shape_rule) {
    case ir::ShapeRule::kSame:
      result = Unary(info, first);
      break;
    case ir::ShapeRule::kBroadcast:
      result = Broadcast(info, first);
      break;
    case ir::ShapeRule::kDeclared:
      result = Creation(info);
      break;
    case ir::ShapeRule::kReshape:
    case ir::ShapeRule::kPermute:
    case ir::ShapeRule::kSwapDims:
    case ir::ShapeRule::kExpand:
    case ir::ShapeRule::kSlice:
    case ir::ShapeRule::kRepeatDim:
    case ir::ShapeRule::kUnfold:
    case ir::ShapeRule::kSplit:
    case ir::ShapeRule::kMatrices:
    case ir::ShapeRule::kNarrow:
    case ir::ShapeRule::kDiagonal:
      result = View(info, first);
      break;
    case ir::ShapeRule::kCat:
      result = Cat(info, first);
      break;
    case ir::ShapeRule::kSelect:
    case ir::ShapeRule::kGather:
    case ir::ShapeRule::kGatherNd:
    case ir::ShapeRule::kScatter:
    case ir::ShapeRule::kSelectAssign:
    case ir::ShapeRule::kScatterNd:
      result = Indexed(info, first);
      break;
    case ir::ShapeRule::kSliceAssign:
      result = SliceAssign(info, first);
      break;
    case ir::ShapeRule::kReduceAll:
    case ir::ShapeRule::kReduceDim:
    case ir::ShapeRule::kArgReduce:
    case ir::ShapeRule::kAlongDim:
    case ir::ShapeRule::kTopk:
      result = Reduction(info, first);
      break;
    case ir::ShapeRule::kMatmul:
      result = op == Opcode::kQMatmul ? QMatmul(first) : Matmul(info, first);
      break;
    case ir::ShapeRule::kStack:
      result = Stack(info, first);
      break;
    case ir::ShapeRule::kMeshgrid:
      result = Meshgrid(info, first);
      break;
    case ir::ShapeRule::kOneHot:
      result = OneHot(info, first);
      break;
    case ir::ShapeRule::kCross:
      result = Cross(info, first);
      break;
    case ir::ShapeRule::kEmbedding:
      result = Embedding(info, first);
      break;
    case ir::ShapeRule::kLinear:
      result = Linear(info, first);
      break;
    case ir::ShapeRule::kNormalizeRows:
    case ir::ShapeRule::kNormalizeChannels:
      result = Normalize(info, first);
      break;
  }
  if (result == kNoValue) builder_.Rewind(mark);
  return result;
}

bool Composer::AddOperation() {
  for (int attempt = 0; attempt < 6; ++attempt) {
    if (builder_.full() || builder_.work_left() <= 0) return false;
    const size_t mark = builder_.statements();
    MaybeSwitchStream();
    const auto op = static_cast<Opcode>(choices_.Weighted(swarm_.ops));
    const ValueId result = AddOperation(op);
    if (result != kNoValue && (steering_ == nullptr || steering_->Accepts(result, choices_))) {
      return true;
    }
    builder_.Rewind(mark);
    if (steering_ != nullptr) steering_->Rewind(mark);
  }
  return false;
}

bool Composer::AddLink() {
  if (builder_.live().empty()) return AddOperation();
  const ValueId latest = builder_.live().back();
  const auto follows = [&](Opcode op) {
    return !ir::HasTrait(op, ir::kCreation) &&
           ir::IsIn(builder_.TypeOf(latest).dtype(), ir::OperandDtypes(op)) &&
           (ir::IsElementwise(op) || choices_.Percent(swarm_.break_percent));
  };
  for (int attempt = 0; attempt < 4; ++attempt) {
    // Few ops take a bool: it may take a while to meet one.
    Opcode op = Opcode::kReshape;
    int draws = 0;
    do {
      op = static_cast<Opcode>(choices_.Below(ir::kOpcodeCount));
    } while (!follows(op) && ++draws < 64);
    const size_t mark = builder_.statements();
    const ValueId result = AddOperation(op, latest);
    if (result != kNoValue && (steering_ == nullptr || steering_->Accepts(result, choices_))) {
      return true;
    }
    builder_.Rewind(mark);
    if (steering_ != nullptr) steering_->Rewind(mark);
  }
  return AddOperation();
}

}  // namespace faultline::harness
