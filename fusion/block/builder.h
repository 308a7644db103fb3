// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Builds blocks. Lowerings use this; a misuse (a wrong register type, say) is a broken invariant
// and aborts, because no user input can cause it.
//
//   BlockBuilder b(/*loop_rank=*/2);
//   b.BeginElementPhase();
//   Val x = b.Load(b.AddStrided(b.AddSlot(), Dtype::kF16));
//   Val y = b.ToDtype(b.Binary(Op::kAdd, x, b.F32(1)), Dtype::kF16);
//   b.Store(b.AddStrided(b.AddSlot(), Dtype::kF16), y);
//   Block block = b.Finish();

#ifndef FUSION_BLOCK_BUILDER_H_
#define FUSION_BLOCK_BUILDER_H_

#include <cstdint>
#include <vector>

#include "fusion/block/block.h"

namespace faultline::fusion {

// A value with its register, as the builder hands them out.
struct Val {
  ValueId id = kNoValue;
  Reg reg = Reg::kF32;
};

class BlockBuilder {
 public:
  // `has_row`: the last of the loop axes is the row axis.
  explicit BlockBuilder(int loop_rank, bool has_row = false);

  // Buffer slots, numbered from 0; the binding names a buffer for each.
  int AddSlot() { return block_.slot_count++; }
  // Accesses, numbered from 0 in the order added; the binding has one AccessBinding for each.
  int AddStrided(int slot, ir::ElementType storage, bool per_row = false);
  int AddTable(int slot, ir::ElementType storage, bool per_row = false);
  int AddPieces(std::vector<int> pieces, bool per_row = false);
  int AddIndirect(int slot, ir::ElementType storage, int index_access, int source,
                  bool per_row = false);

  // Phases; constants and parameters may be made in any of them, loads and the rest belong to the
  // one that is open.
  void BeginElementPhase() { Begin(PhaseKind::kElement); }
  void BeginRowPhase() { Begin(PhaseKind::kRow); }

  // Instructions made from now on come from this statement.
  void SetSource(int32_t statement) { source_ = statement; }

  Val Load(int access);
  void Store(int access, Val value);
  // A new parameter slot; the binding holds its bits (of the register, low ones).
  Val Parameter(Reg reg);
  // An existing parameter slot, again.
  Val ParameterAt(int slot);
  Val Constant(Reg reg, uint64_t bits);
  Val F32(float value);
  Val F64(double value);
  // The value in a register: exact for ints, rounded for floats, != 0 for masks.
  Val Number(Reg reg, double value);
  Val Coordinate(int axis);

  Val Unary(Op op, Val a);
  Val Binary(Op op, Val a, Val b);
  Val Shift(Op op, Val a, Val amount, int width);
  Val Powi(Val a, Val n);            // n: i64
  Val Compare(Op op, Val a, Val b);  // a mask
  Val Select(Val mask, Val if_true, Val if_false);
  Val Convert(Val a, Reg to);

  // The pinned cast between dtypes, of values as the registers hold them: one rounding from the
  // source value, saturation at the bounds of the *dtype*, and so on. `from`'s register must be
  // a.reg. kQuantized is no dtype here.
  Val Cast(Val a, ir::Dtype from, ir::Dtype to);
  // Rounds or wraps the result of an op to the narrow dtype it is a value of; other dtypes: a.
  Val ToDtype(Val a, ir::Dtype dtype);

  // Row values (element phases of blocks with a row axis only).
  Val Reduce(Op op, Val a);
  Val Scan(Op op, Val a);

  // Checks the block and hands it out.
  Block Finish();

  int slot_count() const { return block_.slot_count; }
  int access_count() const { return static_cast<int>(block_.accesses.size()); }

 private:
  void Begin(PhaseKind kind);
  Val Emit(Op op, Reg reg, std::array<ValueId, 3> args, uint64_t immediate = 0);
  int AddAccess(Access access);
  Val Saturate(Val a, ir::Dtype to);

  Block block_;
  int32_t source_ = -1;
};

}  // namespace faultline::fusion

#endif  // FUSION_BLOCK_BUILDER_H_
