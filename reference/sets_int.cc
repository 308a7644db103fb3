// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// Integer and bool primitives on sets: small sets are enumerated; intervals keep their ends where
// nothing can wrap, else the result is the whole dtype.

#include <algorithm>
#include <bit>
#include <optional>

#include "reference/algebra.h"

namespace faultline::reference {
namespace {

__extension__ using Wide = __int128;

// All pairs, if both operands are enumerated.
template <class Op>
std::optional<IntSet> Enumerate(ir::Dtype dtype, const IntSet& x, const IntSet& y, const Op& op) {
  if (!x.enumerated() || !y.enumerated()) return std::nullopt;
  std::array<int64_t, IntSet::kValuesMax * IntSet::kValuesMax> results;
  size_t n = 0;
  for (size_t i = 0; i < static_cast<size_t>(x.count); ++i) {
    for (size_t j = 0; j < static_cast<size_t>(y.count); ++j) {
      results[n++] = op(x.values[i], y.values[j]);
    }
  }
  IntSet to = IntSet::Of(results[0]);
  for (size_t i = 1; i < n; ++i) to.AddValue(dtype, results[i]);
  return to;
}

Wide ValueOf(ir::Dtype dtype, int64_t value) {
  if (dtype == ir::Dtype::kU64) return static_cast<Wide>(std::bit_cast<uint64_t>(value));
  return value;
}

// [lo, hi] if the dtype holds it, else everything: a part of it wraps.
IntSet Fitting(ir::Dtype dtype, Wide lo, Wide hi) {
  if (lo < static_cast<Wide>(ir::IntMin(dtype)) || hi > static_cast<Wide>(ir::IntMax(dtype))) {
    return IntSet::Full(dtype);
  }
  return IntSet::Between(dtype, static_cast<int64_t>(lo),
                         std::bit_cast<int64_t>(static_cast<uint64_t>(hi)));
}

template <class Op>
IntSet Corners(ir::Dtype dtype, const IntSet& x, const IntSet& y, const Op& op) {
  const Wide a = ValueOf(dtype, x.lo);
  const Wide b = ValueOf(dtype, x.hi);
  const Wide c = ValueOf(dtype, y.lo);
  const Wide d = ValueOf(dtype, y.hi);
  const auto [lo, hi] = std::minmax({op(a, c), op(a, d), op(b, c), op(b, d)});
  return Fitting(dtype, lo, hi);
}

}  // namespace

IntSet Sets::Add(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Add(a, b); })) {
    return *all;
  }
  return Corners(result_, x, y, [](Wide a, Wide b) { return a + b; });
}

IntSet Sets::Sub(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Sub(a, b); })) {
    return *all;
  }
  return Corners(result_, x, y, [](Wide a, Wide b) { return a - b; });
}

IntSet Sets::Mul(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Mul(a, b); })) {
    return *all;
  }
  // Products of u64 values from 2^63 on do not fit; they wrap anyway.
  const auto small = [&](const Int& set) { return (ValueOf(operand_, set.hi) >> 63) <= 0; };
  if (!small(x) || !small(y)) return Int::Full(result_);
  return Corners(result_, x, y, [](Wide a, Wide b) { return a * b; });
}

IntSet Sets::Div(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Div(a, b); })) {
    return *all;
  }
  // Truncating division is monotone in each operand while the divisor keeps its sign.
  const Wide lo = ValueOf(operand_, y.lo);
  const Wide hi = ValueOf(operand_, y.hi);
  if (lo <= 0 && hi >= 0) return Int::Full(result_);
  return Corners(result_, x, y, [](Wide a, Wide b) { return a / b; });
}

IntSet Sets::Rem(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Rem(a, b); })) {
    return *all;
  }
  // Between 0 and the divisor, exclusive, with its sign; a zero divisor gives x.
  const Wide lo = ValueOf(operand_, y.lo);
  const Wide hi = ValueOf(operand_, y.hi);
  Int to = Fitting(result_, lo < 0 ? lo + 1 : 0, hi > 0 ? hi - 1 : 0);
  if (lo <= 0 && hi >= 0) to.Unite(result_, x);
  return to;
}

IntSet Sets::Neg(const Int& x) const { return Sub(Int::Of(0), x); }

IntSet Sets::Abs(const Int& x) const {
  if (!IntLess(operand_, x.lo, 0)) return x;
  const Exact exact(*contract_, operand_, result_);
  const Int zero = Int::Of(0);
  if (auto all = Enumerate(result_, x, zero, [&](auto a, auto) { return exact.Abs(a); })) {
    return *all;
  }
  if (!IntLess(operand_, 0, x.hi)) return Neg(x);
  const Wide magnitude = std::max(-ValueOf(operand_, x.lo), ValueOf(operand_, x.hi));
  return Fitting(result_, 0, magnitude);
}

IntSet Sets::Min(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Min(a, b); })) {
    return *all;
  }
  return Int::Between(result_, exact.Min(x.lo, y.lo), exact.Min(x.hi, y.hi));
}

IntSet Sets::Max(const Int& x, const Int& y) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, y, [&](auto a, auto b) { return exact.Max(a, b); })) {
    return *all;
  }
  return Int::Between(result_, exact.Max(x.lo, y.lo), exact.Max(x.hi, y.hi));
}

IntSet Sets::Powi(const Int& x, const Int& n) const {
  const Exact exact(*contract_, operand_, result_);
  if (auto all = Enumerate(result_, x, n, [&](auto a, auto b) { return exact.Powi(a, b); })) {
    return *all;
  }
  return Int::Full(result_);
}

IntSet Sets::Sign(const Int& x) const {
  const Exact exact(*contract_, operand_, result_);
  const Int zero = Int::Of(0);
  if (auto all = Enumerate(result_, x, zero, [&](auto a, auto) { return exact.Sign(a); })) {
    return *all;
  }
  return Int::Between(result_, exact.Sign(x.lo), exact.Sign(x.hi));
}

IntSet Sets::BitAnd(const Int& x, const Int& y) const {
  if (auto all = Enumerate(result_, x, y, [](auto a, auto b) { return a & b; })) return *all;
  // The conjunction with a non-negative value is non-negative and no greater than that value.
  const bool left = ValueOf(operand_, x.lo) >= 0;
  const bool right = ValueOf(operand_, y.lo) >= 0;
  const Wide x_most = ValueOf(operand_, x.hi);
  const Wide y_most = ValueOf(operand_, y.hi);
  if (left && right) return Fitting(result_, 0, std::min(x_most, y_most));
  if (left || right) return Fitting(result_, 0, left ? x_most : y_most);
  return Int::Full(result_);
}

namespace {

// All ones below the highest bit that some member of two sets of non-negative values has.
Wide OnesCovering(Wide a, Wide b) {
  const auto highest = static_cast<uint64_t>(std::max(a, b));
  return static_cast<Wide>(highest == 0 ? 0 : ~uint64_t{0} >> std::countl_zero(highest));
}

}  // namespace

IntSet Sets::BitOr(const Int& x, const Int& y) const {
  if (auto all = Enumerate(result_, x, y, [](auto a, auto b) { return a | b; })) return *all;
  // The disjunction of non-negative values is no less than either, and has no bit above theirs.
  const Wide a = ValueOf(operand_, x.lo);
  const Wide b = ValueOf(operand_, y.lo);
  if (std::min(a, b) < 0) return Int::Full(result_);
  const Wide most = OnesCovering(ValueOf(operand_, x.hi), ValueOf(operand_, y.hi));
  return Fitting(result_, std::max(a, b), most);
}

IntSet Sets::BitXor(const Int& x, const Int& y) const {
  if (auto all = Enumerate(result_, x, y, [](auto a, auto b) { return a ^ b; })) return *all;
  if (std::min(ValueOf(operand_, x.lo), ValueOf(operand_, y.lo)) < 0) return Int::Full(result_);
  return Fitting(result_, 0, OnesCovering(ValueOf(operand_, x.hi), ValueOf(operand_, y.hi)));
}

// Reverses the order of the dtype.
IntSet Sets::BitNot(const Int& x) const {
  const Exact exact(*contract_, operand_, result_);
  const Int zero = Int::Of(0);
  if (auto all = Enumerate(result_, x, zero, [&](auto a, auto) { return exact.BitNot(a); })) {
    return *all;
  }
  return Int::Between(result_, exact.BitNot(x.hi), exact.BitNot(x.lo));
}

IntSet Sets::ShiftLeft(const Int& x, const Int& amount) const {
  const Exact exact(*contract_, operand_, result_);
  const auto shift = [&](auto a, auto b) { return exact.ShiftLeft(a, b); };
  if (auto all = Enumerate(result_, x, amount, shift)) return *all;
  if (!amount.IsPoint()) return Int::Full(result_);
  const auto width = static_cast<uint64_t>(ir::BitWidth(operand_));
  const auto by = std::bit_cast<uint64_t>(amount.Value()) % width;
  const Wide factor = Wide{1} << by;
  return Fitting(result_, ValueOf(operand_, x.lo) * factor, ValueOf(operand_, x.hi) * factor);
}

IntSet Sets::ShiftRight(const Int& x, const Int& amount) const {
  const Exact exact(*contract_, operand_, result_);
  const auto shift = [&](auto a, auto b) { return exact.ShiftRight(a, b); };
  if (auto all = Enumerate(result_, x, amount, shift)) return *all;
  if (!amount.IsPoint()) {
    // Toward 0 (or -1) from each end.
    return Fitting(result_, std::min<Wide>(ValueOf(operand_, x.lo), 0),
                   std::max<Wide>(ValueOf(operand_, x.hi), 0));
  }
  return Int::Between(result_, exact.ShiftRight(x.lo, amount.Value()),
                      exact.ShiftRight(x.hi, amount.Value()));
}

IntSet Sets::And(const Int& x, const Int& y) const {
  return *Enumerate(ir::Dtype::kBool, x, y, [](auto a, auto b) { return a & b; });
}

IntSet Sets::Or(const Int& x, const Int& y) const {
  return *Enumerate(ir::Dtype::kBool, x, y, [](auto a, auto b) { return a | b; });
}

IntSet Sets::Xor(const Int& x, const Int& y) const {
  return *Enumerate(ir::Dtype::kBool, x, y, [](auto a, auto b) { return a ^ b; });
}

IntSet Sets::Not(const Int& x) const {
  return *Enumerate(ir::Dtype::kBool, x, x, [](auto a, auto) { return a ^ 1; });
}

}  // namespace faultline::reference
