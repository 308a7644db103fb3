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
  extends_sign_ = ir::IsIntegerCode(scheme.value) && scheme.value != ir::QValue::kU8;
  by_kernel_ = extends_sign_ && !scheme.asymmetric();
  if (scheme.store == ir::QStore::kNative) return;
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
  const int64_t outer = row / packed_extent_;
  const int64_t at = row % packed_extent_;
  return {(outer * packed_units_ + at / per_unit_) * inner_ + in,
          static_cast<int>(at % per_unit_) * bits_};
}

uint32_t CodeView::LoadUnit(int64_t unit) const {
  uint32_t word = 0;
  std::memcpy(&word, data_ + unit * unit_bytes_, static_cast<size_t>(unit_bytes_));
  return word;
}

int8_t CodeView::Field(uint32_t unit, int shift) const {
  const int above = 32 - bits_;
  const uint32_t top = unit << (above - shift);
  if (extends_sign_) return static_cast<int8_t>(static_cast<int32_t>(top) >> above);
  return static_cast<int8_t>(top >> above);
}

int8_t CodeView::ReadCode(int64_t element) const {
  const Place place = PlaceOf(element);
  if (FAULT(packed_code_loses_sign) && per_unit_ > 1) {
    return static_cast<int8_t>(LoadUnit(place.unit) >> place.shift & ((1u << bits_) - 1));
  }
  return Field(LoadUnit(place.unit), place.shift);
}

void CodeView::WriteCode(int64_t element, int8_t code) {
  const Place place = PlaceOf(element);
  const uint32_t field = static_cast<uint32_t>(code) & ((1u << bits_) - 1);
  const uint32_t word = LoadUnit(place.unit) | field << place.shift;
  std::memcpy(data_ + place.unit * unit_bytes_, &word, static_cast<size_t>(unit_bytes_));
}

void CodeView::ReadCodes(int64_t begin, int64_t count, int8_t* codes) const {
  if (unit_bytes_ == 1 && per_unit_ == 1) {
    std::memcpy(codes, data_ + begin, static_cast<size_t>(count));
    return;
  }
  if (inner_ != 1) {
    for (int64_t i = 0; i < count; ++i) codes[i] = ReadCode(begin + i);
    return;
  }
  // Units run along the last axis: whole units of a row at a time.
  while (count > 0) {
    const Place place = PlaceOf(begin);
    const uint32_t unit = LoadUnit(place.unit);
    const int64_t left = packed_extent_ - begin % packed_extent_;
    const int64_t fields =
        std::min({int64_t{(8 * unit_bytes_ - place.shift) / bits_}, left, count});
    for (int64_t i = 0; i < fields; ++i) {
      codes[i] = Field(unit, place.shift + static_cast<int>(i) * bits_);
    }
    codes += fields;
    begin += fields;
    count -= fields;
  }
}

void CodeView::WriteCodes(int64_t begin, int64_t count, const int8_t* codes) {
  if (unit_bytes_ == 1 && per_unit_ == 1) {
    std::memcpy(data_ + begin, codes, static_cast<size_t>(count));
    return;
  }
  for (int64_t i = 0; i < count; ++i) WriteCode(begin + i, codes[i]);
}

void CodeView::Clear() { std::memset(data_, 0, static_cast<size_t>(layout_.total_bytes)); }

int64_t CodeView::ScaleIndex(int64_t element) const {
  if (per_tensor()) return 0;
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
  if (!scheme_.asymmetric()) return 0;
  if (FAULT(zero_points_ignored)) return 0;
  const auto byte = static_cast<uint8_t>(data_[layout_.zero_offset + index]);
  return extends_sign_ ? static_cast<int8_t>(byte) : byte;
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

void CodeView::DequantizeAt(const int64_t* elements, int64_t count, float* values) const {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t index = ScaleIndex(elements[i]);
    const float code = (*table_)[static_cast<uint8_t>(ReadCode(elements[i]))];
    values[i] = (code - static_cast<float>(Zero(index))) * Scale(index);
  }
}

void CodeView::BlockBounds(int64_t scale_index, int64_t* first, int64_t* extents) const {
  for (int i = 0; i < shape_.rank(); ++i) {
    const int k = FAULT(scale_grid_by_columns) ? i : shape_.rank() - 1 - i;
    const size_t at = static_cast<size_t>(k);
    first[at] = scale_index % grid_[k] * block_[at];
    scale_index /= grid_[k];
    extents[at] = std::min(block_[at], shape_[k] - first[at]);
  }
}

}  // namespace faultline::fusion::cpu
