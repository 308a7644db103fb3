// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/oracle/certify/draw.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/oracle/certify/real.h"

namespace faultline::harness {
namespace {

using reference::FloatSet;
using reference::Interval;
using reference::IntSet;

double Fraction(uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

// An end, a value uniform between the ends, or one uniform in the order of representations, which
// reaches small magnitudes.
double DrawFrom(ir::Dtype dtype, const Interval& interval, bool integral, uint64_t bits) {
  const uint64_t choice = bits % 8;
  const double fraction = Fraction(Mix(bits + 1));
  if (choice < 2) return interval.lo;
  if (choice < 4) return interval.hi;
  double value = 0;
  if (choice < 6) {
    value = interval.lo + fraction * (interval.hi - interval.lo);
  } else {
    const int64_t lo = reference::OrderKey(interval.lo);
    const int64_t hi = reference::OrderKey(interval.hi);
    const auto span = static_cast<double>(static_cast<uint64_t>(hi) - static_cast<uint64_t>(lo));
    const auto step = static_cast<uint64_t>(std::min(fraction * span, 0x1.fffffffffffffp63));
    const int64_t key = static_cast<int64_t>(static_cast<uint64_t>(lo) + step);
    // OrderKey is its own inverse.
    value = reference::AsFloat(
        static_cast<reference::Cell>(key ^ ((key >> 63) & std::numeric_limits<int64_t>::max())));
  }
  if (integral) value = std::nearbyint(value);
  value = RoundTo(dtype, value);
  // In the order in which -0 comes before +0: an interval may hold one of them alone.
  if (reference::Below(value, interval.lo)) return interval.lo;
  return reference::Below(interval.hi, value) ? interval.hi : value;
}

double DrawFloat(ir::Dtype dtype, const FloatSet& set, uint64_t bits) {
  const auto intervals = static_cast<uint64_t>(set.count);
  const uint64_t classes =
      (set.nan ? 1 : 0) + (set.positive_infinity ? 1 : 0) + (set.negative_infinity ? 1 : 0);
  uint64_t piece = Mix(bits) % (intervals + classes);
  if (piece < intervals) {
    return DrawFrom(dtype, set.intervals[piece], set.integral, Mix(bits + 2));
  }
  piece -= intervals;
  if (set.nan && piece-- == 0) return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  if (set.positive_infinity && piece == 0) return infinity;
  return -infinity;
}

int64_t DrawInt(const IntSet& set, uint64_t bits) {
  if (set.enumerated()) {
    return set.values[Mix(bits) % static_cast<uint64_t>(set.count)];
  }
  const uint64_t span = static_cast<uint64_t>(set.hi) - static_cast<uint64_t>(set.lo);
  const uint64_t step =
      span == std::numeric_limits<uint64_t>::max() ? Mix(bits) : Mix(bits) % (span + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(set.lo) + step);
}

}  // namespace

// SplitMix64's finaliser.
uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

Element DrawElement(const reference::Enclosure& enclosure, int64_t index, uint64_t key) {
  const bool point = enclosure.IsPoint(index);
  const uint64_t bits = Mix(key + static_cast<uint64_t>(index) * 0x9e3779b97f4a7c15);
  if (enclosure.is_float()) {
    if (point) return {.real = reference::AsFloat(enclosure.PointAt(index))};
    return {.real = DrawFloat(enclosure.dtype(), enclosure.FloatAt(index), bits)};
  }
  if (point) return {.integer = reference::AsInt(enclosure.PointAt(index))};
  return {.integer = DrawInt(enclosure.IntAt(index), bits)};
}

}  // namespace faultline::harness
