// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Quantization: range, scale and zero point of each block (or of the tensor), or those given by the
// program, then codes.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "fusion/cpu/codes.h"
#include "fusion/cpu/launches.h"
#include "fusion/cpu/scale_values.h"
#include "fusion/fault.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = 512;

// Values of one block, a run of its last axis at a time, as f32.
class BlockReader {
 public:
  // `data`: of what is quantized, read or made.
  BlockReader(const QuantizeLaunch& launch, const QuantizeBinding& binding, const std::byte* data,
              const KernelSet& kernels)
      : width_(ir::ByteSize(launch.from)),
        format_(FormatOf(launch.from)),
        data_(data),
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

// What a block's scale and zero point follow from, over its finite elements: the greatest magnitude
// or the mean one, 0 if there are none; or the least and the greatest, 0 among them.
struct BlockRange {
  float range = 0;
  float least = 0;
};

BlockRange EndsOf(BlockReader* reader, const int64_t* first, const int64_t* extents) {
  float least = 0;
  float greatest = 0;
  reader->ForRuns(first, extents, [&](const float* values, int64_t count, const auto&) {
    for (int64_t i = 0; i < count; ++i) {
      const float x = IsFinite(values[i]) ? values[i] : 0;
      least = std::min(least, x);
      greatest = std::max(greatest, x);
    }
  });
  return {greatest - least, least};
}

BlockRange RangeOf(const QuantizeLaunch& launch, const KernelSet& kernels, BlockReader* reader,
                   const int64_t* first, const int64_t* extents) {
  if (launch.scheme.asymmetric()) return EndsOf(reader, first, extents);
  alignas(64) std::array<float, kAccumulators * kGroup> sums = {};
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
  BlockRange block;
  (mean ? kernels.memory->abs_sum_fold : kernels.memory->absmax_fold)(
      reinterpret_cast<std::byte*>(&block.range), state);
  if (FAULT(abs_mean_counts_all) && mean && finite > 0) finite = counted;
  if (mean) block.range = finite == 0 ? 0 : block.range / static_cast<float>(finite);
  return block;
}

// One rounding, never zero, finite: what is then rounded up to the scale's dtype.
float UnroundedScale(const ir::Scheme& scheme, float range) {
  const double divisor = FAULT(full_range_scale_symmetric)
                             ? static_cast<double>(ir::CodeMax(scheme.value))
                             : ir::ScaleDivisor(scheme.value);
  const float scale = range / static_cast<float>(divisor);
  if (FAULT(zero_range_scale_of_zero) && range == 0) return 0;
  return std::min(std::max(scale, 0x1p-126f), std::numeric_limits<float>::max());
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

class Quantizer {
 public:
  Quantizer(const QuantizeLaunch& launch, const QuantizeBinding& binding, const std::byte* data,
            const Context& context)
      : launch_(launch),
        binding_(binding),
        kernels_(*context.kernels),
        context_(context),
        view_(launch.scheme, binding.from.shape, static_cast<CpuBuffer*>(binding.to)->data()),
        reader_(launch, binding, data, kernels_) {}

  ir::Status Run() {
    if (!FAULT(packed_words_not_cleared)) view_.Clear();
    if (launch_.given_scales) {
      TakeScales();
    } else if (launch_.scheme.two_level) {
      FAULTLINE_RETURN_IF_ERROR(ComputeTwoLevels());
    }
    const bool later = !launch_.given_scales && !launch_.scheme.two_level;
    for (int64_t block = 0; block < view_.scale_count(); ++block) {
      Bounds(block);
      if (later) ComputeScale(block);
      Encode(block);
    }
    return {};
  }

 private:
  void Bounds(int64_t block) { view_.BlockBounds(block, first_.data(), extents_.data()); }
  BlockRange Range() {
    return RangeOf(launch_, kernels_, &reader_, first_.data(), extents_.data());
  }

  void ComputeScale(int64_t block) {
    const ir::Scheme& scheme = launch_.scheme;
    const BlockRange range = Range();
    view_.SetScaleBits(block, ScaleBitsAtLeast(scheme.scale, UnroundedScale(scheme, range.range)));
    if (!scheme.asymmetric()) return;
    view_.SetZero(block, ZeroPointOf(scheme.value, range.least, view_.Scale(block)));
  }

  // The tensor's scale follows from the greatest block scale, so that all of them come first.
  ir::Status ComputeTwoLevels() {
    const ir::Scheme& scheme = launch_.scheme;
    Scratch scratch(context_.pool);
    auto memory = scratch.Get(context_.options.account,
                              std::max<int64_t>(view_.scale_count(), 1) * int64_t{sizeof(float)});
    if (!memory.has_value()) return memory.error();
    auto* unrounded = reinterpret_cast<float*>(*memory);
    float greatest = UnroundedScale(scheme, 0);
    for (int64_t block = 0; block < view_.scale_count(); ++block) {
      Bounds(block);
      unrounded[block] = UnroundedScale(scheme, Range().range);
      greatest = std::max(greatest, unrounded[block]);
    }
    const float tensor = std::max(greatest / GreatestScale(scheme.scale), 0x1p-100f);
    view_.SetTensorScale(tensor);
    for (int64_t block = 0; block < view_.scale_count(); ++block) {
      view_.SetScaleBits(block, ScaleBitsAtLeast(scheme.scale, unrounded[block] / tensor));
    }
    return {};
  }

  // Elements of a small dense walk over a tensor that the program gives.
  template <typename Element, typename Body>
  static void ForElements(const TensorBinding& tensor, const Body& body) {
    const Strided map = MapOf(tensor);
    const auto* elements = reinterpret_cast<const Element*>(DataOf(tensor));
    const int64_t count = tensor.shape.NumElements();
    for (int64_t i = 0; i < count; ++i) body(i, elements[map.At(i)]);
  }

  void TakeScales() {
    const ir::Scheme& scheme = launch_.scheme;
    ForElements<float>(binding_.scales, [&](int64_t block, float scale) {
      view_.SetScaleBits(block, GivenScaleBits(scheme.scale, scale));
    });
    if (scheme.two_level) {
      ForElements<float>(binding_.third, [&](int64_t, float scale) {
        view_.SetTensorScale(
            ScaleOfBits(ir::ScaleDtype::kF32, GivenScaleBits(ir::ScaleDtype::kF32, scale)));
      });
    } else if (scheme.value == ir::QValue::kU8) {
      ForElements<uint8_t>(binding_.third,
                           [&](int64_t block, uint8_t zero) { view_.SetZero(block, zero); });
    } else if (scheme.value == ir::QValue::kI8) {
      ForElements<int8_t>(binding_.third,
                          [&](int64_t block, int8_t zero) { view_.SetZero(block, zero); });
    }
  }

  void Encode(int64_t block) {
    const ir::Scheme& scheme = launch_.scheme;
    const ir::QValue value = scheme.value;
    const float scale = view_.Scale(block);
    const int zero = view_.Zero(block);
    alignas(64) std::array<float, kGroup> group;
    group.fill(scale);
    const uint64_t bounds = static_cast<uint64_t>(static_cast<uint8_t>(ir::CodeMin(value))) |
                            static_cast<uint64_t>(static_cast<uint8_t>(ir::CodeMax(value))) << 8;
    reader_.ForRuns(
        first_.data(), extents_.data(), [&](const float* values, int64_t count, const auto& at) {
          if (!ir::IsIntegerCode(value)) {
            EncodeFloats(value, values, count, scale, codes_.data());
          } else if (scheme.asymmetric()) {
            EncodeIntegers(value, values, count, scale, zero, codes_.data());
          } else {
            kernels_.memory->quantize(reinterpret_cast<std::byte*>(codes_.data()),
                                      {reinterpret_cast<const std::byte*>(values), kGroup * 4},
                                      {reinterpret_cast<const std::byte*>(group.data()), 0}, {},
                                      (count + kGroup - 1) / kGroup, bounds);
            if (FAULT(code_rounds_half_away)) {
              RoundTiesAway(values, count, scale, bounds, codes_.data());
            }
          }
          view_.WriteCodes(LinearOf(binding_.from.shape, at), count, codes_.data());
        });
  }

  const QuantizeLaunch& launch_;
  const QuantizeBinding& binding_;
  const KernelSet& kernels_;
  const Context& context_;
  CodeView view_;
  BlockReader reader_;
  std::array<int64_t, ir::kRankMax> first_ = {};
  std::array<int64_t, ir::kRankMax> extents_ = {};
  alignas(64) std::array<int8_t, kTile> codes_;
};

}  // namespace

int64_t LinearOf(const ir::Shape& shape, const std::array<int64_t, ir::kRankMax>& index) {
  int64_t linear = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    linear = linear * shape[axis] + index[static_cast<size_t>(axis)];
  }
  return linear;
}

ir::Status RunQuantize(const QuantizeLaunch& launch, const Program* prologue,
                       const QuantizeBinding& binding, const Context& context) {
  Scratch scratch(context.pool);
  const std::byte* data = nullptr;
  if (prologue == nullptr) {
    data = DataOf(binding.from);
  } else if (binding.from.shape.NumElements() > 0) {
    auto made =
        RunPrologue(*prologue, binding.prologue, ir::ByteSize(launch.from), context, &scratch);
    if (!made.has_value()) return made.error();
    data = *made;
  }
  return Quantizer(launch, binding, data, context).Run();
}

}  // namespace faultline::fusion::cpu
