// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/bound_access.h"

#include <cstring>

#include "fusion/cpu/pool.h"
#include "fusion/cpu/program.h"
#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

// Every index is out of range, and not even element 0 may be touched in its place.
bool NothingToIndex(const BoundAccess& from) {
  return from.access->map == MapKind::kIndirect && from.binding->index_bound == 0;
}

}  // namespace

void BoundAccesses::Bind(std::span<const Access> accesses, std::span<const AccessBinding> bindings,
                         std::span<Buffer* const> buffers, int64_t rows, int64_t row) {
  FAULTLINE_CHECK(accesses.size() == bindings.size(), "a binding for every access");
  if (bound_.size() < accesses.size()) bound_.resize(accesses.size());
  for (size_t i = 0; i < accesses.size(); ++i) {
    const Access& access = accesses[i];
    const AccessBinding& binding = bindings[i];
    BoundAccess& bound = bound_[i];
    bound.access = &access;
    bound.binding = &binding;
    bound.quantized = access.storage.quantized();
    bound.width = bound.quantized ? 4 : ir::ByteSize(access.storage.dtype);
    bound.format = FormatOf(access.storage.dtype);
    bound.split = false;
    bound.direct = false;
    if (access.map == MapKind::kPieces) continue;
    const auto* buffer = static_cast<CpuBuffer*>(buffers[static_cast<size_t>(access.slot)]);
    // The product of a matmul is bound by the target after this.
    bound.base = buffer == nullptr ? nullptr : buffer->data();
    if (bound.quantized) {
      bound.codes = CodeView(access.storage.scheme, binding.quantized_shape, bound.base);
    }
    if (access.map == MapKind::kTable) continue;
    const size_t rank = static_cast<size_t>(binding.rank);
    bound.whole = Normalize(binding.offset, std::span(binding.extents).first(rank),
                            std::span(binding.strides).first(rank));
    // With empty rows no element phase runs.
    if (access.map != MapKind::kStrided || bound.quantized || (row == 0 && !access.per_row))
      continue;
    if (rows == 1 || access.per_row) {
      bound.outer = Strided();
      bound.outer.offset = bound.whole.offset;
      bound.row = bound.whole;
      bound.row.offset = 0;
      bound.split = true;
    } else {
      bound.split = SplitAtRow(bound.whole, row, &bound.outer, &bound.row);
    }
    bound.direct = bound.split && bound.row.contiguous() && bound.format < 0;
  }
}

void BoundAccesses::Offsets(const BoundAccess& from, int64_t begin, int64_t step, int64_t count,
                            int64_t* offsets, IndexContext* context) const {
  const AccessBinding& binding = *from.binding;
  if (from.access->map == MapKind::kTable) {
    for (int64_t i = 0; i < count; ++i) {
      offsets[i] = binding.offset + binding.table[static_cast<size_t>(begin + i * step)];
    }
    return;
  }
  if (step == 1) {
    cpu::Offsets(from.whole, begin, count, offsets);
  } else {
    for (int64_t i = 0; i < count; ++i) offsets[i] = from.whole.At(begin + i * step);
  }
  if (from.access->map != MapKind::kIndirect) return;
  ReadIndices(from, begin, step, count, context->indices, context);
  for (int64_t i = 0; i < count; ++i) offsets[i] += context->indices[i] * binding.index_stride;
}

void BoundAccesses::ReadIndices(const BoundAccess& from, int64_t begin, int64_t step, int64_t count,
                                int64_t* indices, IndexContext* context) const {
  const AccessBinding& binding = *from.binding;
  const BoundAccess& by = bound_[static_cast<size_t>(from.access->index)];
  // Offsets of the index elements go where the indices will be.
  Offsets(by, begin, step, count, indices, context);
  IndicesAt(by.width, by.base, count, indices);
  if (FAULT(negative_index_wraps)) {
    for (int64_t i = 0; i < count; ++i) {
      if (indices[i] < 0 && indices[i] >= -binding.index_bound) indices[i] += binding.index_bound;
    }
  }
  const auto bound = static_cast<uint64_t>(binding.index_bound);
  bool bad = false;
  for (int64_t i = 0; i < count; ++i) bad |= static_cast<uint64_t>(indices[i]) >= bound;
  if (!bad) return;
  Strided positions;
  positions.rank = binding.rank;
  positions.extents = binding.extents;
  positions.strides = binding.positions;
  for (int64_t i = 0; i < count; ++i) {
    if (static_cast<uint64_t>(indices[i]) < bound) continue;
    context->Report(from.access->source, positions.At(begin + i * step), indices[i],
                    binding.index_bound);
    indices[i] = 0;
  }
}

void BoundAccesses::Read(const KernelSet& kernels, const BoundAccess& from, int64_t begin,
                         int64_t step, int64_t count, std::byte* dst, IndexContext* context) const {
  if (from.access->map == MapKind::kPieces) {
    ForLeaves(from, begin, step, count, [&](const BoundAccess& leaf, int64_t at, int64_t run) {
      Read(kernels, leaf, at, step, run, dst, context);
      dst += run * from.width;
    });
    return;
  }
  if (from.quantized) {
    auto* values = reinterpret_cast<float*>(dst);
    if (from.access->map == MapKind::kStrided && from.whole.contiguous() && step == 1) {
      from.codes.Dequantize(kernels, from.whole.offset + begin, count, values, context->codes);
      return;
    }
    Offsets(from, begin, step, count, context->offsets, context);
    if (NothingToIndex(from)) {
      std::memset(dst, 0, static_cast<size_t>(count * from.width));
      return;
    }
    from.codes.DequantizeAt(context->offsets, count, values, context->codes);
    return;
  }
  if (from.access->map == MapKind::kStrided && step == 1) {
    Gather(from.width, from.base, from.whole, begin, count, dst);
    return;
  }
  Offsets(from, begin, step, count, context->offsets, context);
  if (NothingToIndex(from)) {
    std::memset(dst, 0, static_cast<size_t>(count * from.width));
    return;
  }
  GatherAt(from.width, from.base, context->offsets, count, dst);
}

}  // namespace faultline::fusion::cpu
