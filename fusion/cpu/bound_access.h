// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The accesses of one launch with their numbers: maps in normal form, split at the row where that
// is possible, and reads of ranges of linear indices for the maps that are not plain strides.

#ifndef FUSION_CPU_BOUND_ACCESS_H_
#define FUSION_CPU_BOUND_ACCESS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fusion/block/block.h"
#include "fusion/cpu/codes.h"
#include "fusion/cpu/kernels/kernels.h"
#include "fusion/cpu/strided.h"
#include "fusion/target.h"

namespace faultline::fusion::cpu {

struct BoundAccess {
  const Access* access = nullptr;
  const AccessBinding* binding = nullptr;
  std::byte* base = nullptr;
  int width = 0;    // bytes of an element as it is read; 4 if quantized (f32 values)
  int format = -1;  // FormatOf the storage
  bool quantized = false;
  bool direct = false;  // split, dense along a row, of the register's own format
  bool split = false;   // kStrided, not quantized: outer and row describe it
  Strided whole;        // kStrided, kIndirect: over the whole space of the access
  Strided outer;        // over rows, with the offset
  Strided row;          // along a row, offset 0
  CodeView codes;       // quantized
};

// What a thread needs to read indices, and what it found.
struct IndexContext {
  int64_t* offsets = nullptr;  // room for a tile
  int64_t* indices = nullptr;  // room for a tile
  int8_t* codes = nullptr;     // room for a tile, rounded up to a group
  LaunchError error;

  void Report(int32_t source, int64_t position, int64_t index, int64_t bound) {
    const LaunchError found{source, position, index, bound};
    Merge(found);
  }
  void Merge(const LaunchError& other) {
    if (!other.failed()) return;
    const bool before = other.source != error.source ? other.source < error.source
                                                     : other.position < error.position;
    if (!error.failed() || before) error = other;
  }
};

class BoundAccesses {
 public:
  // `rows` x `row` is the space of the element phases ({1, n} without a row axis). Buffers are
  // CpuBuffers. The spans of the binding must outlive this object's use.
  void Bind(std::span<const Access> accesses, std::span<const AccessBinding> bindings,
            std::span<Buffer* const> buffers, int64_t rows, int64_t row);

  BoundAccess& operator[](size_t i) { return bound_[i]; }
  const BoundAccess& operator[](size_t i) const { return bound_[i]; }

  // Elements begin, begin + step, ... of the access's space into dst (width bytes each; quantized
  // ones as f32). Any kind of access. dst has room for `count` + 15 elements.
  void Read(const KernelSet& kernels, const BoundAccess& from, int64_t begin, int64_t step,
            int64_t count, std::byte* dst, IndexContext* context) const;
  // The same places, as element offsets. Not kPieces.
  void Offsets(const BoundAccess& from, int64_t begin, int64_t step, int64_t count,
               int64_t* offsets, IndexContext* context) const;
  // The same elements by what holds them, the access itself or pieces of it: calls body(leaf,
  // begin, count) in order.
  template <typename Body>
  void ForLeaves(const BoundAccess& from, int64_t begin, int64_t step, int64_t count,
                 const Body& body) const;

 private:
  void ReadIndices(const BoundAccess& from, int64_t begin, int64_t step, int64_t count,
                   int64_t* indices, IndexContext* context) const;

  std::vector<BoundAccess> bound_;  // kept between launches
};

template <typename Body>
void BoundAccesses::ForLeaves(const BoundAccess& from, int64_t begin, int64_t step, int64_t count,
                              const Body& body) const {
  if (from.access->map != MapKind::kPieces) return body(from, begin, count);
  const AccessBinding& binding = *from.binding;
  const int64_t period = binding.starts.back();
  while (count > 0) {
    const int64_t at = begin / binding.inner % period;
    const auto piece = std::upper_bound(binding.starts.begin(), binding.starts.end(), at) - 1;
    const auto number = static_cast<size_t>(piece - binding.starts.begin());
    // As far as the piece reaches.
    const int64_t end = (binding.starts[number + 1] - at) * binding.inner - begin % binding.inner;
    const int64_t run = std::min(count, (end + step - 1) / step);
    body(bound_[static_cast<size_t>(from.access->pieces[number])], begin, run);
    begin += run * step;
    count -= run;
  }
}

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_BOUND_ACCESS_H_
