// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/byte_matrix.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kStagedRows = 64;

template <typename T>
ir::Status Get(int64_t count, const Context& context, Scratch* scratch, T** memory) {
  auto bytes =
      scratch->Get(context.options.account, std::max<int64_t>(count, 1) * int64_t{sizeof(T)});
  if (!bytes.has_value()) return bytes.error();
  *memory = reinterpret_cast<T*>(*bytes);
  return {};
}

bool IsUnsigned(const CodeView& view) { return view.scheme().value == ir::QValue::kU8; }

}  // namespace

ir::Status Dots::Allocate(int64_t count, const Context& context, Scratch* scratch) {
  static_assert(sizeof(*scales) == sizeof(*zeros) && sizeof(*scales) == sizeof(*sums));
  uint32_t* all = nullptr;
  FAULTLINE_RETURN_IF_ERROR(Get(3 * count, context, scratch, &all));
  scales = reinterpret_cast<float*>(all);
  zeros = all + count;
  sums = zeros + count;
  return {};
}

void Dots::Take(const CodeView& view, int64_t element, int64_t step, int64_t count,
                int shift) const {
  // Without elements there is no scale to find; the sums are 0.
  const bool empty = view.elements() == 0;
  if (empty || view.per_tensor()) {
    std::fill_n(scales, count, empty ? 0.0f : view.Scale(0));
    std::fill_n(zeros, count, empty ? 0 : static_cast<uint32_t>(view.Zero(0) + shift));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t block = view.ScaleIndex(element + i * step);
    scales[i] = view.Scale(block);
    zeros[i] = static_cast<uint32_t>(view.Zero(block) + shift);
  }
}

LeftBytes::LeftBytes(const CodeView& codes, int64_t rows, int64_t depth, int64_t padded_depth)
    : codes_(codes), rows_(rows), depth_(depth), padded_depth_(padded_depth) {}

ir::Status LeftBytes::Allocate(const Context& context, Scratch* scratch) {
  FAULTLINE_RETURN_IF_ERROR(Get(rows_ * padded_depth_, context, scratch, &bytes_));
  return dots_.Allocate(rows_, context, scratch);
}

void LeftBytes::Pack(const KernelSet& kernels, int64_t matrix, int64_t begin, int64_t end) const {
  const int64_t first = matrix * rows_ * depth_;
  const int shift = IsUnsigned(codes_) ? -128 : 0;
  for (int64_t i = begin; i < end; ++i) {
    int8_t* row = bytes_ + i * padded_depth_;
    const int8_t* from = codes_.native();
    if (from != nullptr) {
      from += first + i * depth_;
    } else {
      codes_.ReadCodes(first + i * depth_, depth_, row);
      from = row;
    }
    const int32_t sum = kernels.bytes->pack_row(from, depth_, static_cast<uint8_t>(shift), row);
    std::memset(row + depth_, 0, static_cast<size_t>(padded_depth_ - depth_));
    dots_.sums[i] = static_cast<uint32_t>(sum);
  }
  const Dots from_begin{dots_.scales + begin, dots_.zeros + begin, dots_.sums + begin};
  from_begin.Take(codes_, first + begin * depth_, depth_, end - begin, shift);
}

RightBytes::RightBytes(const CodeView& codes, int64_t columns, int64_t depth, int64_t padded_depth)
    : codes_(codes), columns_(columns), depth_(depth), padded_depth_(padded_depth) {}

ir::Status RightBytes::Allocate(const Context& context, bool sums, Scratch* scratch) {
  has_sums_ = sums;
  const int64_t columns = blocks() * kSumColumns;
  FAULTLINE_RETURN_IF_ERROR(Get(columns * padded_depth_, context, scratch, &bytes_));
  return dots_.Allocate(columns, context, scratch);
}

int64_t RightBytes::PanelsOf(int64_t block) const {
  const int64_t columns = std::min(kSumColumns, columns_ - block * kSumColumns);
  return (columns + kPanelColumns - 1) / kPanelColumns;
}

void RightBytes::Pack(const KernelSet& kernels, int64_t matrix, int64_t block) const {
  const int64_t column = block * kSumColumns;
  const int64_t count = std::min(kSumColumns, columns_ - column);
  const int64_t first = matrix * depth_ * columns_ + column;
  const int shift = IsUnsigned(codes_) ? 0 : 128;
  const auto flip = static_cast<uint8_t>(shift);
  const Dots dots{dots_.scales + column, dots_.zeros + column, dots_.sums + column};
  std::fill_n(dots.scales, kSumColumns, 0.0f);
  std::fill_n(dots.zeros, kSumColumns, 0);
  dots.Take(codes_, first, 1, count, shift);
  uint32_t* sums = has_sums_ ? dots.sums : nullptr;
  if (has_sums_) std::fill_n(sums, kSumColumns, 0);
  uint8_t* to = bytes_ + block * kSumPanels * panel_bytes();
  // Whole groups of rows of a whole block as they lie, the others by way of a copy.
  const bool as_is = codes_.native() != nullptr && count == kSumColumns;
  int64_t row = as_is ? depth_ / kPanelTerms * kPanelTerms : 0;
  if (row > 0) {
    kernels.bytes->pack_panels(codes_.native() + first, columns_, row, kSumPanels, flip, to,
                               panel_bytes(), sums);
  }
  // What is beyond the operand becomes 0.
  alignas(64) std::array<int8_t, kStagedRows * kSumColumns> staged;
  staged.fill(static_cast<int8_t>(flip));
  for (; row < padded_depth_; row += kStagedRows) {
    const int64_t rows = std::min(kStagedRows, padded_depth_ - row);
    for (int64_t i = 0; i < rows; ++i) {
      int8_t* codes = staged.data() + i * kSumColumns;
      if (row + i < depth_) {
        codes_.ReadCodes(first + (row + i) * columns_, count, codes);
      } else {
        std::memset(codes, flip, kSumColumns);
      }
    }
    kernels.bytes->pack_panels(staged.data(), kSumColumns, rows, PanelsOf(block), flip,
                               to + row * kPanelColumns, panel_bytes(), sums);
  }
}

}  // namespace faultline::fusion::cpu
