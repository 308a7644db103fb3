// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/codes.h"

#include <algorithm>
#include <cstring>

#include "fusion/cpu/scale_values.h"
#include "fusion/fault.h"

namespace faultline::fusion::cpu {

CodeView::CodeView(const ir::Scheme& scheme, const ir::Shape& shape, std::byte* data)
    : scheme_(scheme),
      layout_(ir::LayoutOf(scheme, shape)),
      shape_(shape),
      grid_(ir::ScaleGrid(scheme, shape)),
      data_(data),
      table_(&CodesOf(scheme.value)),
      elements_(shape.NumElements()),
      scale_count_(layout_.scale_count),
      bits_(ir::CodeBits(scheme.value)),
      block_(ir::BlockExtents(scheme, shape)) {
  signed_codes_ = ir::IsIntegerCode(scheme.value) && scheme.value != ir::QValue::kU8;
  extends_sign_ = signed_codes_;
  by_kernel_ = signed_codes_ && !scheme.asymmetric();
  has_zeros_ = scheme.asymmetric() && !FAULT(zero_points_ignored);
  neighbour_ = FAULT(partial_block_takes_neighbour);
  by_columns_ = FAULT(scale_grid_by_columns);
  if (scheme.store == ir::QStore::kNative) return;
  extends_sign_ = signed_codes_ && !FAULT(packed_code_loses_sign);
  unit_bytes_ = scheme.store == ir::QStore::kPackedU32 ? 4 : 1;
  per_unit_ = 8 * unit_bytes_ / bits_;
  const int axis = shape.rank() - 1 - scheme.packed_dim;
  if (axis < 0) return;
  packed_extent_ = shape[axis];
  for (int k = axis + 1; k < shape.rank(); ++k) inner_ *= shape[k];
  if (FAULT(packed_rows_not_padded) && scheme.packed_dim == 0) packed_extent_ = elements_;
  packed_units_ = (packed_extent_ + per_unit_ - 1) / per_unit_;
}

CodeView::Place CodeView::PlaceOf(int64_t element) const {
  if (per_unit_ == 1) return {element, 0};
  const int64_t in = element % inner_;
  const int64_t row = element / inner_;
  const int64_t at = row % packed_extent_;
  const int64_t unit = (row / packed_extent_ * packed_units_ + at / per_unit_) * inner_ + in;
  const int bit = static_cast<int>(at % per_unit_) * bits_;
  return {unit * unit_bytes_ + bit / 8, bit % 8};
}

int8_t CodeView::Field(std::byte in, int shift) const {
  const int above = 8 - bits_;
  const auto top = static_cast<uint8_t>(in << (above - shift));
  if (extends_sign_) return static_cast<int8_t>(static_cast<int8_t>(top) >> above);
  return static_cast<int8_t>(top >> above);
}

template <typename Body>
void CodeView::ForFields(int64_t begin, int64_t count, const Body& body) const {
  for (int64_t done = 0; done < count;) {
    const int64_t element = begin + done;
    const int64_t left = inner_ == 1 ? packed_extent_ - element % packed_extent_  // of a row
                                     : inner_ - element % inner_;
    const int64_t run = std::min(left, count - done);
    body(done, run, PlaceOf(element));
    done += run;
  }
}

void CodeView::ReadCodes(int64_t begin, int64_t count, int8_t* codes) const {
  if (per_unit_ == 1) {
    std::memcpy(codes, data_ + begin, static_cast<size_t>(count));
    return;
  }
  ForFields(begin, count, [&](int64_t offset, int64_t run, const Place& place) {
    int8_t* to = codes + offset;
    const std::byte* from = data_ + place.byte;
    if (inner_ != 1) {
      for (int64_t i = 0; i < run; ++i) to[i] = Field(from[i * unit_bytes_], place.shift);
    } else if (bits_ == 8) {
      std::memcpy(to, from, static_cast<size_t>(run));
    } else {
      int64_t bit = place.shift;
      for (int64_t i = 0; i < run; ++i, bit += bits_) {
        to[i] = Field(from[bit / 8], static_cast<int>(bit % 8));
      }
    }
  });
}

void CodeView::ReadCodesAt(const int64_t* elements, int64_t count, int8_t* codes) const {
  if (per_unit_ == 1) {
    for (int64_t i = 0; i < count; ++i) codes[i] = static_cast<int8_t>(data_[elements[i]]);
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const Place place = PlaceOf(elements[i]);
    codes[i] = Field(data_[place.byte], place.shift);
  }
}

void CodeView::WriteCodes(int64_t begin, int64_t count, const int8_t* codes) {
  if (per_unit_ == 1) {
    std::memcpy(data_ + begin, codes, static_cast<size_t>(count));
    return;
  }
  const auto mask = static_cast<uint8_t>((1u << bits_) - 1);
  const auto field = [mask](int8_t code) { return std::byte(static_cast<uint8_t>(code) & mask); };
  ForFields(begin, count, [&](int64_t offset, int64_t run, const Place& place) {
    const int8_t* from = codes + offset;
    std::byte* to = data_ + place.byte;
    if (inner_ != 1) {
      for (int64_t i = 0; i < run; ++i) to[i * unit_bytes_] |= field(from[i]) << place.shift;
    } else if (bits_ == 8) {
      std::memcpy(to, from, static_cast<size_t>(run));
    } else {
      int64_t bit = place.shift;
      for (int64_t i = 0; i < run; ++i, bit += bits_) to[bit / 8] |= field(from[i]) << bit % 8;
    }
  });
}

void CodeView::Clear() { std::memset(data_, 0, static_cast<size_t>(layout_.total_bytes)); }

int64_t CodeView::ScaleIndex(int64_t element) const {
  if (per_tensor()) return 0;
  int64_t index = 0;
  int64_t step = 1;
  for (int k = shape_.rank() - 1; k >= 0; --k) {
    int64_t block = element % shape_[k] / block_[static_cast<size_t>(k)];
    const bool partial = shape_[k] % block_[static_cast<size_t>(k)] != 0;
    if (neighbour_ && partial && block > 0 && block + 1 == grid_[k]) --block;
    index += block * step;
    element /= shape_[k];
    step *= grid_[k];
  }
  return index;
}

uint32_t CodeView::ScaleBits(int64_t index) const {
  const int bytes = ir::ScaleBytes(scheme_.scale);
  uint32_t bits = 0;
  std::memcpy(&bits, data_ + layout_.scale_offset + index * bytes, static_cast<size_t>(bytes));
  return bits;
}

void CodeView::SetScaleBits(int64_t index, uint32_t bits) {
  const int bytes = ir::ScaleBytes(scheme_.scale);
  std::memcpy(data_ + layout_.scale_offset + index * bytes, &bits, static_cast<size_t>(bytes));
}

float CodeView::Scale(int64_t index) const {
  const float scale = ScaleOfBits(scheme_.scale, ScaleBits(index));
  return scheme_.two_level ? scale * TensorScale() : scale;
}

int CodeView::Zero(int64_t index) const {
  if (!has_zeros_) return 0;
  const auto byte = static_cast<uint8_t>(data_[layout_.zero_offset + index]);
  return signed_codes_ ? static_cast<int8_t>(byte) : byte;
}

void CodeView::SetZero(int64_t index, int zero) {
  data_[layout_.zero_offset + index] = static_cast<std::byte>(zero);
}

float CodeView::TensorScale() const {
  float scale;
  std::memcpy(&scale, data_ + layout_.tensor_scale_offset, sizeof(scale));
  return scale;
}

void CodeView::SetTensorScale(float scale) {
  std::memcpy(data_ + layout_.tensor_scale_offset, &scale, sizeof(scale));
}

void CodeView::CopyScale(int64_t index, const CodeView& from, int64_t from_index) {
  SetScaleBits(index, from.ScaleBits(from_index));
  if (scheme_.asymmetric()) {
    data_[layout_.zero_offset + index] = from.data_[from.layout_.zero_offset + from_index];
  }
}

// A run of elements in one row and one block of the last axis has one scale.
template <typename Body>
void CodeView::ForScales(int64_t begin, int64_t count, const Body& body) const {
  if (per_tensor()) return body(0, count, 0);
  const int last = shape_.rank() - 1;
  const int64_t extent = shape_[last];
  const int64_t block = block_[static_cast<size_t>(last)];
  for (int64_t done = 0; done < count;) {
    const int64_t at = (begin + done) % extent;
    const int64_t run = std::min({block - at % block, extent - at, count - done});
    body(done, run, ScaleIndex(begin + done));
    done += run;
  }
}

void CodeView::Dequantize(const KernelSet& kernels, int64_t begin, int64_t count, float* values,
                          int8_t* codes) const {
  ReadCodes(begin, count, codes);
  const int64_t groups = (count + kGroup - 1) / kGroup;
  std::fill(values + count, values + groups * kGroup, 0.0f);
  if (!by_kernel_) {
    ForScales(begin, count, [&](int64_t offset, int64_t run, int64_t index) {
      const float scale = Scale(index);
      const auto zero = static_cast<float>(Zero(index));
      for (int64_t i = offset; i < offset + run; ++i) {
        values[i] = ((*table_)[static_cast<uint8_t>(codes[i])] - zero) * scale;
      }
    });
    return;
  }
  ForScales(begin, count, [&](int64_t offset, int64_t run, int64_t index) {
    std::fill_n(values + offset, run, Scale(index));
  });
  std::fill(codes + count, codes + groups * kGroup, int8_t{0});
  const Operand code{reinterpret_cast<const std::byte*>(codes), kGroup};
  const Operand scale{reinterpret_cast<const std::byte*>(values), kGroup * 4};
  kernels.memory->dequantize(reinterpret_cast<std::byte*>(values), code, scale, {}, groups, 0);
}

void CodeView::DequantizeAt(const int64_t* elements, int64_t count, float* values,
                            int8_t* codes) const {
  ReadCodesAt(elements, count, codes);
  // Elements [begin, end) have the scale and zero point of the last one that was looked up.
  int64_t begin = 0;
  int64_t end = 0;
  float scale = 0;
  float zero = 0;
  const int last = shape_.rank() - 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t element = elements[i];
    if (element < begin || element >= end) {
      const int64_t index = ScaleIndex(element);
      scale = Scale(index);
      zero = static_cast<float>(Zero(index));
      if (per_tensor()) {
        end = elements_;
      } else {
        const int64_t at = element % shape_[last];
        begin = element - at % block_[static_cast<size_t>(last)];
        end = std::min(begin + block_[static_cast<size_t>(last)], element - at + shape_[last]);
      }
    }
    values[i] = ((*table_)[static_cast<uint8_t>(codes[i])] - zero) * scale;
  }
}

void CodeView::BlockBounds(int64_t scale_index, int64_t* first, int64_t* extents) const {
  for (int i = 0; i < shape_.rank(); ++i) {
    const int k = by_columns_ ? i : shape_.rank() - 1 - i;
    const size_t at = static_cast<size_t>(k);
    first[at] = scale_index % grid_[k] * block_[at];
    scale_index /= grid_[k];
    extents[at] = std::min(block_[at], shape_[k] - first[at]);
  }
}

}  // namespace faultline::fusion::cpu
