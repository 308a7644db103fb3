// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "harness/generate/input_data.h"

namespace faultline::harness {
namespace {

// Storage stays a small multiple of the elements.
constexpr int64_t kStorageMax = int64_t{1} << 20;

// Moves the offset so that the lowest element lies at `offset`, and leaves room behind.
void Close(ChoiceStream& choices, const ir::Shape& shape, ir::Layout& layout) {
  int64_t lowest = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t stride = layout.strides[static_cast<size_t>(axis)];
    if (stride < 0 && shape[axis] > 1) lowest += stride * (shape[axis] - 1);
  }
  layout.offset = -lowest + (choices.Percent(40) ? choices.Pick({1, 2, 3, 5, 16, 64}) : 0);
  if (choices.Percent(30)) {
    layout.storage = ir::StorageElements(layout, shape) + choices.Between(1, 9);
  }
}

}  // namespace

ir::Layout DrawLayout(ChoiceStream& choices, const ir::Shape& shape) {
  ir::Layout layout;
  const int rank = shape.rank();
  std::array<int, ir::kRankMax> order = {};
  for (int axis = 0; axis < rank; ++axis) order[static_cast<size_t>(axis)] = axis;
  if (rank >= 2 && choices.Percent(45)) {
    for (int i = rank - 1; i > 0; --i) {
      std::swap(order[static_cast<size_t>(i)], order[choices.Below(static_cast<uint32_t>(i) + 1)]);
    }
  }
  layout.strides.assign(static_cast<size_t>(rank), 0);
  int64_t stride = choices.Percent(20) ? choices.Between(2, 3) : 1;
  for (int i = rank - 1; i >= 0; --i) {
    const int axis = order[static_cast<size_t>(i)];
    const int64_t extent = std::max<int64_t>(1, shape[axis]);
    int64_t& own = layout.strides[static_cast<size_t>(axis)];
    own = stride;
    stride *= extent;
    // A padded row.
    if (i > 0 && choices.Percent(25)) stride += own * choices.Between(1, 8);
    if (stride > kStorageMax) return {};
    if (choices.Percent(15)) own = -own;
    // Nothing walks along an axis of one element, so its stride is anything.
    if (extent == 1 && choices.Percent(50)) own = choices.Pick({0, 1, 7, 1000, -3});
  }
  Close(choices, shape, layout);
  return layout;
}

ir::Layout DrawBroadcastLayout(ChoiceStream& choices, const ir::Type& type, ir::DataPtr* data) {
  ir::Layout layout;
  const ir::Shape& shape = type.shape;
  const int rank = shape.rank();
  if (rank == 0 || type.quantized() || type.NumElements() == 0) return layout;
  // The trailing axes keep their strides; the data repeat along the others.
  const int kept = static_cast<int>(choices.Below(static_cast<uint32_t>(rank)));
  layout.strides.assign(static_cast<size_t>(rank), 0);
  int64_t inner = 1;
  for (int i = 0; i < kept; ++i) {
    const int axis = rank - 1 - i;
    layout.strides[static_cast<size_t>(axis)] = inner;
    inner *= shape[axis];
  }
  if (inner > 16) return {};
  auto repeated = std::make_shared<ir::DataSpec>();
  repeated->form = inner == type.NumElements() ? ir::DataForm::kList : ir::DataForm::kCycle;
  for (int64_t i = 0; i < inner; ++i) {
    const int64_t value = choices.Between(0, 9);
    repeated->elements.push_back(type.dtype() == ir::Dtype::kBool ? static_cast<uint64_t>(value & 1)
                                 : ir::IsFloat(type.dtype())
                                     ? ir::FromDouble(type.dtype(), static_cast<double>(value))
                                     : ir::FromInt(type.dtype(), value));
  }
  *data = std::move(repeated);
  Close(choices, shape, layout);
  return layout;
}

namespace {

// Scale dtypes and the second level, as VerifyScheme has them.
void DrawScales(ChoiceStream& choices, ir::Scheme& scheme) {
  using enum ir::ScaleDtype;
  scheme.scale = choices.Percent(45) ? kF32 : choices.Pick({kF32, kF16, kBf16, kUe8m0, kUe4m3});
  if (scheme.per_tensor() || scheme.asymmetric() || !choices.OneIn(5)) return;
  scheme.two_level = true;
  scheme.scale = choices.Pick({kUe4m3, kF16, kBf16});
}

}  // namespace

ir::Scheme DrawScheme(ChoiceStream& choices, const ir::Shape& shape) {
  using enum ir::QValue;
  constexpr ir::QValue kValues[] = {kQ8s,  kQ8s,  kQ8f,  kQ4s,  kQ4f, kQ2s, kQ2f,
                                    kE4m3, kE5m2, kE2m1, kE2m1, kU8,  kI8};
  ir::Scheme scheme;
  scheme.value = choices.Pick(kValues);
  const auto rank = static_cast<uint32_t>(shape.rank());
  if (ir::CodeBits(scheme.value) == 8 && choices.Percent(50)) {
    scheme.store = ir::QStore::kNative;
  } else {
    if (scheme.value == kE2m1 && choices.Percent(60)) scheme.store = ir::QStore::kPackedNative;
    if (rank > 1 && choices.Percent(45)) {
      scheme.packed_dim = static_cast<uint8_t>(choices.Below(rank));
    }
  }
  if (rank > 0 && choices.Percent(60)) {
    scheme.block_rank = static_cast<uint8_t>(1 + (choices.Percent(60) ? 0 : choices.Below(rank)));
    for (uint8_t i = 0; i < scheme.block_rank; ++i) {
      const int64_t extent = shape[static_cast<int>(rank) - scheme.block_rank + i];
      // Blocks that divide, that do not, and the whole axis.
      int64_t block = choices.Pick({1, 2, 3, 4, 4, 5, 8, 16, 32});
      if (choices.OneIn(4)) block = std::max<int64_t>(1, extent);
      scheme.block[i] = static_cast<int32_t>(std::min<int64_t>(block, 4096));
    }
    // Leading ones are left out.
    while (scheme.block_rank > 1 && scheme.block[0] == 1) {
      std::shift_left(scheme.block.begin(), scheme.block.end(), 1);
      scheme.block[--scheme.block_rank] = 0;
    }
  }
  DrawScales(choices, scheme);
  return scheme;
}

}  // namespace faultline::harness
