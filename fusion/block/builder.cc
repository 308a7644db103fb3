// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/block/builder.h"

#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "ir/base/check.h"

namespace faultline::fusion {
namespace {

// Register bits of a number: floats rounded, ints truncated and wrapped.
uint64_t BitsOf(Reg reg, double value) {
  switch (reg) {
    case Reg::kF32:
      return std::bit_cast<uint32_t>(static_cast<float>(value));
    case Reg::kF64:
      return std::bit_cast<uint64_t>(value);
    case Reg::kMask:
      return value != 0 ? 1 : 0;
    case Reg::kI32:
    case Reg::kU32:
      return static_cast<uint32_t>(static_cast<int64_t>(value));
    case Reg::kI64:
      return static_cast<uint64_t>(static_cast<int64_t>(value));
    case Reg::kU64:
      return static_cast<uint64_t>(value);
  }
  return 0;
}

}  // namespace

BlockBuilder::BlockBuilder(int loop_rank, bool has_row) {
  block_.loop_rank = loop_rank;
  block_.has_row = has_row;
  block_.accesses.reserve(kAccessesExpected);
  block_.instructions.reserve(2 * kAccessesExpected);
}

int BlockBuilder::AddAccess(Access access) {
  block_.accesses.push_back(std::move(access));
  return access_count() - 1;
}

int BlockBuilder::AddStrided(int slot, ir::ElementType storage, bool per_row) {
  Access access;
  access.slot = slot;
  access.storage = storage;
  access.per_row = per_row;
  return AddAccess(std::move(access));
}

int BlockBuilder::AddTable(int slot, ir::ElementType storage, bool per_row) {
  const int access = AddStrided(slot, storage, per_row);
  block_.accesses.back().map = MapKind::kTable;
  return access;
}

int BlockBuilder::AddPieces(std::vector<int> pieces, bool per_row) {
  FAULTLINE_CHECK(!pieces.empty(), "a joined access has pieces");
  Access access;
  access.storage = block_.accesses[static_cast<size_t>(pieces[0])].storage;
  access.map = MapKind::kPieces;
  access.per_row = per_row;
  access.pieces = std::move(pieces);
  return AddAccess(std::move(access));
}

int BlockBuilder::AddIndirect(int slot, ir::ElementType storage, int index_access, int source,
                              bool per_row) {
  const int access = AddStrided(slot, storage, per_row);
  block_.accesses.back().map = MapKind::kIndirect;
  block_.accesses.back().index = index_access;
  block_.accesses.back().source = source;
  return access;
}

void BlockBuilder::Begin(PhaseKind kind) {
  const int32_t at = static_cast<int32_t>(block_.instructions.size());
  block_.phases.push_back({kind, at, at});
}

Val BlockBuilder::Emit(Op op, Reg reg, std::array<ValueId, 3> args, uint64_t immediate) {
  FAULTLINE_CHECK(!block_.phases.empty(), "begin a phase first");
  const ValueId id = static_cast<ValueId>(block_.instructions.size());
  block_.instructions.push_back({op, reg, args, immediate, source_});
  block_.phases.back().end = id + 1;
  return {id, reg};
}

Val BlockBuilder::Load(int access) {
  const ir::ElementType& storage = block_.accesses[static_cast<size_t>(access)].storage;
  return Emit(Op::kLoad, RegOf(storage.dtype), {kNoValue, kNoValue, kNoValue},
              static_cast<uint64_t>(access));
}

void BlockBuilder::Store(int access, Val value) {
  Emit(Op::kStore, value.reg, {value.id, kNoValue, kNoValue}, static_cast<uint64_t>(access));
}

Val BlockBuilder::Parameter(Reg reg) {
  block_.parameters.push_back(reg);
  return ParameterAt(static_cast<int>(block_.parameters.size()) - 1);
}

Val BlockBuilder::ParameterAt(int slot) {
  return Emit(Op::kParameter, block_.parameters[static_cast<size_t>(slot)],
              {kNoValue, kNoValue, kNoValue}, static_cast<uint64_t>(slot));
}

Val BlockBuilder::Constant(Reg reg, uint64_t bits) {
  return Emit(Op::kConstant, reg, {kNoValue, kNoValue, kNoValue}, bits);
}

Val BlockBuilder::F32(float value) { return Constant(Reg::kF32, std::bit_cast<uint32_t>(value)); }
Val BlockBuilder::F64(double value) { return Constant(Reg::kF64, std::bit_cast<uint64_t>(value)); }
Val BlockBuilder::Number(Reg reg, double value) { return Constant(reg, BitsOf(reg, value)); }

Val BlockBuilder::Coordinate(int axis) {
  return Emit(Op::kCoordinate, Reg::kI64, {kNoValue, kNoValue, kNoValue},
              static_cast<uint64_t>(axis));
}

Val BlockBuilder::Unary(Op op, Val a) { return Emit(op, a.reg, {a.id, kNoValue, kNoValue}); }
Val BlockBuilder::Binary(Op op, Val a, Val b) { return Emit(op, a.reg, {a.id, b.id, kNoValue}); }

Val BlockBuilder::Shift(Op op, Val a, Val amount, int width) {
  return Emit(op, a.reg, {a.id, amount.id, kNoValue}, static_cast<uint64_t>(width));
}

Val BlockBuilder::Powi(Val a, Val n) { return Emit(Op::kPowi, a.reg, {a.id, n.id, kNoValue}); }

Val BlockBuilder::Compare(Op op, Val a, Val b) {
  return Emit(op, Reg::kMask, {a.id, b.id, kNoValue});
}

Val BlockBuilder::Select(Val mask, Val if_true, Val if_false) {
  return Emit(Op::kSelect, if_true.reg, {mask.id, if_true.id, if_false.id});
}

Val BlockBuilder::Convert(Val a, Reg to) {
  return a.reg == to ? a : Emit(Op::kConvert, to, {a.id, kNoValue, kNoValue});
}

// A conversion to int saturates at the register; what is left is the narrow dtype's own range.
Val BlockBuilder::Saturate(Val a, ir::Dtype to) {
  if (ir::ByteSize(to) >= 4) return a;
  if (ir::IsSigned(to)) a = Binary(Op::kMax, a, Number(a.reg, static_cast<double>(ir::IntMin(to))));
  return Binary(Op::kMin, a, Number(a.reg, static_cast<double>(ir::IntMax(to))));
}

Val BlockBuilder::Cast(Val a, ir::Dtype from, ir::Dtype to) {
  FAULTLINE_CHECK(a.reg == RegOf(from), "the value is not in the register of its dtype");
  const Reg target = RegOf(to);
  if (from == to) return a;
  if (to == ir::Dtype::kBool) return Convert(a, Reg::kMask);
  if (ir::IsFloat(from)) {
    if (!ir::IsFloat(to)) return Saturate(Convert(a, target), to);
    // Narrowing from f64 to a 16-bit dtype rounds in f64: once.
    return Convert(ToDtype(a, to), target);
  }
  if (from == ir::Dtype::kBool || !ir::IsFloat(to)) return ToDtype(Convert(a, target), to);
  if (to == ir::Dtype::kF64 || to == ir::Dtype::kF32) return Convert(a, target);
  const bool wide = ByteSize(a.reg) == 8;
  const Val exact =
      wide ? Emit(Op::kConvertOdd, Reg::kF64, {a.id, kNoValue, kNoValue}) : Convert(a, Reg::kF64);
  return Convert(ToDtype(exact, to), Reg::kF32);
}

Val BlockBuilder::ToDtype(Val a, ir::Dtype dtype) {
  switch (dtype) {
    case ir::Dtype::kF16:
      return Unary(Op::kRoundF16, a);
    case ir::Dtype::kBf16:
      return Unary(Op::kRoundBf16, a);
    case ir::Dtype::kI8:
    case ir::Dtype::kU8:
      return Unary(Op::kWrap8, a);
    case ir::Dtype::kI16:
    case ir::Dtype::kU16:
      return Unary(Op::kWrap16, a);
    default:
      return a;
  }
}

Val BlockBuilder::Reduce(Op op, Val a) {
  const Reg reg = FactsOf(op).op_class == OpClass::kArg ? Reg::kI64 : a.reg;
  return Emit(op, reg, {a.id, kNoValue, kNoValue});
}

Val BlockBuilder::Scan(Op op, Val a) { return Emit(op, a.reg, {a.id, kNoValue, kNoValue}); }

Block BlockBuilder::Finish() {
  const ir::Status status = VerifyBlock(block_);
  FAULTLINE_CHECK(status.ok(), (status.message() + "\n" + PrintBlock(block_)).c_str());
  return std::move(block_);
}

}  // namespace faultline::fusion
