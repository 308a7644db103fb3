// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Codes and scales of a quantized tensor in memory, addressed by row-major logical element. Integer
// codes and f32 scales so far; what a code means is in Decode alone, so float codes and other scale
// dtypes are a matter of that.

#ifndef FUSION_CPU_CODES_H_
#define FUSION_CPU_CODES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "fusion/cpu/kernels/kernels.h"
#include "ir/scheme.h"
#include "ir/shape.h"

namespace faultline::fusion::cpu {

// Whether the CPU target reads and writes tensors of this scheme.
bool SupportsScheme(const ir::Scheme& scheme);

class CodeView {
 public:
  CodeView() = default;
  // `data` holds ir::LayoutOf(scheme, shape).total_bytes. Requires SupportsScheme.
  CodeView(const ir::Scheme& scheme, const ir::Shape& shape, std::byte* data);

  int64_t elements() const { return elements_; }
  int64_t scale_count() const { return scale_count_; }
  int64_t code_bytes() const { return code_bytes_; }
  std::byte* data() const { return data_; }
  bool per_tensor() const { return per_tensor_; }

  // Codes of elements [begin, begin + count).
  void ReadCodes(int64_t begin, int64_t count, int8_t* codes) const;
  int8_t ReadCode(int64_t element) const;
  // Sets fields of elements [begin, begin + count); the fields must hold 0 before.
  void WriteCodes(int64_t begin, int64_t count, const int8_t* codes);
  void WriteCode(int64_t element, int8_t code);
  // Zeroes every code, unused field and alignment byte.
  void Clear();

  // Position of the scale of an element in the block grid.
  int64_t ScaleIndex(int64_t element) const;
  float Scale(int64_t index) const;
  void SetScale(int64_t index, float scale);
  void ReadScales(int64_t begin, int64_t count, float* scales) const;

  // Values of elements: code * scale, rounded once to f32. `values` and `codes` have room for
  // `count` rounded up to a group.
  void Dequantize(const KernelSet& kernels, int64_t begin, int64_t count, float* values,
                  int8_t* codes) const;
  void DequantizeAt(const int64_t* elements, int64_t count, float* values) const;

  // First element of a block of the grid, and how far the block reaches on each axis.
  void BlockBounds(int64_t scale_index, int64_t* first, int64_t* extents) const;
  const ir::Shape& shape() const { return shape_; }

 private:
  struct Place {
    int64_t unit;
    int shift;
  };
  Place PlaceOf(int64_t element) const;

  ir::Shape shape_;
  ir::Shape grid_;
  std::byte* data_ = nullptr;
  int64_t elements_ = 0;
  int64_t code_bytes_ = 0;
  int64_t scale_offset_ = 0;
  int64_t scale_count_ = 0;
  int64_t total_bytes_ = 0;
  int bits_ = 8;
  bool words_ = false;
  bool per_tensor_ = true;
  int per_unit_ = 1;
  int64_t packed_extent_ = 1;  // along the packed axis
  int64_t packed_units_ = 1;   // a row of it takes
  int64_t inner_ = 1;          // product of the extents behind it
  std::array<int64_t, ir::kRankMax> block_ = {};
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_CODES_H_
