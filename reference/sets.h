// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Sets of values of one element: what the executions permitted by a contract can reach. Arithmetic
// on them is in reference/algebra.h, tensors of them in reference/enclosure.h.

#ifndef REFERENCE_SETS_H_
#define REFERENCE_SETS_H_

#include <array>
#include <cstdint>
#include <string>

#include "ir/dtype.h"
#include "reference/held.h"

namespace faultline::reference {

// Finite values, lo <= hi in the order in which -0 comes before +0; so [-0, +0] is "either zero".
struct Interval {
  double lo = 0;
  double hi = 0;
  bool operator==(const Interval&) const = default;
};

// Finite intervals, ascending and disjoint, and class pieces beside them. Never empty once built.
struct FloatSet {
  static constexpr int kIntervalsMax = 4;

  std::array<Interval, kIntervalsMax> intervals;  // [0, count)
  int8_t count = 0;
  bool nan = false;
  bool positive_infinity = false;
  bool negative_infinity = false;
  bool integral = false;  // the finite members are integers

  FloatSet() {}  // NOLINT(modernize-use-equals-default): leaves the intervals unset, on purpose
  static FloatSet Of(double value);  // a point of any class
  static FloatSet Between(double lo, double hi);
  static FloatSet AnyNan();
  // Every finite value, both infinities and NaN.
  static FloatSet Everything(ir::Dtype float_dtype);

  // Unites with [lo, hi], finite. Overlapping intervals join; past four the nearest two merge.
  void Add(double lo, double hi);
  // Unites with [lo, hi] of a format after rounding: ends may be infinite, where an infinite end is
  // that infinity's class piece and everything finite up to it.
  void AddRounded(ir::Dtype float_dtype, double lo, double hi);
  void AddValue(double value);
  void Unite(const FloatSet& other);

  bool empty() const { return count == 0 && !nan && !positive_infinity && !negative_infinity; }
  bool finite_only() const { return !nan && !positive_infinity && !negative_infinity; }
  bool simple() const { return count == 1 && finite_only(); }
  // One value (NaN: any NaN is one value; -0 and +0 are two).
  bool IsPoint() const;
  // The point's value.
  double Value() const;
  bool Contains(double value) const;
  bool ContainsZero() const;     // either
  bool ContainsNonZero() const;  // NaN and infinities count
  // Hull of the finite part. Requires count > 0.
  double lo() const { return intervals[0].lo; }
  double hi() const { return intervals[static_cast<size_t>(count - 1)].hi; }
  // Hull with infinities. Requires a member that is not NaN.
  double Lowest() const;
  double Highest() const;
  bool operator==(const FloatSet& other) const;
};

// Up to 16 values, or an interval; always ascending in the order of the dtype.
struct IntSet {
  static constexpr int kValuesMax = 16;

  std::array<int64_t, kValuesMax> values;  // [0, count)
  int8_t count = 0;                        // 0: every value of [lo, hi]
  int64_t lo = 0;
  int64_t hi = 0;

  IntSet() {}  // NOLINT(modernize-use-equals-default): leaves the values unset, on purpose
  static IntSet Of(int64_t value);
  // Enumerated if it has at most 16 members.
  static IntSet Between(ir::Dtype int_dtype, int64_t lo, int64_t hi);
  static IntSet Full(ir::Dtype int_dtype);
  static IntSet Either() { return Between(ir::Dtype::kBool, 0, 1); }

  // Unites; past 16 values becomes the hull.
  void AddValue(ir::Dtype int_dtype, int64_t value);
  void Unite(ir::Dtype int_dtype, const IntSet& other);

  bool IsPoint() const { return count == 1; }
  bool enumerated() const { return count > 0; }
  int64_t Value() const { return lo; }
  bool Contains(ir::Dtype int_dtype, int64_t value) const;
  bool IsFull(ir::Dtype int_dtype) const;
  bool operator==(const IntSet& other) const;
};

// "0x1p+0", "[0x1p+0, 0x1.000002p+0]", "{[0x0p+0, 0x1p+0], inf, nan}", "{-0x0p+0, 0x0p+0}".
std::string Describe(ir::Dtype float_dtype, const FloatSet& set);
// "3", "{3, 5}", "[3, 700]".
std::string Describe(ir::Dtype int_dtype, const IntSet& set);

}  // namespace faultline::reference

#endif  // REFERENCE_SETS_H_
