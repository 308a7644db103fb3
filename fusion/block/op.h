// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Register types and instruction names alone, without a function or a container: units that are
// compiled for a newer instruction set include this and nothing else of ours, so that no inline
// copy of theirs can end up in code that runs everywhere.

#ifndef FUSION_BLOCK_OP_H_
#define FUSION_BLOCK_OP_H_

#include <cstdint>

namespace faultline::fusion {

// Register types. Narrow dtypes exist only in loads and stores: f16 and bf16 live in f32, i8 and
// i16 sign-extended in i32, u8 and u16 zero-extended in u32, bool and comparisons in mask (0 or 1).
enum class Reg : uint8_t { kF32, kF64, kI32, kU32, kI64, kU64, kMask };
inline constexpr int kRegCount = 7;

// Instructions (fusion/block/instructions.def has one row each).
enum class Op : uint8_t {
#define FAULTLINE_INSTRUCTION(enumerator, ...) k##enumerator,
#include "fusion/block/instructions.def"
#undef FAULTLINE_INSTRUCTION
};
inline constexpr int kOpCount = 0
#define FAULTLINE_INSTRUCTION(...) +1
#include "fusion/block/instructions.def"
#undef FAULTLINE_INSTRUCTION
    ;

}  // namespace faultline::fusion

#endif  // FUSION_BLOCK_OP_H_
