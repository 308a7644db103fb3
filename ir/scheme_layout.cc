// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Where codes and scales lie, and whether a scheme fits a shape.

#include <algorithm>
#include <string>

#include "ir/scheme.h"

namespace faultline::ir {
namespace {

constexpr int64_t AlignedTo4(int64_t bytes) { return (bytes + 3) / 4 * 4; }

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

// Codes share units (words, or bytes) along one axis; -1 for a tensor of rank 0.
struct Packing {
  int axis = -1;
  int unit_bytes = 1;
  int64_t per_unit = 1;
};

Packing PackingOf(const Scheme& scheme, const Shape& shape) {
  Packing packing;
  packing.axis = shape.rank() == 0 ? -1 : shape.rank() - 1 - scheme.packed_dim;
  if (scheme.store == QStore::kNative) return packing;
  packing.unit_bytes = scheme.store == QStore::kPackedU32 ? 4 : 1;
  packing.per_unit = 8 * packing.unit_bytes / CodeBits(scheme.value);
  return packing;
}

Status Bad(std::string message) { return {StatusCode::kInvalidProgram, std::move(message)}; }

Status VerifyStore(const Scheme& scheme, const Shape& shape) {
  const std::string name(QValueName(scheme.value));
  switch (scheme.store) {
    case QStore::kNative:
      if (CodeBits(scheme.value) != 8) {
        return Bad("store native holds 8-bit values, but " + name + " has " +
                   std::to_string(CodeBits(scheme.value)) + " bits");
      }
      if (scheme.packed_dim != 0) return Bad("store native has no packed dim");
      break;
    case QStore::kPackedNative:
      if (scheme.value != QValue::kE2m1) {
        return Bad("store packed_native holds e2m1, not " + name);
      }
      break;
    case QStore::kPackedU32:
      break;
  }
  if (scheme.packed_dim >= std::max(shape.rank(), 1)) {
    return Bad("packed dim " + std::to_string(scheme.packed_dim) + " is out of range for shape " +
               PrintShape(shape));
  }
  return {};
}

Status VerifyLevels(const Scheme& scheme, const Shape& shape) {
  if (scheme.block_rank > shape.rank()) {
    return Bad("block rank " + std::to_string(scheme.block_rank) + " is above the rank of shape " +
               PrintShape(shape));
  }
  for (size_t i = 0; i < scheme.block_rank; ++i) {
    if (scheme.block[i] < 1) {
      return Bad("block extent " + std::to_string(scheme.block[i]) + " is below 1");
    }
  }
  for (size_t i = scheme.block_rank; i < scheme.block.size(); ++i) {
    if (scheme.block[i] != 0) return Bad("a block extent lies beyond the block rank");
  }
  if (scheme.block_rank > 1 && scheme.block[0] == 1) {
    return Bad("block extents begin with 1, which is left out");
  }
  if (!scheme.two_level) return {};
  if (scheme.per_tensor()) return Bad("a two-level scheme needs blocks");
  if (scheme.asymmetric()) return Bad("a two-level scheme is symmetric");
  if (scheme.scale == ScaleDtype::kF32 || scheme.scale == ScaleDtype::kUe8m0) {
    return Bad("a two-level scheme has scales of ue4m3, f16 or bf16, not " +
               std::string(ScaleDtypeName(scheme.scale)));
  }
  return {};
}

}  // namespace

std::array<int64_t, kRankMax> BlockExtents(const Scheme& scheme, const Shape& shape) {
  std::array<int64_t, kRankMax> extents = {};
  const int rank = shape.rank();
  for (int i = 0; i < rank; ++i) {
    const int from_block = i - (rank - scheme.block_rank);
    int64_t extent = 1;
    if (scheme.per_tensor()) {
      extent = shape[i];
    } else if (from_block >= 0) {
      extent = scheme.block[static_cast<size_t>(from_block)];
    }
    extents[static_cast<size_t>(i)] = extent;
  }
  return extents;
}

Shape ScaleGrid(const Scheme& scheme, const Shape& shape) {
  Shape grid = Shape::OfRank(shape.rank(), 1);
  if (scheme.per_tensor()) return grid;
  const auto block = BlockExtents(scheme, shape);
  for (int i = 0; i < shape.rank(); ++i) {
    grid[i] = CeilDiv(shape[i], block[static_cast<size_t>(i)]);
  }
  return grid;
}

Status VerifyScheme(const Scheme& scheme, const Shape& shape) {
  if (static_cast<int>(scheme.value) >= kQValueCount || scheme.store > QStore::kPackedU32 ||
      scheme.scale > ScaleDtype::kUe4m3 || scheme.block_rank > kRankMax) {
    return Bad("a field of the scheme is out of its range");
  }
  FAULTLINE_RETURN_IF_ERROR(VerifyStore(scheme, shape));
  return VerifyLevels(scheme, shape);
}

QuantizedLayout LayoutOf(const Scheme& scheme, const Shape& shape) {
  const Packing packing = PackingOf(scheme, shape);
  Shape units = shape;
  if (packing.axis >= 0) units[packing.axis] = CeilDiv(shape[packing.axis], packing.per_unit);
  QuantizedLayout layout;
  layout.code_bytes = units.NumElements() * packing.unit_bytes;
  layout.scale_offset = AlignedTo4(layout.code_bytes);
  layout.scale_count = ScaleGrid(scheme, shape).NumElements();
  layout.zero_offset =
      layout.scale_offset + AlignedTo4(layout.scale_count * ScaleBytes(scheme.scale));
  layout.tensor_scale_offset =
      layout.zero_offset + (scheme.asymmetric() ? AlignedTo4(layout.scale_count) : 0);
  layout.total_bytes = layout.tensor_scale_offset + (scheme.two_level ? 4 : 0);
  return layout;
}

CodePlace PlaceOfCode(const Scheme& scheme, const Shape& shape, const int64_t* index) {
  const Packing packing = PackingOf(scheme, shape);
  int64_t unit = 0;
  int64_t field = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == packing.axis) {
      unit = unit * CeilDiv(shape[i], packing.per_unit) + index[i] / packing.per_unit;
      field = index[i] % packing.per_unit;
    } else {
      unit = unit * shape[i] + index[i];
    }
  }
  return {unit * packing.unit_bytes, static_cast<int>(field) * CodeBits(scheme.value)};
}

}  // namespace faultline::ir
