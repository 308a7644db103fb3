// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Codes, scales and zero points of a quantized tensor in memory, addressed by row-major logical
// element. What codes and scales mean is in code_values.h and scale_values.h.

#ifndef FUSION_CPU_CODES_H_
#define FUSION_CPU_CODES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "fusion/cpu/code_values.h"
#include "fusion/cpu/kernels/kernels.h"
#include "ir/scheme.h"
#include "ir/shape.h"

namespace faultline::fusion::cpu {

class CodeView {
 public:
  CodeView() = default;
  // `data` holds ir::LayoutOf(scheme, shape).total_bytes.
  CodeView(const ir::Scheme& scheme, const ir::Shape& shape, std::byte* data);

  int64_t elements() const { return elements_; }
  int64_t scale_count() const { return scale_count_; }
  bool per_tensor() const { return scheme_.per_tensor(); }
  const ir::Scheme& scheme() const { return scheme_; }
  const ir::Shape& shape() const { return shape_; }
  // Codes as they lie, where each has a byte of its own in row-major order; else null.
  const int8_t* native() const {
    return per_unit_ == 1 ? reinterpret_cast<const int8_t*>(data_) : nullptr;
  }

  // Codes of elements [begin, begin + count), as bytes: integers sign-extended (u8 as it is), float
  // codes as they are.
  void ReadCodes(int64_t begin, int64_t count, int8_t* codes) const;
  void ReadCodesAt(const int64_t* elements, int64_t count, int8_t* codes) const;
  // Sets fields of elements [begin, begin + count); the fields must hold 0 before.
  void WriteCodes(int64_t begin, int64_t count, const int8_t* codes);
  // Zeroes every code, unused field and alignment byte.
  void Clear();

  // Position of the scale of an element in the block grid.
  int64_t ScaleIndex(int64_t element) const;
  // What codes are multiplied by: the stored scale, times the tensor's if there is one.
  float Scale(int64_t index) const;
  int Zero(int64_t index) const;
  // As stored.
  uint32_t ScaleBits(int64_t index) const;
  float TensorScale() const;
  void SetScaleBits(int64_t index, uint32_t bits);
  void SetZero(int64_t index, int zero);
  void SetTensorScale(float scale);
  // The scale (and zero point) of a block of another tensor, but not its tensor scale.
  void CopyScale(int64_t index, const CodeView& from, int64_t from_index);

  // Values of elements: (code - zero) * scale, rounded once to f32. `values` and `codes` have room
  // for `count` rounded up to a group.
  void Dequantize(const KernelSet& kernels, int64_t begin, int64_t count, float* values,
                  int8_t* codes) const;
  void DequantizeAt(const int64_t* elements, int64_t count, float* values, int8_t* codes) const;

  // First element of a block of the grid, and how far the block reaches on each axis.
  void BlockBounds(int64_t scale_index, int64_t* first, int64_t* extents) const;

 private:
  // Every field lies in one byte.
  struct Place {
    int64_t byte;
    int shift;
  };
  Place PlaceOf(int64_t element) const;
  int8_t Field(std::byte in, int shift) const;
  // Calls body(offset, run, place of the first) for runs of elements whose fields are side by side
  // or, where another axis than the last is packed, one unit apart.
  template <typename Body>
  void ForFields(int64_t begin, int64_t count, const Body& body) const;
  // Calls body(offset, run, scale index) for runs of elements with one scale.
  template <typename Body>
  void ForScales(int64_t begin, int64_t count, const Body& body) const;

  ir::Scheme scheme_;
  ir::QuantizedLayout layout_;
  ir::Shape shape_;
  ir::Shape grid_;
  std::byte* data_ = nullptr;
  const CodeTable* table_ = nullptr;
  int64_t elements_ = 0;
  int64_t scale_count_ = 0;
  int bits_ = 8;
  int unit_bytes_ = 1;
  int per_unit_ = 1;
  bool signed_codes_ = true;
  bool extends_sign_ = true;  // of fields
  bool by_kernel_ = false;    // code * scale of signed integers
  bool has_zeros_ = false;
  // Seeded faults, decided once.
  bool neighbour_ = false;     // a partial last block takes the scale beside it
  bool by_columns_ = false;    // scales are numbered by columns
  int64_t packed_extent_ = 1;  // along the packed axis
  int64_t packed_units_ = 1;   // a row of it takes
  int64_t inner_ = 1;          // product of the extents behind it
  std::array<int64_t, ir::kRankMax> block_ = {};
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_CODES_H_
