// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantization schemes: what the codes are, where they lie, how scales are attached. Facts only;
// the arithmetic is pinned in docs and written once in reference/ and once in fusion/.

#ifndef IR_SCHEME_H_
#define IR_SCHEME_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/base/status.h"
#include "ir/dtype.h"
#include "ir/shape.h"

namespace faultline::ir {

// i8 and u8 are the asymmetric (zero point) forms.
enum class QValue : uint8_t { kQ8f, kQ8s, kQ4f, kQ4s, kQ2f, kQ2s, kE4m3, kE5m2, kE2m1, kI8, kU8 };
enum class QStore : uint8_t { kNative, kPackedNative, kPackedU32 };
enum class ScaleDtype : uint8_t { kF32, kF16, kBf16, kUe8m0, kUe4m3 };

inline constexpr int kQValueCount = 11;

// A tensor's quantization scheme. Per tensor iff block_rank == 0. A block has one extent per axis,
// the last block_rank axes are given (leading ones count as 1).
struct Scheme {
  QValue value = QValue::kQ8s;
  QStore store = QStore::kPackedU32;
  uint8_t packed_dim = 0;  // axis words run along, counted from the innermost; kNative: 0
  ScaleDtype scale = ScaleDtype::kF32;
  bool two_level = false;  // one f32 for the tensor beside the block scales
  uint8_t block_rank = 0;
  std::array<int32_t, kRankMax> block = {};  // block[0, block_rank), outermost first, each >= 1

  bool per_tensor() const { return block_rank == 0; }
  bool asymmetric() const { return value == QValue::kI8 || value == QValue::kU8; }
  bool operator==(const Scheme&) const = default;
};

// Bits of one code: 8, 4 or 2.
int CodeBits(QValue value);
bool IsIntegerCode(QValue value);
// Inclusive range of integer codes.
int CodeMin(QValue value);
int CodeMax(QValue value);
// The divisor of the symmetric scale rule: 127.5 for q8f, 448 for e4m3, ...
double ScaleDivisor(QValue value);
int ScaleBytes(ScaleDtype dtype);

std::string_view QValueName(QValue value);
std::optional<QValue> FindQValue(std::string_view name);
std::string_view ScaleDtypeName(ScaleDtype dtype);
std::optional<ScaleDtype> FindScaleDtype(std::string_view name);

// The block's extents aligned to the axes of a tensor of `rank` (1 where left out; per tensor: the
// extents of `shape` themselves).
std::array<int64_t, kRankMax> BlockExtents(const Scheme& scheme, const Shape& shape);
// Shape of the grid of block scales; per tensor: all ones (one scale, also of an empty tensor).
Shape ScaleGrid(const Scheme& scheme, const Shape& shape);

// Text form: `q8s` or `q8s<block=[4],scale=ue4m3,tensor=f32,store=packed_u32(0)>`, defaults
// omitted.
std::string PrintScheme(const Scheme& scheme);

// Whether the fields fit each other and a tensor of this shape; the reason if not.
Status VerifyScheme(const Scheme& scheme, const Shape& shape);

// Byte layout of a quantized host tensor: `codes | block scales | zero points | tensor scale`, each
// part aligned to 4 bytes. Offsets and sizes in bytes.
struct QuantizedLayout {
  int64_t code_bytes = 0;
  int64_t scale_offset = 0;
  int64_t scale_count = 0;
  int64_t zero_offset = 0;          // asymmetric: one i8/u8 a scale
  int64_t tensor_scale_offset = 0;  // two-level only
  int64_t total_bytes = 0;
};
QuantizedLayout LayoutOf(const Scheme& scheme, const Shape& shape);

// Where the code of a logical element lies: byte offset of its word or byte, and the shift in bits
// of the field in it (little-endian words; each row along the packed axis is padded on its own).
struct CodePlace {
  int64_t byte = 0;
  int shift = 0;
};
CodePlace PlaceOfCode(const Scheme& scheme, const Shape& shape, const int64_t* index);

}  // namespace faultline::ir

#endif  // IR_SCHEME_H_
