// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Mixed-radix maps from a linear index to element offsets, with what a tile needs of them: walking
// a range in runs of the innermost digit, gathering and scattering. No buffers, no dtypes beyond a
// byte width.

#ifndef FUSION_CPU_STRIDED_H_
#define FUSION_CPU_STRIDED_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "fusion/target.h"

namespace faultline::fusion::cpu {

// Offset of linear index l: offset + sum of digit_k * strides[k], digits of l in the radix extents.
// Normal form: no extent is 1, neighbours that walk as one are one.
struct Strided {
  int64_t offset = 0;
  int rank = 0;
  std::array<int64_t, kMapRankMax> extents;  // beyond the rank: unspecified
  std::array<int64_t, kMapRankMax> strides;

  // Launches make and copy many of these; most have one digit or none.
  Strided() {}  // NOLINT(cppcoreguidelines-pro-type-member-init): the arrays are filled up to rank
  Strided(const Strided& other) { *this = other; }
  Strided& operator=(const Strided& other) {
    offset = other.offset;
    rank = other.rank;
    for (size_t k = 0; k < static_cast<size_t>(rank); ++k) {
      extents[k] = other.extents[k];
      strides[k] = other.strides[k];
    }
    return *this;
  }

  bool broadcast() const { return rank == 0; }
  bool contiguous() const { return rank == 1 && strides[0] == 1; }
  int64_t At(int64_t linear) const;
  // Of the innermost digit; 0 for a broadcast.
  int64_t inner_stride() const { return rank == 0 ? 0 : strides[static_cast<size_t>(rank - 1)]; }
};

// Normal form of the given digits. Extents must be positive.
Strided Normalize(int64_t offset, std::span<const int64_t> extents,
                  std::span<const int64_t> strides);

// Splits at a row of `row` elements: map(o * row + r) == outer.At(o) + inner.At(r) - 0 with
// inner.offset 0. False if a digit straddles the cut.
bool SplitAtRow(const Strided& map, int64_t row, Strided* outer, Strided* inner);

// Calls body(offset, stride, count) for the runs of [begin, begin + count).
template <typename Body>
inline void ForRuns(const Strided& map, int64_t begin, int64_t count, const Body& body) {
  if (count <= 0) return;
  if (map.rank == 0) {
    body(map.offset, int64_t{0}, count);
    return;
  }
  const int last = map.rank - 1;
  if (last == 0) {
    body(map.offset + begin * map.strides[0], map.strides[0], count);
    return;
  }
  std::array<int64_t, kMapRankMax> digits;
  int64_t rest = begin;
  int64_t offset = map.offset;
  for (int k = last; k >= 0; --k) {
    const size_t at = static_cast<size_t>(k);
    digits[at] = k == 0 ? rest : rest % map.extents[at];
    rest /= map.extents[at];
    offset += digits[at] * map.strides[at];
  }
  const int64_t extent = map.extents[static_cast<size_t>(last)];
  const int64_t stride = map.strides[static_cast<size_t>(last)];
  int64_t& inner = digits[static_cast<size_t>(last)];
  for (;;) {
    const int64_t run = count < extent - inner ? count : extent - inner;
    body(offset, stride, run);
    count -= run;
    if (count == 0) return;
    offset -= inner * stride;
    inner = 0;
    for (int k = last - 1; k >= 0; --k) {
      const size_t at = static_cast<size_t>(k);
      offset += map.strides[at];
      if (++digits[at] < map.extents[at] || k == 0) break;
      offset -= map.extents[at] * map.strides[at];
      digits[at] = 0;
    }
  }
}

// dst[i] = element at map(begin + i), for elements of `width` bytes (1, 2, 4 or 8).
void Gather(int width, const std::byte* base, const Strided& map, int64_t begin, int64_t count,
            std::byte* dst);
// element at map(begin + i) = src[i].
void Scatter(int width, std::byte* base, const Strided& map, int64_t begin, int64_t count,
             const std::byte* src);
// dst[i] = map(begin + i)
void Offsets(const Strided& map, int64_t begin, int64_t count, int64_t* dst);
// dst[i] = element at offsets[i]
void GatherAt(int width, const std::byte* base, const int64_t* offsets, int64_t count,
              std::byte* dst);
// numbers[i] = the i32 (of 4 bytes) or i64 at offset numbers[i]
void IndicesAt(int width, const std::byte* base, int64_t count, int64_t* numbers);
void ScatterAt(int width, std::byte* base, const int64_t* offsets, int64_t count,
               const std::byte* src);

// Element `from` 16 times over.
void Splat(int width, const std::byte* from, std::byte* group);

}  // namespace faultline::fusion::cpu

#endif  // FUSION_CPU_STRIDED_H_
