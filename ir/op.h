// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Opcodes and the facts of their rows in ir/op_table.def. Ask the row or a trait; never list ops.

#ifndef IR_OP_H_
#define IR_OP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/dtype.h"

namespace faultline::ir {

enum class Opcode : uint8_t {
#define FAULTLINE_OP(enumerator, ...) k##enumerator,
#include "ir/op_table.def"
#undef FAULTLINE_OP
};

inline constexpr int kOpcodeCount = 0
#define FAULTLINE_OP(...) +1
#include "ir/op_table.def"
#undef FAULTLINE_OP
    ;

enum class OpFamily : uint8_t { kBase, kNumeric, kFloat, kInt, kBool, kActivation, kModule };

// A composite has a direct reference kernel; an engine may lower it to primitives.
enum class OpForm : uint8_t { kPrimitive, kComposite };

inline constexpr int kVariadic = -1;  // one or more operands of one type rule

// The arity column: a number of operands, kVariadic, or operands of which the last may be left out.
struct Arity {
  int required;
  int optional = 0;
  constexpr Arity(int count) : required(count) {}  // NOLINT(google-explicit-constructor): a column
  static constexpr Arity Between(int least, int most) {
    Arity arity(least);
    arity.optional = most - least;
    return arity;
  }
};

// Which dtypes operands and results have, hence how many results. T is one dtype of the row's mask.
enum class DtypeRule : uint8_t {
  kSame,        // all operands T, result T (a quantized T keeps or permutes its scheme)
  kSameParts,   // all operands T, results T, as many as the shape rule says
  kCompare,     // all operands T, result bool
  kIndexed,     // T, index {, T}; result T
  kMasked,      // T, bool {, T}; result T
  kExponent,    // T, i32 or i64; result T
  kIndex,       // T; result declared, i32 or i64
  kSameIndex,   // T; results T, then an index: declared, i32 or i64
  kCast,        // any plain; result declared, any plain
  kDeclared,    // no operands; result declared
  kQuantize,    // f32, f16, bf16; result declared, quantized
  kQuantizeWith,  // as kQuantize, then f32 scales and, where the scheme has them, a third operand
  kDequantize,  // quantized; result declared, float
  kQMatmul,     // quantized or f32, f16, bf16, not both plain; result float, or declared quantized
};

// How the result shape follows. "Declared": the result type is the argument.
enum class ShapeRule : uint8_t {
  kSame,
  kBroadcast,
  kDeclared,
  kReshape,
  kPermute,
  kSwapDims,
  kExpand,
  kSlice,
  kCat,
  kRepeatDim,
  kUnfold,
  kSelect,
  kGather,
  kScatter,
  kSelectAssign,
  kGatherNd,
  kScatterNd,
  kSliceAssign,
  kReduceAll,
  kReduceDim,
  kArgReduce,
  kAlongDim,
  kTopk,
  kMatmul,
  kMatrices,           // same; at least two axes
  kNarrow,             // one axis cut to a length
  kStack,              // a new axis
  kSplit,              // parts of one axis
  kMeshgrid,           // vectors over the axes that all of them make
  kDiagonal,           // the last two axes become one
  kOneHot,             // a new last axis
  kCross,              // broadcast, with extent 3 along dim
  kEmbedding,          // indices, then the axes of a row
  kLinear,             // [.., i] x [i, o] {, [o]}
  kNormalizeRows,      // same; the others are as long as its last axis
  kNormalizeChannels,  // same; the others are as long as its axis 1
};

// Positional scalars. Typed: the dtype of operand 0 (of the result if there is none). Int: i64.
// Positive: typed, finite and above 0. Probability: f32, from 0 to 1.
enum class ScalarRule : uint8_t { kNone, kTyped, kTypedTyped, kInt, kPositive, kProbability };

enum class AttributeKey : uint8_t {
  kDim,
  kDimOptional,
  kDims,
  kAxes,
  kTimes,
  kSlices,
  kDescending,
  kUpdate,
  kRange,
  kStep,
  kK,
  kStart,
  kLength,
  kShift,
  kDiagonal,
  kClasses,
  kGroups,
  kDdof,
  kOrder,
  kSeed,
  kOffset,
  kChunks,
};
inline constexpr int kAttributeKeyCount = static_cast<int>(AttributeKey::kChunks) + 1;

// Where inputs are interesting and results are not all NaN: a hint for the generator, never a
// restriction.
enum class Domain : uint8_t {
  kAny,
  kPositive,
  kNonZero,
  kExponent,
  kNonEmpty,
  kUnit,        // from -1 to 1
  kAtLeastOne,  // 1 and above
};

enum class AccuracyClass : uint8_t {
  kExact,       // one admissible result (up to a free sign of zero)
  kRounded,     // correctly rounded
  kFunction,    // within the contract's ULP of the exact function
  kAccumulate,  // a sum, product or dot in any order
  kFormula,     // a pinned formula over the other classes
};

using Traits = uint32_t;
inline constexpr Traits kElementwise =
    1u << 0;  // element i of the result needs element i of each (broadcast) operand
inline constexpr Traits kView = 1u << 1;        // an index map of one operand
inline constexpr Traits kJoin = 1u << 2;        // a piecewise index map of several operands
inline constexpr Traits kIndexing = 1u << 3;    // reads at data-dependent places
inline constexpr Traits kScattering = 1u << 4;  // writes into a copy of operand 0
inline constexpr Traits kReducing = 1u << 5;
inline constexpr Traits kScanning = 1u << 6;
inline constexpr Traits kSorting = 1u << 7;
inline constexpr Traits kContraction = 1u << 8;  // matmul and its kin
inline constexpr Traits kRowwise = 1u << 9;      // reduce and broadcast along one axis
inline constexpr Traits kQuantizing = 1u << 10;
inline constexpr Traits kCreation = 1u << 11;  // no operands
inline constexpr Traits kCommutative = 1u << 12;
inline constexpr Traits kSelecting = 1u << 13;   // moves bits unchanged (NaN payloads compared)
inline constexpr Traits kIntegral = 1u << 14;    // results are integers in a float dtype
inline constexpr Traits kAveraging = 1u << 15;   // divides by a count: ints have no mean of nothing
inline constexpr Traits kPositional = 1u << 16;  // elements depend on where they are

// The last operation is a multiplication, which contraction may fuse with an addition.
inline constexpr Traits kProduct = 1u << 17;

inline constexpr int kAttributesPerOpMax = 3;

struct OpInfo {
  Opcode op;
  std::string_view mnemonic;
  OpFamily family;
  OpForm form;
  int arity;     // kVariadic: one or more
  int optional;  // operands that may follow
  DtypeMask operand_dtypes;
  DtypeRule dtype_rule;
  ShapeRule shape_rule;
  ScalarRule scalars;
  std::array<AttributeKey, kAttributesPerOpMax> attribute_keys;
  int attribute_count;
  Domain domain;
  AccuracyClass accuracy;
  Traits traits;
  std::string_view doc;

  std::span<const AttributeKey> attributes() const {
    return {attribute_keys.data(), static_cast<size_t>(attribute_count)};
  }
  bool TakesOperands(int count) const {
    return arity == kVariadic ? count >= 1 : count >= arity && count <= arity + optional;
  }
  int scalar_count() const;
  int result_count() const;  // kVariadic: the shapes say
  // Of a typed scalar where elements are of dtype `typed`.
  Dtype ScalarDtype(Dtype typed) const;
  bool Takes(AttributeKey key) const;
};

const OpInfo& InfoOf(Opcode op);
std::span<const OpInfo> AllOps();
std::optional<Opcode> FindOpcode(std::string_view mnemonic);
inline std::string_view Mnemonic(Opcode op) { return InfoOf(op).mnemonic; }
std::string_view FamilyName(OpFamily family);
// The dtypes an op works on, in the order of Dtype: those of operand 0, or of the result where
// there is no operand. kQuantized stands for every scheme.
std::vector<Dtype> DtypesOf(Opcode op);

inline bool HasTrait(Opcode op, Traits traits) { return (InfoOf(op).traits & traits) != 0; }
inline bool IsElementwise(Opcode op) { return HasTrait(op, kElementwise); }
inline bool IsView(Opcode op) { return HasTrait(op, kView); }
// Result `r` holds indices into operand 0.
inline bool IsIndexResult(Opcode op, size_t r) {
  const DtypeRule rule = InfoOf(op).dtype_rule;
  return rule == DtypeRule::kIndex || (rule == DtypeRule::kSameIndex && r == 1);
}
// Results are bits of an operand, moved: compared bitwise, NaN payloads included.
inline bool MovesBits(Opcode op) {
  return HasTrait(op, kView | kJoin | kIndexing | kSelecting | kSorting) ||
         op == Opcode::kSliceAssign;
}
// Layout ops, which move the codes of a quantized tensor where block boundaries allow.
inline bool IsLayoutOp(Opcode op) { return HasTrait(op, kView | kJoin | kIndexing); }

// Ops on floats also take quantized operands, which they see decoded (ir/infer.h). Not those that
// know quantized tensors themselves, nor matmul, whose quantized form is an op of its own.
bool DecodesOperands(Opcode op);
// What operand 0 may be: the mask of the row, and kQuantized where it is decoded.
inline DtypeMask OperandDtypes(Opcode op) {
  return static_cast<DtypeMask>(InfoOf(op).operand_dtypes |
                                (DecodesOperands(op) ? kQuantizedMask : 0));
}

}  // namespace faultline::ir

#endif  // IR_OP_H_
