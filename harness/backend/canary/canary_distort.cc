// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/backend/canary/canary_distort.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/element.h"

namespace faultline::harness {
namespace {

using ir::Dtype;
using ir::HostTensor;
using ir::Opcode;

uint64_t Get(const HostTensor& tensor, int64_t i) {
  const Dtype dtype = tensor.type.dtype();
  return ir::LoadElement(dtype, tensor.bytes.data() + i * ir::ByteSize(dtype));
}

void Put(HostTensor& tensor, int64_t i, uint64_t bits) {
  const Dtype dtype = tensor.type.dtype();
  ir::StoreElement(dtype, bits, tensor.bytes.data() + i * ir::ByteSize(dtype));
}

bool DropTail(HostTensor& result) {
  constexpr int64_t kLanes = 4;
  const int64_t count = result.type.NumElements();
  if (count <= 2 * kLanes) return false;
  for (int64_t i = count / kLanes * kLanes; i < count; ++i) Put(result, i, 0);
  return count % kLanes != 0;
}

bool DropNan(HostTensor& result) {
  if (!ir::IsFloat(result.type.dtype())) return false;
  bool changed = false;
  for (int64_t i = 0; i < result.type.NumElements(); ++i) {
    if (!ir::IsNan(result.type.dtype(), Get(result, i))) continue;
    Put(result, i, 0);
    changed = true;
  }
  return changed;
}

bool DropZeroSign(HostTensor& result) {
  const Dtype dtype = result.type.dtype();
  if (!ir::IsFloat(dtype)) return false;
  bool changed = false;
  for (int64_t i = 0; i < result.type.NumElements(); ++i) {
    const uint64_t bits = Get(result, i);
    if (bits == 0 || ir::ToDouble(dtype, bits) != 0) continue;
    Put(result, i, 0);
    changed = true;
  }
  return changed;
}

bool TruncateBf16(const HostTensor& operand, HostTensor& result) {
  if (operand.type.dtype() != Dtype::kF32 || result.type.dtype() != Dtype::kBf16) return false;
  for (int64_t i = 0; i < result.type.NumElements(); ++i) Put(result, i, Get(operand, i) >> 16);
  return true;
}

bool FloorDivision(std::span<const HostTensor> operands, HostTensor& result) {
  const Dtype dtype = result.type.dtype();
  if (operands.size() != 2 || !ir::IsSigned(dtype)) return false;
  if (operands[0].type != result.type || operands[1].type != result.type) return false;
  bool changed = false;
  for (int64_t i = 0; i < result.type.NumElements(); ++i) {
    const int64_t a = ir::ToInt(dtype, Get(operands[0], i));
    const int64_t b = ir::ToInt(dtype, Get(operands[1], i));
    if (b == 0 || b == -1 || a % b == 0 || (a < 0) == (b < 0)) continue;
    Put(result, i, ir::FromInt(dtype, a / b - 1));
    changed = true;
  }
  return changed;
}

// The sum without its last term, where there are two or more: subtracts it again from the result of
// a whole sum.
bool ForgetLastTerm(Opcode op, std::span<const HostTensor> operands, HostTensor& result) {
  const HostTensor& operand = operands[0];
  const int64_t count = operand.type.NumElements();
  const int64_t sums = result.type.NumElements();
  if (sums == 0 || count / sums < 2) return false;
  const Dtype dtype = result.type.dtype();
  // In sum_dim the last element of the operand belongs to the last of the sums.
  const int64_t at = op == Opcode::kSum ? 0 : sums - 1;
  const uint64_t term = Get(operand, count - 1);
  const uint64_t total = Get(result, at);
  const uint64_t bits =
      ir::IsFloat(dtype)
          ? ir::FromDouble(dtype, ir::ToDouble(dtype, total) - ir::ToDouble(dtype, term))
          : ir::FromInt(dtype, static_cast<int64_t>(total - term));
  Put(result, at, bits);
  return bits != total;
}

bool NudgeCode(HostTensor& result) {
  if (!result.type.quantized() || !ir::IsIntegerCode(result.type.scheme().value)) return false;
  ir::QuantizedParts parts = ir::DecodeQuantized(result);
  if (parts.codes.empty()) return false;
  int32_t& code = parts.codes.back();
  code += code < ir::CodeMax(result.type.scheme().value) ? 1 : -1;
  result = ir::EncodeQuantized(result.type, parts);
  return true;
}

bool NudgeScale(HostTensor& result) {
  if (!result.type.quantized()) return false;
  ir::QuantizedParts parts = ir::DecodeQuantized(result);
  if (parts.scales.empty()) return false;
  ++parts.scales.back();
  result = ir::EncodeQuantized(result.type, parts);
  return true;
}

bool DropExtentOne(std::span<HostTensor> tensors) {
  bool changed = false;
  for (HostTensor& tensor : tensors) {
    ir::Shape& shape = tensor.type.shape;
    if (tensor.type.quantized() || shape.rank() < 2 || shape[0] != 1) continue;
    shape.Erase(0);
    changed = true;
  }
  return changed;
}

bool FlipLastBits(const std::vector<bool>& again, std::span<HostTensor> tensors) {
  bool changed = false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    HostTensor& tensor = tensors[i];
    if (!again[i] || !ir::IsFloat(tensor.type.dtype()) || tensor.type.NumElements() == 0) continue;
    Put(tensor, 0, Get(tensor, 0) ^ 1);
    changed = true;
  }
  return changed;
}

bool IsExtremum(Opcode op) {
  return op == Opcode::kMinimum || op == Opcode::kMaximum || op == Opcode::kClamp ||
         op == Opcode::kClampMax || op == Opcode::kClampMin || op == Opcode::kRelu;
}

}  // namespace

bool DistortResult(CanaryFault fault, Opcode op, std::span<const HostTensor> operands,
                   HostTensor& result) {
  const bool quantized = result.type.quantized();
  switch (fault) {
    case CanaryFault::k_bf16_truncated:
      return op == Opcode::kCast && TruncateBf16(operands[0], result);
    case CanaryFault::k_code_off_by_one:
      return op == Opcode::kQuantize && NudgeCode(result);
    case CanaryFault::k_flip_ignored:
      if (op != Opcode::kFlip || result.bytes == operands[0].bytes) return false;
      result.bytes = operands[0].bytes;
      return true;
    case CanaryFault::k_int_division_floors:
      return op == Opcode::kDiv && FloorDivision(operands, result);
    case CanaryFault::k_nan_dropped:
      return IsExtremum(op) && !quantized && DropNan(result);
    case CanaryFault::k_scale_off_by_one:
      return op == Opcode::kQuantize && NudgeScale(result);
    case CanaryFault::k_sum_misses_last:
      return (op == Opcode::kSum || op == Opcode::kSumDim) && ForgetLastTerm(op, operands, result);
    case CanaryFault::k_tail_dropped:
      return ir::IsElementwise(op) && !quantized && DropTail(result);
    case CanaryFault::k_zero_sign_lost:
      return (op == Opcode::kNeg || op == Opcode::kMul) && DropZeroSign(result);
    case CanaryFault::k_broadcast_axis_wrong:
    case CanaryFault::k_extent_one_dropped:
    case CanaryFault::k_handle_leaked:
    case CanaryFault::k_index_unchecked:
    case CanaryFault::k_quantized_read_aborts:
    case CanaryFault::k_reads_swapped:
    case CanaryFault::k_reread_differs:
    case CanaryFault::k_stale_scalars:
    case CanaryFault::k_swapped_operands:
    case CanaryFault::k_sync_hangs:
    case CanaryFault::k_unsupported_late:
      return false;
  }
  return false;
}

bool DistortRead(CanaryFault fault, const std::vector<bool>& again, std::span<HostTensor> tensors) {
  if (fault == CanaryFault::k_extent_one_dropped) return DropExtentOne(tensors);
  if (fault == CanaryFault::k_reread_differs) return FlipLastBits(again, tensors);
  if (fault == CanaryFault::k_reads_swapped && tensors.size() >= 3) {
    std::swap(tensors[tensors.size() - 1], tensors[tensors.size() - 2]);
    return true;
  }
  return false;
}

}  // namespace faultline::harness
