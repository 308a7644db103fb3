// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The fused block: a small loop program that every target executes. Structure only; extents,
// strides, scalars and buffers are bound at launch (fusion/target.h), so a block can sit in a plan
// cache. Built with fusion/block/builder.h, checked by VerifyBlock, printed by PrintBlock.
//
// Iteration space. A block has `loop_rank` loop axes; their extents are bound at launch. If
// `has_row`, the last axis is the *row axis*: the one reduced, scanned or normalised along. The
// axes before it are the outer axes; one position of them is a *row*. An element is named by its
// row-major index in the space (`linear`), and a row by its row-major index in the outer axes.
//
// Phases run in order, for each row (for each element if there is no row axis):
//   element phase   its instructions for every element of the row, in row order where it matters
//   row phase       its instructions once a row (prologue or epilogue of reductions)
// Values. Constants and parameters are *uniform*; results of reductions and of anything in a row
// phase are *row values*; the rest are *element values*. Any later phase may use uniform and row
// values; an element phase may use element values of earlier element phases (the target keeps them
// in a row buffer; emit the loads again where reloading is cheaper). A row phase uses no element
// values.

#ifndef FUSION_BLOCK_BLOCK_H_
#define FUSION_BLOCK_BLOCK_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion/block/op.h"
#include "ir/base/status.h"
#include "ir/dtype.h"
#include "ir/type.h"

namespace faultline::fusion {

constexpr bool IsFloat(Reg reg) { return reg == Reg::kF32 || reg == Reg::kF64; }
constexpr bool IsSigned(Reg reg) { return reg == Reg::kI32 || reg == Reg::kI64; }
constexpr bool IsInt(Reg reg) { return reg >= Reg::kI32 && reg <= Reg::kU64; }
constexpr int ByteSize(Reg reg) {
  return reg == Reg::kMask ? 1 : reg == Reg::kF64 || reg == Reg::kI64 || reg == Reg::kU64 ? 8 : 4;
}
std::string_view RegName(Reg reg);
// The register that holds elements of a dtype; f32 for kQuantized (the dequantized value).
Reg RegOf(ir::Dtype dtype);

enum class OpClass : uint8_t {
  kLeaf,     // load, parameter, constant, coordinate: no arguments
  kStore,    // one argument, no result
  kUnary,    // (T) -> T
  kBinary,   // (T, T) -> T
  kPower,    // (T, i64) -> T
  kCompare,  // (T, T) -> mask
  kSelect,   // (mask, T, T) -> T
  kConvert,  // (any) -> T
  kReduce,   // (T) -> T, a row value
  kArg,      // (T) -> i64, a row value: index along the row axis
  kScan,     // (T) -> T, an element value that depends on the elements before it in the row
};

// Sets of register types, as one bit each.
using RegMask = uint8_t;
constexpr RegMask MaskOf(Reg reg) { return static_cast<RegMask>(1u << static_cast<unsigned>(reg)); }
inline constexpr RegMask kFloatRegs = 0x03;
inline constexpr RegMask kIntRegs = 0x3c;
inline constexpr RegMask kNumberRegs = 0x3f;
inline constexpr RegMask kMaskReg = 0x40;
inline constexpr RegMask kAllRegs = 0x7f;

struct OpFacts {
  std::string_view name;
  OpClass op_class;
  int arity;
  RegMask regs;  // of the arguments (kSelect: the second and third)
};
const OpFacts& FactsOf(Op op);

// Index of the defining instruction in Block::instructions.
using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;

struct Instruction {
  Op op = Op::kConstant;
  Reg reg = Reg::kF32;  // of the result; of the argument for kStore
  std::array<ValueId, 3> args = {kNoValue, kNoValue, kNoValue};
  // kLoad, kStore: access; kParameter: slot; kConstant: bits of the register (low ones);
  // kCoordinate: loop axis; shifts: width of the dtype in bits (8, 16, 32, 64).
  uint64_t immediate = 0;
  int32_t source = -1;  // statement the instruction comes from, for the trace
  bool operator==(const Instruction&) const = default;
};

// How an access finds its element. The numbers are bound at launch (AccessBinding).
enum class MapKind : uint8_t {
  kStrided,   // mixed radix over `linear`; affine, broadcast and contiguous are cases of it
  kTable,     // offset + table[linear]: the fallback that always works
  kPieces,    // along one axis, each part reads through another access (cat)
  kIndirect,  // strided + index * stride, the index read through another access (select, gather)
};

// One way into one buffer. A load and a store never share an access. `per_row`: the map is over
// the outer axes alone; required of (and only allowed for) accesses used in row phases.
struct Access {
  int slot = 0;             // buffer slot of the binding; unused for kPieces
  ir::ElementType storage;  // as it lies in memory. Quantized: read only; the buffer is laid out as
                            // ir::LayoutOf says and the map gives row-major *logical* elements
  MapKind map = MapKind::kStrided;
  bool per_row = false;
  std::vector<int> pieces;  // kPieces: accesses of the parts, none of them kPieces
  int index = -1;           // kIndirect: access with storage i32 or i64, kStrided or kTable
  int32_t source = -1;      // kIndirect: statement that an out-of-range index is reported for
  bool operator==(const Access&) const = default;
};

enum class PhaseKind : uint8_t { kElement, kRow };

struct Phase {
  PhaseKind kind = PhaseKind::kElement;
  int32_t begin = 0;  // instructions [begin, end)
  int32_t end = 0;
  bool operator==(const Phase&) const = default;
};

// What most launches have at most: two or three operands and a result.
inline constexpr size_t kAccessesExpected = 4;

struct Block {
  int loop_rank = 1;  // 0 is one element
  bool has_row = false;
  int slot_count = 0;
  std::vector<Reg> parameters;  // register of each parameter slot
  std::vector<Access> accesses;
  std::vector<Instruction> instructions;
  std::vector<Phase> phases;
  bool operator==(const Block&) const = default;

  // Axes whose product counts the elements of a phase's space; loop_rank or one less.
  int outer_rank() const { return has_row ? loop_rank - 1 : loop_rank; }
};

// Where a value may be used.
enum class Scope : uint8_t { kUniform, kRow, kElement };
// Scope of every instruction's result.
std::vector<Scope> ScopesOf(const Block& block);

// Whether the block is well formed: types, scopes, phases, accesses. Targets rely on it.
ir::Status VerifyBlock(const Block& block);

// One line an instruction, stable, for tests and traces.
std::string PrintBlock(const Block& block);
// A line of it: "%4 = add f32 %2 %3".
std::string PrintInstruction(const Block& block, ValueId id);

}  // namespace faultline::fusion

#endif  // FUSION_BLOCK_BLOCK_H_
