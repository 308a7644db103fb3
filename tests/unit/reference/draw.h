// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Random values, sets and members of sets, for property tests. Deterministic for a seed.

#ifndef TESTS_UNIT_REFERENCE_DRAW_H_
#define TESTS_UNIT_REFERENCE_DRAW_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/held.h"
#include "reference/sets.h"

namespace faultline::reference {

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}

  uint64_t Bits() {
    // SplitMix64.
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t bound) { return Bits() % bound; }
  bool Chance(uint64_t one_in) { return Below(one_in) == 0; }

  // A finite value of the dtype: any bits, moderate magnitudes, small integers, edges.
  double Finite(ir::Dtype dtype) {
    const FloatFormat& format = FormatOf(dtype);
    const double sign = Chance(2) ? -1 : 1;
    switch (Below(6)) {
      case 0: {
        const double edges[] = {0, format.min_subnormal, format.min_normal, format.max, 1, 0.5};
        return sign * edges[Below(6)];
      }
      case 1:
        return sign * static_cast<double>(Below(17));
      case 2: {
        const double value = AsFloat(Hold(dtype, Bits() >> (64 - ir::BitWidth(dtype))));
        return std::isfinite(value) ? value : 1;
      }
      default: {
        const double fraction = static_cast<double>(Bits() >> 11) * 0x1p-53;
        const int exponent = static_cast<int>(Below(16)) - 8;
        return sign * Round(dtype, std::ldexp(1 + fraction, exponent));
      }
    }
  }

  double Value(ir::Dtype dtype) {
    const double specials[] = {std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(), FreeNan()};
    return Chance(12) ? specials[Below(3)] : Finite(dtype);
  }

  FloatSet Set(ir::Dtype dtype) {
    FloatSet set;
    const uint64_t pieces = 1 + (Chance(3) ? Below(3) : 0);
    for (uint64_t i = 0; i < pieces; ++i) {
      double lo = Finite(dtype);
      double hi = lo;
      switch (Below(4)) {
        case 0:
          break;
        case 1:
          hi = Finite(dtype);
          break;
        default:
          for (uint64_t steps = Below(6); steps > 0 && hi < FormatOf(dtype).max; --steps) {
            hi = NextUp(dtype, hi);
          }
      }
      set.Add(Lesser(lo, hi), Greater(lo, hi));
    }
    if (Chance(8)) set.AddValue(Value(dtype));
    if (Chance(16)) set.nan = true;
    if (Chance(16)) set.positive_infinity = true;
    if (Chance(16)) set.negative_infinity = true;
    return set;
  }

  // A member: often an end.
  double Member(ir::Dtype dtype, const FloatSet& set) {
    for (;;) {
      switch (Below(6)) {
        case 0:
          if (set.nan) return FreeNan();
          break;
        case 1:
          if (set.positive_infinity) return std::numeric_limits<double>::infinity();
          break;
        case 2:
          if (set.negative_infinity) return -std::numeric_limits<double>::infinity();
          break;
        default: {
          if (set.count == 0) break;
          const auto [lo, hi] = set.intervals[Below(static_cast<uint64_t>(set.count))];
          if (Chance(3) || ToCell(lo) == ToCell(hi)) return lo;
          if (Chance(2)) return hi;
          if (lo < 0 && hi > 0 && Chance(4)) return Chance(2) ? -0.0 : 0.0;
          const double weight = static_cast<double>(Bits() >> 11) * 0x1p-53;
          const double inside = Round(dtype, lo + (hi / 2 - lo / 2) * 2 * weight);
          return reference::Below(inside, lo) ? lo : reference::Below(hi, inside) ? hi : inside;
        }
      }
    }
  }

 private:
  uint64_t state_;
};

}  // namespace faultline::reference

#endif  // TESTS_UNIT_REFERENCE_DRAW_H_
