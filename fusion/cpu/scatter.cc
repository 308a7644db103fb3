// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Writes at indices, in row-major order of the index tensor and on one thread: the last assignment
// wins, and sums and products are formed in a fixed order.

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "fusion/cpu/launches.h"
#include "fusion/cpu/places.h"
#include "fusion/fault.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = Places::kTile;
constexpr int64_t kNowhere = Places::kNowhere;

class ScatterRun {
 public:
  ScatterRun(const ScatterLaunch& launch, const ScatterBinding& binding, const Context& context)
      : launch_(launch),
        target_(binding.places.tensor),
        binding_(binding),
        context_(context),
        values_map_(MapOf(binding.values)),
        nan_wins_(!FAULT(scatter_min_ignores_nan)) {}

  ir::Status Run() {
    if (binding_.values.shape.NumElements() == 0) return {};
    const bool combines = launch_.update != ir::Update::kAssign;
    const ir::Dtype dtype = launch_.dtype;
    if (combines && (dtype == ir::Dtype::kF16 || dtype == ir::Dtype::kBf16)) return CombineInF32();
    const Places places(binding_.places, launch_.index, launch_.source, target_.place.strides,
                        target_.place.offset);
    if (!combines) {
      switch (ir::ByteSize(dtype)) {
        case 1:
          Assign<uint8_t>(places);
          break;
        case 2:
          Assign<uint16_t>(places);
          break;
        case 4:
          Assign<uint32_t>(places);
          break;
        default:
          Assign<uint64_t>(places);
          break;
      }
    } else {
      Combine(dtype, places);
    }
    Report(found_.error, context_.options);
    return {};
  }

 private:
  // Calls body(count) for each tile of the walk, with offsets_ saying where its elements go and
  // their raw values in values_.
  template <typename Body>
  void ForTiles(const Places& places, const Body& body) {
    const int width = ir::ByteSize(launch_.dtype);
    for (int64_t at = 0; at < places.count(); at += kTile) {
      const int64_t count = std::min(kTile, places.count() - at);
      Gather(width, DataOf(binding_.values), values_map_, at, count, values_.data());
      places.Find(at, count, offsets_.data(), &found_);
      body(count);
    }
  }

  template <typename T>
  void Assign(const Places& places) {
    T* to = reinterpret_cast<T*>(DataOf(target_));
    const T* from = reinterpret_cast<const T*>(values_.data());
    ForTiles(places, [&](int64_t count) {
      const bool backwards = FAULT(scatter_first_wins);
      for (int64_t k = 0; k < count; ++k) {
        const int64_t i = backwards ? count - 1 - k : k;
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset != kNowhere) to[offset] = from[i];
      }
    });
  }

  void Combine(ir::Dtype dtype, const Places& places) {
    switch (dtype) {
      case ir::Dtype::kF64:
        return Accumulate<double>(places);
      case ir::Dtype::kF32:
        return Accumulate<float>(places);
      case ir::Dtype::kI64:
        return Accumulate<int64_t>(places);
      case ir::Dtype::kI32:
        return Accumulate<int32_t>(places);
      case ir::Dtype::kI16:
        return Accumulate<int16_t>(places);
      case ir::Dtype::kI8:
        return Accumulate<int8_t>(places);
      case ir::Dtype::kU64:
        return Accumulate<uint64_t>(places);
      case ir::Dtype::kU32:
        return Accumulate<uint32_t>(places);
      case ir::Dtype::kU16:
        return Accumulate<uint16_t>(places);
      case ir::Dtype::kU8:
      case ir::Dtype::kBool:
        return Accumulate<uint8_t>(places);
      case ir::Dtype::kF16:
      case ir::Dtype::kBf16:
      case ir::Dtype::kQuantized:
        break;
    }
    FAULTLINE_CHECK(false, "a scatter that combines elements of this dtype");
  }

  // Ints wrap; a NaN propagates through min and max.
  template <typename T>
  T Updated(ir::Update update, T have, T value) const {
    const bool takes_value = nan_wins_ && !(have != have) && (value != value);
    switch (update) {
      case ir::Update::kAssign:
        return value;
      case ir::Update::kAdd:
        if constexpr (std::is_integral_v<T>) {
          return static_cast<T>(static_cast<uint64_t>(have) + static_cast<uint64_t>(value));
        } else {
          return have + value;
        }
      case ir::Update::kMul:
        if constexpr (std::is_integral_v<T>) {
          return static_cast<T>(static_cast<uint64_t>(have) * static_cast<uint64_t>(value));
        } else {
          return have * value;
        }
      case ir::Update::kOr:
        return have != T{} ? have : value;
      case ir::Update::kMin:
        return takes_value || value < have ? value : have;
      case ir::Update::kMax:
        return takes_value || have < value ? value : have;
    }
    return value;
  }

  template <typename T>
  void Accumulate(const Places& places) {
    T* to = reinterpret_cast<T*>(DataOf(target_));
    const T* from = reinterpret_cast<const T*>(values_.data());
    const ir::Update update = launch_.update;
    ForTiles(places, [&](int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset != kNowhere) to[offset] = Updated(update, to[offset], from[i]);
      }
    });
  }

  // The 16-bit floats: an f32 image of the target is combined with and rounded once. Only elements
  // that were met are written back, so that the others keep their bits.
  ir::Status CombineInF32() {
    const int64_t elements = target_.shape.NumElements();
    const int64_t padded = (elements + kGroup - 1) / kGroup * kGroup;
    Scratch scratch(context_.pool);
    auto memory = scratch.Get(context_.options.account, padded * 7);
    if (!memory.has_value()) return memory.error();
    std::byte* wide = *memory;
    std::byte* narrow = wide + padded * 4;
    std::byte* touched = narrow + padded * 2;
    const Strided map = MapOf(target_);
    const size_t format =
        static_cast<size_t>(launch_.dtype == ir::Dtype::kF16 ? Format::kF16 : Format::kBf16);
    const MemoryKernels& kernels = *context_.kernels->memory;
    Gather(2, DataOf(target_), map, 0, elements, narrow);
    std::memset(narrow + elements * 2, 0, static_cast<size_t>((padded - elements) * 2));
    std::memset(touched, 0, static_cast<size_t>(padded));
    kernels.widen[format](wide, {narrow, kGroup * 2}, {}, {}, padded / kGroup, 0);

    const Places places(binding_.places, launch_.index, launch_.source,
                        target_.shape.RowMajorStrides(), 0);
    float* sums = reinterpret_cast<float*>(wide);
    alignas(64) std::array<float, kTile> values;
    ForTiles(places, [&](int64_t count) {
      kernels.widen[format](reinterpret_cast<std::byte*>(values.data()),
                            {values_.data(), kGroup * 2}, {}, {}, (count + kGroup - 1) / kGroup, 0);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset == kNowhere) continue;
        sums[offset] = Updated(launch_.update, sums[offset], values[static_cast<size_t>(i)]);
        touched[offset] = std::byte{1};
      }
    });
    const Op round = launch_.dtype == ir::Dtype::kF16 ? Op::kRoundF16 : Op::kRoundBf16;
    const Operand all{wide, kGroup * 4};
    context_.kernels->regs[static_cast<size_t>(Reg::kF32)]->ops[static_cast<size_t>(round)](
        wide, all, {}, {}, padded / kGroup, 0);
    kernels.narrow[format](narrow, all, {}, {}, padded / kGroup, 0);
    int64_t at = 0;
    auto* to = reinterpret_cast<uint16_t*>(DataOf(target_));
    ForRuns(map, 0, elements, [&](int64_t offset, int64_t step, int64_t run) {
      for (int64_t i = 0; i < run; ++i, ++at) {
        if (touched[at] == std::byte{0}) continue;
        std::memcpy(to + offset + i * step, narrow + at * 2, 2);
      }
    });
    Report(found_.error, context_.options);
    return {};
  }

  const ScatterLaunch& launch_;
  const TensorBinding& target_;
  const ScatterBinding& binding_;
  const Context& context_;
  const Strided values_map_;
  const bool nan_wins_;
  std::array<int64_t, kTile> offsets_;
  alignas(64) std::array<std::byte, kTile * 8> values_ = {};
  IndexContext found_;
};

}  // namespace

ir::Status RunScatter(const ScatterLaunch& launch, const ScatterBinding& binding,
                      const Context& context) {
  return ScatterRun(launch, binding, context).Run();
}

}  // namespace faultline::fusion::cpu
