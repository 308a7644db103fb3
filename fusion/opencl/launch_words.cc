// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/opencl/launch_words.h"

#include <algorithm>

#include "fusion/fault.h"
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
    words_[kHeaderScratchStride] = FAULT(opencl_scratch_shared) ? 0 : shape.scratch_stride;
    if (FAULT(opencl_last_row_missing) && block_.has_row && shape.units > 1) {
      --words_[kHeaderUnits];
    }
    if (FAULT(opencl_tail_not_guarded) && !block_.has_row) {
      words_[kHeaderUnits] = CeilDiv(shape.units, 16) * 16;
    }
    words_[kHeaderCode] = Here();
    words_.insert(words_.end(), program.code.begin(), program.code.end());
    words_[kHeaderParameters] = Here();
    WriteParameters();
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

  void WriteParameters() {
    static thread_local std::vector<uint64_t> before;  // of opencl_stale_parameters alone
    const bool stale =
        FAULT(opencl_stale_parameters) && before.size() == binding_.parameters.size();
    const std::span<const uint64_t> parameters = stale ? before : binding_.parameters;
    for (uint64_t bits : parameters) {
      const bool first = FAULT(opencl_parameter_of_first_slot);
      words_.push_back(static_cast<int64_t>(first ? parameters[0] : bits));
    }
    if (FAULT(opencl_stale_parameters)) {
      before.assign(binding_.parameters.begin(), binding_.parameters.end());
    }
  }

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
      for (int piece : access.pieces) {
        words_.push_back(FAULT(opencl_first_part_only) ? access.pieces[0] : piece);
      }
      return;
    }
    const int64_t width = ir::ByteSize(access.storage.dtype);
    const int slot = FAULT(opencl_access_of_first_buffer) ? 0 : access.slot;
    Buffer* buffer = binding_.buffers[static_cast<size_t>(slot)];
    set(kAccessWidth, width);
    set(kAccessOffset, binding.offset + offset_of_(buffer) / width);
    if (access.map == MapKind::kTable) {
      set(kAccessTable, Here());
      words_.insert(words_.end(), binding.table.begin(), binding.table.end());
      return;
    }
    const int dropped = FAULT(opencl_outer_digits_dropped) ? std::max(binding.rank - 2, 0) : 0;
    set(kAccessRank, binding.rank - dropped);
    for (int k = dropped; k < binding.rank; ++k) {
      const auto digit = static_cast<size_t>(k);
      const size_t to = at + static_cast<size_t>(k - dropped);
      words_[to + kAccessExtents] = binding.extents[digit];
      words_[to + kAccessStrides] = binding.strides[digit];
      words_[to + kAccessPositions] = binding.positions[digit];
    }
    if (access.map != MapKind::kIndirect) return;
    set(kAccessIndex, access.index);
    set(kAccessIndexStride, FAULT(opencl_index_steps_by_one) ? 1 : binding.index_stride);
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
  if (FAULT(opencl_last_item_missing) && shape->items > 1) --shape->items;
  return true;
}

std::vector<int64_t> WriteLaunch(const Block& block, const DeviceProgram& program,
                                 const BlockBinding& binding, const LaunchShape& shape,
                                 const std::function<int64_t(Buffer*)>& offset_of,
                                 int64_t scratch) {
  return LaunchWriter(block, binding, offset_of).Write(program, shape, scratch);
}

}  // namespace faultline::fusion::opencl
