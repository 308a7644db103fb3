// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "fusion/cpu/launches.h"

namespace faultline::fusion::cpu {
namespace {

constexpr int64_t kTile = 512;

// Both walk as one run after another: no staging in between.
void CopyStrided(int width, const std::byte* from, const Strided& from_map, std::byte* to,
                 const Strided& to_map, int64_t begin, int64_t end) {
  if (to_map.contiguous() || to_map.broadcast()) {
    Gather(width, from, from_map, begin, end - begin, to + to_map.At(begin) * width);
    return;
  }
  if (from_map.contiguous()) {
    Scatter(width, to, to_map, begin, end - begin, from + from_map.At(begin) * width);
    return;
  }
  alignas(64) std::array<std::byte, kTile * 8> tile;
  for (int64_t at = begin; at < end; at += kTile) {
    const int64_t count = std::min(kTile, end - at);
    Gather(width, from, from_map, at, count, tile.data());
    Scatter(width, to, to_map, at, count, tile.data());
  }
}

}  // namespace

ir::Status RunCopy(const CopyLaunch& launch, const CopyBinding& binding, const Context& context) {
  const int64_t count = binding.to.shape.NumElements();
  if (count == 0) return {};
  const int width = launch.element_bytes;
  BoundAccesses accesses;
  accesses.Bind(launch.accesses, binding.accesses, binding.buffers, 1, count);
  const Strided to = MapOf(binding.to);
  std::byte* out = DataOf(binding.to);
  const BoundAccess& from = accesses[0];
  std::mutex merging;
  LaunchError error;
  auto body = [&](int64_t begin_tile, int64_t end_tile) {
    const int64_t begin = begin_tile * kTile;
    const int64_t end = std::min(end_tile * kTile, count);
    if (from.access->map == MapKind::kStrided) {
      CopyStrided(width, from.base, from.whole, out, to, begin, end);
      return;
    }
    alignas(64) std::array<std::byte, (kTile + kGroup) * 8> tile;
    std::array<int64_t, kTile> offsets;
    std::array<int64_t, kTile> indices;
    IndexContext index;
    index.offsets = offsets.data();
    index.indices = indices.data();
    for (int64_t at = begin; at < end; at += kTile) {
      const int64_t run = std::min(kTile, end - at);
      accesses.Read(*context.kernels, from, at, 1, run, tile.data(), &index);
      Scatter(width, out, to, at, run, tile.data());
    }
    const std::lock_guard lock(merging);
    IndexContext merged;
    merged.error = error;
    merged.Merge(index.error);
    error = merged.error;
  };
  const int64_t parts = (count + kTile - 1) / kTile;
  if (count >= context.options.thread_threshold) {
    context.threads->Run(parts, body);
  } else {
    body(0, parts);
  }
  Report(error, context.options);
  return {};
}

}  // namespace faultline::fusion::cpu
