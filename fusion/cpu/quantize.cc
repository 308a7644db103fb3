// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantization: range and scale of each block (or of the tensor), then codes; and layout ops that
// move codes and scales as they are.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"
#include "fusion/fault.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = 512;

// Values of one block, a run of its last axis at a time, as f32.
class BlockReader {
 public:
  BlockReader(const QuantizeLaunch& launch, const QuantizeBinding& binding,
              const KernelSet& kernels)
      : width_(ir::ByteSize(launch.from)),
        format_(FormatOf(launch.from)),
        data_(DataOf(binding.from)),
        place_(binding.from.place),
        rank_(binding.from.shape.rank()),
        kernels_(kernels) {}

  // Calls body(values, count, first) for runs of the block's elements; `values` is padded with
  // zeroes to a group; `first` is the index of the run's first element.
  template <typename Body>
  void ForRuns(const int64_t* first, const int64_t* extents, const Body& body) {
    std::array<int64_t, ir::kRankMax + 1> index = {};
    const int last = rank_ - 1;
    const int64_t run = rank_ == 0 ? 1 : extents[last];
    for (int axis = 0; axis < rank_; ++axis) {
      if (extents[axis] == 0) return;
    }
    for (;;) {
      std::array<int64_t, ir::kRankMax> at = {};
      int64_t offset = place_.offset;
      for (int axis = 0; axis < rank_; ++axis) {
        const size_t k = static_cast<size_t>(axis);
        at[k] = first[k] + index[k];
        offset += at[k] * place_.strides[k];
      }
      const int64_t stride = rank_ == 0 ? 1 : place_.strides[static_cast<size_t>(last)];
      for (int64_t done = 0; done < run; done += kTile) {
        const int64_t count = std::min(kTile, run - done);
        Read(offset + done * stride, stride, count);
        body(values_.data(), count, at);
        if (rank_ > 0) at[static_cast<size_t>(last)] += count;
      }
      int axis = last - 1;
      for (; axis >= 0; --axis) {
        const size_t k = static_cast<size_t>(axis);
        if (++index[k] < extents[k]) break;
        index[k] = 0;
      }
      if (axis < 0) return;
    }
  }

 private:
  void Read(int64_t offset, int64_t stride, int64_t count) {
    const std::array<int64_t, 1> extents = {count};
    const std::array<int64_t, 1> strides = {stride};
    const Strided map = Normalize(offset, extents, strides);
    const int64_t groups = (count + kGroup - 1) / kGroup;
    auto* values = reinterpret_cast<std::byte*>(values_.data());
    std::byte* raw = format_ < 0 ? values : raw_.data();
    Gather(width_, data_, map, 0, count, raw);
    std::memset(raw + count * width_, 0, static_cast<size_t>((groups * kGroup - count) * width_));
    if (format_ >= 0) {
      kernels_.memory->widen[format_](values, {raw, kGroup * width_}, {}, {}, groups, 0);
    }
  }

  const int width_;
  const int format_;
  const std::byte* data_;
  const Placement place_;
  const int rank_;
  const KernelSet& kernels_;
  alignas(64) std::array<float, kTile> values_;
  alignas(64) std::array<std::byte, kTile * 4> raw_;
};

bool IsFinite(float x) { return (std::bit_cast<uint32_t>(x) & 0x7f800000u) != 0x7f800000u; }

// Range of a block: the greatest magnitude, or the mean one, over its finite elements; 0 if there
// are none.
float RangeOf(const QuantizeLaunch& launch, const KernelSet& kernels, BlockReader* reader,
              const int64_t* first, const int64_t* extents) {
  alignas(64) std::array<float, kAccumulators* kGroup> sums = {};
  auto* state = reinterpret_cast<std::byte*>(sums.data());
  const bool mean = launch.range == ir::Range::kAbsMean;
  const AccumulateKernel accumulate =
      mean ? kernels.memory->abs_sum_finite : kernels.memory->absmax_finite;
  int64_t finite = 0;
  int64_t counted = 0;
  reader->ForRuns(first, extents, [&](const float* values, int64_t count, const auto&) {
    accumulate(state, {reinterpret_cast<const std::byte*>(values), kGroup * 4}, count);
    if (mean) finite += std::count_if(values, values + count, IsFinite);
    counted += count;
  });
  float range = 0;
  (mean ? kernels.memory->abs_sum_fold : kernels.memory->absmax_fold)(
      reinterpret_cast<std::byte*>(&range), state);
  if (FAULT(abs_mean_counts_all) && mean && finite > 0) finite = counted;
  if (mean) return finite == 0 ? 0 : range / static_cast<float>(finite);
  return range;
}

// One rounding, and never zero.
float ScaleOf(const ir::Scheme& scheme, float range) {
  const double divisor = FAULT(full_range_scale_symmetric)
                             ? static_cast<double>(ir::CodeMax(scheme.value))
                             : ir::ScaleDivisor(scheme.value);
  const float scale = range / static_cast<float>(divisor);
  if (FAULT(zero_range_scale_of_zero) && range == 0) return 0;
  return std::min(std::max(scale, 0x1p-126f), 0x1.fffffep127f);
}

// Seeded fault: ties go away from zero, as C's round has them.
void RoundTiesAway(const float* values, int64_t count, float scale, uint64_t bounds,
                   int8_t* codes) {
  const float low = static_cast<int8_t>(bounds & 0xff);
  const float high = static_cast<int8_t>(bounds >> 8 & 0xff);
  for (int64_t i = 0; i < count; ++i) {
    const float ratio = values[i] / scale;
    if (std::fabs(ratio - std::trunc(ratio)) != 0.5f) continue;
    codes[i] = static_cast<int8_t>(std::min(std::max(std::round(ratio), low), high));
  }
}

int64_t LinearOf(const ir::Shape& shape, const std::array<int64_t, ir::kRankMax>& index) {
  int64_t linear = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    linear = linear * shape[axis] + index[static_cast<size_t>(axis)];
  }
  return linear;
}

}  // namespace

ir::Status RunQuantize(const QuantizeLaunch& launch, const QuantizeBinding& binding,
                       const Context& context) {
  const ir::Scheme& scheme = launch.scheme;
  CodeView view(scheme, binding.from.shape, static_cast<CpuBuffer*>(binding.to)->data());
  if (!FAULT(packed_words_not_cleared)) view.Clear();
  BlockReader reader(launch, binding, *context.kernels);
  const uint64_t bounds = static_cast<uint64_t>(static_cast<uint8_t>(ir::CodeMin(scheme.value))) |
                          static_cast<uint64_t>(static_cast<uint8_t>(ir::CodeMax(scheme.value)))
                              << 8;
  alignas(64) std::array<float, kGroup> group;
  alignas(64) std::array<int8_t, kTile> codes;
  for (int64_t block = 0; block < view.scale_count(); ++block) {
    std::array<int64_t, ir::kRankMax> first = {};
    std::array<int64_t, ir::kRankMax> extents = {};
    view.BlockBounds(block, first.data(), extents.data());
    const float scale =
        ScaleOf(scheme, RangeOf(launch, *context.kernels, &reader, first.data(), extents.data()));
    view.SetScale(block, scale);
    group.fill(scale);
    reader.ForRuns(first.data(), extents.data(),
                   [&](const float* values, int64_t count, const auto& at) {
                     context.kernels->memory->quantize(
                         reinterpret_cast<std::byte*>(codes.data()),
                         {reinterpret_cast<const std::byte*>(values), kGroup * 4},
                         {reinterpret_cast<const std::byte*>(group.data()), 0}, {},
                         (count + kGroup - 1) / kGroup, bounds);
                     if (FAULT(code_rounds_half_away)) {
                       RoundTiesAway(values, count, scale, bounds, codes.data());
                     }
                     view.WriteCodes(LinearOf(binding.from.shape, at), count, codes.data());
                   });
  }
  return {};
}

ir::Status RunMoveCodes(const MoveCodesLaunch& launch, const MoveCodesBinding& binding,
                        const Context& context) {
  CodeView to(launch.result, binding.shape, static_cast<CpuBuffer*>(binding.to)->data());
  to.Clear();
  const int64_t count = to.elements();
  BoundAccesses accesses;
  accesses.Bind(launch.accesses, binding.accesses, binding.buffers, 1, count);
  const BoundAccess& from = accesses[0];
  IndexContext index;
  std::array<int64_t, kTile> offsets;
  std::array<int64_t, kTile> indices;
  index.offsets = offsets.data();
  index.indices = indices.data();
  auto find = [&](int64_t element, const BoundAccess** leaf) {
    int64_t source = 0;
    *leaf = &accesses.LeafAt(from, element);
    accesses.Offsets(**leaf, element, 1, 1, &source, &index);
    return source;
  };
  for (int64_t element = 0; element < count; ++element) {
    const BoundAccess* leaf = nullptr;
    const int64_t source = find(element, &leaf);
    if (leaf->codes.elements() > 0) to.WriteCode(element, leaf->codes.ReadCode(source));
  }
  if (count == 0) {
    // Nothing to move but the scale of a whole tensor.
    const BoundAccess& any = from.access->map == MapKind::kPieces
                                 ? accesses[static_cast<size_t>(from.access->pieces[0])]
                                 : from;
    if (to.scale_count() == 1 && !FAULT(empty_moved_scale_unwritten))
      to.SetScale(0, any.codes.Scale(0));
  } else {
    for (int64_t block = 0; block < to.scale_count(); ++block) {
      std::array<int64_t, ir::kRankMax> first = {};
      std::array<int64_t, ir::kRankMax> extents = {};
      to.BlockBounds(block, first.data(), extents.data());
      const BoundAccess* leaf = nullptr;
      const int64_t source = find(LinearOf(binding.shape, first), &leaf);
      const int64_t scale =
          FAULT(moved_codes_keep_first_scale) ? 0 : leaf->codes.ScaleIndex(source);
      to.SetScale(block, leaf->codes.Scale(scale));
    }
  }
  Report(index.error, context.options);
  return {};
}

}  // namespace faultline::fusion::cpu
