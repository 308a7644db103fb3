// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "fusion/cpu/strided.h"

#include <cstring>

#include "ir/base/check.h"

namespace faultline::fusion::cpu {
namespace {

template <typename F>
void ForWidth(int width, const F& f) {
  switch (width) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    case 8:
      return f(uint64_t{});
    default:
      FAULTLINE_CHECK(false, "elements are 1, 2, 4 or 8 bytes wide");
  }
}

}  // namespace

int64_t Strided::At(int64_t linear) const {
  int64_t at = offset;
  for (int k = rank - 1; k > 0; --k) {
    const size_t axis = static_cast<size_t>(k);
    at += linear % extents[axis] * strides[axis];
    linear /= extents[axis];
  }
  return rank == 0 ? at : at + linear * strides[0];
}

Strided Normalize(int64_t offset, std::span<const int64_t> extents,
                  std::span<const int64_t> strides) {
  Strided map;
  map.offset = offset;
  for (size_t k = 0; k < extents.size(); ++k) {
    if (extents[k] == 1) continue;
    if (map.rank > 0) {
      const size_t last = static_cast<size_t>(map.rank - 1);
      if (map.strides[last] == extents[k] * strides[k]) {
        map.extents[last] *= extents[k];
        map.strides[last] = strides[k];
        continue;
      }
    }
    map.extents[static_cast<size_t>(map.rank)] = extents[k];
    map.strides[static_cast<size_t>(map.rank)] = strides[k];
    ++map.rank;
  }
  // A broadcast along every digit.
  if (map.rank == 1 && map.strides[0] == 0) map.rank = 0;
  return map;
}

bool SplitAtRow(const Strided& map, int64_t row, Strided* outer, Strided* inner) {
  *outer = Strided();
  *inner = Strided();
  outer->offset = map.offset;
  if (map.rank == 0) return true;
  int64_t left = row;
  int cut = map.rank;  // digits [cut, rank) are whole in the row
  while (cut > 0 && left > 1) {
    const int64_t extent = map.extents[static_cast<size_t>(cut - 1)];
    if (left % extent != 0) break;
    left /= extent;
    --cut;
  }
  std::array<int64_t, kMapRankMax> extents;
  std::array<int64_t, kMapRankMax> strides;
  size_t count = 0;
  int64_t straddling_outer = 0;
  if (left > 1) {
    if (cut == 0) return false;
    const size_t at = static_cast<size_t>(cut - 1);
    if (map.extents[at] % left != 0) return false;
    straddling_outer = map.extents[at] / left;
    extents[count] = left;
    strides[count++] = map.strides[at];
  }
  for (int k = cut; k < map.rank; ++k) {
    extents[count] = map.extents[static_cast<size_t>(k)];
    strides[count++] = map.strides[static_cast<size_t>(k)];
  }
  *inner = Normalize(0, std::span(extents).first(count), std::span(strides).first(count));
  count = 0;
  const int whole = straddling_outer > 0 ? cut - 1 : cut;
  for (int k = 0; k < whole; ++k) {
    extents[count] = map.extents[static_cast<size_t>(k)];
    strides[count++] = map.strides[static_cast<size_t>(k)];
  }
  if (straddling_outer > 0) {
    extents[count] = straddling_outer;
    strides[count++] = map.strides[static_cast<size_t>(whole)] * left;
  }
  *outer = Normalize(map.offset, std::span(extents).first(count), std::span(strides).first(count));
  return true;
}

void Gather(int width, const std::byte* base, const Strided& map, int64_t begin, int64_t count,
            std::byte* dst) {
  ForWidth(width, [&](auto element) {
    using T = decltype(element);
    T* to = reinterpret_cast<T*>(dst);
    const T* from_base = reinterpret_cast<const T*>(base);
    ForRuns(map, begin, count, [&](int64_t offset, int64_t stride, int64_t run) {
      const T* from = from_base + offset;
      if (stride == 1) {
        if (run >= 8) {
          std::memcpy(to, from, static_cast<size_t>(run) * sizeof(T));
        } else {
          for (int64_t i = 0; i < run; ++i) to[i] = from[i];
        }
      } else {
        for (int64_t i = 0; i < run; ++i) to[i] = from[i * stride];
      }
      to += run;
    });
  });
}

void Scatter(int width, std::byte* base, const Strided& map, int64_t begin, int64_t count,
             const std::byte* src) {
  ForWidth(width, [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(src);
    T* to_base = reinterpret_cast<T*>(base);
    ForRuns(map, begin, count, [&](int64_t offset, int64_t stride, int64_t run) {
      T* to = to_base + offset;
      if (stride == 1) {
        std::memcpy(to, from, static_cast<size_t>(run) * sizeof(T));
      } else {
        for (int64_t i = 0; i < run; ++i) to[i * stride] = from[i];
      }
      from += run;
    });
  });
}

void Offsets(const Strided& map, int64_t begin, int64_t count, int64_t* dst) {
  ForRuns(map, begin, count, [&](int64_t offset, int64_t stride, int64_t run) {
    for (int64_t i = 0; i < run; ++i) dst[i] = offset + i * stride;
    dst += run;
  });
}

void GatherAt(int width, const std::byte* base, const int64_t* offsets, int64_t count,
              std::byte* dst) {
  ForWidth(width, [&](auto element) {
    using T = decltype(element);
    const T* from = reinterpret_cast<const T*>(base);
    T* to = reinterpret_cast<T*>(dst);
    for (int64_t i = 0; i < count; ++i) to[i] = from[offsets[i]];
  });
}

void IndicesAt(int width, const std::byte* base, int64_t count, int64_t* numbers) {
  const auto read = [&](const auto* elements) {
    for (int64_t i = 0; i < count; ++i) numbers[i] = elements[numbers[i]];
  };
  if (width == 4) {
    read(reinterpret_cast<const int32_t*>(base));
  } else {
    read(reinterpret_cast<const int64_t*>(base));
  }
}

void ScatterAt(int width, std::byte* base, const int64_t* offsets, int64_t count,
               const std::byte* src) {
  ForWidth(width, [&](auto element) {
    using T = decltype(element);
    T* to = reinterpret_cast<T*>(base);
    const T* from = reinterpret_cast<const T*>(src);
    for (int64_t i = 0; i < count; ++i) to[offsets[i]] = from[i];
  });
}

void Splat(int width, const std::byte* from, std::byte* group) {
  ForWidth(width, [&](auto element) {
    using T = decltype(element);
    T value;
    std::memcpy(&value, from, sizeof(T));
    for (int i = 0; i < 16; ++i)
      std::memcpy(group + static_cast<size_t>(i) * sizeof(T), &value, sizeof(T));
  });
}

}  // namespace faultline::fusion::cpu
