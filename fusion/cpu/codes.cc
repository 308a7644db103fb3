// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/codes.h"

#include <cstring>

#include "fusion/fault.h"

namespace faultline::fusion::cpu {

bool SupportsScheme(const ir::Scheme& scheme) {
  return ir::IsIntegerCode(scheme.value) && !scheme.asymmetric() &&
         scheme.store != ir::QStore::kPackedNative && scheme.scale == ir::ScaleDtype::kF32 &&
         !scheme.two_level;
}

CodeView::CodeView(const ir::Scheme& scheme, const ir::Shape& shape, std::byte* data)
    : shape_(shape), data_(data) {
  const ir::QuantizedLayout layout = ir::LayoutOf(scheme, shape);
  grid_ = ir::ScaleGrid(scheme, shape);
  elements_ = shape.NumElements();
  code_bytes_ = layout.code_bytes;
  scale_offset_ = layout.scale_offset;
  scale_count_ = layout.scale_count;
  total_bytes_ = layout.total_bytes;
  bits_ = ir::CodeBits(scheme.value);
  words_ = scheme.store == ir::QStore::kPackedU32;
  per_tensor_ = scheme.per_tensor();
  block_ = ir::BlockExtents(scheme, shape);
  if (!words_) return;
  per_unit_ = 32 / bits_;
  const int axis = shape.rank() - 1 - scheme.packed_dim;
  if (axis < 0) return;
  packed_extent_ = shape[axis];
  for (int k = axis + 1; k < shape.rank(); ++k) inner_ *= shape[k];
  if (FAULT(packed_rows_not_padded) && scheme.packed_dim == 0) packed_extent_ = elements_;
  packed_units_ = (packed_extent_ + per_unit_ - 1) / per_unit_;
}

CodeView::Place CodeView::PlaceOf(int64_t element) const {
  if (!words_) return {element, 0};
  const int64_t in = element % inner_;
  const int64_t row = element / inner_;
  const int64_t outer = row / packed_extent_;
  const int64_t at = row % packed_extent_;
  return {(outer * packed_units_ + at / per_unit_) * inner_ + in,
          static_cast<int>(at % per_unit_) * bits_};
}

int8_t CodeView::ReadCode(int64_t element) const {
  const Place place = PlaceOf(element);
  if (!words_) return static_cast<int8_t>(data_[place.unit]);
  uint32_t word;
  std::memcpy(&word, data_ + place.unit * 4, sizeof(word));
  const int32_t high = static_cast<int32_t>(word << (32 - bits_ - place.shift));
  if (FAULT(packed_code_loses_sign)) {
    return static_cast<int8_t>(static_cast<uint32_t>(high) >> (32 - bits_));
  }
  return static_cast<int8_t>(high >> (32 - bits_));
}

void CodeView::WriteCode(int64_t element, int8_t code) {
  const Place place = PlaceOf(element);
  if (!words_) {
    data_[place.unit] = static_cast<std::byte>(code);
    return;
  }
  uint32_t word;
  std::memcpy(&word, data_ + place.unit * 4, sizeof(word));
  const uint32_t field = static_cast<uint32_t>(code) & ((1u << bits_) - 1);
  word |= field << place.shift;
  std::memcpy(data_ + place.unit * 4, &word, sizeof(word));
}

void CodeView::ReadCodes(int64_t begin, int64_t count, int8_t* codes) const {
  if (!words_) {
    std::memcpy(codes, data_ + begin, static_cast<size_t>(count));
    return;
  }
  if (inner_ != 1) {
    for (int64_t i = 0; i < count; ++i) codes[i] = ReadCode(begin + i);
    return;
  }
  // Words run along the last axis: whole words of a row at a time.
  while (count > 0) {
    const Place place = PlaceOf(begin);
    uint32_t word;
    std::memcpy(&word, data_ + place.unit * 4, sizeof(word));
    const int64_t at = begin % packed_extent_;
    const int64_t left = packed_extent_ - at;
    int64_t fields = (32 - place.shift) / bits_;
    if (fields > left) fields = left;
    if (fields > count) fields = count;
    for (int64_t i = 0; i < fields; ++i) {
      const int shift = place.shift + static_cast<int>(i) * bits_;
      codes[i] =
          static_cast<int8_t>(static_cast<int32_t>(word << (32 - bits_ - shift)) >> (32 - bits_));
    }
    codes += fields;
    begin += fields;
    count -= fields;
  }
}

void CodeView::WriteCodes(int64_t begin, int64_t count, const int8_t* codes) {
  if (!words_) {
    std::memcpy(data_ + begin, codes, static_cast<size_t>(count));
    return;
  }
  for (int64_t i = 0; i < count; ++i) WriteCode(begin + i, codes[i]);
}

void CodeView::Clear() { std::memset(data_, 0, static_cast<size_t>(total_bytes_)); }

int64_t CodeView::ScaleIndex(int64_t element) const {
  if (per_tensor_) return 0;
  int64_t index = 0;
  int64_t step = 1;
  for (int k = shape_.rank() - 1; k >= 0; --k) {
    int64_t block = element % shape_[k] / block_[static_cast<size_t>(k)];
    const bool partial = shape_[k] % block_[static_cast<size_t>(k)] != 0;
    if (FAULT(partial_block_takes_neighbour) && partial && block > 0 && block + 1 == grid_[k]) {
      --block;
    }
    index += block * step;
    element /= shape_[k];
    step *= grid_[k];
  }
  return index;
}

float CodeView::Scale(int64_t index) const {
  float scale;
  std::memcpy(&scale, data_ + scale_offset_ + index * 4, sizeof(scale));
  return scale;
}

void CodeView::SetScale(int64_t index, float scale) {
  std::memcpy(data_ + scale_offset_ + index * 4, &scale, sizeof(scale));
}

void CodeView::ReadScales(int64_t begin, int64_t count, float* scales) const {
  if (per_tensor_) {
    const float scale = Scale(0);
    for (int64_t i = 0; i < count; ++i) scales[i] = scale;
    return;
  }
  // A run of elements in one row and one block of the last axis has one scale.
  const int last = shape_.rank() - 1;
  const int64_t extent = shape_[last];
  const int64_t block = block_[static_cast<size_t>(last)];
  while (count > 0) {
    const int64_t at = begin % extent;
    int64_t run = block - at % block;
    if (run > extent - at) run = extent - at;
    if (run > count) run = count;
    const float scale = Scale(ScaleIndex(begin));
    for (int64_t i = 0; i < run; ++i) scales[i] = scale;
    scales += run;
    begin += run;
    count -= run;
  }
}

void CodeView::Dequantize(const KernelSet& kernels, int64_t begin, int64_t count, float* values,
                          int8_t* codes) const {
  const int64_t groups = (count + kGroup - 1) / kGroup;
  ReadCodes(begin, count, codes);
  for (int64_t i = count; i < groups * kGroup; ++i) codes[i] = 0;
  ReadScales(begin, count, values);
  for (int64_t i = count; i < groups * kGroup; ++i) values[i] = 0;
  const Operand code{reinterpret_cast<const std::byte*>(codes), kGroup};
  const Operand scale{reinterpret_cast<const std::byte*>(values), kGroup * 4};
  kernels.memory->dequantize(reinterpret_cast<std::byte*>(values), code, scale, {}, groups, 0);
}

void CodeView::DequantizeAt(const int64_t* elements, int64_t count, float* values) const {
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(ReadCode(elements[i])) * Scale(ScaleIndex(elements[i]));
  }
}

void CodeView::BlockBounds(int64_t scale_index, int64_t* first, int64_t* extents) const {
  for (int i = 0; i < shape_.rank(); ++i) {
    const int k = FAULT(scale_grid_by_columns) ? i : shape_.rank() - 1 - i;
    const size_t at = static_cast<size_t>(k);
    const int64_t block = per_tensor_ ? shape_[k] : block_[at];
    first[at] = scale_index % grid_[k] * block;
    scale_index /= grid_[k];
    const int64_t left = shape_[k] - first[at];
    extents[at] = block < left ? block : left;
  }
}

}  // namespace faultline::fusion::cpu
