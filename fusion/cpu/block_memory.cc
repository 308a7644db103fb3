// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Loads, stores and coordinates of the tile interpreter.

#include <cstring>

#include "fusion/cpu/block_run.h"
#include "fusion/fault.h"

namespace faultline::fusion::cpu {
namespace {

// Zeroes what is behind `count` elements up to a whole group.
void Pad(std::byte* tile, int64_t count, int64_t groups, int width) {
  const int64_t rest = groups * kGroup - count;
  if (rest > 0) std::memset(tile + count * width, 0, static_cast<size_t>(rest * width));
}

}  // namespace

// Raw elements of a tile: where they lie, if they lie densely or are all one; else gathered in
// `room`.
BlockRun::Raw BlockRun::Find(Worker* worker, const BoundAccess& from, size_t number,
                             const Tile& tile, bool row_phase, std::byte* room) const {
  const int width = from.width;
  if (row_phase || (from.split && !across_)) {
    const int64_t at = row_phase ? tile.row : tile.at;
    if (!from.split) {
      accesses_.Read(*program_->kernels, from, at, 1, tile.count, room, &worker->context);
    } else {
      const std::byte* base = from.base + worker->row_offsets[number] * width;
      if (from.row.broadcast()) return {base, true, false};
      if (from.row.contiguous()) return {base + at * width, false, false};
      Gather(width, base, from.row, at, tile.count, room);
    }
  } else if (from.split) {
    const std::byte* base = from.base + from.row.At(tile.at) * width;
    if (from.outer.broadcast()) return {base + from.outer.offset * width, true, false};
    if (from.outer.contiguous()) {
      return {base + (from.outer.offset + tile.row) * width, false, false};
    }
    Gather(width, base, from.outer, tile.row, tile.count, room);
  } else {
    const int64_t step = across_ ? row_ : 1;
    accesses_.Read(*program_->kernels, from, tile.row * row_ + tile.at, step, tile.count, room,
                   &worker->context);
  }
  Pad(room, tile.count, tile.groups, width);
  return {room, false, true};
}

// Where the tile lies densely in what is stored to; null if it does not.
std::byte* BlockRun::DenseTarget(const Worker& worker, const BoundAccess& to, size_t number,
                                 const Tile& tile, bool row_phase) const {
  if (!to.split) return nullptr;
  const bool along = row_phase || !across_;
  const Strided& map = along ? to.row : to.outer;
  const int64_t shift = along ? worker.row_offsets[number] : to.row.At(tile.at);
  const int64_t at = along && !row_phase ? tile.at : tile.row;
  if (tile.count == 1) return to.base + (shift + map.At(at)) * to.width;
  return map.contiguous() ? to.base + (shift + map.offset + at) * to.width : nullptr;
}

void BlockRun::Load(Worker* worker, const Step& step, const Tile& tile, bool row_phase) const {
  const size_t id = static_cast<size_t>(step.dst);
  const size_t number = static_cast<size_t>(step.immediate);
  const BoundAccess& from = accesses_[number];
  const int width = from.width;
  const bool same = from.format < 0;
  // The common case, without a copy: whole groups, dense, of the register's own format.
  if (from.direct && !across_ && !row_phase && tile.count == tile.groups * kGroup &&
      !program_->values[id].row_buffer) {
    const std::byte* data = from.base + (worker->row_offsets[number] + tile.at) * width;
    worker->operands[id] = {data, kGroup * width};
    return;
  }
  std::byte* home = worker->tiles[id];
  std::byte* staging = worker->front + kStagingRaw * tile_;
  Raw raw = Find(worker, from, number, tile, row_phase, same ? home : staging);
  // One row: all lanes of the row value's group are that element.
  if (row_phase && !across_) raw.broadcast = true;
  const OpKernel widen =
      same ? nullptr : program_->kernels->memory->widen[static_cast<size_t>(from.format)];
  const int out = ByteSize(step.reg);
  if (raw.broadcast) {
    std::byte* group = worker->states[id];
    alignas(8) std::byte element[8];
    std::memcpy(element, raw.data, static_cast<size_t>(width));
    Splat(width, element, same ? group : staging);
    if (!same) widen(group, {staging, 0}, {}, {}, 1, 0);
    const ValueInfo& value = program_->values[id];
    if (value.scope == Scope::kElement && !value.row_buffer) {
      worker->operands[id] = {group, 0};
      return;
    }
    // A row value, or one that a later phase reads from the row buffer.
    for (int64_t g = 0; g < tile.groups; ++g) {
      std::memcpy(home + g * kGroup * out, group, static_cast<size_t>(kGroup * out));
    }
    return;
  }
  const bool whole = tile.count == tile.groups * kGroup;
  const bool usable = raw.own || whole;
  if (same) {
    const ValueInfo& value = program_->values[id];
    if (raw.data != home && (!usable || value.row_buffer || value.scope == Scope::kRow)) {
      std::memcpy(home, raw.data, static_cast<size_t>(tile.count * width));
      Pad(home, tile.count, tile.groups, width);
      raw.data = home;
    }
    worker->operands[id] = {raw.data, kGroup * width};
    return;
  }
  if (!usable) {
    std::memcpy(staging, raw.data, static_cast<size_t>(tile.count * width));
    Pad(staging, tile.count, tile.groups, width);
    raw.data = staging;
  }
  widen(home, {raw.data, kGroup * width}, {}, {}, tile.groups, 0);
  worker->operands[id] = {home, kGroup * out};
}

void BlockRun::Store(Worker* worker, const Step& step, const Tile& tile, bool row_phase) const {
  const size_t number = static_cast<size_t>(step.immediate);
  const BoundAccess& to = accesses_[number];
  const int width = to.width;
  Operand value = worker->operands[static_cast<size_t>(step.a)];
  std::byte* staging = worker->front + kStagingRaw * tile_;
  if (value.step == 0 && tile.groups > 1) {
    const int64_t bytes = kGroup * ByteSize(step.reg);
    for (int64_t g = 0; g < tile.groups; ++g) {
      std::memcpy(staging + g * bytes, value.data, static_cast<size_t>(bytes));
    }
    value = {staging, bytes};
  }
  std::byte* dense = DenseTarget(*worker, to, number, tile, row_phase);
  if (value.data == dense) return;  // computed in place
  const std::byte* from = value.data;
  if (to.format >= 0) {
    const OpKernel narrow = program_->kernels->memory->narrow[static_cast<size_t>(to.format)];
    const bool whole = tile.count == tile.groups * kGroup;
    std::byte* out = dense != nullptr && whole ? dense : worker->front + kStagingIndex * tile_;
    narrow(out, value, {}, {}, tile.groups, 0);
    if (out == dense) return;
    from = out;
  }
  if (dense != nullptr) {
    const bool beyond = FAULT(store_one_too_many) && tile.count < tile.groups * kGroup;
    std::memcpy(dense, from, static_cast<size_t>((tile.count + (beyond ? 1 : 0)) * width));
  } else if (to.split) {
    const bool along = row_phase || !across_;
    std::byte* base = to.base + (along ? worker->row_offsets[number] : to.row.At(tile.at)) * width;
    const int64_t at = along && !row_phase ? tile.at : tile.row;
    cpu::Scatter(width, base, along ? to.row : to.outer, at, tile.count, from);
  } else {
    int64_t* offsets = worker->context.offsets;
    const bool along = row_phase || !across_;
    const int64_t begin = row_phase ? tile.row : tile.row * row_ + tile.at;
    accesses_.Offsets(to, begin, along ? 1 : row_, tile.count, offsets, &worker->context);
    ScatterAt(width, to.base, offsets, tile.count, from);
  }
}

void BlockRun::Coordinate(Worker* worker, const Step& step, const Tile& tile,
                          bool row_phase) const {
  const Block& block = *program_->block;
  const int axis = static_cast<int>(step.immediate);
  const int axes = row_phase ? block.outer_rank() : block.loop_rank;
  const int64_t extent = binding_->extents[static_cast<size_t>(axis)];
  int64_t inner = 1;
  for (int k = axis + 1; k < axes; ++k) inner *= binding_->extents[static_cast<size_t>(k)];
  const int64_t begin = row_phase ? tile.row : tile.row * row_ + tile.at;
  int64_t stride = row_phase || !across_ ? 1 : row_;
  // One row: all lanes of its group are its coordinate.
  if (row_phase && !across_) stride = 0;
  std::byte* dst = worker->tiles[static_cast<size_t>(step.dst)];
  for (int64_t i = 0; i < tile.groups * kGroup; ++i) {
    const int64_t at = (begin + i * stride) / inner % extent;
    std::memcpy(dst + i * 8, &at, sizeof(at));
  }
}

}  // namespace faultline::fusion::cpu
