// Copyright The Faultline Authors
// SPDX-License-Identifier: Apache-2.0

// The primitives that elementwise kernels are written in, for two algebras: Exact (one value, the
// naive bits) and Sets (everything a contract permits). Both have the same members, so a kernel is
// one template. Primitives over rows (sum, dot, prod, scan, order) stand beside their kernels, as
// overloads on the algebra.

#ifndef REFERENCE_ALGEBRA_H_
#define REFERENCE_ALGEBRA_H_

#include <cstdint>

#include "ir/dtype.h"
#include "reference/contract.h"
#include "reference/enclosure.h"
#include "reference/held.h"
#include "reference/sets.h"

namespace faultline::reference {

class Nature;

// f32(1/sqrt 2), by which gelu scales the argument of erf.
inline constexpr double kGeluScale = 0x1.6a09e6p-1;

// Primitives take elements of `operand` and give elements of `result` (the same dtype, except in
// comparisons, which give bools, and casts). With a Nature (reference/nature.h) the value is not
// the naive one, but any that the contract permits.
class Exact {
 public:
  using Float = double;
  using Int = int64_t;
  using Tensor = Points;
  static constexpr bool kSets = false;

  Exact(const Contract& contract, ir::Dtype operand, ir::Dtype result, Nature* nature = nullptr)
      : contract_(&contract), operand_(operand), result_(result), nature_(nature) {}
  const Contract& contract() const { return *contract_; }
  ir::Dtype operand() const { return operand_; }
  ir::Dtype result() const { return result_; }
  Nature* nature() const { return nature_; }
  // The same algebra on other dtypes, for the steps inside an op.
  Exact On(ir::Dtype operand, ir::Dtype result) const {
    return Exact(*contract_, operand, result, nature_);
  }

  Float FloatOf(Cell cell) const { return AsFloat(cell); }
  Int IntOf(Cell cell) const { return AsInt(cell); }

  // Correctly rounded.
  Float Add(Float x, Float y) const {
    return nature_ == nullptr ? Round(result_, x + y) : AddFreely(x, y);
  }
  Float Sub(Float x, Float y) const {
    return nature_ == nullptr ? Round(result_, x - y) : AddFreely(x, -y);
  }
  Float Mul(Float x, Float y) const {
    return nature_ == nullptr ? Round(result_, x * y) : MulFreely(x, y);
  }
  Float Div(Float x, Float y) const {
    return nature_ == nullptr ? Round(result_, x / y) : DivFreely(x, y);
  }
  Float Sqrt(Float x) const {
    return nature_ == nullptr ? Round(result_, std::sqrt(x)) : SqrtFreely(x);
  }
  Float Rem(Float x, Float y) const;
  // Exact. A NaN operand gives the free NaN.
  Float Neg(Float x) const { return std::isnan(x) ? FreeNan() : -x; }
  Float Abs(Float x) const { return std::isnan(x) ? FreeNan() : std::fabs(x); }
  Float Min(Float x, Float y) const;
  Float Max(Float x, Float y) const;
  Float Floor(Float x) const { return std::isnan(x) ? FreeNan() : std::floor(Seen(x)); }
  Float Ceil(Float x) const { return std::isnan(x) ? FreeNan() : std::ceil(Seen(x)); }
  Float Trunc(Float x) const { return std::isnan(x) ? FreeNan() : std::trunc(Seen(x)); }
  Float RoundEven(Float x) const { return std::isnan(x) ? FreeNan() : std::nearbyint(Seen(x)); }
  Float Sign(Float x) const;
  // Functions, and composites with a pinned formula.
  Float Call(Function function, Float x) const;
  Float Pow(Float x, Float y) const { return CallTwo(Function::kPow, x, y); }
  Float Powi(Float x, Int n) const;
  Float Atan2(Float y, Float x) const { return CallTwo(Function::kAtan2, y, x); }
  Float Hypot(Float x, Float y) const { return CallTwo(Function::kHypot, x, y); }
  Float Sigmoid(Float x) const;
  Float LogSigmoid(Float x) const;
  Float Gelu(Float x) const;

  // Ints wrap.
  Int Add(Int x, Int y) const { return Wrap(result_, Bits(x) + Bits(y)); }
  Int Sub(Int x, Int y) const { return Wrap(result_, Bits(x) - Bits(y)); }
  Int Mul(Int x, Int y) const { return Wrap(result_, Bits(x) * Bits(y)); }
  Int Div(Int x, Int y) const;
  Int Rem(Int x, Int y) const;
  Int Neg(Int x) const { return Wrap(result_, 0 - Bits(x)); }
  Int Abs(Int x) const { return IntLess(operand_, x, 0) ? Neg(x) : x; }
  Int Min(Int x, Int y) const { return IntLess(operand_, y, x) ? y : x; }
  Int Max(Int x, Int y) const { return IntLess(operand_, x, y) ? y : x; }
  Int Powi(Int x, Int n) const;
  Int Sign(Int x) const { return IntLess(operand_, x, 0) ? -1 : x == 0 ? 0 : 1; }
  Int BitAnd(Int x, Int y) const { return x & y; }
  Int BitOr(Int x, Int y) const { return x | y; }
  Int BitXor(Int x, Int y) const { return x ^ y; }
  Int BitNot(Int x) const { return Wrap(result_, ~Bits(x)); }
  Int ShiftLeft(Int x, Int amount) const;
  Int ShiftRight(Int x, Int amount) const;
  // Bools.
  Int And(Int x, Int y) const { return x & y; }
  Int Or(Int x, Int y) const { return x | y; }
  Int Xor(Int x, Int y) const { return x ^ y; }
  Int Not(Int x) const { return x ^ 1; }

  Int Equal(Float x, Float y) const { return Seen(x) == Seen(y) ? 1 : 0; }
  Int Less(Float x, Float y) const { return Seen(x) < Seen(y) ? 1 : 0; }
  Int GreaterEqual(Float x, Float y) const { return Seen(x) >= Seen(y) ? 1 : 0; }
  Int IsNan(Float x) const { return std::isnan(x) ? 1 : 0; }
  Int IsInf(Float x) const { return std::isinf(x) ? 1 : 0; }
  Int Equal(Int x, Int y) const { return x == y ? 1 : 0; }
  Int Less(Int x, Int y) const { return IntLess(operand_, x, y) ? 1 : 0; }
  Int GreaterEqual(Int x, Int y) const { return IntLess(operand_, x, y) ? 0 : 1; }

  // mask ? x : y; moves bits.
  Float Select(Int mask, Float x, Float y) const { return mask != 0 ? x : y; }
  Int Select(Int mask, Int x, Int y) const { return mask != 0 ? x : y; }

  // From `operand` to `result`.
  Float CastToFloat(Float x) const { return Seen(Round(result_, x)); }
  Float CastToFloat(Int x) const;
  Int CastToInt(Float x) const;
  Int CastToInt(Int x) const;

 private:
  static uint64_t Bits(Int x) { return std::bit_cast<uint64_t>(x); }
  // y may be an exponent that f64 does not hold.
  Float CallTwo(Function function, Float x, long double y) const;

  // With a Nature.
  Float AddFreely(Float x, Float y) const;
  Float MulFreely(Float x, Float y) const;
  Float DivFreely(Float x, Float y) const;
  Float SqrtFreely(Float x) const;
  Float CallFreely(Function function, Float x) const;
  Float CallTwoFreely(Function function, Float x, long double y) const;
  Float ExtremumFreely(Float x, Float y, Float naive) const;
  Float Flushed(Float x) const;
  Float Seen(Float x) const { return nature_ == nullptr ? x : Flushed(x); }

  const Contract* contract_;
  ir::Dtype operand_;
  ir::Dtype result_;
  Nature* nature_;
};

class Sets {
 public:
  using Float = FloatSet;
  using Int = IntSet;
  using Tensor = Enclosure;
  static constexpr bool kSets = true;

  // `wide`: results are left unrounded, for what a consumer may see under a contract whose
  // intermediates may stay wider.
  Sets(const Contract& contract, ir::Dtype operand, ir::Dtype result, bool wide = false)
      : contract_(&contract), operand_(operand), result_(result), wide_(wide) {}
  const Contract& contract() const { return *contract_; }
  ir::Dtype operand() const { return operand_; }
  ir::Dtype result() const { return result_; }
  Sets On(ir::Dtype operand, ir::Dtype result) const {
    return Sets(*contract_, operand, result, wide_);
  }
  bool wide() const { return wide_; }

  Float FloatOf(Cell cell) const { return FloatSet::Of(AsFloat(cell)); }
  Int IntOf(Cell cell) const { return IntSet::Of(AsInt(cell)); }

  Float Add(const Float& x, const Float& y) const;
  Float Sub(const Float& x, const Float& y) const;
  Float Mul(const Float& x, const Float& y) const;
  Float Div(const Float& x, const Float& y) const;
  Float Sqrt(const Float& x) const;
  Float Rem(const Float& x, const Float& y) const;
  Float Neg(const Float& x) const;
  Float Abs(const Float& x) const;
  Float Min(const Float& x, const Float& y) const;
  Float Max(const Float& x, const Float& y) const;
  Float Floor(const Float& x) const;
  Float Ceil(const Float& x) const;
  Float Trunc(const Float& x) const;
  Float RoundEven(const Float& x) const;
  Float Sign(const Float& x) const;
  Float Call(Function function, const Float& x) const;
  Float Pow(const Float& x, const Float& y) const;
  Float Powi(const Float& x, const Int& n) const;
  Float Atan2(const Float& y, const Float& x) const;
  Float Hypot(const Float& x, const Float& y) const;
  Float Sigmoid(const Float& x) const;
  Float LogSigmoid(const Float& x) const;
  Float Gelu(const Float& x) const;

  Int Add(const Int& x, const Int& y) const;
  Int Sub(const Int& x, const Int& y) const;
  Int Mul(const Int& x, const Int& y) const;
  Int Div(const Int& x, const Int& y) const;
  Int Rem(const Int& x, const Int& y) const;
  Int Neg(const Int& x) const;
  Int Abs(const Int& x) const;
  Int Min(const Int& x, const Int& y) const;
  Int Max(const Int& x, const Int& y) const;
  Int Powi(const Int& x, const Int& n) const;
  Int Sign(const Int& x) const;
  Int BitAnd(const Int& x, const Int& y) const;
  Int BitOr(const Int& x, const Int& y) const;
  Int BitXor(const Int& x, const Int& y) const;
  Int BitNot(const Int& x) const;
  Int ShiftLeft(const Int& x, const Int& amount) const;
  Int ShiftRight(const Int& x, const Int& amount) const;
  Int And(const Int& x, const Int& y) const;
  Int Or(const Int& x, const Int& y) const;
  Int Xor(const Int& x, const Int& y) const;
  Int Not(const Int& x) const;

  Int Equal(const Float& x, const Float& y) const;
  Int Less(const Float& x, const Float& y) const;
  Int GreaterEqual(const Float& x, const Float& y) const;
  Int IsNan(const Float& x) const;
  Int IsInf(const Float& x) const;
  Int Equal(const Int& x, const Int& y) const;
  Int Less(const Int& x, const Int& y) const;
  Int GreaterEqual(const Int& x, const Int& y) const;

  Float Select(const Int& mask, const Float& x, const Float& y) const;
  Int Select(const Int& mask, const Int& x, const Int& y) const;

  Float CastToFloat(const Float& x) const;
  Float CastToFloat(const Int& x) const;
  Int CastToInt(const Float& x) const;
  Int CastToInt(const Int& x) const;

  // Unites `to` with what one correct rounding makes of the reals in [lo, hi]; the ends are f64
  // results of one operation. Wide: the reals themselves.
  void AddCorrectlyRounded(Float& to, double lo, double hi) const;
  // Unites `to` with the values of the dtype computed in (f32 for f16 and bf16) that lie within
  // [lo, hi], each then rounded to the result. Wide: the reals themselves. Real is double or long
  // double.
  template <class Real>
  void AddInside(Float& to, Real lo, Real hi) const;
  // Unites `to` with results within k ulp of the reals in [lo, hi]; they keep the sign of a hull
  // that has one, and a magnitude of at most `bound`.
  template <class Real>
  void AddWithinUlp(Float& to, Real lo, Real hi, double ulp, double bound) const;
  // The operand as an op may see it, and the result as it may leave it, where subnormals may be
  // flushed. The sign of a flushed zero is free.
  Float Flushed(const Float& x) const;

 private:
  // Unites `to` with x to the n.
  void AddPowerOf(Float& to, const Float& x, int64_t n) const;

  const Contract* contract_;
  ir::Dtype operand_;
  ir::Dtype result_;
  bool wide_;
};

}  // namespace faultline::reference

#endif  // REFERENCE_ALGEBRA_H_
