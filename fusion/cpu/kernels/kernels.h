// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The tables of vector kernels, one set an instruction set, that the tile interpreter runs. Every
// kernel works on whole groups of 16 elements: a tile is padded to a full group, so that an
// element's bits never depend on its place in a tile, and no scalar tail exists that could differ.

#ifndef FUSION_CPU_KERNELS_KERNELS_H_
#define FUSION_CPU_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "fusion/block/op.h"

namespace faultline::fusion::cpu {

inline constexpr int64_t kGroup = 16;  // elements

// An operand tile: group g starts at data + g * step. Step 0 is a broadcast: one group, all equal.
struct Operand {
  const std::byte* data = nullptr;
  int64_t step = 0;  // bytes
};

// dst[i] = op(a[i], b[i], c[i]) for 16 * groups elements; dst may be the tile of an operand whose
// elements are no narrower. `immediate` is the instruction's.
using OpKernel = void (*)(std::byte* dst, const Operand& a, const Operand& b, const Operand& c,
                          int64_t groups, uint64_t immediate);

// Partial results of a reduction along a row: kAccumulators groups of the register, combined by a
// fold in fixed order.
inline constexpr int kAccumulators = 4;
// accumulators op= a[0, count); a is padded to a full group.
using AccumulateKernel = void (*)(std::byte* accumulators, const Operand& a, int64_t count);
// *result = op over the accumulators (one element of the register).
using FoldKernel = void (*)(std::byte* result, const std::byte* accumulators);

// Arg reductions: per lane the best value and its index (-1: none yet).
// Along a row: one group of state; element i of a has index first + i.
using ArgRowKernel = void (*)(std::byte* best, int64_t* index, const Operand& a, int64_t count,
                              int64_t first);
// Across lanes: state of 16 * groups lanes; every element has index `at`.
using ArgLanesKernel = void (*)(std::byte* best, int64_t* index, const Operand& a, int64_t groups,
                                int64_t at);
using ArgFoldKernel = int64_t (*)(const std::byte* best, const int64_t* index);

// dst[i] = carry + a[0] + .. + a[i] for count elements, from left to right; carry is left at the
// last one.
using ScanKernel = void (*)(std::byte* dst, const Operand& a, std::byte* carry, int64_t count);

// Kernels of one register type.
struct RegKernels {
  OpKernel ops[kOpCount];       // null where the register does not take the instruction
  OpKernel convert[kRegCount];  // from this register to another
  AccumulateKernel accumulate[kOpCount];
  FoldKernel fold[kOpCount];
  uint64_t start[kOpCount];  // bits that an accumulator starts with
  ArgRowKernel arg_row[2];   // max, min
  ArgLanesKernel arg_lanes[2];
  ArgFoldKernel arg_fold[2];
  ScanKernel scan[kOpCount];
  // (a first b) second c, and ((a first b) second c) third d, in one pass, each operation rounded.
  // First: add, sub, mul; the others: those and reversed sub, c - (a first b). d lies behind c in
  // an array of operands. Null for ints.
  OpKernel pairs[3][4];
  OpKernel triples[3][4][4];
};

// Storage formats that differ from their register. a holds dense elements of the narrow format.
enum class Format : uint8_t { kF16, kBf16, kI8, kI16, kU8, kU16, kBool };
inline constexpr int kFormatCount = 7;

struct MemoryKernels {
  OpKernel widen[kFormatCount];   // format -> register
  OpKernel narrow[kFormatCount];  // register (a value of the format) -> format
  OpKernel dequantize;            // a: codes as i8, b: scales f32 -> f32, one rounding
  // a: f32, b: scales f32 -> i8 codes in [immediate low byte, next byte] (both signed), half to
  // even, NaN gives 0.
  OpKernel quantize;
  AccumulateKernel absmax_finite;  // f32: max of |x| over finite x; starts with 0
  FoldKernel absmax_fold;
  AccumulateKernel abs_sum_finite;  // f32: sum of |x| over finite x; starts with 0
  FoldKernel abs_sum_fold;
};

// Products of bytes, in blocks of sums. The left operand comes in rows, the right one in panels of
// 16 columns, four terms of a column beside each other: [panel][depth / 4][16][4].
inline constexpr int64_t kPanelColumns = 16;
inline constexpr int64_t kPanelTerms = 4;
inline constexpr int64_t kSumPanels = 4;  // that a row of a block of sums reaches over
inline constexpr int64_t kSumColumns = kSumPanels * kPanelColumns;
struct ByteProductOperands {
  const int8_t* rows;
  int64_t row_bytes;  // from one row to the next
  const uint8_t* panels;
  int64_t panel_bytes;
  int64_t depth;  // a multiple of 4
};
// sums[i][j] += sum over p of rows[i][p] * panels[p][j], modulo 2^32, for `rows` rows and at most
// kSumPanels panels; rows of sums are kSumColumns apart.
using ByteProductKernel = void (*)(const ByteProductOperands& from, int64_t rows, int64_t panels,
                                   int32_t* sums);

// What a row of sums is scaled by: sum - row_rest * zeros[j] - row_zero * column_sums[j], modulo
// 2^32 and then signed, times row_scale * scales[j].
struct ByteSumScales {
  float row_scale;
  uint32_t row_rest;
  uint32_t row_zero;
  const float* scales;
  const uint32_t* zeros;
  const uint32_t* column_sums;  // null: row_zero is 0
};

// Before a product of bytes, and behind it.
struct ByteKernels {
  // Copies a row with bits of each byte flipped; returns the sum of the results, as signed. `to`
  // may be `from`.
  int32_t (*pack_row)(const int8_t* from, int64_t count, uint8_t flip, int8_t* to);
  // `rows` rows of `panels` * 16 bytes, `leading` apart, into as many panels, flipped; rows is a
  // multiple of 4. Adds the results to column_sums (as unsigned) unless that is null.
  void (*pack_panels)(const int8_t* from, int64_t leading, int64_t rows, int64_t panels,
                      uint8_t flip, uint8_t* to, int64_t panel_bytes, uint32_t* column_sums);
  // Of `panels` * 16 sums; results are f32.
  void (*scale_sums)(float* to, const int32_t* sums, int64_t panels, const ByteSumScales& scales);
};

struct KernelSet {
  const char* isa;
  const RegKernels* regs[kRegCount];
  const MemoryKernels* memory;
  const ByteKernels* bytes;
  const ByteProductKernel* product;
};

// The widest set that this CPU runs, or the one named ("baseline", "avx2", "avx512"); null if the
// name is unknown or the CPU lacks it.
const KernelSet* ChooseKernels(const char* isa);

#define FAULTLINE_DECLARE_KERNELS(isa)                               \
  namespace isa {                                                    \
  extern const RegKernels kF32, kF64, kI32, kU32, kI64, kU64, kMask; \
  extern const MemoryKernels kMemory;                                \
  extern const ByteKernels kBytes;                                   \
  extern const ByteProductKernel kByteProduct;                       \
  }
FAULTLINE_DECLARE_KERNELS(baseline)
FAULTLINE_DECLARE_KERNELS(avx2)
FAULTLINE_DECLARE_KERNELS(avx512)
#undef FAULTLINE_DECLARE_KERNELS
// The sets with a product of their own, where the CPU has VNNI as well.
namespace avx2_vnni {
extern const ByteProductKernel kByteProduct;
}
namespace avx512_vnni {
extern const ByteProductKernel kByteProduct;
}

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_KERNELS_KERNELS_H_
