// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Elements moved bitwise from the places that index tuples name.

#include <algorithm>
#include <array>
#include <mutex>

#include "fusion/cpu/launches.h"
#include "fusion/cpu/places.h"

namespace faultline::fusion::cpu {

ir::Status RunGatherParts(const GatherPartsLaunch& launch, const GatherPartsBinding& binding,
                          const Context& context) {
  const PlacesBinding& from = binding.places;
  const Places places(from, launch.index, launch.source, from.tensor.place.strides,
                      from.tensor.place.offset);
  if (places.count() == 0) return {};
  const int width = launch.element_bytes;
  const Strided to = MapOf(binding.to);
  std::mutex merging;
  IndexContext merged;
  auto body = [&](int64_t begin_tile, int64_t end_tile) {
    alignas(64) std::array<std::byte, Places::kTile * 8> tile;
    std::array<int64_t, Places::kTile> offsets;
    IndexContext found;
    const int64_t end = std::min(end_tile * Places::kTile, places.count());
    for (int64_t at = begin_tile * Places::kTile; at < end; at += Places::kTile) {
      const int64_t count = std::min(Places::kTile, end - at);
      places.Find(at, count, offsets.data(), &found);
      // What is spoiled anyway is read from where it does no harm.
      for (int64_t& offset : std::span(offsets).first(static_cast<size_t>(count))) {
        if (offset == Places::kNowhere) offset = from.tensor.place.offset;
      }
      GatherAt(width, DataOf(from.tensor), offsets.data(), count, tile.data());
      Scatter(width, DataOf(binding.to), to, at, count, tile.data());
    }
    const std::lock_guard lock(merging);
    merged.Merge(found.error);
  };
  // Without elements there is nowhere to read from: every index is out of range.
  if (from.tensor.shape.NumElements() == 0) return {};
  const int64_t tiles = (places.count() + Places::kTile - 1) / Places::kTile;
  if (places.count() >= context.options.thread_threshold) {
    context.threads->Run(tiles, body);
  } else {
    body(0, tiles);
  }
  Report(merged.error, context.options);
  return {};
}

}  // namespace faultline::fusion::cpu
