// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/places.h"

#include "fusion/cpu/launches.h"

namespace faultline::fusion::cpu {

Places::Places(const PlacesBinding& binding, ir::Dtype index, int32_t source,
               const std::array<int64_t, ir::kRankMax>& strides, int64_t offset)
    : indices_(DataOf(binding.index)),
      index_width_(ir::ByteSize(index)),
      source_(source),
      count_(binding.index.shape.NumElements()),
      named_count_(binding.named_count) {
  const ir::Shape& walk = binding.index.shape;
  std::array<int64_t, ir::kRankMax> steps = {};
  for (int i = 0; i < walk.rank(); ++i) {
    const auto axis = binding.walked[static_cast<size_t>(i)];
    if (axis >= 0) steps[static_cast<size_t>(i)] = strides[static_cast<size_t>(axis)];
  }
  walked_ =
      Normalize(offset, walk.extents(), std::span(steps).first(static_cast<size_t>(walk.rank())));
  TensorBinding component = binding.index;
  for (int c = 0; c < named_count_; ++c) {
    const auto axis = static_cast<size_t>(binding.named[static_cast<size_t>(c)]);
    named_[static_cast<size_t>(c)] = {MapOf(component), strides[axis],
                                      binding.tensor.shape[static_cast<int>(axis)]};
    component.place.offset += binding.component_stride;
  }
}

void Places::Find(int64_t at, int64_t count, int64_t* offsets, IndexContext* found) const {
  std::array<int64_t, kTile> indices;
  Offsets(walked_, at, count, offsets);
  for (int c = 0; c < named_count_; ++c) {
    const Named& named = named_[static_cast<size_t>(c)];
    Offsets(named.index, at, count, indices.data());
    IndicesAt(index_width_, indices_, count, indices.data());
    for (int64_t i = 0; i < count; ++i) {
      const int64_t index = indices[static_cast<size_t>(i)];
      if (index < 0 || index >= named.bound) {
        found->Report(source_, at + i, index, named.bound);
        offsets[i] = kNowhere;
      } else if (offsets[i] != kNowhere) {
        offsets[i] += index * named.stride;
      }
    }
  }
}

}  // namespace faultline::fusion::cpu
