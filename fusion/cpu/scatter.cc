// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Writes at indices, in row-major order of the index tensor and on one thread: the last assignment
// wins, and additions come in a fixed order.

#include <algorithm>
#include <array>
#include <cstring>

#include "fusion/cpu/launches.h"
#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = 256;

class ScatterRun {
 public:
  ScatterRun(const ScatterLaunch& launch, const ScatterBinding& binding, const Context& context)
      : launch_(launch), binding_(binding), context_(context) {
    index_map_ = MapOf(binding.index);
    values_map_ = MapOf(binding.values);
    TensorBinding without = binding.target;
    without.shape = binding.index.shape;
    without.place.strides[static_cast<size_t>(binding.dim)] = 0;
    others_map_ = MapOf(without);
  }

  ir::Status Run() {
    if (binding_.index.shape.NumElements() == 0) return {};
    const bool adds = launch_.update == ir::Update::kAdd;
    FAULTLINE_CHECK(adds || launch_.update == ir::Update::kAssign, "assign or add");
    const ir::Dtype dtype = launch_.dtype;
    std::byte* data = DataOf(binding_.target);
    const int64_t stride = binding_.target.place.strides[static_cast<size_t>(binding_.dim)];
    if (adds && (dtype == ir::Dtype::kF16 || dtype == ir::Dtype::kBf16)) return AddInF32();
    if (!adds) {
      switch (ir::ByteSize(dtype)) {
        case 1:
          Assign<uint8_t>(data, stride);
          break;
        case 2:
          Assign<uint16_t>(data, stride);
          break;
        case 4:
          Assign<uint32_t>(data, stride);
          break;
        default:
          Assign<uint64_t>(data, stride);
          break;
      }
    } else if (dtype == ir::Dtype::kF32) {
      Accumulate<float>(data, stride);
    } else if (dtype == ir::Dtype::kF64) {
      Accumulate<double>(data, stride);
    } else if (dtype == ir::Dtype::kBool) {
      AccumulateBool(data, stride);
    } else {
      switch (ir::ByteSize(dtype)) {
        case 1:
          Accumulate<uint8_t>(data, stride);
          break;
        case 2:
          Accumulate<uint16_t>(data, stride);
          break;
        case 4:
          Accumulate<uint32_t>(data, stride);
          break;
        default:
          Accumulate<uint64_t>(data, stride);
          break;
      }
    }
    Report(found_.error, context_.options);
    return {};
  }

 private:
  // Calls body(count) for each tile of the index tensor, with offsets_ saying where its elements go
  // (kNowhere if the index is out of range) and their raw values in values_.
  template <typename Body>
  void ForTiles(int64_t stride, const Strided& others, const Body& body) {
    const int64_t total = binding_.index.shape.NumElements();
    const int64_t bound = binding_.target.shape[binding_.dim];
    const int index_width = ir::ByteSize(launch_.index);
    const int width = ir::ByteSize(launch_.dtype);
    alignas(64) std::array<std::byte, kTile * 8> indices;
    for (int64_t at = 0; at < total; at += kTile) {
      const int64_t count = std::min(kTile, total - at);
      Gather(index_width, DataOf(binding_.index), index_map_, at, count, indices.data());
      Gather(width, DataOf(binding_.values), values_map_, at, count, values_.data());
      Offsets(others, at, count, offsets_.data());
      for (int64_t i = 0; i < count; ++i) {
        int64_t index = 0;
        if (index_width == 4) {
          int32_t narrow;
          std::memcpy(&narrow, indices.data() + i * 4, sizeof(narrow));
          index = narrow;
        } else {
          std::memcpy(&index, indices.data() + i * 8, sizeof(index));
        }
        int64_t& offset = offsets_[static_cast<size_t>(i)];
        if (index < 0 || index >= bound) {
          found_.Report(launch_.source, at + i, index, bound);
          offset = kNowhere;
        } else {
          offset += index * stride;
        }
      }
      body(count);
    }
  }

  template <typename T>
  void Assign(std::byte* data, int64_t stride) {
    T* to = reinterpret_cast<T*>(data);
    const T* from = reinterpret_cast<const T*>(values_.data());
    ForTiles(stride, others_map_, [&](int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset != kNowhere) to[offset] = from[i];
      }
    });
  }

  template <typename T>
  void Accumulate(std::byte* data, int64_t stride) {
    T* to = reinterpret_cast<T*>(data);
    const T* from = reinterpret_cast<const T*>(values_.data());
    ForTiles(stride, others_map_, [&](int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset != kNowhere) to[offset] = static_cast<T>(to[offset] + from[i]);
      }
    });
  }

  void AccumulateBool(std::byte* data, int64_t stride) {
    ForTiles(stride, others_map_, [&](int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset != kNowhere) data[offset] |= values_[static_cast<size_t>(i)];
      }
    });
  }

  // The 16-bit floats: an f32 image of the target takes the sums and is rounded once. Only elements
  // that were added to are written back, so that the others keep their bits.
  ir::Status AddInF32() {
    const int64_t elements = binding_.target.shape.NumElements();
    const int64_t padded = (elements + kGroup - 1) / kGroup * kGroup;
    Scratch scratch(context_.pool);
    auto memory = scratch.Get(context_.options.account, padded * 7);
    if (!memory.has_value()) return memory.error();
    std::byte* wide = *memory;
    std::byte* narrow = wide + padded * 4;
    std::byte* touched = narrow + padded * 2;
    const Strided map = MapOf(binding_.target);
    const size_t format =
        static_cast<size_t>(launch_.dtype == ir::Dtype::kF16 ? Format::kF16 : Format::kBf16);
    const MemoryKernels& kernels = *context_.kernels->memory;
    Gather(2, DataOf(binding_.target), map, 0, elements, narrow);
    std::memset(narrow + elements * 2, 0, static_cast<size_t>((padded - elements) * 2));
    std::memset(touched, 0, static_cast<size_t>(padded));
    kernels.widen[format](wide, {narrow, kGroup * 2}, {}, {}, padded / kGroup, 0);

    TensorBinding dense;
    dense.shape = binding_.index.shape;
    dense.place.strides = binding_.target.shape.RowMajorStrides();
    const size_t dim = static_cast<size_t>(binding_.dim);
    const int64_t stride = dense.place.strides[dim];
    dense.place.strides[dim] = 0;
    float* sums = reinterpret_cast<float*>(wide);
    alignas(64) std::array<float, kTile> values;
    ForTiles(stride, MapOf(dense), [&](int64_t count) {
      kernels.widen[format](reinterpret_cast<std::byte*>(values.data()),
                            {values_.data(), kGroup * 2}, {}, {}, (count + kGroup - 1) / kGroup, 0);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t offset = offsets_[static_cast<size_t>(i)];
        if (offset == kNowhere) continue;
        sums[offset] += values[static_cast<size_t>(i)];
        touched[offset] = std::byte{1};
      }
    });
    const Op round = launch_.dtype == ir::Dtype::kF16 ? Op::kRoundF16 : Op::kRoundBf16;
    const Operand all{wide, kGroup * 4};
    context_.kernels->regs[static_cast<size_t>(Reg::kF32)]->ops[static_cast<size_t>(round)](
        wide, all, {}, {}, padded / kGroup, 0);
    kernels.narrow[format](narrow, all, {}, {}, padded / kGroup, 0);
    int64_t at = 0;
    auto* to = reinterpret_cast<uint16_t*>(DataOf(binding_.target));
    ForRuns(map, 0, elements, [&](int64_t offset, int64_t step, int64_t run) {
      for (int64_t i = 0; i < run; ++i, ++at) {
        if (touched[at] == std::byte{0}) continue;
        std::memcpy(to + offset + i * step, narrow + at * 2, 2);
      }
    });
    Report(found_.error, context_.options);
    return {};
  }

  static constexpr int64_t kNowhere = INT64_MIN;

  const ScatterLaunch& launch_;
  const ScatterBinding& binding_;
  const Context& context_;
  Strided index_map_;
  Strided values_map_;
  Strided others_map_;
  std::array<int64_t, kTile> offsets_;
  alignas(64) std::array<std::byte, kTile* 8> values_ = {};
  IndexContext found_;
};

}  // namespace

ir::Status RunScatter(const ScatterLaunch& launch, const ScatterBinding& binding,
                      const Context& context) {
  return ScatterRun(launch, binding, context).Run();
}

}  // namespace faultline::fusion::cpu
