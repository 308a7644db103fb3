// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/launch_words.h"

#include <algorithm>

#include "fusion/opencl/words.h"

namespace faultline::fusion::opencl {
namespace {

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

class LaunchWriter {
 public:
  LaunchWriter(const Block& block, const BlockBinding& binding,
               const std::function<int64_t(Buffer*)>& offset_of)
      : block_(block), binding_(binding), offset_of_(offset_of) {}

  std::vector<int64_t> Write(const DeviceProgram& program, const LaunchShape& shape,
                             int64_t scratch) {
    words_.resize(kHeaderWords);
    words_[kHeaderItems] = shape.items;
    words_[kHeaderUnits] = shape.units;
    words_[kHeaderChunk] = shape.chunk;
    words_[kHeaderHasRow] = block_.has_row ? 1 : 0;
    words_[kHeaderRow] = shape.row;
    words_[kHeaderScratch] = scratch;
    words_[kHeaderScratchStride] = shape.scratch_stride;
    words_[kHeaderCode] = Here();
    words_.insert(words_.end(), program.code.begin(), program.code.end());
    words_[kHeaderParameters] = Here();
    for (uint64_t bits : binding_.parameters) words_.push_back(static_cast<int64_t>(bits));
    words_[kHeaderCoordinates] = Here();
    WriteCoordinates(block_.loop_rank);
    WriteCoordinates(block_.outer_rank());
    const size_t accesses = words_.size();
    words_[kHeaderAccesses] = Here();
    words_.resize(accesses + block_.accesses.size() * kAccessWords);
    for (size_t i = 0; i < block_.accesses.size(); ++i) {
      WriteAccess(accesses + i * kAccessWords, block_.accesses[i], binding_.accesses[i]);
    }
    return std::move(words_);
  }

 private:
  int64_t Here() const { return static_cast<int64_t>(words_.size()); }

  // How many positions of the first `axes` axes lie between two neighbours on each, and its extent.
  void WriteCoordinates(int axes) {
    for (int axis = 0; axis < axes; ++axis) {
      int64_t inner = 1;
      for (int k = axis + 1; k < axes; ++k) inner *= binding_.extents[static_cast<size_t>(k)];
      words_.push_back(inner);
      words_.push_back(binding_.extents[static_cast<size_t>(axis)]);
    }
  }

  void WriteAccess(size_t at, const Access& access, const AccessBinding& binding) {
    const auto set = [&](AccessField field, int64_t value) {
      words_[at + static_cast<size_t>(field)] = value;
    };
    set(kAccessKind, static_cast<int64_t>(access.map));
    if (access.map == MapKind::kPieces) {
      set(kAccessTable, Here());
      set(kAccessPieces, static_cast<int64_t>(access.pieces.size()));
      set(kAccessInner, binding.inner);
      words_.insert(words_.end(), binding.starts.begin(), binding.starts.end());
      for (int piece : access.pieces) words_.push_back(piece);
      return;
    }
    const int64_t width = ir::ByteSize(access.storage.dtype);
    Buffer* buffer = binding_.buffers[static_cast<size_t>(access.slot)];
    set(kAccessWidth, width);
    set(kAccessOffset, binding.offset + offset_of_(buffer) / width);
    if (access.map == MapKind::kTable) {
      set(kAccessTable, Here());
      words_.insert(words_.end(), binding.table.begin(), binding.table.end());
      return;
    }
    set(kAccessRank, binding.rank);
    for (int64_t k = 0; k < binding.rank; ++k) {
      const auto digit = static_cast<size_t>(k);
      words_[at + kAccessExtents + digit] = binding.extents[digit];
      words_[at + kAccessStrides + digit] = binding.strides[digit];
      words_[at + kAccessPositions + digit] = binding.positions[digit];
    }
    if (access.map != MapKind::kIndirect) return;
    set(kAccessIndex, access.index);
    set(kAccessIndexStride, binding.index_stride);
    set(kAccessIndexBound, binding.index_bound);
    set(kAccessSource, access.source);
  }

  const Block& block_;
  const BlockBinding& binding_;
  const std::function<int64_t(Buffer*)>& offset_of_;
  std::vector<int64_t> words_;
};

}  // namespace

bool ShapeOf(const Block& block, const DeviceProgram& program, const BlockBinding& binding,
             const Spread& spread, LaunchShape* shape) {
  int64_t rows = 1;
  int64_t row = 1;
  for (int k = 0; k < block.loop_rank; ++k) {
    const bool outer = block.has_row && k + 1 < block.loop_rank;
    int64_t& product = outer ? rows : row;
    if (__builtin_mul_overflow(product, binding.extents[static_cast<size_t>(k)], &product)) {
      return false;
    }
  }
  int64_t space = 0;
  if (__builtin_mul_overflow(rows, std::max<int64_t>(row, 1), &space) || space > kSpaceMax) {
    return false;
  }
  *shape = LaunchShape();
  shape->row = row;
  shape->units = block.has_row ? rows : row;
  if (shape->units == 0) return true;
  // Tiles stay whole: an item's share of elements is a multiple of a tile.
  const int64_t grain = block.has_row ? 1 : spread.lanes;
  int64_t items = std::min(spread.items_max, CeilDiv(shape->units, grain));
  shape->scratch_stride = 8 * row * program.spilled;
  if (shape->scratch_stride > 0) {
    items = std::clamp<int64_t>(kScratchMax / shape->scratch_stride, 1, items);
  }
  shape->chunk = CeilDiv(CeilDiv(shape->units, grain), items) * grain;
  shape->items = CeilDiv(shape->units, shape->chunk);
  return true;
}

std::vector<int64_t> WriteLaunch(const Block& block, const DeviceProgram& program,
                                 const BlockBinding& binding, const LaunchShape& shape,
                                 const std::function<int64_t(Buffer*)>& offset_of,
                                 int64_t scratch) {
  return LaunchWriter(block, binding, offset_of).Write(program, shape, scratch);
}

}  // namespace faultline::fusion::opencl
