// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Matrices of codes as the product of bytes takes them, with what belongs to each row or column.
// Not for products themselves. The kernel multiplies signed bytes by unsigned ones, so codes are
// shifted by 128 where they are the other kind, and zero points with them.

#ifndef FUSION_CPU_BYTE_MATRIX_H_
#define FUSION_CPU_BYTE_MATRIX_H_

#include <cstdint>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"
#include "fusion/cpu/pool.h"

namespace faultline::fusion::cpu {

// One entry a row or column. Zero points and sums are two's complement.
struct Dots {
  float* scales = nullptr;
  uint32_t* zeros = nullptr;  // shifted as the codes are
  uint32_t* sums = nullptr;   // of the shifted codes

  ir::Status Allocate(int64_t count, const Context& context, Scratch* scratch);
  // Scale and zero point of the dot that holds each of `count` elements from `element` on, `step`
  // apart.
  void Take(const CodeView& view, int64_t element, int64_t step, int64_t count, int shift) const;
};

// Rows of signed bytes, padded with terms of 0.
class LeftBytes {
 public:
  LeftBytes(const CodeView& codes, int64_t rows, int64_t depth, int64_t padded_depth);

  ir::Status Allocate(const Context& context, Scratch* scratch);
  // Rows [begin, end) of one matrix.
  void Pack(const KernelSet& kernels, int64_t matrix, int64_t begin, int64_t end) const;

  // Whether zero points, as shifted, may be other than 0.
  bool has_zeros() const { return codes_.scheme().asymmetric(); }
  const int8_t* bytes() const { return bytes_; }
  const Dots& dots() const { return dots_; }

 private:
  const CodeView& codes_;
  const int64_t rows_;
  const int64_t depth_;
  const int64_t padded_depth_;
  int8_t* bytes_ = nullptr;
  Dots dots_;
};

// Panels of unsigned bytes, kSumPanels of them a block. What pads them is multiplied by terms of 0,
// or makes sums that nobody reads.
class RightBytes {
 public:
  RightBytes(const CodeView& codes, int64_t columns, int64_t depth, int64_t padded_depth);

  // `sums`: those of columns are asked for.
  ir::Status Allocate(const Context& context, bool sums, Scratch* scratch);
  // One block of one matrix.
  void Pack(const KernelSet& kernels, int64_t matrix, int64_t block) const;

  int64_t blocks() const { return (columns_ + kSumColumns - 1) / kSumColumns; }
  int64_t PanelsOf(int64_t block) const;
  int64_t panel_bytes() const { return padded_depth_ * kPanelColumns; }
  const uint8_t* bytes(int64_t block) const { return bytes_ + block * kSumPanels * panel_bytes(); }
  const Dots& dots() const { return dots_; }
  bool has_sums() const { return has_sums_; }

 private:
  const CodeView& codes_;
  const int64_t columns_;
  const int64_t depth_;
  const int64_t padded_depth_;
  bool has_sums_ = false;
  uint8_t* bytes_ = nullptr;
  Dots dots_;
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_BYTE_MATRIX_H_
