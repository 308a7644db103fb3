// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The numbers that the host and the interpreter kernel agree on. PreambleOf writes the same ones as
// macros in front of the kernel's source.

#ifndef FUSION_OPENCL_WORDS_H_
#define FUSION_OPENCL_WORDS_H_

#include <cstdint>
#include <string>

#include "fusion/block/op.h"

namespace faultline::fusion::opencl {

enum Header : int64_t {
#define FAULTLINE_HEADER(name) kHeader##name,
#include "fusion/opencl/words.def"
  kHeaderWords
};

// Where the fields of an access begin.
enum AccessField : int64_t {
#define FAULTLINE_ACCESS(name, words) kAccess##name, kAccess##name##End = kAccess##name + words - 1,
#include "fusion/opencl/words.def"
  kAccessWords
};

// Numbers of steps: op * 8 + register of the arguments, and what is no instruction of a block.
inline constexpr int kFoldBase = 1024;     // + number of the reduction
inline constexpr int kConvertBase = 2048;  // + from * 8 + to
inline constexpr int kLoadBase = 2112;     // + dtype
inline constexpr int kStoreBase = 2128;    // + dtype
inline constexpr int kAccessEnd = 2144;
enum Control : int {
  kControlBase = kAccessEnd,
#define FAULTLINE_CONTROL(name) kControl##name,
#include "fusion/opencl/words.def"
};
static_assert(kOpCount * 8 <= kFoldBase);

inline constexpr int kStepWords = 3;  // number and operands, immediate, third operand

// Registers of each kind: f32; f64; i32, u32 and masks; i64 and u64.
inline constexpr int kFileSizes[] = {48, 24, 48, 32};
inline constexpr int kFileCount = 4;
inline int FileOf(Reg reg) {
  constexpr int8_t kFiles[kRegCount] = {0, 1, 2, 2, 3, 3, 2};
  return kFiles[static_cast<size_t>(reg)];
}

// Macros for the kernel; `lanes`: elements of a tile.
std::string PreambleOf(int lanes);

}  // namespace faultline::fusion::opencl

#endif  // FUSION_OPENCL_WORDS_H_
