// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Places that an index tensor names in another tensor: where the elements of a walk lie, a tile at
// a time.

#ifndef FUSION_CPU_PLACES_H_
#define FUSION_CPU_PLACES_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "fusion/cpu/bound_access.h"
#include "fusion/cpu/strided.h"
#include "fusion/target.h"

namespace faultline::fusion::cpu {

class Places {
 public:
  static constexpr int64_t kTile = 256;
  static constexpr int64_t kNowhere = INT64_MIN;  // an index is out of range

  // `strides` are those of the tensor's axes, `offset` that of its first element.
  Places(const PlacesBinding& binding, ir::Dtype index, int32_t source,
         const std::array<int64_t, ir::kRankMax>& strides, int64_t offset);

  int64_t count() const { return count_; }
  // Writes the offsets of the walk's elements [at, at + count), count <= kTile. What is out of
  // range is taken down in `found`.
  void Find(int64_t at, int64_t count, int64_t* offsets, IndexContext* found) const;

 private:
  struct Named {
    Strided index;
    int64_t stride;
    int64_t bound;
  };
  const std::byte* indices_;
  int index_width_;
  int32_t source_;
  int64_t count_;
  Strided walked_;
  int named_count_;
  std::array<Named, ir::kRankMax> named_;
};

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_PLACES_H_
