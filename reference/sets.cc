// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

#include "reference/sets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ir/base/check.h"
#include "ir/element.h"

namespace faultline::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// No value lies between: the intervals overlap, or meet at the two zeros.
bool Joins(const Interval& left, const Interval& right) {
  return !Below(left.hi, right.lo) || (left.hi == 0 && right.lo == 0);
}

bool SameBits(double a, double b) { return ToCell(a) == ToCell(b); }

}  // namespace

FloatSet FloatSet::Of(double value) {
  FloatSet set;
  set.AddValue(value);
  return set;
}

FloatSet FloatSet::Between(double lo, double hi) {
  FloatSet set;
  set.intervals[0] = {lo, hi};
  set.count = 1;
  return set;
}

FloatSet FloatSet::AnyNan() {
  FloatSet set;
  set.nan = true;
  return set;
}

FloatSet FloatSet::Everything(ir::Dtype float_dtype) {
  const double max = FormatOf(float_dtype).max;
  FloatSet set = Between(-max, max);
  set.nan = set.positive_infinity = set.negative_infinity = true;
  return set;
}

void FloatSet::AddValue(double value) {
  if (std::isnan(value)) {
    nan = true;
  } else if (value == kInfinity) {
    positive_infinity = true;
  } else if (value == -kInfinity) {
    negative_infinity = true;
  } else {
    Add(value, value);
  }
}

void FloatSet::Add(double lo, double hi) {
  if (count == 0) {
    intervals[0] = {lo, hi};
    count = 1;
    return;
  }
  // The new interval swallows every one that it joins; the rest keep their order.
  std::array<Interval, kIntervalsMax + 1> merged;
  size_t n = 0;
  Interval fresh{lo, hi};
  bool placed = false;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const Interval& old = intervals[i];
    if (Joins(old, fresh) && Joins(fresh, old)) {
      fresh = {Lesser(old.lo, fresh.lo), Greater(old.hi, fresh.hi)};
      continue;
    }
    if (!placed && Below(fresh.hi, old.lo)) {
      merged[n++] = fresh;
      placed = true;
    }
    merged[n++] = old;
  }
  if (!placed) merged[n++] = fresh;
  if (n > kIntervalsMax) {
    size_t nearest = 0;
    for (size_t i = 1; i + 1 < n; ++i) {
      if (merged[i + 1].lo - merged[i].hi < merged[nearest + 1].lo - merged[nearest].hi) {
        nearest = i;
      }
    }
    merged[nearest].hi = merged[nearest + 1].hi;
    for (size_t i = nearest + 1; i + 1 < n; ++i) merged[i] = merged[i + 1];
    --n;
  }
  std::copy_n(merged.begin(), n, intervals.begin());
  count = static_cast<int8_t>(n);
}

void FloatSet::AddRounded(ir::Dtype float_dtype, double lo, double hi) {
  if (hi == kInfinity) positive_infinity = true;
  if (lo == -kInfinity) negative_infinity = true;
  const double max = FormatOf(float_dtype).max;
  if (lo == kInfinity || hi == -kInfinity) {
    // Nothing finite. An end of the other sign's infinity means the whole range.
    return;
  }
  Add(lo == -kInfinity ? -max : lo, hi == kInfinity ? max : hi);
}

void FloatSet::Unite(const FloatSet& other) {
  if (other.count > 0) integral = other.integral && (count == 0 || integral);
  for (size_t i = 0; i < static_cast<size_t>(other.count); ++i) {
    Add(other.intervals[i].lo, other.intervals[i].hi);
  }
  nan = nan || other.nan;
  positive_infinity = positive_infinity || other.positive_infinity;
  negative_infinity = negative_infinity || other.negative_infinity;
}

bool FloatSet::IsPoint() const {
  const int classes = (nan ? 1 : 0) + (positive_infinity ? 1 : 0) + (negative_infinity ? 1 : 0);
  if (count == 0) return classes == 1;
  return count == 1 && classes == 0 && SameBits(intervals[0].lo, intervals[0].hi);
}

double FloatSet::Value() const {
  if (count > 0) return intervals[0].lo;
  if (nan) return FreeNan();
  return positive_infinity ? kInfinity : -kInfinity;
}

bool FloatSet::Contains(double value) const {
  if (std::isnan(value)) return nan;
  if (value == kInfinity) return positive_infinity;
  if (value == -kInfinity) return negative_infinity;
  if (integral && value != std::trunc(value)) return false;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (!Below(value, intervals[i].lo) && !Below(intervals[i].hi, value)) return true;
  }
  return false;
}

bool FloatSet::ContainsZero() const {
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (intervals[i].lo <= 0 && intervals[i].hi >= 0) return true;
  }
  return false;
}

bool FloatSet::ContainsNonZero() const {
  if (!finite_only() || count > 1) return true;
  return count == 1 && (intervals[0].lo != 0 || intervals[0].hi != 0);
}

double FloatSet::Lowest() const {
  if (negative_infinity) return -kInfinity;
  return count > 0 ? lo() : kInfinity;
}

double FloatSet::Highest() const {
  if (positive_infinity) return kInfinity;
  return count > 0 ? hi() : -kInfinity;
}

bool FloatSet::operator==(const FloatSet& other) const {
  if (count != other.count || nan != other.nan || positive_infinity != other.positive_infinity ||
      negative_infinity != other.negative_infinity || integral != other.integral) {
    return false;
  }
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    if (!SameBits(intervals[i].lo, other.intervals[i].lo)) return false;
    if (!SameBits(intervals[i].hi, other.intervals[i].hi)) return false;
  }
  return true;
}

IntSet IntSet::Of(int64_t value) {
  IntSet set;
  set.values[0] = set.lo = set.hi = value;
  set.count = 1;
  return set;
}

IntSet IntSet::Between(ir::Dtype int_dtype, int64_t lo, int64_t hi) {
  FAULTLINE_CHECK(!IntLess(int_dtype, hi, lo), "an interval of integers is empty");
  IntSet set;
  set.lo = lo;
  set.hi = hi;
  const uint64_t width = std::bit_cast<uint64_t>(hi) - std::bit_cast<uint64_t>(lo);
  if (width < kValuesMax) {
    set.count = static_cast<int8_t>(width + 1);
    for (size_t i = 0; i <= width; ++i) {
      set.values[i] = std::bit_cast<int64_t>(std::bit_cast<uint64_t>(lo) + i);
    }
  }
  return set;
}

IntSet IntSet::Full(ir::Dtype int_dtype) {
  return Between(int_dtype, ir::IntMin(int_dtype), std::bit_cast<int64_t>(ir::IntMax(int_dtype)));
}

void IntSet::AddValue(ir::Dtype int_dtype, int64_t value) { Unite(int_dtype, Of(value)); }

void IntSet::Unite(ir::Dtype int_dtype, const IntSet& other) {
  const auto less = [int_dtype](int64_t a, int64_t b) { return IntLess(int_dtype, a, b); };
  std::array<int64_t, 2 * kValuesMax> both;
  size_t n = kValuesMax + 1;
  if (enumerated() && other.enumerated()) {
    const auto end = std::set_union(values.begin(), values.begin() + count, other.values.begin(),
                                    other.values.begin() + other.count, both.begin(), less);
    n = static_cast<size_t>(end - both.begin());
  }
  lo = less(other.lo, lo) ? other.lo : lo;
  hi = less(hi, other.hi) ? other.hi : hi;
  if (n <= kValuesMax) {
    std::copy_n(both.begin(), n, values.begin());
    count = static_cast<int8_t>(n);
  } else {
    // A hull of at most 16 integers cannot have had more than 16 members.
    *this = Between(int_dtype, lo, hi);
  }
}

bool IntSet::Contains(ir::Dtype int_dtype, int64_t value) const {
  if (!enumerated()) return !IntLess(int_dtype, value, lo) && !IntLess(int_dtype, hi, value);
  return std::find(values.begin(), values.begin() + count, value) != values.begin() + count;
}

bool IntSet::IsFull(ir::Dtype int_dtype) const {
  if (enumerated()) return int_dtype == ir::Dtype::kBool && count == 2;
  return lo == ir::IntMin(int_dtype) && std::bit_cast<uint64_t>(hi) == ir::IntMax(int_dtype);
}

bool IntSet::operator==(const IntSet& other) const {
  return count == other.count && lo == other.lo && hi == other.hi &&
         std::equal(values.begin(), values.begin() + count, other.values.begin());
}

namespace {

// Hexfloats are exact in every float dtype, so the widest one prints them all.
std::string PrintFloat(double value) { return ir::PrintElement(ir::Dtype::kF64, ToCell(value)); }

std::string Braced(const std::vector<std::string>& parts) {
  if (parts.size() == 1) return parts[0];
  std::string text = "{";
  for (const std::string& part : parts) {
    if (text.size() > 1) text += ", ";
    text += part;
  }
  return text + "}";
}

}  // namespace

std::string Describe(ir::Dtype float_dtype, const FloatSet& set) {
  std::vector<std::string> parts;
  if (set.negative_infinity) parts.emplace_back("-inf");
  for (size_t i = 0; i < static_cast<size_t>(set.count); ++i) {
    const auto [lo, hi] = set.intervals[i];
    if (SameBits(lo, hi)) {
      parts.push_back(PrintFloat(lo));
    } else if (lo == 0 && hi == 0) {
      parts.emplace_back("-0x0p+0");
      parts.emplace_back("0x0p+0");
    } else {
      parts.push_back((set.integral ? "integers of [" : "[") + PrintFloat(lo) + ", " +
                      PrintFloat(hi) + "]");
    }
  }
  if (set.positive_infinity) parts.emplace_back("inf");
  if (set.nan) parts.emplace_back("nan");
  FAULTLINE_CHECK(ir::IsFloat(float_dtype), "a set of floats is described as one of ints");
  return Braced(parts);
}

std::string Describe(ir::Dtype int_dtype, const IntSet& set) {
  const auto print = [int_dtype](int64_t value) {
    return ir::PrintElement(int_dtype, Store(int_dtype, ToCell(value)));
  };
  if (!set.enumerated()) return "[" + print(set.lo) + ", " + print(set.hi) + "]";
  std::vector<std::string> parts;
  for (size_t i = 0; i < static_cast<size_t>(set.count); ++i) {
    parts.push_back(print(set.values[i]));
  }
  return Braced(parts);
}

}  // namespace faultline::reference
