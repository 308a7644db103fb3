// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/generate/size_law.h"

#include <algorithm>
#include <array>

namespace faultline::harness {
namespace {

constexpr std::array<int64_t, 18> kExtents = {0,  1,  2,  3,  4,  5,  7,  8,  9,
                                              15, 16, 17, 31, 32, 33, 63, 64, 65};
// Past vectors, tiles (256 to 1024 elements) and the least work worth a thread.
constexpr std::array<int64_t, 15> kLongExtents = {96,  127, 128,  129,  255,  256,  257,  511,
                                                  513, 768, 1000, 1023, 1025, 4097, 16385};

}  // namespace

WorkTarget DrawWork(ChoiceStream& choices) {
  // What is built stays below its aim: it ends with the op that would pass the maximum, and
  // reductions leave less to work on.
  const uint32_t percent = choices.Below(100);
  if (percent == 0) return {choices.LogUniform(15, 20), int64_t{1} << 20};
  if (percent < 4) return {choices.LogUniform(13, 15), int64_t{1} << 15};
  const int64_t aim = choices.LogUniform(5, 13);
  return {aim + aim / 2, 8192};
}

std::span<const int64_t> InterestingExtents() { return kExtents; }

int64_t DrawExtent(ChoiceStream& choices, const Swarm& swarm, int64_t max) {
  if (max <= 0) return 0;
  if (swarm.zero_percent > 0 && choices.Percent(swarm.zero_percent)) return 0;
  if (choices.Percent(swarm.one_percent)) return 1;
  if (max > kExtents.back() && choices.Percent(60)) {
    const auto end = std::ranges::upper_bound(kLongExtents, max);
    const auto count = static_cast<uint32_t>(end - kLongExtents.begin());
    if (count > 0) return kLongExtents[choices.Below(count)];
  }
  // From 2 on where there is room: 0 and 1 have their own weights.
  const auto end = std::ranges::upper_bound(kExtents, max);
  const auto count = static_cast<uint32_t>(end - kExtents.begin());
  return count <= 2 ? 1 : kExtents[2 + choices.Below(count - 2)];
}

ir::Shape DrawShape(ChoiceStream& choices, const Swarm& swarm, int rank, int64_t elements) {
  if (rank < 0) rank = static_cast<int>(choices.Weighted(swarm.ranks));
  ir::Shape shape;
  int64_t rest = std::max<int64_t>(1, elements);
  for (int axis = 0; axis < rank; ++axis) {
    int64_t extent;
    // The last axis takes what is left, so that the aim is met; the others share it.
    const int axes_left = rank - axis;
    int64_t share = rest;
    for (int i = 1; i < axes_left && share > 2; ++i) share = std::max<int64_t>(2, share / 3);
    if (axis > 0 && choices.Percent(20) &&
        shape[static_cast<int>(choices.Below(static_cast<uint32_t>(axis)))] <= rest) {
      extent = shape[axis - 1] <= rest ? shape[axis - 1] : 1;
    } else {
      extent = DrawExtent(choices, swarm, std::min(rest, axes_left > 1 ? 3 * share : 2 * share));
    }
    shape.PushBack(extent);
    if (extent > 1) rest = std::max<int64_t>(1, rest / extent);
  }
  // Which axis is long should not depend on the order of drawing.
  for (int axis = rank - 1; axis > 0; --axis) {
    const int other = static_cast<int>(choices.Below(static_cast<uint32_t>(axis) + 1));
    std::swap(shape[axis], shape[other]);
  }
  return shape;
}

}  // namespace faultline::harness
